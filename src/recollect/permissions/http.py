"""Permissions from HTTP services: a hook of your own, or Denodo's Data Catalog."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from http import HTTPStatus
from typing import Final, Self, TypeVar

import httpx
import orjson

from recollect.domain.conversation.message import Visibility
from recollect.domain.identity.permissions import Access, normalised
from recollect.domain.identity.scope import Scope
from recollect.errors import ConfigurationError, PermissionsUnavailable
from recollect.permissions.grants import access_from, merged

_MAX_ANSWER_BYTES: Final = 16_000_000
_ATTEMPTS: Final = 2  # a kept connection may have been closed meanwhile
_PERMISSIONS: Final = "public/api/ai-sdk/user-permissions"
_ALLOWED: Final = "public/api/views/allowed-identifiers"  # all there was up to 9.4.1
_METADATA: Final = "public/api/askaquestion/data"
_EVERYTHING: Final = {"dataMode": "ALL"}
_PAGE: Final = 200
_MOST_PAGES: Final = 500
Rights = Mapping[int, Visibility]
Headers = Mapping[str, str]
Read = TypeVar("Read")


class HttpService:
    """One service that is asked with JSON and answers with JSON; close it with `aclose`."""

    def __init__(self, *, name: str, time_limit: float, headers: Mapping[str, str]) -> None:
        self._name = name
        self._time_limit = time_limit
        self._client = httpx.AsyncClient(
            # Uncompressed, so that the limit on the answer's size is one on memory too.
            headers={"Accept-Encoding": "identity", "Accept": "application/json", **headers},
            timeout=httpx.Timeout(time_limit),
            follow_redirects=False,
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Close the connections; the service is asked no more."""
        await self._client.aclose()

    async def post(
        self, url: httpx.URL, body: object, *, headers: Mapping[str, str] | None = None
    ) -> tuple[int, object]:
        """The status and, if that is 200, the answer; `PermissionsUnavailable` without any."""
        try:
            async with asyncio.timeout(self._time_limit):
                status, received = await self._sent(url, orjson.dumps(body), headers or {})
        except TimeoutError:
            raise self.failure(f"gave no answer within {self._time_limit:g} seconds") from None
        if status != HTTPStatus.OK:
            return status, None
        try:
            return status, orjson.loads(received)
        except ValueError:
            raise self.failure("sent something that is no JSON") from None

    async def _sent(
        self, url: httpx.URL, body: bytes, headers: Mapping[str, str]
    ) -> tuple[int, bytes]:
        sent = {"Content-Type": "application/json", **headers}
        for attempts_left in reversed(range(_ATTEMPTS)):
            try:
                async with self._client.stream("POST", url, content=body, headers=sent) as answer:
                    return answer.status_code, await self._bounded(answer)
            except (httpx.TransportError, httpx.StreamError) as error:
                if not attempts_left:
                    # The error's own text may quote headers; its kind is enough to act on.
                    problem = f"could not be reached ({type(error).__name__})"
                    raise self.failure(problem) from None
        raise AssertionError  # pragma: no cover  # the last attempt returns or raises

    async def _bounded(self, answer: httpx.Response) -> bytes:
        received = bytearray()
        async for chunk in answer.aiter_raw():
            received += chunk
            if len(received) > _MAX_ANSWER_BYTES:
                raise self.failure(f"sent more than {_MAX_ANSWER_BYTES:,} bytes")
        return bytes(received)

    def failure(self, problem: str) -> PermissionsUnavailable:
        """The error that says what is wrong with the service."""
        return PermissionsUnavailable(f"{self._name} {problem}")


def service_url(address: str) -> httpx.URL:
    """An address as it is set, or an error that says how to write one."""
    try:
        url = httpx.URL(address.strip())
    except httpx.InvalidURL:
        url = httpx.URL()
    if url.scheme not in {"http", "https"} or not url.host or url.userinfo:
        raise ConfigurationError(
            "MEMORY_PERMISSIONS must have an address such as https://host/path, "
            "without a name and password in it"
        )
    return url


class PermissionsHook(HttpService):
    """A `PermissionSource` that asks `{"tenant", "user"}` and is told lists of tables."""

    def __init__(self, url: str, *, secret: str | None = None, time_limit: float = 5.0) -> None:
        headers = _headers(secret)
        super().__init__(name="the permission hook", time_limit=time_limit, headers=headers)
        self._url = service_url(url)

    async def access_of(self, scope: Scope) -> Access:
        """What the service says about the owner; see `PermissionSource.access_of`."""
        asked = {"tenant": scope.tenant, "user": scope.user}
        status, told = await self.post(self._url, asked)
        if status != HTTPStatus.OK:
            raise self.failure(f"answered with status {status}")
        try:
            return access_from(told)
        except ValueError as error:
            raise self.failure(f"sent an answer that {error}") from None


