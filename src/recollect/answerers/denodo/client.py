"""A Denodo AI SDK over HTTP: its versions, requests and errors."""

import asyncio
import re
from collections.abc import Mapping, Sequence
from enum import StrEnum
from http import HTTPStatus
from typing import Final, Self

from recollect.domain.text import JsonObject, JsonValue
from recollect.errors import (
    Forbidden,
    IdentityUnavailable,
    InvalidInput,
    ModelUnavailable,
    ReplyUnusable,
    Unauthenticated,
    ViewsNotFound,
)
from recollect.http_client import (
    HttpClient,
    HttpFailure,
    HttpReply,
    ReplyTooLarge,
    http_address,
    json_bytes,
)

NAME_FIELDS: Final = ("vdp_database_names", "vdp_tag_names", "use_views")
"""The fields that are comma-separated text up to 1.2 and lists from 1.4 on."""
_FIRST_WITH_LISTS: Final = (1, 4)
_VERSION: Final = re.compile(r"(\d+)\.(\d+)")
_REQUEST: Final = "answerquestionrequest"
MAX_RESPONSE_BYTES: Final = 16_000_000
_LOOK_UP_SECONDS: Final = 10.0
_NO_SUCH_PATH: Final = {"detail": "Not Found"}  # as its web framework says it
_OUR_NAME: Final = re.compile(r"[a-z_]{1,40}")


class Dialect(StrEnum):
    """How several names are sent in one field."""

    TEXT = "text"
    LISTS = "lists"

    @property
    def other(self) -> "Dialect":
        """The one to try when this one was refused."""
        return Dialect.LISTS if self is Dialect.TEXT else Dialect.TEXT

    def spell(self, options: JsonObject) -> dict[str, JsonValue]:
        """The options of a request as this dialect writes them; nothing is ever null."""
        spelled: dict[str, JsonValue] = {}
        for name, value in options.items():
            if value is None:
                continue
            spelled[name] = self._names(value) if name in NAME_FIELDS else value
        return spelled

    def _names(self, value: JsonValue) -> JsonValue:
        names = names_in(value)
        return ", ".join(names) if self is Dialect.TEXT else list(names)


def names_in(value: JsonValue) -> tuple[str, ...]:
    """The names in a comma-separated text or a list."""
    parts = value.split(",") if isinstance(value, str) else value
    if not isinstance(parts, Sequence):
        return ()
    return tuple(name for part in parts if (name := str(part).strip()))


def dialect_of_version(version: JsonValue) -> Dialect | None:
    """The dialect of a version such as '1.2.3'; None if it is not one."""
    found = _VERSION.match(version.strip().lstrip("v")) if isinstance(version, str) else None
    if found is None:
        return None
    is_new = (int(found[1]), int(found[2])) >= _FIRST_WITH_LISTS
    return Dialect.LISTS if is_new else Dialect.TEXT


def dialect_of_info(info: JsonValue) -> Dialect | None:
    """What /getAISDKInfo tells, where it names the version."""
    if not isinstance(info, Mapping):
        return None
    names = ("version", "ai_sdk_version", "sdk_version")
    found = (dialect_of_version(info.get(name)) for name in names)
    return next((dialect for dialect in found if dialect), None)


def dialect_of_openapi(document: JsonValue) -> Dialect | None:
    """What /openapi.json tells: the type of the field itself, else the version."""
    match document:
        case {"components": {"schemas": Mapping() as schemas}}:
            for name, schema in schemas.items():
                if name.lower() == _REQUEST and (dialect := _dialect_of_schema(schema)):
                    return dialect
    match document:
        case {"info": {"version": version}}:
            return dialect_of_version(version)
    return None


def _dialect_of_schema(schema: JsonValue) -> Dialect | None:
    match schema:
        case {"properties": {"vdp_database_names": {"type": "array"}}}:
            return Dialect.LISTS
        case {"properties": {"vdp_database_names": {"type": "string"}}}:
            return Dialect.TEXT
    return None


