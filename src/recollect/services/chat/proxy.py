"""Memory for every client of OpenAI's API: requests pass through, and are remembered.

state → branch followed, question stored → memory added → endpoint → reply stored. Nothing holds
a connection to the database while the endpoint works.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial
from http import HTTPStatus
from typing import Final
from uuid import UUID

from recollect.concurrency import AT_ONCE, off_loop
from recollect.domain.chat.answers import AnswerRequest, UserFacts
from recollect.domain.chat.experiment import ExperimentArm, arm_of
from recollect.domain.chat.replies import OurCompletion, our_models
from recollect.domain.chat.requests import CompletionCall, to_bytes, to_bytes_in_steps
from recollect.domain.chat.writing import Memories, with_memories
from recollect.domain.context.context import Context
from recollect.domain.context.rendering import (
    facts_text,
    profile_text,
    recalled_text,
    standing_text,
    summary_text,
    window_messages,
)
from recollect.domain.conversation.message import Message, NewMessage, Role
from recollect.domain.conversation.session import NewSession, session_id_from, user_wide_session_id
from recollect.domain.identity.scope import MemoryPolicy, Scope
from recollect.domain.model_names import ChatTemplate
from recollect.domain.policy import MissingSession, Policies
from recollect.domain.text import JsonValue
from recollect.errors import ModelNotFound, ReplyUnusable
from recollect.ports.conversations import Followed
from recollect.ports.models import Completions, EndpointReply
from recollect.ports.runtime import Clock
from recollect.ports.telemetry import Stage
from recollect.services.chat.degradation import NO_MEMORY, NOT_STORED, SWITCHED_OFF
from recollect.services.chat.proxied_reply import (
    ProxiedReply,
    WholeReply,
    each,
    explained,
    read_whole,
)
from recollect.services.chat.turn import Answering, TurnEnding, TurnMemory, too_slow, with_language
from recollect.services.chat.turn_record import TurnRecord
from recollect.services.context.contexts import Contexts

NO_SESSION: Final = (
    "No session was named, so memory is neither read nor stored; send X-Session-ID with any text "
    "that stands for the conversation."
)
TASK: Final = (
    "The prompt was taken for a front end's own task, such as a title; nothing is remembered."
)
NO_REPLY_ID: Final = (
    "The call names a question's id and none of the reply, as front ends' own tasks do; nothing "
    "is remembered. Send X-Memory-Message-ID as well."
)
_JSON: Final = {"content-type": "application/json"}
_EVENTS: Final = {"content-type": "text/event-stream; charset=utf-8"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Proxy:
    """Passes requests on to an endpoint, or to the answerer where there is none."""

    memory: TurnMemory
    contexts: Contexts
    answering: Answering
    endpoint: Completions | None
    clock: Clock
    policies: Policies

    async def begin(self, scope: Scope, call: CompletionCall, received: bytes) -> ProxiedReply:
        """Remember a call's question, add what memory has, and ask; the reply is still to be read.

        `received` is the call's body, passed on as it is where memory adds nothing. The caller
        closes what is returned, whatever happens.
        """
        record = TurnRecord(telemetry=self.memory.telemetry, interface="proxy", scope=scope)
        with record.beginning():
            return await self._begin(scope, call, received, record)

    async def _begin(
        self, scope: Scope, call: CompletionCall, received: bytes, record: TurnRecord
    ) -> ProxiedReply:
        attempts = await self.memory.begin()
        await self.memory.admit(scope, attempts)
        session_id = self._session_id(scope, call)
        if session_id is not None:
            record.of_session(session_id, arm_of(session_id, share=self.policies.control_share))
        if session_id is None and (warning := self._why_not_remembered(call)):
            attempts.warn(warning)
        followed = None
        if session_id is not None and call.memory is MemoryPolicy.FULL:
            following = self._follow(scope, session_id, call)
            with self.memory.telemetry.stage(Stage.STORE_QUESTION):
                followed = await attempts.attempt("question", following, warning=NOT_STORED)
        reply = ProxiedReply(
            call=call,
            session_id=session_id,
            ending=TurnEnding(
                scope=scope,
                turns=self.memory.turns,
                attempts=attempts,
                question=followed.question if followed else None,
                record=record,
            ),
            ids=self.memory.ids,
            time_limit=self.answering.time_limit,
        )
        try:
            await self._ask(scope, reply, followed, received)
        except BaseException:
            await reply.aclose()
            raise
        return reply

    async def models(self) -> WholeReply:
        """The models there are, as the endpoint lists them; or its failure, in OpenAI's form."""
        limit = self.answering.time_limit
        listing = self._own_models() if self.endpoint is None else self.endpoint.models()
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
                return replace(reply, body=to_bytes(model))
        raise ModelNotFound

    def _session_id(self, scope: Scope, call: CompletionCall) -> UUID | None:
        """The session that a call names; none, and so no memory, where it names none.

        No session is made up from the messages: two conversations that begin alike are not one.
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

    def _lacks_session(self, scope: Scope, call: CompletionCall) -> bool:
        """Whether a call has no memory for the one reason that it names no session."""
        has_none = self._session_id(scope, call) is None
        return has_none and self._why_not_remembered(call) == NO_SESSION

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
            self.memory.turns.follow,
            scope,
            session_id,
            self._messages(session_id, call),
            continues=call.continues,
            goes_on=call.request.goes_on,
        )
        return await self.memory.in_session(
            scope,
            follow,
            partial(_new_session, session_id, call),
            may_start=not self.policies.rejects_unknown_sessions,
        )

    def _messages(self, session_id: UUID, call: CompletionCall) -> list[NewMessage]:
        *earlier, (_, question) = call.request.conversation
        ids = {"external_id": call.ids.user_message, "external_parent_id": call.ids.parent}
        return [
            *(
                NewMessage(message_id=self.memory.ids.new_id(), role=role, content=content)
                for role, content in earlier
            ),
            NewMessage(
                message_id=self.memory.message_id(session_id, call.ids.idempotency_key),
                role=Role.USER,
                content=question,
                metadata={name: value for name, value in ids.items() if value is not None},
            ),
        ]

    async def _ask(
        self, scope: Scope, reply: ProxiedReply, followed: Followed | None, received: bytes
    ) -> None:
        call, record = reply.call, reply.ending.record
        context = None
        is_control = record.arm is ExperimentArm.CONTROL
        is_away = reply.attempts.is_database_away
        if reply.session_id is not None and not is_away and not is_control:
            building = self.contexts.build(
                scope, reply.session_id, call.question, model=call.request.model
            )
            context = await reply.remember(building, warning=NO_MEMORY)
        record.has_context(context, wants_memory=reply.session_id is not None)
        if context is not None:
            record.describe(context)
        if self.endpoint is None:
            question = followed.question if followed else None
            user_facts = None
            if context is not None:
                user_facts = await self.answering.user_facts(scope, reply.attempts, question)
            if user_facts is None:
                context, user_facts = None, UserFacts()
            reply.tables = context.tables if context else ()
            await reply.open(self._own_reply(scope, call, context, question, user_facts))
            return
        memories = Memories()
        if context is not None and reply.session_id is not None:
            memories = _memories(context, reply.session_id, call, followed)
        reply.tables = memories.tables
        template = self.policies.chat_template.of(call.request.model or self.policies.model)
        write = partial(self._written, call, memories, template, received)
        await reply.open(self.endpoint.complete(await off_loop(write, characters=len(received))))

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

    @asynccontextmanager
    async def _own_reply(
        self,
        scope: Scope,
        call: CompletionCall,
        context: Context | None,
        question: Message | None,
        user_facts: UserFacts,
    ) -> AsyncIterator[EndpointReply]:
        """The answerer's answer in the place of an endpoint; without a context, to the question.

        A front end's own tasks, such as titles or tags, get no answer: it helps itself.
        """
        answer = None
        if call.request.conversation and not call.is_task:
            request = AnswerRequest(
                context=context or await self.contexts.bare(call.question),
                is_memory_read=context is not None,
                lacks_session=self._lacks_session(scope, call),
                is_stored=question is not None,
                asked_at=question.created_at if question else None,
                user_facts=user_facts,
            )
            answer = await self.answering.require_answerer().answer(scope, request)
        completion = OurCompletion(
            completion_id=f"chatcmpl-{self.memory.ids.new_id().hex}",
            created=self.clock.now(),
            content=answer.content if answer else "",
        )
        streams = call.request.streams
        yield EndpointReply(
            status=HTTPStatus.OK,
            headers=_EVENTS if streams else _JSON,
            pieces=each(completion.chunks() if streams else [completion.whole()]),
            details=answer.details if answer else None,
        )

    @asynccontextmanager
    async def _own_models(self) -> AsyncIterator[EndpointReply]:
        """The one model that stands for the answerer."""
        listing = our_models(self.clock.now())
        yield EndpointReply(status=HTTPStatus.OK, headers=_JSON, pieces=each([listing]))


def _memories(
    context: Context, session_id: UUID, call: CompletionCall, followed: Followed | None
) -> Memories:
    """What the client left out: the conversation so far, or the beginning of it in short.

    Beside that, the profile, standing instructions, facts and entries of other conversations. The
    question stays as it was asked: a model that sees the conversation needs no rewriting.
    """
    # More is stored of the branch than the client has sent.
    is_partial = followed is not None and len(followed.before) > len(call.request.conversation) - 1
    leaves_out = call.continues or is_partial
    recalled = [one for one in context.recalled if leaves_out or one.session_id != session_id]
    standing, facts = (
        [
            fact
            for fact in known
            if leaves_out or fact.evidence is None or fact.evidence.session_id != session_id
        ]
        for known in (context.standing_instructions, context.facts)
    )
    memories = Memories(
        standing=standing_text(standing),
        profile=profile_text(context.profile),
        summary=summary_text(context.summary) if leaves_out else "",
        window=window_messages(context.window) if call.continues else (),
        facts=facts_text(facts),
        recalled=recalled_text(recalled),
    )
    return replace(memories, tables=context.tables) if memories else memories


def _new_session(session_id: UUID, call: CompletionCall) -> NewSession:
    metadata = dict(with_language(call.session_metadata, call.question))
    external = call.ids.session
    if external is not None and external.strip().lower() != str(session_id):
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
