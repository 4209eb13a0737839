"""Permissions from HTTP services: a hook of your own, or Denodo's Data Catalog."""

import asyncio
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Final, TypeVar
from urllib.parse import SplitResult

import orjson
from pydantic import BaseModel, Field, TypeAdapter, ValidationError

from recollect.domain.conversation.message import Visibility
from recollect.domain.identity.permissions import Access, normalised
from recollect.domain.identity.scope import Scope
from recollect.errors import ConfigurationError, PermissionsUnavailable
from recollect.http_client import AsyncCloseable, HttpClient, bearer_header, http_address
from recollect.http_client.responses import HttpFailure, ReplyTooLarge
from recollect.permissions.local import access_from, merged

_MAX_ANSWER_BYTES: Final = 16_000_000
_PERMISSIONS: Final = "/public/api/ai-sdk/user-permissions"
_ALLOWED: Final = "/public/api/views/allowed-identifiers"  # all there was up to 9.4.1
_METADATA: Final = "/public/api/askaquestion/data"
_EVERYTHING: Final = {"dataMode": "ALL"}
_PAGE: Final = 200
_MOST_PAGES: Final = 500
Rights = Mapping[int, Visibility]
Headers = Mapping[str, str]
Read = TypeVar("Read")


class HttpService(AsyncCloseable):
    """A service that is sent JSON and answers with JSON; close it with `aclose`."""

    def __init__(
        self, address: SplitResult, *, name: str, time_limit: float, headers: Headers | None = None
    ) -> None:
        self._name = name
        self._time_limit = time_limit
        self._client = HttpClient(
            address,
            setting="MEMORY_PERMISSIONS",
            headers={
                "Accept": "application/json",
                "Content-Type": "application/json",
                **(headers or {}),
            },
            connect_seconds=time_limit,
        )

    async def aclose(self) -> None:
        """Close the connections."""
        await self._client.aclose()

    async def post(
        self, path: str, body: object, *, headers: Headers | None = None
    ) -> tuple[int, object]:
        """Return the status and, if that is 200, the answer.

        Raises `PermissionsUnavailable` if there is none, or none in time.
        """
        try:
            async with asyncio.timeout(self._time_limit):
                reply = await self._client.fetch(
                    "POST", path, orjson.dumps(body), headers=headers, limit=_MAX_ANSWER_BYTES
                )
        except TimeoutError:
            raise self.failure(f"gave no answer within {self._time_limit:g} seconds") from None
        except HttpFailure as error:
            raise self.failure(f"could not be reached ({error})") from None
        except ReplyTooLarge as error:
            raise self.failure(str(error)) from None
        if reply.status != HTTPStatus.OK:
            return reply.status, None
        try:
            return reply.status, orjson.loads(reply.body)
        except ValueError:
            raise self.failure("sent something that is no JSON") from None

    def failure(self, problem: str) -> PermissionsUnavailable:
        """The error that says what is wrong with the service."""
        return PermissionsUnavailable(f"{self._name} {problem}")


def _service_address(address: str) -> SplitResult:
    problem = (
        "MEMORY_PERMISSIONS must have an address such as https://host/path, "
        "without a name and password in it"
    )
    parts = http_address(address, problem)
    if "@" in parts.netloc:
        raise ConfigurationError(problem)
    return parts


class PermissionsHook(HttpService):
    """A `PermissionSource` that sends `{"tenant", "user"}` and is answered with table lists."""

    def __init__(self, url: str, *, secret: str | None = None, time_limit: float = 5.0) -> None:
        super().__init__(
            _service_address(url),
            name="the permission hook",
            time_limit=time_limit,
            headers=bearer_header(secret, "MEMORY_PERMISSIONS_SECRET"),
        )

    async def access_of(self, scope: Scope) -> Access:
        """What the service says about the owner; see `PermissionSource.access_of`."""
        status, answer = await self.post("", {"tenant": scope.tenant, "user": scope.user})
        if status != HTTPStatus.OK:
            raise self.failure(f"answered with status {status}")
        try:
            return access_from(answer)
        except ValueError as error:
            raise self.failure(f"sent an answer that is not valid: {error}") from None


class _Right(BaseModel):
    view_id: int = Field(alias="viewId")
    has_row_restrictions: bool = Field(alias="hasRowRestrictions")
    restricted_columns: list[object] | None = Field(alias="restrictedColumns")


