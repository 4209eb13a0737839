"""Reading large JSON bodies while others are served.

One call of a JSON reader keeps all threads waiting until it returns: 60 ms for 8 MB. A body whose
arrays are read item by item, in a thread, lets the event loop in between.
"""

import asyncio
import json
import re
from collections.abc import Callable, Coroutine
from json import JSONDecodeError
from typing import Any, Final

from fastapi import Request, Response
from fastapi.routing import APIRoute

from recollect.domain.text import JsonValue
from recollect.services.messages import MAX_APPENDED

_BLANKS: Final = re.compile(r"[ \t\n\r]*")
_decode: Final = json.JSONDecoder().raw_decode


class LargeJsonRoute(APIRoute):
    """A route whose JSON body is read in a thread, piece by piece."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """The handler of a request that reads its body so."""
        handle = super().get_route_handler()

        async def handle_large(request: Request) -> Response:
            return await handle(_LargeJsonRequest(request.scope, request.receive))

        return handle_large


class _LargeJsonRequest(Request):
    async def json(self) -> JsonValue:
        body = await self.body()
        return await asyncio.to_thread(lambda: load_pieces(body.decode(), MAX_APPENDED))


def load_pieces(text: str, max_items: int) -> JsonValue:
    """Read JSON as `json.loads` does, the arrays of an object item by item.

    Reading ends behind an array of more than `max_items`, which is returned one item too long.
    """
    if _character(text, _skip(text, 0)) != "{":
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
        item, position = _decode(text, position)
        items.append(item)
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
