"""What `recollect chat` talks to: a memory opened in this process, or a server."""

import asyncio
import json
from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import SplitResult
from uuid import UUID, uuid4

from recollect.domain.chat.answers import Answered, Inquiry
from recollect.domain.context.window import CUT_MARK
from recollect.domain.conversation.message import NewMessage, Role, message_id_for_key, reply_id_for
from recollect.domain.conversation.session import NewSession
from recollect.domain.identity.scope import Scope
from recollect.domain.recall.entry import AS_SET, RecallOverrides
from recollect.errors import (
    ConfigurationError,
    IdAlreadyUsed,
    NotFound,
    RecollectError,
    SessionNotFound,
    Unauthenticated,
    Unavailable,
)
from recollect.http_client import HttpClient, http_address, json_bytes
from recollect.http_client.responses import HttpFailure, HttpReply, HttpResponse, ReplyTooLarge

if TYPE_CHECKING:
    from recollect.memory import Memory

_SESSION_METADATA: Final = {"created_via": "cli"}
_STOPPED: Final = {"stopped": True}
"""Metadata of a reply that was stopped before its end."""
_ASKED_BEFORE: Final = 200
_OUR_HEADER: Final = "X-Transaction-ID"
"""A header of every response of ours, and of hardly anybody else's."""
_MAX_REPLY_BYTES: Final = 32_000_000
# Only these: a model may take long before its first word, which the server limits.
_CONNECT_SECONDS: Final = 10.0
_CHECK_SECONDS: Final = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerSummary:
    """What is known of an answer when it is over."""

    answer: str
    question: str
    """The question as it was understood."""
    session_id: str | None
    messages_in_context: int = 0
    has_summary: bool = False
    recalled: Sequence[Mapping[str, Any]] = ()
    citations: Sequence[object] = ()
    warnings: Sequence[str] = field(default=())

    @classmethod
    def of(cls, answered: Mapping[str, Any]) -> "AnswerSummary":
        """Read the JSON form of an answer."""
        metadata = answered["metadata"]
        return cls(
            answer=answered["answer"],
            question=metadata["question"],
            session_id=metadata["session_id"],
            messages_in_context=metadata["messages_in_context"],
            has_summary=metadata["sources"]["summary"] is not None,
            recalled=metadata["recalled"],
            citations=answered["citations"],
            warnings=metadata["warnings"],
        )


class Partner(ABC):
    """Answers within one conversation at a time."""

    def __init__(self, session_id: UUID | None) -> None:
        self.session_id = session_id
        """The conversation; None before its first question."""
        self._question_id: UUID | None = None

    @abstractmethod
    def ask(self, question: str) -> AsyncGenerator[str | AnswerSummary, None]:
        """The answer in pieces of text, and what is known of it as the last item.

        The session starts before its first question, so that one stopped at once is not lost.
        """

    async def keep_stopped(self, partial: str) -> None:
        """Keep what was heard of the last answer, so that its question stays in the context.

        Of an answer of which nothing was heard, recall finds nothing either.
        """
        if self.session_id is not None and self._question_id is not None:
            heard = partial.rstrip()
            content = f"{heard} {CUT_MARK}" if heard else "(no answer)"
            await self._reply(self.session_id, self._question_id, content)

    async def asked_before(self) -> Sequence[str]:
        """The questions of a resumed conversation, oldest first."""
        return () if self.session_id is None else await self._questions(self.session_id)

    def start_anew(self) -> None:
        """Leave the conversation as it is; the next question begins another."""
        self.session_id = self._question_id = None

    async def forget(self) -> None:
        """Delete the conversation; the next question begins another."""
        if self.session_id is not None:
            await self._delete(self.session_id)
        self.start_anew()

    @abstractmethod
    async def _reply(self, session_id: UUID, question_id: UUID, content: str) -> None: ...

    @abstractmethod
    async def _questions(self, session_id: UUID) -> Sequence[str]: ...

    @abstractmethod
    async def _delete(self, session_id: UUID) -> None: ...


