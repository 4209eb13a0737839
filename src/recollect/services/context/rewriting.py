"""Rewriting a follow-up question so that it stands alone."""

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Final, Self, TypeVar
from uuid import UUID

from recollect.concurrency import AT_ONCE, off_loop
from recollect.domain.conversation.message import MAX_CONTENT_LENGTH, Message, Role
from recollect.domain.followup.candidates import best_rewrite
from recollect.domain.followup.chit_chat import is_chit_chat
from recollect.domain.followup.dialogue import HistoryMessage, Method, Proposal, Rewrite
from recollect.domain.followup.expletives import needs_no_history
from recollect.domain.followup.language import known_language, language_of
from recollect.domain.followup.languages import installed, words_for
from recollect.domain.followup.oneself import follows_own_words
from recollect.domain.followup.persons.naming import read_with_persons
from recollect.domain.followup.rules.candidate import (
    asks_back,
    rule_candidate,
    with_complete_questions,
)
from recollect.domain.followup.rules.refinements import is_remark
from recollect.domain.followup.validation import clean_reply, is_faithful
from recollect.domain.identity.audit import AuditAction
from recollect.domain.identity.scope import Scope
from recollect.domain.model_names import is_at_least
from recollect.domain.pace import Pace
from recollect.domain.policy import Policies
from recollect.domain.text import check_text
from recollect.errors import InvalidInput, ModelUnavailable
from recollect.ports.metrics import REWRITES
from recollect.ports.models import ChatModel, FollowUpModel, Prompt
from recollect.services.access import Permissions
from recollect.services.audit.operations import Audited, audited
from recollect.services.conversations.messages import Messages
from recollect.services.languages import languages_loaded, phrases_loaded
from recollect.services.redaction import unmasked

Result = TypeVar("Result")
_MAX_TOKENS: Final = 200
_PROMPT_MESSAGES: Final = 6
_PROMPT_CHARACTERS: Final = 500  # of each message
_LLM_CONFIDENCE: Final = 0.85
_BY_LLM: Final = "rewritten by a language model"
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
_EXCHANGE: Final = 2  # messages: a question and its answer
_MAX_HISTORY: Final = 1000
_MAX_MODEL_NAME: Final = 255


