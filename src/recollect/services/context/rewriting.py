"""Rewriting a follow-up question so that it stands alone."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Self
from uuid import UUID

from recollect.domain.conversation.message import MAX_CONTENT_LENGTH, Message, Role, sql_characters
from recollect.domain.followup.dialogue import Method, Rewrite, Said
from recollect.domain.followup.languages import installed
from recollect.domain.followup.rewrite import Rewriter, load_everything
from recollect.domain.followup.validation import clean_reply, is_faithful
from recollect.domain.identity.scope import Scope
from recollect.domain.model_names import model_size
from recollect.domain.policy import Policies
from recollect.domain.text import check_text
from recollect.errors import InvalidInput, ModelUnavailable, SessionNotFound
from recollect.offloading import AT_ONCE
from recollect.ports.conversations import MessageStore
from recollect.ports.models import ChatModel, Prompt
from recollect.services.access.permissions import Permissions
from recollect.services.conversations.sessions import LastAccess

_MAX_TOKENS: Final = 200
_TOLD_MESSAGES: Final = 6
_TOLD_LENGTH: Final = 500  # characters of each message
_MODEL_CONFIDENCE: Final = 0.85
_TASK: Final = (
    "Rewrite the last question so that it can be understood without the conversation. Replace what"
    " points back by what it stands for, keep every other word and the language, do not answer."
    " Reply with the rewritten question only."
)
_EXAMPLES: Final = (
    (
        (
            "user: Show me total sales by region for 2024\n"
            "assistant: North 2.4M, South 1.9M\n"
            "Last question: What about 2023?"
        ),
        "Show me total sales by region for 2023",
    ),
    (
        (
            "user: Wat zijn de vereisten voor valbeveiliging?\n"
            "assistant: Er gelden drie vereisten.\n"
            "Last question: Welke producten heb je daarvoor?"
        ),
        "Welke producten heb je voor valbeveiliging?",
    ),
)
_READ_MESSAGES: Final = 20
_MAX_HISTORY: Final = 1000
_MAX_MODEL_NAME: Final = 255


class ReadyRewriter:
    """Rewrites at once when prepared, which takes a millisecond or two; in a thread until then.

    Long conversations are read in a thread, too, by a rewriter of their own: each takes its
    questions one after the other, and nobody shall wait on the event loop for theirs.
    """

    def __init__(self) -> None:
        self._rewriter = Rewriter()
        self._in_thread = Rewriter()
        self._is_ready = False

    async def prepare(self) -> None:
        """Load the languages, their detection and the reading of SQL."""
        if not self._is_ready:
            await asyncio.to_thread(load_everything)
            self._is_ready = True

    async def rewrite(
        self, question: str, history: Sequence[Said], *, language: str | None
    ) -> Rewrite:
        """Say a question so that it needs no history."""
        if self._is_ready and _characters(question, history) <= AT_ONCE:
            return self._rewriter.rewrite(question, history, language=language)
        return await asyncio.to_thread(
            self._in_thread.rewrite, question, history, language=language
        )


def _characters(question: str, history: Sequence[Said]) -> int:
    said = (len(one.content) + sql_characters(one.sql_query) for one in history)
    return len(question) + sum(said)


@dataclass(frozen=True, slots=True, kw_only=True)
class FollowUps:
    """Makes questions standalone; without a model, or with a small one, by rules alone.

    Small models answer the question instead of rewriting it, so only those from
    `model_from_billions` parameters up are asked.
    """

    rules: ReadyRewriter = field(default_factory=ReadyRewriter)
    model: ChatModel | None = None
    model_from_billions: float = 14
    time_limit: float = 5.0

    async def rewrite(
        self,
        question: str,
        history: Sequence[Said],
        *,
        language: str | None = None,
        model_billions: float | None = None,
    ) -> Rewrite:
        """Say a question so that it needs no history; a standalone one comes back unchanged."""
        by_rules = await self.rules.rewrite(question, history, language=language)
        if not by_rules.is_follow_up or not self._is_able(model_billions):
            return by_rules
        said = await self._ask_model(question, history)
        if not is_faithful(said, question, history, language=by_rules.language):
            return by_rules
        return replace(
            by_rules,
            standalone_question=said,
            method=Method.LLM,
            confidence=_MODEL_CONFIDENCE,
        )

    def _is_able(self, model_billions: float | None) -> bool:
        is_large = model_billions is not None and model_billions >= self.model_from_billions
        return self.model is not None and is_large

    async def _ask_model(self, question: str, history: Sequence[Said]) -> str:
        """What the model makes of the question; nothing if it does not answer in time."""
        if self.model is None:
            return ""
        try:
            async with asyncio.timeout(self.time_limit):
                reply = await self.model.complete(
                    _prompt(question, history), max_tokens=_MAX_TOKENS, timeout=self.time_limit
                )
        except (ModelUnavailable, TimeoutError):
            return ""
        return clean_reply(reply)


def _prompt(question: str, history: Sequence[Said]) -> tuple[Prompt, ...]:
    examples = (
        Prompt(role=role, content=content)
        for asked, answered in _EXAMPLES
        for role, content in ((Role.USER, asked), (Role.ASSISTANT, answered))
    )
    told = (f"{said.role}: {said.content[:_TOLD_LENGTH]}" for said in history[-_TOLD_MESSAGES:])
    task = "\n".join((*told, f"Last question: {question}"))
    return (
        Prompt(role=Role.SYSTEM, content=_TASK),
        *examples,
        Prompt(role=Role.USER, content=task),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Rewriting:
    """Understands follow-ups: of a stored session, or of a history that the caller brings."""

    messages: MessageStore
    last_access: LastAccess
    permissions: Permissions
    follow_ups: FollowUps
    policies: Policies

    def by_rules(self) -> Self:
        """The same without asking a model."""
        return replace(self, follow_ups=replace(self.follow_ups, model=None))

    async def prepare(self) -> None:
        """Load what the first rewrite would wait for, beside the event loop."""
        await self.follow_ups.rules.prepare()

    async def in_session(
        self,
        scope: Scope,
        session_id: UUID,
        question: str,
        *,
        model: str | None = None,
        language: str | None = None,
    ) -> Rewrite:
        """The question as it reads without the session it was asked in."""
        stored = await self.messages.window(
            scope, session_id, count=_READ_MESSAGES, covers_all=False
        )
        if stored is None:
            raise SessionNotFound(session_id)
        self.last_access.note(scope, session_id, last=stored.session.last_accessed_at)
        access = await self.permissions.allowed(scope)
        told = await self.permissions.for_model(access, stored.messages)
        return await self.after(history_of(told), question, model=model, language=language)

    async def after(
        self,
        history: Sequence[Said],
        question: str,
        *,
        model: str | None = None,
        language: str | None = None,
    ) -> Rewrite:
        """The question as it reads without a history, oldest message first."""
        check_question(question)
        if len(history) > _MAX_HISTORY:
            raise InvalidInput("history", f"has more than {_MAX_HISTORY} messages")
        if language is not None and language not in installed():
            known = ", ".join(sorted(installed()))
            raise InvalidInput("language", f"must be one of: {known}")
        if model is not None:
            check_text(model, "model", max_length=_MAX_MODEL_NAME)
        named = model or self.policies.model
        found = await self.follow_ups.rewrite(
            question,
            history,
            language=language,
            model_billions=model_size(named, overrides=self.policies.sizes),
        )
        if not found.is_follow_up:
            return found
        # What comes in from the history may have had line breaks; a question has none.
        return replace(found, standalone_question=" ".join(found.standalone_question.split()))


def check_question(question: str) -> None:
    """Refuse what is no question at all."""
    check_text(question, "question", max_length=MAX_CONTENT_LENGTH)
    if not question.strip():
        raise InvalidInput("question", "must not be blank")


def history_of(messages: Sequence[Message]) -> list[Said]:
    """Stored messages as a history: what users and assistants said, and not what was quoted."""
    return [
        Said(role=m.role, content=m.content, sql_query=m.details.sql_query)
        for m in messages
        if m.role is not Role.SYSTEM and not m.details.only_quotes
    ]
