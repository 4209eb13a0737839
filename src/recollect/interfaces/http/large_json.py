"""Large bodies and responses, read and written in threads beside the event loop."""

import asyncio
import json
from collections.abc import Callable, Collection, Coroutine, Iterator, Mapping
from functools import partial
from http import HTTPStatus
from typing import Annotated, Any, Final, TypeAlias
from uuid import UUID

import orjson
from fastapi import Depends, HTTPException, Request, Response
from fastapi.routing import APIRoute, request_response
from pydantic import BaseModel
from pydantic_core import to_json
from starlette.types import Receive, Scope, Send

from recollect.concurrency import AT_ONCE, off_loop
from recollect.domain.json_decoding import patient_decoder
from recollect.domain.text import JsonValue, count_parts, count_values
from recollect.interfaces.http.request_plan import RequestPlan, Unplanned

MAX_VALUES: Final = 50_000
"""The most values in one body: writing them at once, as JSON, takes 2 ms, and all threads wait."""
MAX_BATCH_VALUES: Final = 300_000
"""Values in a batch, which is checked and stored message by message: none may have more than
the body of another route."""
MAX_MEMBERS: Final = 250
"""Members of a body: refusing an unknown one takes 9 µs on a slow machine."""
MAX_ITEM_MEMBERS: Final = 1_000
"""Members of each item of its arrays, which may be a row of a wide table."""
_PARSED_AT_ONCE: Final = 20_000  # values: 5 ms, and all threads wait
WRITTEN_AT_ONCE: Final = 5 * AT_ONCE
"""Characters of a response that are written at once: to write a text is quicker than to read it."""
_Members: TypeAlias = Callable[[object], dict[str, Any]]


class LargeBodyRoute(APIRoute):
    """A route whose requests are parsed in a thread where their bodies are large."""

    max_values = MAX_VALUES

    def __init__(self, *args: Any, **options: Any) -> None:  # noqa: ANN401  # the framework's
        """Make a route; see `APIRoute`."""
        super().__init__(*args, **options)
        self._plan = RequestPlan.of(self)
        if self._plan is not None:
            self.app = self._serve_planned

    def parse(self, body: bytes) -> JsonValue:
        """Parse a body; one with too many values, in all or in one item, is refused."""
        if count_values(body, most=self.max_values) > self.max_values:
            raise _refusal(f"the body has more than {self.max_values:,} values")
        parsed = load_json(body)
        # pydantic would take long to refuse them, with one error for each member
        if isinstance(parsed, dict) and len(parsed) > MAX_MEMBERS:
            raise _refusal(f"the body has more than {MAX_MEMBERS:,} members")
        for item in _items(parsed):
            if isinstance(item, dict) and len(item) > MAX_ITEM_MEMBERS:
                raise _refusal(f"an item of the body has more than {MAX_ITEM_MEMBERS:,} members")
        if min(self.max_values, len(body)) > MAX_VALUES:  # each value takes a byte
            for item in _items(parsed):
                if count_parts(item, most=MAX_VALUES) > MAX_VALUES:
                    raise _refusal(f"an item of the body has more than {MAX_VALUES:,} values")
        return parsed

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Handle requests as any route does, with another way to read their JSON."""
        handle = super().get_route_handler()

        async def handle_large(request: Request) -> Response:
            if not isinstance(request, _LargeBodyRequest):
                request = self._large(request.scope, request.receive)
            return await handle(request)

        return handle_large

    async def _serve_planned(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request by the plan, without the framework's stacks of what to close.

        Where the plan is no use, the framework gets the request with what was read of it.
        """
        assert self._plan is not None  # noqa: S101  # else the framework serves it
        request = self._large(scope, receive)
        try:
            arguments = await self._plan.arguments(request)
        except Unplanned:
            handle = self.get_route_handler()

            async def handle_again(_: Request) -> Response:
                return await handle(request)

            await request_response(handle_again)(scope, receive, send)
            return
        response = self._plan.response(await self.endpoint(**arguments))
        await response(scope, receive, send)

    def _large(self, scope: Scope, receive: Receive) -> "_LargeBodyRequest":
        return _LargeBodyRequest(scope, receive, parse=self.parse)