class DenodoClient:
    """Speaks to one AI SDK through one pool of connections; close it with `aclose`.

    The caller's credentials are handed on as they came, and are in no log and no error.
    """

    def __init__(
        self,
        base_url: str,
        *,
        verifies_tls: bool = True,
        max_response_bytes: int = MAX_RESPONSE_BYTES,
    ) -> None:
        self._max_response_bytes = max_response_bytes
        self._dialect: Dialect | None = None
        self._detecting = asyncio.Lock()
        problem = "MEMORY_DENODO_URL must be an address such as http://host:8008"
        self._client = HttpClient(http_address(base_url, problem), verifies_tls=verifies_tls)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Close the connections."""
        await self._client.aclose()

    async def answer_question(self, body: JsonObject, authorization: str | None) -> JsonObject:
        """Ask, in the words of whichever version answers; the response as it came."""
        dialect = await self._known_dialect(authorization)
        received = await self._ask(body, dialect, authorization)
        if _refused_names(received):
            dialect = dialect.other
            received = await self._ask(body, dialect, authorization)
            if received.status == HTTPStatus.OK:
                self._dialect = dialect
        _check_status(received)
        answer = received.json()
        if not isinstance(answer, Mapping):
            raise ReplyUnusable("the Denodo AI SDK sent something that is no answer")
        return answer

    async def forward(
        self, path: str, *, query: str, body: bytes, headers: Mapping[str, str]
    ) -> HttpReply:
        """Post a request on as it is; the response as it came."""
        return await self._send("POST", f"/{path}?{query}" if query else f"/{path}", body, headers)

    async def user_of(self, authorization: str) -> str | None:
        """Check credentials; the user's name, if it is told.

        `Unauthenticated` if they are refused, `IdentityUnavailable` if nobody can tell now.
        """
        try:
            async with asyncio.timeout(_LOOK_UP_SECONDS):
                received = await self._get("getUserPermissions", authorization)
        except (ModelUnavailable, TimeoutError):
            raise IdentityUnavailable("the Denodo AI SDK does not answer") from None
        match received.status, received.json():
            case HTTPStatus.OK, {"username": str() as user}:
                return user if user.strip() else None
            case HTTPStatus.UNAUTHORIZED | HTTPStatus.FORBIDDEN, _:
                raise Unauthenticated("Denodo does not accept these credentials")
            case HTTPStatus.NOT_FOUND, _:
                raise IdentityUnavailable("this Denodo AI SDK is too old to check credentials")
        raise IdentityUnavailable(f"the Denodo AI SDK failed with status {received.status}")

    async def reach(self) -> int:
        """The status of a request without credentials; `ModelUnavailable` if nothing answers."""
        try:
            async with asyncio.timeout(_LOOK_UP_SECONDS):
                return (await self._get("getAISDKInfo", None)).status
        except TimeoutError:
            raise ModelUnavailable("the Denodo AI SDK does not answer") from None

    async def _known_dialect(self, authorization: str | None) -> Dialect:
        async with self._detecting:
            if self._dialect is None:
                self._dialect = await self._detect(authorization)
        return self._dialect or Dialect.TEXT

    async def _detect(self, authorization: str | None) -> Dialect | None:
        info = await self._looked_up("getAISDKInfo", authorization)
        if dialect := dialect_of_info(info):
            return dialect
        return dialect_of_openapi(await self._looked_up("openapi.json", authorization))

    async def _looked_up(self, path: str, authorization: str | None) -> JsonValue:
        """What a page says; None if it says nothing: the question will show what is wrong."""
        try:
            async with asyncio.timeout(_LOOK_UP_SECONDS):
                received = await self._get(path, authorization)
        except (ModelUnavailable, TimeoutError):
            return None
        return received.json() if received.status == HTTPStatus.OK else None

    async def _ask(
        self, body: JsonObject, dialect: Dialect, authorization: str | None
    ) -> HttpReply:
        headers = {"Content-Type": "application/json", **_authorized(authorization)}
        return await self._send("POST", "/answerQuestion", json_bytes(dialect.spell(body)), headers)

    async def _get(self, path: str, authorization: str | None) -> HttpReply:
        return await self._send("GET", f"/{path}", None, _authorized(authorization))

    async def _send(
        self, method: str, path: str, body: bytes | None, headers: Mapping[str, str]
    ) -> HttpReply:
        limit = self._max_response_bytes
        try:
            return await self._client.fetch(method, path, body, headers=headers, limit=limit)
        except HttpFailure as error:
            raise ModelUnavailable(f"the Denodo AI SDK could not be reached ({error})") from None
        except ReplyTooLarge as error:
            raise ReplyUnusable(f"the Denodo AI SDK {error}") from None


def _check_status(received: HttpReply) -> None:
    """Turn a failure into our error; never with the upstream's traceback."""
    match received.status:
        case HTTPStatus.OK:
            return
        case HTTPStatus.UNAUTHORIZED:
            raise Unauthenticated("Denodo does not accept these credentials")
        case HTTPStatus.FORBIDDEN:
            raise Forbidden("Denodo does not let these credentials ask that")
        case HTTPStatus.NOT_FOUND if received.json() == _NO_SUCH_PATH:
            raise ModelUnavailable("no Denodo AI SDK is there; check MEMORY_DENODO_URL")
        case HTTPStatus.NOT_FOUND:
            raise ViewsNotFound
        case HTTPStatus.UNPROCESSABLE_ENTITY | HTTPStatus.BAD_REQUEST:
            fields = ", ".join(_refused_fields(received)) or "the request"
            raise InvalidInput(fields, "is not what this version of the Denodo AI SDK takes")
        case _:
            raise ModelUnavailable(f"the Denodo AI SDK failed with status {received.status}")


def _refused_fields(received: HttpReply) -> list[str]:
    """The names of the fields that a 422 complains of; never what was in them."""
    match received.json():
        case {"detail": [*problems]}:
            places = (problem.get("loc") for problem in problems if isinstance(problem, Mapping))
            parts = (part for place in places if isinstance(place, list) for part in place)
            names = (part for part in parts if isinstance(part, str) and part != "body")
            return [name for name in dict.fromkeys(names) if _OUR_NAME.fullmatch(name)]
    return []


def _refused_names(received: HttpReply) -> bool:
    is_refused = received.status == HTTPStatus.UNPROCESSABLE_ENTITY
    return is_refused and not set(NAME_FIELDS).isdisjoint(_refused_fields(received))


def _authorized(authorization: str | None) -> dict[str, str]:
    return {} if authorization is None else {"Authorization": authorization}
