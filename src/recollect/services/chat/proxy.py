"""Memory for every client of OpenAI's API: requests pass through, and are remembered.

state → branch followed, question stored → memory added → endpoint → reply stored. Nothing holds
a connection to the database while the endpoint works.
"""

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from http import HTTPStatus
from typing import Final
from uuid import UUID

from recollect.domain.chat.answers import AnswerRequest
from recollect.domain.chat.requests import CompletionCall
from recollect.domain.chat.writing import (
    Memories,
    to_bytes,
    to_bytes_in_steps,
    with_memories,
)
from recollect.domain.conversation.message import NewMessage, Role, message_id_for_key
from recollect.domain.conversation.session import NewSession, session_id_from, user_wide_session_id
from recollect.domain.followup.language import known_language
from recollect.domain.identity.accounts import MemoryPolicy
from recollect.domain.identity.scope import Scope
from recollect.domain.model_names import ChatTemplate
from recollect.domain.policy import MissingSession, Policies
from recollect.domain.text import JsonValue
from recollect.errors import ModelNotFound, ReplyUnusable, SessionNotFound
from recollect.offloading import AT_ONCE, off_loop
from recollect.ports.conversations import Followed
from recollect.ports.models import Completions
from recollect.ports.runtime import Counters, Ids
from recollect.services.access.accounts import States
from recollect.services.chat.answering import OwnAnswers, Remembering
from recollect.services.chat.chat import NO_MEMORY, NOT_STORED, SWITCHED_OFF
from recollect.services.chat.degradation import Degradation, Probe
from recollect.services.chat.replies import WholeReply, explained, read_whole, too_slow
from recollect.services.chat.streamed_reply import StreamedReply
from recollect.services.conversations.sessions import Sessions
from recollect.services.conversations.turns import Branches