def _headers(secret: str | None) -> Mapping[str, str]:
    key = (secret or "").strip()
    if not (key.isascii() and all("!" <= character <= "~" for character in key)):
        raise ConfigurationError("MEMORY_PERMISSIONS_SECRET has characters that no header takes")
    return {"Authorization": f"Bearer {key}"} if key else {}


class DenodoCatalog(HttpService):
    """A `PermissionSource` that asks the Data Catalog which views the caller may see.

    The catalog answers for the credentials of the request, which are forwarded unchanged, and
    with numbers; their names are looked up in the databases given here, and views of other
    databases are not to be seen. Catalogs of both generations are understood. The older one
    does not tell which views are restricted.
    """

    def __init__(
        self, url: str, *, databases: Sequence[str], server_id: int = 1, time_limit: float = 10.0
    ) -> None:
        super().__init__(name="the Data Catalog", time_limit=time_limit, headers={})
        if not databases:
            raise ConfigurationError(
                "MEMORY_PERMISSIONS must name the databases: denodo:https://host/path?databases=a,b"
            )
        base = service_url(url)
        self._base = base.copy_with(path=base.path.rstrip("/") + "/", query=None, fragment=None)
        self._databases = tuple(databases)
        self._server_id = str(server_id)

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
        status, told = await self._ask(_PERMISSIONS, _EVERYTHING, headers)
        if status != HTTPStatus.NOT_FOUND:
            return self._read(_rights_from, told, status)
        status, told = await self._ask(_ALLOWED, _EVERYTHING, headers)
        return self._read(_allowed_from, told, status)

    async def _views(self, database: str, headers: Headers) -> set[tuple[int, str]]:
        """The numbers and names of all views of a database."""
        asked = {"dataMode": "DATABASE", "databaseName": database, "dataUsage": False}
        found: set[tuple[int, str]] = set()
        offset = 0
        for _ in range(_MOST_PAGES):
            place = {"offset": offset, "limit": _PAGE}
            status, told = await self._ask(_METADATA, asked | place, headers)
            page = self._read(_views_from, told, status)
            if found.issuperset(page):
                return found
            found.update(page)
            offset += len(page)  # which may be fewer than were asked for
            if isinstance(told, list):  # catalogs before 9.1 send all at once
                return found
        raise self.failure(f"has more than {_MOST_PAGES * _PAGE:,} views in one database")

    async def _ask(self, path: str, body: object, headers: Headers) -> tuple[int, object]:
        url = self._base.join(path).copy_set_param("serverId", self._server_id)
        return await self.post(url, body, headers=headers)

    def _read(self, read: Callable[[object], Read], told: object, status: int) -> Read:
        if status in {HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN}:
            raise self.failure("refused the caller's credentials")
        if status != HTTPStatus.OK:
            raise self.failure(f"answered with status {status}")
        try:
            return read(told)
        except ValueError:
            raise self.failure("sent an answer of an unknown form") from None


def _rights_from(told: object) -> Rights:
    match told:
        case {"viewsPermissions": [*views]}:
            rights: dict[int, Visibility] = {}
            for view_id, visibility in map(_right_from, views):
                rights[view_id] = min(visibility, rights.get(view_id, visibility))
            return rights
    raise ValueError


def _right_from(view: object) -> tuple[int, Visibility]:
    match view:
        case {
            "viewId": int() as view_id,
            "hasRowRestrictions": bool() as has_restricted_rows,
            "restrictedColumns": list() | None as columns,
        } if type(view_id) is int:
            is_restricted = has_restricted_rows or bool(columns)
            return view_id, Visibility.SHAPE if is_restricted else Visibility.ALL
    raise ValueError


def _allowed_from(told: object) -> Rights:
    if not isinstance(told, list) or not all(type(view_id) is int for view_id in told):
        raise ValueError
    return dict.fromkeys(told, Visibility.ALL)


def _views_from(told: object) -> list[tuple[int, str]]:
    match told:
        case {"viewsDetails": [*views]} | [*views]:
            return [_view_from(view) for view in views]
    raise ValueError


def _view_from(view: object) -> tuple[int, str]:
    match view:
        case {"id": int() as view_id, "name": str() as name, "databaseName": str() as database}:
            return view_id, normalised(f'"{database}"."{name}"')
    raise ValueError
