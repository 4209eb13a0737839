"""Answers by a Denodo AI SDK, versions 0.5 to 1.4, as its public sources describe them."""

import asyncio
import re
from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from http import HTTPStatus
from typing import Final

from recollect.concurrency import off_loop
from recollect.domain.chat.answers import Answer, AnswerRequest
from recollect.domain.conversation.message import MAX_CONTENT_LENGTH, AnswerDetails
from recollect.domain.identity.scope import Scope
from recollect.domain.privacy.results import WIDEST, rows_of
from recollect.domain.text import JsonObject, JsonValue, storable_json
from recollect.errors import (
    Forbidden,
    IdentityUnavailable,
    InvalidInput,
    ModelUnavailable,
    ReplyUnusable,
    Unauthenticated,
    ViewsNotFound,
)
from recollect.http_client import AsyncCloseable, HttpClient, http_address, json_bytes
from recollect.http_client.responses import HttpFailure, HttpReply, ReplyTooLarge
from recollect.ports.models import SqlReader

MAX_RESPONSE_BYTES: Final = 16_000_000
_NAME_FIELDS: Final = ("vdp_database_names", "vdp_tag_names", "use_views")
"""The fields that are comma-separated text up to version 1.2 and lists from 1.4 on."""
_LOOK_UP_SECONDS: Final = 10.0
_NO_SUCH_PATH: Final = {"detail": "Not Found"}  # as its web framework says it
_TIMES: Final = (
    "sql_execution_time",
    "vector_store_search_time",
    "llm_time",
    "total_execution_time",
)
_FIELD_NAME: Final = re.compile(r"[a-z_]{1,40}")
_DISCLAIMER: Final = re.compile(r"\bDISCLAIMER: This response has been generated\b.*\Z", re.DOTALL)
_MOST_TABLES: Final = 1000
_LONGEST_NAME: Final = 1000
_LONGEST_COUNT: Final = 2**63 - 1


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
        setting = "MEMORY_DENODO_URL"
        address = http_address(base_url, f"{setting} must be an address such as http://host:8008")
        self._client = HttpClient(address, setting=setting, verifies_tls=verifies_tls)

    async def aclose(self) -> None:
        """Close the connections."""
        await self._client.aclose()

    async def answer_question(self, body: JsonObject, authorization: str | None) -> JsonObject:
        """Ask a question and return the response; its fields may be of any version."""
        takes_lists = self._takes_lists
        reply = await self._ask(body, authorization, as_lists=takes_lists)
        is_refused = reply.status == HTTPStatus.UNPROCESSABLE_ENTITY
        if is_refused and not set(_NAME_FIELDS).isdisjoint(_refused_fields(reply)):
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
                reply = await self._send(
                    "GET", "/getUserPermissions", None, _authorized(authorization)
                )
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
                return (await self._send("GET", "/getAISDKInfo", None, {})).status
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


def _authorized(authorization: str | None) -> dict[str, str]:
    return {} if authorization is None else {"Authorization": authorization}


@dataclass(frozen=True, slots=True)
class DenodoAnswerer:
    """Implements `recollect.ports.models.Answerer` with the AI SDK's /answerQuestion.

    The AI SDK searches views by the question alone, so it gets the standalone question; earlier
    messages go into its instructions. The request's options are its own fields.
    """

    client: DenodoClient
    sql: SqlReader

    async def answer(self, scope: Scope, request: AnswerRequest) -> Answer:
        """The AI SDK's answer, with the query behind it."""
        body = await off_loop(partial(_body, request), characters=request.context.characters)
        received = await self.client.answer_question(body, scope.authorization)
        # In a thread, whatever its size: that is known only once it is read.
        return await asyncio.to_thread(read_response, received, reader=self.sql)

    async def stream(
        self, scope: Scope, request: AnswerRequest
    ) -> AsyncGenerator[str | Answer, None]:
        """The same in one piece: the answer is there only once the query has run."""
        answer = await self.answer(scope, request)
        yield answer.content
        yield answer


def _body(request: AnswerRequest) -> dict[str, JsonValue]:
    options = {name: value for name, value in request.options.items() if value is not None}
    custom = options.pop("custom_instructions", None)
    parts = (custom if isinstance(custom, str) else "", request.context.instructions())
    instructions = "\n\n".join(part for part in parts if part.strip())
    if instructions:
        options["custom_instructions"] = instructions
    return {"question": request.context.standalone_question, **options}


def tables_of(sql: str, candidates: Sequence[str], reader: SqlReader) -> tuple[str, ...]:
    """The tables in a query, as `database.view` where that is known.

    The AI SDK names every view that it considered, not those that it used. Where there is no
    query, or it cannot be parsed, all of them count.
    """
    named = reader.tables_in(sql)
    if not named:
        return tuple(dict.fromkeys(candidates))
    return tuple(dict.fromkeys(_in_full(table, candidates) for table in named))


def _in_full(table: str, candidates: Sequence[str]) -> str:
    """The candidate that a table without its database stands for, if there is only one."""
    if "." in table:
        return table
    ending = f".{table.lower()}"
    matching = [candidate for candidate in candidates if candidate.lower().endswith(ending)]
    return matching[0] if len(matching) == 1 else table


def read_response(received: JsonObject, *, reader: SqlReader) -> Answer:
    """The answer with its details, and the response with every field in its usual type."""
    response = _normalised(received, reader)
    text = str(response["answer"])
    sql = str(response["sql_query"]).strip()
    stored = _DISCLAIMER.sub("", text).strip() or sql or "(The query gave no text.)"
    tables = [name[:_LONGEST_NAME] for name in names_in(response["tables_used"])[:_MOST_TABLES]]
    seconds, model = _number(response["sql_execution_time"]), response.get("llm_model")
    return Answer(
        content=text if text.strip() else stored,
        stored_as=stored,
        response=response,
        details=AnswerDetails(
            sql_query=sql[:MAX_CONTENT_LENGTH] or None,
            query_explanation=str(response["query_explanation"])[:MAX_CONTENT_LENGTH] or None,
            tables_used=tuple(tables) or None,
            execution_result=WIDEST.keep(rows_of(response["execution_result"])),
            tokens=_mapping(response["tokens"]) or None,
            execution_time_ms=round(seconds * 1000, 3) if 0 < seconds < _LONGEST_COUNT else None,
            model=model[:_LONGEST_NAME] if isinstance(model, str) and model.strip() else None,
        ),
    )


def _normalised(received: JsonObject, reader: SqlReader) -> dict[str, JsonValue]:
    """Every field that clients know, in its usual type, and all others unchanged."""
    response = dict(_mapping(storable_json(received)))
    for name in ("answer", "sql_query", "query_explanation", "raw_graph"):
        value = response.get(name)
        response[name] = value if isinstance(value, str) else ""
    for name in _TIMES:
        response[name] = _number(response.get(name))
    for name in ("tokens", "execution_result"):
        response[name] = _mapping(response.get(name))
    questions = response.get("related_questions")
    texts = questions if isinstance(questions, list | tuple) else ()
    response["related_questions"] = [text for text in texts if isinstance(text, str)]
    candidates = names_in(response.get("tables_used"))
    response["tables_used"] = list(tables_of(str(response["sql_query"]), candidates, reader))
    return response


def _number(value: JsonValue) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return 0.0
    try:
        return float(value)
    except ValueError:
        return 0.0


def _mapping(value: JsonValue) -> JsonObject:
    return value if isinstance(value, Mapping) else {}