class BatchRoute(LargeBodyRoute):
    """A route whose body is an object with arrays of many items, checked item by item."""

    max_values = MAX_BATCH_VALUES


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


def _items(parsed: JsonValue) -> Iterator[JsonValue]:
    """The items of an array, or of the arrays in an object."""
    members = parsed.values() if isinstance(parsed, dict) else ()
    for items in (parsed, *members):
        if isinstance(items, list):
            yield from items


def _refusal(problem: str) -> HTTPException:
    return HTTPException(HTTPStatus.UNPROCESSABLE_ENTITY, problem)


def load_json(body: bytes, *, at_once: int = _PARSED_AT_ONCE) -> JsonValue:
    """Parse JSON in UTF-8; more values than are parsed at once without holding up other threads.

    Values are counted by bytes, which tells nothing of other encodings: they are refused.
    """
    try:
        text = body.decode("utf-8-sig", "surrogatepass")
    except UnicodeDecodeError:
        raise json.JSONDecodeError("JSON must be UTF-8", "", 0) from None
    parsed: JsonValue
    if count_values(body, most=at_once) < at_once:
        parsed = json.loads(text)
    else:
        parsed = patient_decoder().decode(text)
    return parsed


async def written(
    make: Callable[[], BaseModel | dict[str, Any]],
    *,
    characters: int,
    parts: Collection[str] = (),
    status: HTTPStatus = HTTPStatus.OK,
    headers: Mapping[str, str] | None = None,
    with_defaults: bool = False,
) -> Response:
    """A response with what is made for it; where that is large, made and written in a thread.

    Of the fields that are lists, `parts` are then written item by item: all at once would hold
    up every thread. Fields that were not set are left out, unless `with_defaults`. What is
    written was checked when it was stored: pydantic takes twenty times as long to write many
    small values.
    """
    default = _all_members if with_defaults else _members
    if characters <= WRITTEN_AT_ONCE:
        body = json_bytes(make(), default)
    else:
        body = await asyncio.to_thread(lambda: json_bytes(make(), default, parts=parts))
    return Response(body, status, headers, media_type="application/json")


def json_bytes(
    made: BaseModel | dict[str, Any], default: _Members, *, parts: Collection[str] = ()
) -> bytes:
    """A model, or the members of one, as JSON; the lists that `parts` names item by item."""
    members = default(made)
    try:
        for name in members.keys() & set(parts):
            members[name] = [orjson.Fragment(_json(item, default)) for item in members[name]]
        return _json(members, default)
    except orjson.JSONEncodeError:  # an integer beyond 64 bits, as a database may have it
        if isinstance(made, BaseModel):
            return made.model_dump_json(exclude_unset=default is _members).encode()
        return to_json(made)


def _json(value: object, default: _Members) -> bytes:
    return orjson.dumps(value, _written_by(default), orjson.OPT_UTC_Z)


def _members(value: object) -> dict[str, Any]:
    """What was set of a model, or what any mapping has."""
    if isinstance(value, BaseModel):
        given = value.model_fields_set
        return {name: member for name, member in value.__dict__.items() if name in given}
    return _all_members(value)


def _all_members(value: object) -> dict[str, Any]:
    """All that a model has, its defaults and what it has no fields for, or any mapping."""
    if isinstance(value, BaseModel):
        return {**value.__dict__, **(value.model_extra or {})}
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError


def _written_by(default: _Members) -> Callable[[object], object]:
    """What orjson asks for values that it does not know itself."""

    def write(value: object) -> object:
        # A driver's own class of ids: without this, pydantic would write every response.
        return str(value) if isinstance(value, UUID) else default(value)

    return write
