"""Large bodies, read and written beside the event loop."""

import asyncio
import json
from collections.abc import Callable, Coroutine, Iterable
from functools import partial
from http import HTTPStatus
from typing import Annotated, Any, Final, TypeVar

from fastapi import Depends, HTTPException, Request, Response
from fastapi.routing import APIRoute
from pydantic import BaseModel

from recollect.offloading import AT_ONCE, off_loop

MAX_VALUES: Final = 100_000
"""Values in one body: Python's JSON reader and pydantic hold the loop up, 0.5 µs for each."""
_BETWEEN_VALUES: Final = (b",", b"[", b"{")
_JSON: Final = "application/json"
_WRITTEN_AT_ONCE: Final = 10 * AT_ONCE  # to write a text is quicker than to read it

Written = TypeVar("Written", bound=BaseModel)


class LargeBodyRoute(APIRoute):
    """A route whose requests are parsed in a thread where their bodies are large."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Handle requests as any route does, with another way to read their JSON."""
        handle = super().get_route_handler()

        async def handle_large(request: Request) -> Response:
            return await handle(_LargeBodyRequest(request.scope, request.receive))

        return handle_large


class _LargeBodyRequest(Request):
    async def json(self) -> Any:  # noqa: ANN401  # as Starlette has it
        """The body's JSON; one with too many values is refused before it is parsed."""
        body = await self.body()
        return await off_loop(partial(_parsed, body), characters=len(body))


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


def _parsed(body: bytes) -> Any:  # noqa: ANN401  # JSON
    if len(body) > MAX_VALUES and _values_in(body) > MAX_VALUES:
        raise HTTPException(
            HTTPStatus.UNPROCESSABLE_ENTITY, f"the body has more than {MAX_VALUES:,} values"
        )
    return json.loads(body)


def _values_in(body: bytes) -> int:
    """About how many values JSON has: the marks before them, outside of strings."""
    plain = body.replace(rb"\\", b"").replace(rb"\"", b"")
    quotes = plain.count(b'"')
    if quotes > 4 * MAX_VALUES:  # each value may have a key, each of both two quotes
        return quotes // 4
    between_strings = b"".join(plain.split(b'"')[::2])
    return sum(between_strings.count(mark) for mark in _BETWEEN_VALUES)
