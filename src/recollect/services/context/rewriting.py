"""Rewriting a follow-up question so that it stands alone."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Self
from uuid import UUID

from recollect.concurrency import AT_ONCE
from recollect.domain.conversation.message import MAX_CONTENT_LENGTH, Message, Role, sql_characters
from recollect.domain.followup.dialogue import Method, Rewrite, Said
from recollect.domain.followup.languages import installed
from recollect.domain.followup.rewrite import Rewriter, load_everything
from recollect.domain.followup.validation import clean_reply, is_faithful
from recollect.domain.identity.scope import Scope
from recollect.domain.model_names import model_size
from recollect.domain.policy import Policies
from recollect.domain.text import check_text
from recollect.errors import InvalidInput, ModelUnavailable
from recollect.ports.models import ChatModel, Prompt
from recollect.services.access import Permissions
from recollect.services.conversations.sessions import Messages

_MAX_TOKENS: Final = 200
_PROMPT_MESSAGES: Final = 6
_PROMPT_CHARACTERS: Final = 500  # of each message
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Rewriting:
    """Rewrites follow-ups by rules, and by a model where one is set that is large enough.

    Small models answer the question instead of rewriting it, so only those from
    `Policies.rewrites_from_billions` parameters up are asked.
    """

    messages: Messages
    permissions: Permissions
    policies: Policies
    model: ChatModel | None = None
    time_limit: float = 5.0
    _rules: Rewriter = field(default_factory=Rewriter)
    _rules_in_thread: Rewriter = field(default_factory=Rewriter)
    """For long conversations: a rewriter takes its questions one after the other, and nobody may
    wait on the event loop for one that is read in a thread."""
    _is_loaded: asyncio.Event = field(default_factory=asyncio.Event)

    def by_rules(self) -> Self:
        """The same without a model."""
        return replace(self, model=None)

    async def prepare(self) -> None:
        """Load the languages, their detection and the reading of SQL, in a thread."""
        if not self._is_loaded.is_set():
            await asyncio.to_thread(load_everything)
            self._is_loaded.set()

    async def in_session(
        self,
        scope: Scope,
        session_id: UUID,
        question: str,
        *,
        model: str | None = None,
        language: str | None = None,
    ) -> Rewrite:
        """Rewrite a question that was asked in a session."""
        stored = await self.messages.window(scope, session_id, count=_READ_MESSAGES)
        access = await self.permissions.allowed(scope)
        visible = await self.permissions.for_model(access, stored.messages)
        return await self.after(history_of(visible), question, model=model, language=language)

    async def after(
        self,
        history: Sequence[Said],
        question: str,
        *,
        model: str | None = None,
        language: str | None = None,
    ) -> Rewrite:
        """Rewrite a question that follows a history, oldest message first."""
        check_question(question)
        if len(history) > _MAX_HISTORY:
            raise InvalidInput("history", f"has more than {_MAX_HISTORY} messages")
        if language is not None and language not in installed():
            known = ", ".join(sorted(installed()))
            raise InvalidInput("language", f"must be one of: {known}")
        check_model_name(model)
        rewrite = await self._by_rules(question, history, language)
        if not rewrite.is_follow_up:
            return rewrite
        if self.model is not None and self._is_large(model or self.policies.model):
            rewrite = await self._by_model(self.model, question, history, rewrite)
        # Names taken from the history may have line breaks; a question has none.
        return replace(rewrite, standalone_question=" ".join(rewrite.standalone_question.split()))

    async def _by_rules(
        self, question: str, history: Sequence[Said], language: str | None
    ) -> Rewrite:
        """Takes a millisecond or two once everything is loaded; in a thread until then."""
        characters = sum(len(one.content) + sql_characters(one.sql_query) for one in history)
        if self._is_loaded.is_set() and len(question) + characters <= AT_ONCE:
            return self._rules.rewrite(question, history, language=language)
        return await asyncio.to_thread(
            self._rules_in_thread.rewrite, question, history, language=language
        )

    def _is_large(self, model: str | None) -> bool:
        billions = model_size(model, overrides=self.policies.sizes)
        return billions is not None and billions >= self.policies.rewrites_from_billions

    async def _by_model(
        self, model: ChatModel, question: str, history: Sequence[Said], by_rules: Rewrite
    ) -> Rewrite:
        """The model's rewrite; that of the rules if it takes too long or is not faithful."""
        try:
            async with asyncio.timeout(self.time_limit):
                reply = await model.complete(
                    _prompt(question, history), max_tokens=_MAX_TOKENS, timeout=self.time_limit
                )
        except (ModelUnavailable, TimeoutError):
            return by_rules
        standalone = clean_reply(reply)
        if not is_faithful(standalone, question, history, language=by_rules.language):
            return by_rules
        return replace(
            by_rules,
            standalone_question=standalone,
            method=Method.LLM,
            confidence=_MODEL_CONFIDENCE,
        )


def _prompt(question: str, history: Sequence[Said]) -> tuple[Prompt, ...]:
    examples = (
        Prompt(role=role, content=content)
        for example in _EXAMPLES
        for role, content in zip((Role.USER, Role.ASSISTANT), example, strict=True)
    )
    lines = (
        f"{one.role}: {one.content[:_PROMPT_CHARACTERS]}" for one in history[-_PROMPT_MESSAGES:]
    )
    task = "\n".join((*lines, f"Last question: {question}"))
    return (
        Prompt(role=Role.SYSTEM, content=_TASK),
        *examples,
        Prompt(role=Role.USER, content=task),
    )


def check_question(question: str) -> None:
    """Refuse a question that is blank, or longer than a message may be."""
    check_text(question, "question", max_length=MAX_CONTENT_LENGTH)
    if not question.strip():
        raise InvalidInput("question", "must not be blank")


def check_model_name(model: str | None) -> None:
    """Refuse what cannot be the name of a model."""
    if model is not None:
        check_text(model, "model", max_length=_MAX_MODEL_NAME)


def history_of(messages: Sequence[Message]) -> list[Said]:
    """Stored messages as a history: of users and assistants, without quoting answers."""
    return [
        Said(role=m.role, content=m.content, sql_query=m.details.sql_query)
        for m in messages
        if m.role is not Role.SYSTEM and not m.details.only_quotes
    ]
