"""Large responses, written beside the event loop.

One call of a JSON writer keeps all threads waiting until it returns: long lists are written item by
item.
"""

import asyncio
from collections.abc import Callable, Collection, Mapping
from http import HTTPStatus
from typing import Any, Final, TypeAlias

import orjson
from fastapi import Response
from pydantic import BaseModel

from recollect.offloading import AT_ONCE

WRITTEN_AT_ONCE: Final = 5 * AT_ONCE
"""Characters of a response that are written at once: to write a text is quicker than to read it."""
_JSON: Final = "application/json"
_Default: TypeAlias = Callable[[object], dict[str, Any]]


async def written(
    make: Callable[[], BaseModel],
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
    return Response(body, status, headers, media_type=_JSON)


def json_bytes(model: BaseModel, default: _Default, *, parts: Collection[str] = ()) -> bytes:
    """A model as JSON; the lists that `parts` names item by item."""
    members = default(model)
    try:
        for name in members.keys() & set(parts):
            members[name] = [orjson.Fragment(_json(item, default)) for item in members[name]]
        return _json(members, default)
    except orjson.JSONEncodeError:  # an integer beyond 64 bits, as a database may have it
        return model.model_dump_json(exclude_unset=default is _members).encode()


def _json(value: object, default: _Default) -> bytes:
    return orjson.dumps(value, default, orjson.OPT_UTC_Z)


def _members(value: object) -> dict[str, Any]:
    """What was set of a model, or what any mapping has."""
    if not isinstance(value, BaseModel):
        return _mapping(value)
    given = value.model_fields_set
    return {name: member for name, member in value.__dict__.items() if name in given}


def _all_members(value: object) -> dict[str, Any]:
    """All that a model has, its defaults and what it has no fields for, too."""
    if not isinstance(value, BaseModel):
        return _mapping(value)
    return {**value.__dict__, **(value.model_extra or {})}


def _mapping(value: object) -> dict[str, Any]:
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError
