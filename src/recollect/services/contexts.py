"""Putting together what a model needs to understand a question."""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final
from uuid import UUID

from recollect.domain.budget import Budget, FittedTurns, budget_for, fit, redistribute
from recollect.domain.compaction import Summary
from recollect.domain.context import Context, Cut, Sources, Tokens
from recollect.domain.message import Message
from recollect.domain.model_names import context_window_of
from recollect.domain.policies import Policies
from recollect.domain.rendering.chat import SUMMARY_FRAME
from recollect.domain.rendering.conversation import block_line
from recollect.domain.rendering.instructions import FRAME, section_lines
from recollect.domain.rendering.quoting import quoted
from recollect.domain.scope import Scope
from recollect.domain.shortening import message_text
from recollect.domain.text import check_text
from recollect.domain.tiers import Tier, tier_of
from recollect.domain.turn import TurnStatus
from recollect.domain.window import (
    ConversationTurn,
    WindowPolicy,
    WindowUnit,
    choose_window,
    conversation_turns,
    messages_in,
)
from recollect.errors import InvalidInput, SessionNotFound
from recollect.ports.messages import MAX_WINDOW, MessageStore, StoredWindow
from recollect.ports.tokens import TokenCounter
from recollect.services.rewriting import Rewriting, check_question, said_in
from recollect.services.sessions import Sessions
from recollect.services.summarising import ExtractiveSummariser

_TOKENS_A_MESSAGE: Final = 4  # what chat formats add for role and delimiters
_MESSAGES_A_TURN: Final = 4  # a question, its reply, and room for more of them
_SUMMARY_PART: Final = 3  # a summary takes at most a third of what is left for memory
_MAX_TOKENS: Final = 10_000_000
_MAX_MODEL_NAME: Final = 255

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Contexts:
    """Makes contexts from what is stored; nothing is kept in between."""

    messages: MessageStore
    sessions: Sessions
    rewriting: Rewriting
    counter_for: Callable[[str | None], TokenCounter]
    policies: Policies

    async def build(
        self,
        scope: Scope,
        session_id: UUID,
        question: str,
        *,
        model: str | None = None,
        max_tokens: int | None = None,
        window: int | None = None,
    ) -> Context:
        """The question with the end of the conversation, and a summary of what came before."""
        check_question(question)
        if max_tokens is not None and not 1 <= max_tokens <= _MAX_TOKENS:
            raise InvalidInput("max_tokens", f"must lie between 1 and {_MAX_TOKENS:,}")
        if model is not None:
            check_text(model, "model", max_length=_MAX_MODEL_NAME)
        model = model or self.policies.model
        tier = tier_of(model, overrides=self.policies.sizes)
        policy = self._window_policy(window)
        stored = await self._read(scope, session_id, policy, tier)
        self.sessions.note_use(scope, stored.session)
        limit = _limit(model, tier, max_tokens or self.policies.max_context_tokens)
        assembly = _Assembly(self.counter_for(model), limit, covers_all=self._covers_all)
        if assembly.tokens_of(question) > limit:
            raise InvalidInput("question", f"takes more than the {limit} tokens of a context")
        rewrite = await self.rewriting.after(said_in(stored.messages), question, model=model)
        standalone = rewrite.standalone_question
        if assembly.tokens_of(standalone) > limit:
            standalone = question
        context = await assembly.put_together(standalone, stored, _chosen(stored, policy, tier))
        _log(context)
        return replace(context, asked=question, is_follow_up=rewrite.is_follow_up)

    @property
    def _covers_all(self) -> bool:
        """Whether what lies between the summary and the window is told, too."""
        return self.policies.compaction is not None

    def _window_policy(self, size: int | None) -> WindowPolicy:
        if size is None:
            return self.policies.window
        if self.policies.is_window_fixed:
            raise InvalidInput("window", "is fixed by the settings of this server")
        return WindowPolicy(unit=self.policies.window.unit, size=size)

    async def _read(
        self, scope: Scope, session_id: UUID, policy: WindowPolicy, tier: Tier
    ) -> StoredWindow:
        size = policy.size_for(tier)
        count = size if policy.unit is WindowUnit.MESSAGES else size * _MESSAGES_A_TURN
        stored = await self.messages.window(
            scope,
            session_id,
            count=min(count, MAX_WINDOW),
            covers_all=self._covers_all,
        )
        if stored is None:
            raise SessionNotFound(session_id)
        return stored


def _chosen(stored: StoredWindow, policy: WindowPolicy, tier: Tier) -> tuple[ConversationTurn, ...]:
    answered = {m.turn_number for m in stored.messages if m.turn_number is not None}
    statuses = dict.fromkeys(answered, TurnStatus.COMPLETE)
    return choose_window(conversation_turns(stored.messages, statuses), policy, tier)


