"""A user's profile over HTTP."""

from functools import partial
from http import HTTPStatus
from typing import Annotated, Final

from fastapi import APIRouter, Depends, Header, Path, Response

from recollect.domain.profile.profile import MAX_KEY_LENGTH, ProfileItem
from recollect.domain.text import json_characters
from recollect.errors import InvalidInput
from recollect.interfaces.http.callers import CallerScope
from recollect.interfaces.http.errors import ERASED, ERRORS, NOT_FOUND, PRECONDITION
from recollect.interfaces.http.etags import ExpectedVersion, etag
from recollect.interfaces.http.large_json import WRITTEN_AT_ONCE, LargeBodyRoute, written
from recollect.interfaces.http.parameters import Confirmed, UseCases
from recollect.interfaces.http.schemas.profiles import (
    DeletedKeys,
    ProfileItemOut,
    ProfileOut,
    ProfileValueIn,
)

_OF_KEY: Final = "/{key:path}"  # a key may contain slashes
KeyPath = Annotated[
    str,
    Path(
        description=f"The key: 1 to {MAX_KEY_LENGTH} printable characters.",
        examples=["preferences"],
    ),
]
router = APIRouter(
    prefix="/api/v1/profile", tags=["profile"], responses=ERRORS, route_class=LargeBodyRoute
)


# Async, though it awaits nothing: FastAPI would send a plain function to a thread.
async def _version_before(
    matching: ExpectedVersion,
    if_none_match: Annotated[
        str | None,
        Header(
            alias="If-None-Match",
            description="`*`: only if the key is not there yet; else 412, nothing is done.",
        ),
    ] = None,
) -> int | None:
    if if_none_match is None:
        return matching
    if if_none_match.strip() != "*" or matching is not None:
        raise InvalidInput("If-None-Match", "must be * and stand without If-Match")
    return 0


VersionBefore = Annotated[int | None, Depends(_version_before)]


@router.get("", summary="Get the user's profile", response_model=ProfileOut)
async def list_profile(scope: CallerScope, services: UseCases) -> Response:
    """Return all values that are stored about the user, in order of their keys."""
    items = await services.profiles.list(scope)
    return await written(
        lambda: ProfileOut(items=[ProfileItemOut.of(item) for item in items]),
        characters=json_characters([item.value for item in items], most=WRITTEN_AT_ONCE),
        parts=["items"],
    )


@router.delete("", summary="Delete the user's profile")
async def clear_profile(
    scope: CallerScope,
    services: UseCases,
    _: Confirmed,
) -> DeletedKeys:
    """Delete all keys of the profile; 400 without `confirm=true`."""
    return DeletedKeys(deleted=await services.profiles.clear(scope))


@router.get(
    _OF_KEY,
    summary="Get a value of the profile",
    response_model=ProfileItemOut,
    responses=NOT_FOUND,
)
async def get_profile_value(key: KeyPath, scope: CallerScope, services: UseCases) -> Response:
    """Return the value of one key, with its version in the header `ETag`."""
    return await _written(await services.profiles.get(scope, key))


@router.put(
    _OF_KEY,
    summary="Set a value of the profile",
    response_model=ProfileItemOut,
    responses=NOT_FOUND | PRECONDITION | ERASED,
)
async def set_profile_value(
    key: KeyPath,
    body: ProfileValueIn,
    scope: CallerScope,
    services: UseCases,
    version: VersionBefore,
) -> Response:
    """Set the value of a key, in place of any before it."""
    return await _written(await services.profiles.set(scope, key, body.value, version=version))


@router.patch(
    _OF_KEY,
    summary="Merge into a value of the profile",
    response_model=ProfileItemOut,
    responses=NOT_FOUND | PRECONDITION | ERASED,
)
async def merge_profile_value(
    key: KeyPath,
    body: ProfileValueIn,
    scope: CallerScope,
    services: UseCases,
    version: VersionBefore,
) -> Response:
    """Merge objects at every depth; replace everything else, null is a value like others."""
    return await _written(await services.profiles.merge(scope, key, body.value, version=version))


@router.delete(
    _OF_KEY,
    summary="Delete a value of the profile",
    status_code=HTTPStatus.NO_CONTENT,
    responses=NOT_FOUND | PRECONDITION,
)
async def delete_profile_value(
    key: KeyPath, scope: CallerScope, services: UseCases, version: ExpectedVersion
) -> None:
    """Delete one key."""
    await services.profiles.delete(scope, key, version=version)


async def _written(item: ProfileItem) -> Response:
    return await written(
        partial(ProfileItemOut.of, item),
        characters=json_characters(item.value, most=WRITTEN_AT_ONCE),
        headers=etag(item.version),
    )
