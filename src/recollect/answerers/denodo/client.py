"""A Denodo AI SDK over HTTP: its versions, requests and errors."""

import asyncio
import re
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Final

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
    AsyncCloseable,
    HttpClient,
    HttpFailure,
    HttpReply,
    ReplyTooLarge,
    http_address,
    json_bytes,
)

MAX_RESPONSE_BYTES: Final = 16_000_000
_NAME_FIELDS: Final = ("vdp_database_names", "vdp_tag_names", "use_views")
"""The fields that are comma-separated text up to version 1.2 and lists from 1.4 on."""
_LOOK_UP_SECONDS: Final = 10.0
_NO_SUCH_PATH: Final = {"detail": "Not Found"}  # as its web framework says it
_FIELD_NAME: Final = re.compile(r"[a-z_]{1,40}")


def names_in(value: JsonValue) -> tuple[str, ...]:
    """Split a comma-separated text, or a list, into names."""
    parts = value.split(",") if isinstance(value, str) else value
    if not isinstance(parts, Sequence):
        return ()
    return tuple(name for part in parts if (name := str(part).strip()))


class DenodoClient(AsyncCloseable):
    """Sends requests to one AI SDK; close it with `aclose`.

    The caller's credentials are passed on unchanged, and are in no log and no error.
    """

    def __init__(
        self,
        base_url: str,
        *,
        verifies_tls: bool = True,
        max_response_bytes: int = MAX_RESPONSE_BYTES,
    ) -> None:
        self._max_response_bytes = max_response_bytes
        self._takes_lists = False
        """Whether fields with several names are lists; learnt from what the AI SDK refuses."""
        problem = "MEMORY_DENODO_URL must be an address such as http://host:8008"
        self._client = HttpClient(http_address(base_url, problem), verifies_tls=verifies_tls)

    async def aclose(self) -> None:
        """Close the connections."""
        await self._client.aclose()

    async def answer_question(self, body: JsonObject, authorization: str | None) -> JsonObject:
        """Ask a question and return the response; its fields may be of any version."""
        takes_lists = self._takes_lists
        reply = await self._ask(body, authorization, as_lists=takes_lists)
        if _has_refused_names(reply):
            reply = await self._ask(body, authorization, as_lists=not takes_lists)
            if reply.status == HTTPStatus.OK:
                self._takes_lists = not takes_lists
        _check_status(reply)
        answer = reply.json()
        if not isinstance(answer, Mapping):
            raise ReplyUnusable("the Denodo AI SDK sent something that is no answer")
        return answer

    async def forward(
        self, path: str, *, query: str, body: bytes, headers: Mapping[str, str]
    ) -> HttpReply:
        """Post a request unchanged, and return the response unchanged."""
        return await self._send("POST", f"/{path}?{query}" if query else f"/{path}", body, headers)

    async def user_of(self, authorization: str) -> str | None:
        """Check credentials, and return the user's name if the AI SDK tells it.

        Raises `Unauthenticated` if they are refused, `IdentityUnavailable` if they could not be
        checked.
        """
        try:
            async with asyncio.timeout(_LOOK_UP_SECONDS):
                reply = await self._get("getUserPermissions", authorization)
        except (ModelUnavailable, TimeoutError):
            raise IdentityUnavailable("the Denodo AI SDK does not answer") from None
        match reply.status, reply.json():
            case HTTPStatus.OK, {"username": str() as user}:
                return user if user.strip() else None
            case HTTPStatus.UNAUTHORIZED | HTTPStatus.FORBIDDEN, _:
                raise Unauthenticated("Denodo does not accept these credentials")
            case HTTPStatus.NOT_FOUND, _:
                raise IdentityUnavailable("this Denodo AI SDK is too old to check credentials")
        raise IdentityUnavailable(f"the Denodo AI SDK failed with status {reply.status}")

    async def reach(self) -> int:
        """The status of a request without credentials; `ModelUnavailable` if nothing answers."""
        try:
            async with asyncio.timeout(_LOOK_UP_SECONDS):
                return (await self._get("getAISDKInfo", None)).status
        except TimeoutError:
            raise ModelUnavailable("the Denodo AI SDK does not answer") from None

    async def _ask(
        self, body: JsonObject, authorization: str | None, *, as_lists: bool
    ) -> HttpReply:
        fields = {name: value for name, value in body.items() if value is not None}
        for name in fields.keys() & _NAME_FIELDS:
            names = names_in(fields[name])
            fields[name] = list(names) if as_lists else ", ".join(names)
        headers = {"Content-Type": "application/json", **_authorized(authorization)}
        return await self._send("POST", "/answerQuestion", json_bytes(fields), headers)

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


def _check_status(reply: HttpReply) -> None:
    """Turn a failure into our error; never with the upstream's traceback."""
    match reply.status:
        case HTTPStatus.OK:
            return
        case HTTPStatus.UNAUTHORIZED:
            raise Unauthenticated("Denodo does not accept these credentials")
        case HTTPStatus.FORBIDDEN:
            raise Forbidden("Denodo does not let these credentials ask that")
        case HTTPStatus.NOT_FOUND if reply.json() == _NO_SUCH_PATH:
            raise ModelUnavailable("no Denodo AI SDK is there; check MEMORY_DENODO_URL")
        case HTTPStatus.NOT_FOUND:
            raise ViewsNotFound
        case HTTPStatus.UNPROCESSABLE_ENTITY | HTTPStatus.BAD_REQUEST:
            fields = ", ".join(_refused_fields(reply)) or "the request"
            raise InvalidInput(fields, "is not what this version of the Denodo AI SDK takes")
        case _:
            raise ModelUnavailable(f"the Denodo AI SDK failed with status {reply.status}")


def _refused_fields(reply: HttpReply) -> list[str]:
    """The names of the fields that a 422 complains of; never what was in them."""
    match reply.json():
        case {"detail": [*problems]}:
            places = (problem.get("loc") for problem in problems if isinstance(problem, Mapping))
            parts = (part for place in places if isinstance(place, list) for part in place)
            names = (part for part in parts if isinstance(part, str) and part != "body")
            return [name for name in dict.fromkeys(names) if _FIELD_NAME.fullmatch(name)]
    return []


def _has_refused_names(reply: HttpReply) -> bool:
    is_refused = reply.status == HTTPStatus.UNPROCESSABLE_ENTITY
    return is_refused and not set(_NAME_FIELDS).isdisjoint(_refused_fields(reply))


def _authorized(authorization: str | None) -> dict[str, str]:
    return {} if authorization is None else {"Authorization": authorization}