class EmbeddedPartner(Partner):
    """Asks the services themselves; no server is needed."""

    def __init__(
        self,
        memory: "Memory",
        scope: Scope,
        *,
        session_id: UUID | None,
        model: str | None = None,
        recall: RecallOverrides = AS_SET,
    ) -> None:
        super().__init__(session_id)
        self._services = memory.services
        self._scope = scope
        self._model = model
        self._recall = recall

    async def ask(self, question: str) -> AsyncGenerator[str | AnswerSummary, None]:
        """See `Partner.ask`."""
        # What HTTP answers with, which no client of a server needs.
        from recollect.interfaces.http.schemas.chat import ChatOut  # noqa: PLC0415

        new_id = self._services.ids.new_id
        if self.session_id is None:
            new = NewSession(session_id=new_id(), metadata=dict(_SESSION_METADATA))
            session, _ = await self._services.sessions.start(self._scope, new)
            self.session_id = session.session_id
        self._question_id = new_id()
        inquiry = Inquiry(
            text=question,
            session_id=self.session_id,
            message_id=self._question_id,
            model=self._model,
            recall=self._recall,
        )
        turn = await self._services.chat.begin(self._scope, inquiry)
        async with aclosing(turn.stream()) as pieces:
            async for piece in pieces:
                if isinstance(piece, Answered):
                    yield AnswerSummary.of(ChatOut.of(piece).model_dump(mode="json"))
                else:
                    yield piece

    async def _reply(self, session_id: UUID, question_id: UUID, content: str) -> None:
        reply = NewMessage(
            message_id=reply_id_for(question_id),
            role=Role.ASSISTANT,
            content=content,
            metadata=dict(_STOPPED),
        )
        try:
            await self._services.messages.append(
                self._scope, session_id, [reply], reply_to=question_id
            )
        except (NotFound, IdAlreadyUsed):
            return  # stopped before the question was stored, or after the whole reply was

    async def _questions(self, session_id: UUID) -> Sequence[str]:
        messages = await self._services.messages.last(self._scope, session_id, count=_ASKED_BEFORE)
        return [message.content for message in messages if message.role is Role.USER]

    async def _delete(self, session_id: UUID) -> None:
        await self._services.sessions.delete(self._scope, session_id)


@asynccontextmanager
async def server_at(
    url: str,
    *,
    key: str | None = None,
    user: str | None = None,
    session_id: UUID | None,
    model: str | None = None,
    recall: RecallOverrides = AS_SET,
) -> AsyncIterator["ServerPartner"]:
    """A partner on a server, its connections closed at the end; a service key names the user.

    Raises:
        ConfigurationError: the address is none, or not that of a Recollect server.
        Unavailable: nobody answers there.
    """
    headers = {"Content-Type": "application/json", "User-Agent": "recollect-cli"}
    if key:
        headers["Authorization"] = f"Bearer {key}"
    if user:
        headers["X-Memory-User"] = user
    options = {
        "model": model,
        "recall_scope": recall.scope,
        "recall_k": recall.k,
        "recall_elsewhere": recall.elsewhere,
    }
    address = _checked(url)
    async with HttpClient(
        address, setting="--server", headers=headers, connect_seconds=_CONNECT_SECONDS
    ) as client:
        partner = ServerPartner(client, session_id=session_id, options=options)
        await partner.check()
        yield partner


def _checked(url: str) -> SplitResult:
    problem = "--server must be an address such as http://127.0.0.1:8080 (or MEMORY_SERVER_URL)"
    parts = http_address(url, problem)
    if parts.path.rstrip("/").endswith("/v1"):
        root = url.rstrip("/").removesuffix("/v1").removesuffix("/api")
        raise ConfigurationError(
            f"{url} is an address for OpenAI clients; --server wants the server's own: {root}"
        )
    return parts