def _limit(model: str | None, tier: Tier, max_tokens: int) -> int:
    """The most tokens a context may have: what is asked for, or what the model can read."""
    context_window = context_window_of(model)
    if context_window is None:
        return max_tokens
    budget = budget_for(context_window, tier.shares)
    wanted = Budget(system=0, history=context_window, retrieved=0, answer=budget.answer)
    return min(max_tokens, redistribute(budget, wanted).history)


class _Assembly:
    """Fits the parts of one context into its limit, in whichever form it is rendered."""

    def __init__(self, counter: TokenCounter, limit: int, *, covers_all: bool) -> None:
        self._count = counter.count
        self._summariser = ExtractiveSummariser(tokens=counter)
        self._limit = limit
        self._covers_all = covers_all
        self._frame = max(map(counter.count, (SUMMARY_FRAME, FRAME))) + _TOKENS_A_MESSAGE

    async def put_together(
        self, question: str, stored: StoredWindow, window: Sequence[ConversationTurn]
    ) -> Context:
        """The question with as much of the conversation as there is room for."""
        room = self._limit - self.tokens_of(question) - self._frame
        fitted, untold = self._fit(stored, window, max(0, room))
        summary = await self._summary(stored.summary, untold, room - fitted.tokens)
        kept = messages_in(fitted.turns)
        has_memory = bool(kept or summary)
        return Context(
            question=question,
            asked=question,
            summary=summary or None,
            window=kept,
            tokens=Tokens(
                question=self.tokens_of(question),
                summary=self._count(quoted(summary)) + self._frame * has_memory,
                window=fitted.tokens,
                limit=self._limit,
            ),
            cut=_cut(fitted, had_summary=bool(stored.summary or untold), summary=summary),
            sources=Sources(
                messages=tuple(message.message_id for message in kept),
                summary=_range(stored.summary, untold) if summary else None,
            ),
        )

    def tokens_of(self, question: str) -> int:
        """What the question itself takes."""
        return self._count(question) + _TOKENS_A_MESSAGE

    def _fit(
        self, stored: StoredWindow, window: Sequence[ConversationTurn], room: int
    ) -> tuple[FittedTurns, tuple[Message, ...]]:
        """The turns that fit, and what neither they nor the summary tell.

        Where there is anything to summarise, a part of the room is kept free for it, but never
        at the cost of the last turn.
        """
        last = self._fitted(window[-1:], room).tokens
        for kept_free in (0, max(0, min(room // _SUMMARY_PART, room - last))):
            fitted = self._fitted(window, room - kept_free)
            untold = _untold(stored, messages_in(fitted.turns)) if self._covers_all else ()
            if not untold and not stored.summary:
                break
        return fitted, untold

    def _fitted(self, window: Sequence[ConversationTurn], room: int) -> FittedTurns:
        return fit(
            window,
            room,
            self._count,
            render=self._longest_form,
            tokens_per_message=_TOKENS_A_MESSAGE,
        )

    def _longest_form(self, message: Message) -> str:
        """The text of a message in the form that takes most tokens, so that all forms fit."""
        forms = (message_text, section_lines, partial(block_line, language="nl"))
        return max((form(message) for form in forms), key=self._count)

    async def _summary(self, summary: Summary | None, untold: Sequence[Message], room: int) -> str:
        """The stored summary, with what was said after it and before the window."""
        if room <= 0 or not (summary or untold):
            return ""
        if not untold and summary and self._count(quoted(summary.text)) <= room:
            return summary.text
        earlier = summary.text if summary else None
        allowed = room
        while allowed > 0:
            text = await self._summariser.summarise(untold, previous=earlier, max_tokens=allowed)
            over = self._count(quoted(text)) - room  # the marks of quotation come on top
            if over <= 0:
                return text
            allowed -= over
        return ""


def _untold(stored: StoredWindow, shown: Sequence[Message]) -> tuple[Message, ...]:
    """The messages that neither the summary nor the window holds."""
    end = stored.summary.last_sequence if stored.summary else 0
    start = shown[0].sequence if shown else None
    return tuple(
        m for m in stored.messages if m.sequence > end and (start is None or m.sequence < start)
    )


def _range(summary: Summary | None, untold: Sequence[Message]) -> tuple[int, int] | None:
    ends = [summary.first_sequence, summary.last_sequence] if summary else []
    ends += [message.sequence for message in untold]
    return (min(ends), max(ends)) if ends else None


def _cut(fitted: FittedTurns, *, had_summary: bool, summary: str) -> Cut:
    return Cut(
        turns=len(fitted.dropped),
        characters=sum(cut.characters for cut in fitted.cuts),
        summary=had_summary and not summary,
    )


def _log(context: Context) -> None:
    facts = {
        "messages": len(context.window),
        "tokens": context.tokens.total,
        "limit": context.tokens.limit,
        "turns_cut": context.cut.turns,
        "characters_cut": context.cut.characters,
    }
    event = "context.truncated" if context.is_truncated else "context.built"
    level = logging.INFO if context.is_truncated else logging.DEBUG
    logger.log(level, event, extra={"facts": facts})