@dataclass(frozen=True, slots=True, kw_only=True)
class Rewriting(Audited):
    """Rewrites follow-ups where it is sure what they mean; all other questions stay as asked.

    The follow-up model and the rules propose; a language model is asked, too, where the one that
    is set has at least `Policies.rewrites_from_billions` parameters. Smaller ones answer the
    question instead of rewriting it.
    """

    messages: Messages
    permissions: Permissions
    policies: Policies
    model: FollowUpModel | None = None
    llm: ChatModel | None = None
    """The one that `Policies.model` names."""
    pace: Pace = field(default_factory=Pace)
    time_limit: float = 5.0
    """The most seconds that a language model may take."""
    _thread: ThreadPoolExecutor = field(
        default_factory=lambda: ThreadPoolExecutor(max_workers=1, thread_name_prefix="follow-ups")
    )
    """One thread: a question takes milliseconds, and on more threads all would take longer."""
    _is_loaded: asyncio.Event = field(default_factory=asyncio.Event)

    def without_llm(self) -> Self:
        """The same without a language model."""
        return replace(self, llm=None)

    async def prepare_languages(self) -> None:
        """Load what is known of languages in a thread; the first question would wait for it."""
        await languages_loaded()
        await phrases_loaded()

    async def prepare(self) -> None:
        """Load the model, the detection of languages and the reading of SQL, in a thread."""
        if not self._is_loaded.is_set():
            await self.prepare_languages()
            if self.model is not None:
                await self._in_thread(self.model.load)
            self._is_loaded.set()

    def close(self) -> None:
        """End the thread, once its current question is read."""
        self._thread.shutdown(wait=False, cancel_futures=True)

    async def in_session(
        self, scope: Scope, session_id: UUID, question: str, *, language: str | None = None
    ) -> Rewrite:
        """Rewrite a question that was asked in a session."""
        visible = await self._history(scope, session_id)
        unmasking = await self.messages.redaction.unmasking(scope, question)
        history = history_of(tuple(unmasked(message, unmasking) for message in visible))
        return await self.after(history, question, language=language)

    async def after(
        self,
        history: Sequence[HistoryMessage],
        question: str,
        *,
        language: str | None = None,
        by_rules_alone: bool = False,
    ) -> Rewrite:
        """Rewrite a question that follows a history, oldest message first."""
        check_question(question)
        if len(history) > _MAX_HISTORY:
            raise InvalidInput("history", f"has more than {_MAX_HISTORY} messages")
        if language is not None and language not in installed():
            known = ", ".join(sorted(installed()))
            raise InvalidInput("language", f"must be one of: {known}")
        messages = [one for one in history if one.role is not Role.SYSTEM]
        await languages_loaded()
        if by_rules_alone:
            rewrite = await self._read_by_rules(question, messages, language)
        else:
            rewrite = await self._read(question, messages, language)
        if self.llm is not None and not by_rules_alone and self._wants_llm(rewrite):
            rewrite = await self._by_llm(self.llm, question, messages, rewrite)
        is_follow_up = "yes" if rewrite.is_follow_up else "no"
        self.telemetry.count(REWRITES, rewrite.method, is_follow_up, rewrite.language)
        return rewrite

    @audited(AuditAction.MESSAGE_READ)
    async def _history(self, scope: Scope, session_id: UUID) -> tuple[Message, ...]:
        stored = await self.messages.window(scope, session_id, count=_READ_MESSAGES)
        access = await self.permissions.allowed(scope)
        return await self.permissions.for_model(access, stored.messages)

    async def _read(
        self, question: str, history: Sequence[HistoryMessage], language: str | None
    ) -> Rewrite:
        """What model and rules make of a question; without a history there is nothing to ask."""
        choose = partial(self._best, question, history, language, self.model)
        if not history and self._is_loaded.is_set() and len(question) <= AT_ONCE:
            return choose()
        if not self._is_loaded.is_set():  # loading is no sign of load
            return await self._in_thread(choose)
        with self.pace.measured() as reading:
            return await self._in_thread(partial(reading.do, choose))

    async def _read_by_rules(
        self, question: str, history: Sequence[HistoryMessage], language: str | None
    ) -> Rewrite:
        """What the rules make of a question, without waiting for others that the model reads."""
        choose = partial(self._best, question, history, language, None)
        characters = len(question) + sum(len(one.content) for one in history)
        return await off_loop(choose, characters=characters)

    def _best(
        self,
        question: str,
        history: Sequence[HistoryMessage],
        language: str | None,
        model: FollowUpModel | None,
    ) -> Rewrite:
        code = language or language_of(question, history)
        candidates: dict[Method, Proposal] = {}
        if is_chit_chat(question, code) or _says_all(question, history, code):
            history = ()
        complete = with_complete_questions(history, code)
        by_rules = rule_candidate(question, complete, code)
        if by_rules is not None:
            candidates[Method.RULES] = by_rules
        elif is_remark(question, words_for(code), is_answer=asks_back(history)):
            history = ()
        is_read = by_rules is not None and by_rules.confidence >= self.policies.rewrite_confidence
        if history and model is not None and not is_read:
            candidates[Method.MODEL] = read_with_persons(
                question,
                complete,
                words_for(code),
                partial(model.propose, language=code),
                least_confidence=self.policies.rewrite_confidence,
            )
        return best_rewrite(
            question,
            history,
            candidates,
            least_confidence=self.policies.rewrite_confidence,
            language=code,
        )

    async def _in_thread(self, work: Callable[[], Result]) -> Result:
        try:
            pending = asyncio.get_running_loop().run_in_executor(self._thread, work)
        except RuntimeError:
            raise ModelUnavailable("the follow-up model was closed") from None
        return await pending

    def _wants_llm(self, rewrite: Rewrite) -> bool:
        """Whether a language model is asked about a question that was read so."""
        policies = self.policies
        is_large = is_at_least(
            policies.model, policies.rewrites_from_billions, overrides=policies.sizes
        )
        is_trusted = policies.rewrite_confidence <= _LLM_CONFIDENCE
        return rewrite.is_follow_up and is_large and is_trusted

    async def _by_llm(
        self, llm: ChatModel, question: str, history: Sequence[HistoryMessage], proposed: Rewrite
    ) -> Rewrite:
        """The language model's rewrite; the proposed one if it is late, unfaithful or no change."""
        try:
            async with asyncio.timeout(self.time_limit):
                reply = await llm.complete(
                    _prompt(question, history), max_tokens=_MAX_TOKENS, timeout=self.time_limit
                )
        except (ModelUnavailable, TimeoutError):
            return proposed
        standalone = " ".join(clean_reply(reply).split())
        is_usable = standalone != question and is_faithful(
            standalone, question, history, language=proposed.language
        )
        if not is_usable:
            return proposed
        return replace(
            proposed,
            standalone_question=standalone,
            method=Method.LLM,
            signals=(_BY_LLM,),
            confidence=_LLM_CONFIDENCE,
        )


def _says_all(question: str, history: Sequence[HistoryMessage], language: str) -> bool:
    """Whether a question needs no history; a short one may be of another language than that."""
    if needs_no_history(question, *map(words_for, installed())):
        return True
    if any(one.sql_query for one in history[-_EXCHANGE:]):
        return False  # it may be asked of the same data
    codes = {language, known_language(question) or language}
    return any(follows_own_words(question, history, words_for(code), code) for code in codes)


def _prompt(question: str, history: Sequence[HistoryMessage]) -> tuple[Prompt, ...]:
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


def history_of(messages: Sequence[Message]) -> list[HistoryMessage]:
    """Stored messages as a history: of users and assistants, without quoting answers."""
    return [
        HistoryMessage(role=m.role, content=m.content, sql_query=m.details.sql_query)
        for m in messages
        if m.role is not Role.SYSTEM and not m.details.only_quotes
    ]