class ServerPartner(Partner):
    """Asks over POST /chat; the session's id lives in this process alone."""

    def __init__(
        self,
        client: HttpClient,
        *,
        session_id: UUID | None,
        options: Mapping[str, str | int | None],
    ) -> None:
        super().__init__(session_id)
        self._client = client
        self._options = {name: value for name, value in options.items() if value is not None}

    async def check(self) -> None:
        """Refuse to talk to anything but a Recollect server."""
        try:
            async with asyncio.timeout(_CHECK_SECONDS):
                reply = await self._send("GET", "/healthz")
        except TimeoutError:
            raise self._unavailable("ReadTimeout") from None
        if not reply.is_success or _OUR_HEADER not in reply.headers:
            raise ConfigurationError(
                f"{self._client.address} is not a Recollect server: it answers /healthz with "
                f"{reply.status} and no {_OUR_HEADER}"
            )

    async def ask(self, question: str) -> AsyncGenerator[str | AnswerSummary, None]:
        """See `Partner.ask`."""
        if self.session_id is None:
            new = await self._do("POST", "", {"metadata": _SESSION_METADATA})
            self.session_id = UUID(json.loads(new.body)["session_id"])
        key = str(uuid4())
        self._question_id = message_id_for_key(self.session_id, key)
        headers = {"X-Session-ID": str(self.session_id), "Idempotency-Key": key}
        body = json_bytes({"query": question, "stream": True, **self._options})
        try:
            async with self._client.request("POST", "/chat", body, headers=headers) as response:
                if response.status != HTTPStatus.OK:
                    raise _refusal(await response.read(_MAX_REPLY_BYTES))
                async for event, data in _events(response):
                    if event == "error":
                        raise Unavailable(f"{data['error']}: {data['detail']}")
                    yield AnswerSummary.of(data) if event == "answer" else str(data["text"])
        except HttpFailure as error:
            raise self._unavailable(str(error)) from None

    async def _reply(self, session_id: UUID, question_id: UUID, content: str) -> None:
        body = {
            "message_id": str(reply_id_for(question_id)),
            "role": "assistant",
            "content": content,
            "metadata": _STOPPED,
            "reply_to": str(question_id),
        }
        # Stopped before the question was stored, or after the whole reply was: nothing to keep.
        nothing_to_keep = (HTTPStatus.NOT_FOUND, HTTPStatus.CONFLICT)
        await self._do("POST", f"/{session_id}/messages", body, besides=nothing_to_keep)

    async def _questions(self, session_id: UUID) -> Sequence[str]:
        path = f"/{session_id}/messages?limit={_ASKED_BEFORE}"
        reply = await self._do("GET", path, besides=(HTTPStatus.NOT_FOUND,))
        if reply.status == HTTPStatus.NOT_FOUND:
            raise SessionNotFound(session_id)
        items = reversed(json.loads(reply.body)["items"])
        return [item["content"] for item in items if item["role"] == "user"]

    async def _delete(self, session_id: UUID) -> None:
        await self._do("DELETE", f"/{session_id}")

    async def _do(
        self, method: str, path: str, body: object = None, *, besides: Sequence[HTTPStatus] = ()
    ) -> HttpReply:
        """Send a request about sessions; an error unless it succeeds, or ends `besides` that."""
        reply = await self._send(method, f"/api/v1/sessions{path}", body)
        if not reply.is_success and reply.status not in besides:
            raise _refusal(reply)
        return reply

    async def _send(self, method: str, path: str, body: object = None) -> HttpReply:
        content = None if body is None else json_bytes(body)
        try:
            return await self._client.fetch(method, path, content, limit=_MAX_REPLY_BYTES)
        except (HttpFailure, ReplyTooLarge) as error:
            raise self._unavailable(str(error)) from None

    def _unavailable(self, problem: str) -> Unavailable:
        return Unavailable(
            f"{self._client.address} does not answer ({problem}); "
            "is 'recollect serve' running there?"
        )


async def _events(response: HttpResponse) -> AsyncIterator[tuple[str, Mapping[str, Any]]]:
    """Server-sent events: their names and data."""
    event = ""
    async for line in response.lines():
        name, _, value = line.partition(": ")
        if name == "event":
            event = value
        elif name == "data":
            yield event, json.loads(value)


def _refusal(reply: HttpReply) -> RecollectError:
    try:
        body = json.loads(reply.body)
        problem = f"{body['error']}: {body['detail']}"
    except (ValueError, LookupError, TypeError):
        problem = f"the server answered {reply.status}"
    if reply.status in {HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN}:
        return Unauthenticated(f"{problem} (set MEMORY_SERVER_KEY)")
    return Unavailable(problem)
