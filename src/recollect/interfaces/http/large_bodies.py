"""Large bodies, read and written beside the event loop.

One call of a JSON reader keeps all threads waiting until it returns, and so does pydantic: both are
given no more than they do in a few milliseconds. Values are counted before anything is parsed, for
bodies are parsed before their sender is known.
"""

import asyncio
import json
import re
from collections.abc import Callable, Coroutine, Iterable
from functools import partial
from http import HTTPStatus
from json import JSONDecodeError
from typing import Annotated, Any, Final, TypeVar

from fastapi import Depends, HTTPException, Request, Response
from fastapi.routing import APIRoute
from pydantic import BaseModel
from starlette.types import Receive, Scope

from recollect.domain.json_values import count_values
from recollect.domain.text import JsonValue
from recollect.offloading import AT_ONCE, off_loop
from recollect.services.messages import MAX_APPENDED

MAX_VALUES: Final = 50_000
"""Values in one body: Python's JSON reader and pydantic hold the loop up, 0.5 µs for each."""
MAX_BATCH_VALUES: Final = 300_000
"""Values in a batch, which is parsed and validated message by message: none may have more than
the body of another route."""
MAX_MEMBERS: Final = 1_000
"""Members of a body, and of each item of its arrays: refusing an unknown one takes 2 µs."""
_BLANKS: Final = re.compile(r"[ \t\n\r]*")
_decode: Final = json.JSONDecoder().raw_decode
_JSON: Final = "application/json"
_WRITTEN_AT_ONCE: Final = 10 * AT_ONCE  # to write a text is quicker than to read it

Written = TypeVar("Written", bound=BaseModel)


class LargeBodyRoute(APIRoute):
    """A route whose requests are parsed in a thread where their bodies are large."""

    def parse(self, body: bytes) -> JsonValue:
        """Parse a body; one with too many values is refused before that."""
        _check_count(body, MAX_VALUES)
        parsed: JsonValue = json.loads(body)
        _check_members(parsed)
        return parsed

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Handle requests as any route does, with another way to read their JSON."""
        handle = super().get_route_handler()

        async def handle_large(request: Request) -> Response:
            return await handle(_LargeBodyRequest(request.scope, request.receive, parse=self.parse))

        return handle_large


class BatchRoute(LargeBodyRoute):
    """A route whose body is an object with arrays of many items, parsed item by item."""

    def parse(self, body: bytes) -> JsonValue:
        """Parse a body piece by piece; one with too many values, in all or in one, is refused."""
        _check_count(body, MAX_BATCH_VALUES)
        parsed = load_pieces(body.decode(), MAX_APPENDED)
        _check_members(parsed)
        return parsed


class _LargeBodyRequest(Request):
    def __init__(
        self, scope: Scope, receive: Receive, *, parse: Callable[[bytes], JsonValue]
    ) -> None:
        super().__init__(scope, receive)
        self._parse = parse

    async def json(self) -> JsonValue:
        body = await self.body()
        return await off_loop(partial(self._parse, body), characters=len(body))


async def _body_size(request: Request) -> int:
    return len(await request.body())


BodySize = Annotated[int, Depends(_body_size)]
"""How many bytes the request's body has."""


async def written(
    make: Callable[[], Written], *, characters: int, parts: Iterable[str] = ()
) -> Written | Response:
    """What is made for a response; where it is large, made and written in a thread.

    Of the fields that are lists, `parts` are written item by item: all at once would hold up
    every thread.
    """
    if characters <= _WRITTEN_AT_ONCE:
        return make()
    return await asyncio.to_thread(_response, make, frozenset(parts))


def _response(make: Callable[[], BaseModel], parts: frozenset[str]) -> Response:
    model = make()
    rest = model.model_dump_json(exclude_unset=True, exclude=set(parts))
    pieces = [rest.removesuffix("}")]
    for name in sorted(parts):
        items = (item.model_dump_json(exclude_unset=True) for item in getattr(model, name))
        comma = "," if len(pieces[0]) > 1 else ""
        pieces.append(f'{comma}"{name}":[{",".join(items)}]')
    return Response("".join([*pieces, "}"]).encode(), media_type=_JSON)


def _check_count(body: bytes, most: int) -> None:
    if count_values(body, most=most) > most:
        raise _refusal(f"the body has more than {most:,} values")


def _check_members(parsed: JsonValue) -> None:
    """Refuse what pydantic would take long to refuse, one error for each member."""
    members = parsed.values() if isinstance(parsed, dict) else ()
    arrays = (items for items in (parsed, *members) if isinstance(items, list))
    for part in (parsed, *(item for items in arrays for item in items)):
        if isinstance(part, dict) and len(part) > MAX_MEMBERS:
            raise _refusal(f"an object of the body has more than {MAX_MEMBERS:,} members")


def _refusal(problem: str) -> HTTPException:
    return HTTPException(HTTPStatus.UNPROCESSABLE_ENTITY, problem)


def load_pieces(text: str, max_items: int) -> JsonValue:
    """Read JSON as `json.loads` does, the arrays of an object item by item.

    Reading ends behind an array of more than `max_items`, which is returned one item too long.
    An item of too many values is refused.
    """
    if _character(text, _skip(text, 0)) != "{":
        _check_count(text.encode(), MAX_VALUES)
        loaded: JsonValue = json.loads(text)
        return loaded
    members: dict[str, JsonValue] = {}
    position = _skip(text, _skip(text, 0) + 1)
    if _character(text, position) == "}":
        return _ended(text, position + 1, members)
    while True:
        name, position = _name(text, position)
        if _character(text, position) == "[":
            members[name], position = _items(text, position, max_items)
            if len(members[name]) > max_items:  # type: ignore[arg-type]  # it is a list
                return members
        else:
            members[name], position = _decode(text, position)
        position = _skip(text, position)
        if _character(text, position) == "}":
            return _ended(text, position + 1, members)
        position = _skip(text, _after(text, position, ","))


def _items(text: str, position: int, max_items: int) -> tuple[list[JsonValue], int]:
    """The items of the array that begins here, and where it ends."""
    items: list[JsonValue] = []
    position = _skip(text, position + 1)
    if _character(text, position) == "]":
        return items, position + 1
    while True:
        item, end = _decode(text, position)
        _check_count(text[position:end].encode(), MAX_VALUES)
        items.append(item)
        position = end
        position = _skip(text, position)
        if _character(text, position) == "]" or len(items) > max_items:
            return items, position + 1
        position = _skip(text, _after(text, position, ","))


def _name(text: str, position: int) -> tuple[str, int]:
    """The name of a member, and where its value begins."""
    if _character(text, position) != '"':
        raise JSONDecodeError("Expecting property name enclosed in double quotes", text, position)
    name, position = _decode(text, position)
    return name, _skip(text, _after(text, _skip(text, position), ":"))


def _ended(text: str, position: int, members: dict[str, JsonValue]) -> dict[str, JsonValue]:
    end = _skip(text, position)
    if end != len(text):
        raise JSONDecodeError("Extra data", text, end)
    return members


def _after(text: str, position: int, delimiter: str) -> int:
    if _character(text, position) != delimiter:
        raise JSONDecodeError(f"Expecting '{delimiter}' delimiter", text, position)
    return position + 1


def _character(text: str, position: int) -> str:
    return text[position : position + 1]


def _skip(text: str, position: int) -> int:
    """Where the blanks from here on end."""
    found = _BLANKS.match(text, position)
    return position if found is None else found.end()