class _Rights(BaseModel):
    views: list[_Right] = Field(alias="viewsPermissions")


class _View(BaseModel):
    id: int
    name: str
    database: str = Field(alias="databaseName")


class _Views(BaseModel):
    views: list[_View] = Field(alias="viewsDetails")


_RIGHTS: Final = TypeAdapter(_Rights)
_VIEW_IDS: Final = TypeAdapter(list[int])
_VIEWS: Final = TypeAdapter(_Views | list[_View])


class DenodoCatalog(HttpService):
    """A `PermissionSource` that asks the Data Catalog which views the caller may see.

    It sends the credentials of the request unchanged. The catalog answers with numbers of views,
    whose names are looked up in the databases given here; views of other databases stay hidden.
    Catalogs of both generations work; the older one does not tell which views are restricted.
    """

    def __init__(
        self, url: str, *, databases: Sequence[str], server_id: int = 1, time_limit: float = 10.0
    ) -> None:
        if not databases:
            raise ConfigurationError(
                "MEMORY_PERMISSIONS must name the databases: denodo:https://host/path?databases=a,b"
            )
        address = _service_address(url)._replace(query="", fragment="")
        super().__init__(address, name="the Data Catalog", time_limit=time_limit)
        self._databases = tuple(databases)
        self._server_id = server_id

    async def access_of(self, scope: Scope) -> Access:
        """What the catalog says about the caller; see `PermissionSource.access_of`."""
        if not scope.authorization:
            raise PermissionsUnavailable(
                "the request has no credentials that the Data Catalog could check"
            )
        headers = {"Authorization": scope.authorization}
        rights = await self._rights(headers)
        names = await asyncio.gather(*(self._views(name, headers) for name in self._databases))
        return Access(
            tables=merged(
                {name: rights[view_id]}
                for views in names
                for view_id, name in views
                if view_id in rights
            )
        )

    async def _rights(self, headers: Headers) -> Rights:
        """How much may be seen of each view, by its number."""
        status, answer = await self._ask(_PERMISSIONS, _EVERYTHING, headers)
        if status == HTTPStatus.NOT_FOUND:
            status, answer = await self._ask(_ALLOWED, _EVERYTHING, headers)
            view_ids = self._read(_VIEW_IDS, answer, status)
            return dict.fromkeys(view_ids, Visibility.ALL)
        rights: dict[int, Visibility] = {}
        for right in self._read(_RIGHTS, answer, status).views:
            is_restricted = right.has_row_restrictions or bool(right.restricted_columns)
            visibility = Visibility.SHAPE if is_restricted else Visibility.ALL
            rights[right.view_id] = min(visibility, rights.get(right.view_id, visibility))
        return rights

    async def _views(self, database: str, headers: Headers) -> set[tuple[int, str]]:
        """The numbers and names of all views of a database."""
        query = {"dataMode": "DATABASE", "databaseName": database, "dataUsage": False}
        views: set[tuple[int, str]] = set()
        offset = 0
        for _ in range(_MOST_PAGES):
            page_of = {"offset": offset, "limit": _PAGE}
            status, answer = await self._ask(_METADATA, query | page_of, headers)
            read = self._read(_VIEWS, answer, status)
            named = read.views if isinstance(read, _Views) else read
            page = [(one.id, normalised(f'"{one.database}"."{one.name}"')) for one in named]
            if views.issuperset(page):
                return views
            views.update(page)
            offset += len(page)  # which may be fewer than were asked for
            if isinstance(answer, list):  # catalogs before 9.1 send all at once
                return views
        raise self.failure(f"has more than {_MOST_PAGES * _PAGE:,} views in one database")

    async def _ask(self, path: str, body: object, headers: Headers) -> tuple[int, object]:
        return await self.post(f"{path}?serverId={self._server_id}", body, headers=headers)

    def _read(self, form: TypeAdapter[Read], answer: object, status: int) -> Read:
        if status in {HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN}:
            raise self.failure("refused the caller's credentials")
        if status != HTTPStatus.OK:
            raise self.failure(f"answered with status {status}")
        try:
            return form.validate_python(answer, strict=True)
        except ValidationError:
            raise self.failure("sent an answer of an unknown form") from None