NO_SESSION: Final = "No session was named in X-Session-ID; nothing is remembered."
TASK: Final = (
    "The prompt was taken for a front end's own task, such as a title; nothing is remembered."
)
NO_REPLY_ID: Final = (
    "The call names a question's id and none of the reply, as front ends' own tasks do; nothing "
    "is remembered. Send X-Memory-Message-ID as well."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Proxy:
    """Passes requests on to an endpoint, or to whoever answers where there is none."""

    endpoint: Completions | None
    own: OwnAnswers
    states: States
    sessions: Sessions
    branches: Branches
    remembering: Remembering
    ids: Ids
    policies: Policies
    counters: Counters
    probe: Probe | None = None
    """Tells whether the database answers; None where it cannot hang."""

    async def begin(self, scope: Scope, call: CompletionCall, received: bytes) -> StreamedReply:
        """Remember a call's question, add what memory has, and ask; the reply is still to be read.

        `received` is the call's body, passed on as it is where memory adds nothing. Whoever
        begins closes what is returned, whatever happens.
        """
        attempts = Degradation(self.counters, probe=self.probe)
        await attempts.attempt("state", self.states.check_not_halted(scope))
        session_id = self._session_id(scope, call)
        if session_id is None and (warning := self._why_not_remembered(call)):
            attempts.warn(warning)
        followed = None
        if session_id is not None and call.memory is MemoryPolicy.FULL:
            followed = await attempts.attempt(
                "question", self._follow(scope, session_id, call), warning=NOT_STORED
            )
        passing = StreamedReply(
            scope=scope,
            call=call,
            session_id=session_id,
            question=followed.question if followed else None,
            branches=self.branches,
            ids=self.ids,
            attempts=attempts,
            time_limit=self.own.answering.time_limit,
        )
        try:
            await self._ask(passing, followed, received)
        except BaseException:
            await passing.aclose()
            raise
        return passing

    async def models(self) -> WholeReply:
        """The models there are, as the endpoint lists them; or its failure, in OpenAI's form."""
        limit = self.own.answering.time_limit
        listing = self.own.models() if self.endpoint is None else self.endpoint.models()
        try:
            async with asyncio.timeout(limit), listing as reply:
                if reply.status != HTTPStatus.OK:
                    reply = await explained(reply)  # noqa: PLW2901  # what is passed on instead
                body = await read_whole(reply.pieces)
        except TimeoutError:
            raise too_slow(limit) from None
        if reply.status == HTTPStatus.OK:
            await _listed(body)
        return WholeReply(status=reply.status, headers=reply.headers, body=body)

    async def model(self, model_id: str) -> WholeReply:
        """One model of the list; `ModelNotFound` if it has none of that id.

        Taken from the list, for not every endpoint tells of a single model.
        """
        reply = await self.models()
        if reply.status != HTTPStatus.OK:
            return reply
        for model in await _listed(reply.body):
            if isinstance(model, Mapping) and model.get("id") == model_id:
                return WholeReply(status=reply.status, headers=reply.headers, body=to_bytes(model))
        raise ModelNotFound

    def _session_id(self, scope: Scope, call: CompletionCall) -> UUID | None:
        """The session that a call names; none, and so no memory, where it names none.

        No session is made up from what was said: two conversations that begin alike are not one.
        """
        if call.memory is MemoryPolicy.OFF or not self.policies.is_enabled:
            return None
        if scope.anonymous_session is not None:
            return None if call.ids.session is None else scope.anonymous_session
        if call.ids.session is not None:
            return session_id_from(call.ids.session, scope.owner_id)
        if self.policies.missing_session is MissingSession.USER_WIDE:
            return user_wide_session_id(scope.owner_id)
        return None

    def _why_not_remembered(self, call: CompletionCall) -> str | None:
        """Why a call has no memory that wanted it; None where that is the client's own wish."""
        if call.policy is MemoryPolicy.OFF or call.ids.is_temporary:
            return None
        if call.is_question_without_reply_id:
            return NO_REPLY_ID
        if call.is_task_by_prompt:
            return TASK
        if call.memory is MemoryPolicy.OFF:
            return None
        return NO_SESSION if self.policies.is_enabled else SWITCHED_OFF

    async def _follow(self, scope: Scope, session_id: UUID, call: CompletionCall) -> Followed:
        follow = partial(
            self.branches.follow,
            scope,
            session_id,
            self._messages(session_id, call),
            continues=call.continues,
            goes_on=call.request.goes_on,
        )
        try:
            return await follow()
        except SessionNotFound:
            if self.policies.rejects_unknown_sessions:
                raise
        await self.sessions.start(scope, _new_session(session_id, call))
        return await follow()

    def _messages(self, session_id: UUID, call: CompletionCall) -> list[NewMessage]:
        said = [
            NewMessage(message_id=self.ids.new_id(), role=role, content=content)
            for role, content in call.request.said
        ]
        key = call.ids.idempotency_key
        told = {"external_id": call.ids.user_message, "external_parent_id": call.ids.parent}
        said[-1] = NewMessage(
            message_id=message_id_for_key(session_id, key) if key else said[-1].message_id,
            role=Role.USER,
            content=said[-1].content,
            metadata={name: value for name, value in told.items() if value is not None},
        )
        return said

    async def _ask(
        self, passing: StreamedReply, followed: Followed | None, received: bytes
    ) -> None:
        scope, call = passing.scope, passing.call
        if self.endpoint is None:
            await passing.open(self.own.reply(scope, call, await self._asked(passing)))
            return
        memories = await self._memories(passing, followed)
        passing.tables = memories.tables
        model = call.request.model or self.policies.model
        template = self.policies.chat_template.of(model)
        write = partial(self._written, call, memories, template, received)
        body = await off_loop(write, characters=len(received))
        await passing.open(self.endpoint.complete(body))

    def _written(
        self, call: CompletionCall, memories: Memories, template: ChatTemplate, received: bytes
    ) -> bytes:
        """The body of a call with what memory adds to it; as it was received if that is nothing."""
        body = with_memories(call.request, memories, template=template)
        if "model" not in body and self.policies.model is not None:
            body = {**body, "model": self.policies.model}
        if body == call.request.body:
            return received
        return to_bytes(body) if len(received) <= AT_ONCE else to_bytes_in_steps(body)

    async def _memories(self, passing: StreamedReply, followed: Followed | None) -> Memories:
        if passing.session_id is None or not passing.may_remember:
            return Memories()
        finding = self.remembering.memories(
            passing.scope, passing.session_id, passing.call, followed
        )
        return await passing.remember(finding, warning=NO_MEMORY) or Memories()

    async def _asked(self, passing: StreamedReply) -> AnswerRequest | None:
        """The question for whoever answers in the endpoint's place, in its context."""
        if passing.session_id is None or not passing.may_remember:
            return None
        finding = self.remembering.context(passing.scope, passing.session_id, passing.call)
        context = await passing.remember(finding, warning=NO_MEMORY)
        if context is None:
            return None
        passing.tables = context.tables
        return AnswerRequest(context=context)


def _new_session(session_id: UUID, call: CompletionCall) -> NewSession:
    external = call.ids.session
    is_named = external is not None and external.strip().lower() != str(session_id)
    _, question = call.request.said[-1]
    metadata = dict(call.session_metadata)
    if (language := known_language(question)) is not None:
        metadata.setdefault("language", language)
    if is_named:
        metadata["external_id"] = external
    return NewSession(session_id=session_id, metadata=metadata)


async def _listed(body: bytes) -> list[JsonValue]:
    """The models of a list; `ReplyUnusable` for what is none."""
    try:
        listing = await off_loop(partial(json.loads, body), characters=len(body))
    except (ValueError, RecursionError):
        listing = None
    models = listing.get("data") if isinstance(listing, Mapping) else None
    if not isinstance(models, list):
        raise ReplyUnusable("the endpoint of the model sent something that is no list of models")
    return models
