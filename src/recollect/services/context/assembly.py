"""Fitting the parts of a context into its limit."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Final
from uuid import UUID

from recollect.domain.context.compaction import Summary
from recollect.domain.context.context import (
    FRAME,
    PAST_QUERIES,
    RECALLED_FRAME,
    RECALLED_HEADINGS,
    SUMMARY_FRAME,
    Context,
    Sources,
    Tokens,
    Truncation,
    block_line,
    earlier_line,
    message_text,
    past_query,
    quoted,
    record,
    section_lines,
)
from recollect.domain.context.window import (
    BudgetShares,
    ConversationTurn,
    FittedTurns,
    fit,
    messages_in,
)
from recollect.domain.conversation.message import Message, Role, Visibility
from recollect.domain.recall.entry import Recalled, Recollection
from recollect.ports.conversations import StoredWindow
from recollect.ports.models import TokenCounter
from recollect.services.context.summarising import ExtractiveSummariser

TOKENS_A_MESSAGE: Final = 4  # what chat formats add for role and delimiters
_SUMMARY_PART: Final = 3  # a summary takes at most a third of what is left for memory


@dataclass(frozen=True, slots=True, kw_only=True)
class _FittedEntries:
    """The recalled entries that fit, and how many do not."""

    items: tuple[Recalled, ...] = ()
    tokens: int = 0
    left_out: int = 0


class Assembly:
    """Fits the parts of one context into its limit, in whichever form it is rendered."""

    def __init__(
        self, counter: TokenCounter, limit: int, *, covers_all: bool, shares: BudgetShares
    ) -> None:
        # Each text is counted in several forms and passes; one over the limit is never shown
        # whole, by however much it is over.
        self._count = cache(partial(counter.count, limit=limit))
        self._count_whole = counter.count
        self._longest: dict[tuple[UUID, str, str | None], str] = {}
        self._summariser = ExtractiveSummariser(tokens=counter)
        self._limit = limit
        self._covers_all = covers_all
        self._shares = shares
        self._frame = max(map(counter.count, (SUMMARY_FRAME, FRAME))) + TOKENS_A_MESSAGE

    def tokens_of(self, draft: Context) -> int:
        """How many tokens the question itself takes, in the form that takes most."""
        forms = (draft.question_with_meaning, draft.standalone_question)
        return max(map(self._count, forms)) + TOKENS_A_MESSAGE

    def fitting(self, draft: Context) -> Context:
        """The question with as much of its meaning as there is room for."""
        forms = (draft, replace(draft, shows_meaning=False))
        fitting = (one for one in forms if self.tokens_of(one) <= self._limit)
        return next(fitting, replace(draft, standalone_question=draft.question))

    def put_together(
        self,
        draft: Context,
        stored: StoredWindow,
        window: Sequence[ConversationTurn],
        recollection: Recollection,
    ) -> Context:
        """The question with as much of the conversation as there is room for."""
        room = max(0, self._limit - self.tokens_of(draft) - self._frame)
        entries = self._fit_entries(recollection.items, stored, window, room)
        room -= entries.tokens
        fitted, uncovered = self._fit_window(stored, window, room)
        summary = self._summary(stored.summary, uncovered, room - fitted.tokens)
        messages = messages_in(fitted.turns)
        has_memory = bool(messages or summary or entries.items)
        return replace(
            draft,
            summary=summary or None,
            window=messages,
            recalled=entries.items,
            tokens=Tokens(
                question=self.tokens_of(draft),
                summary=self._count(quoted(summary)) + self._frame * has_memory,
                window=fitted.tokens,
                recalled=entries.tokens,
                limit=self._limit,
            ),
            cut=Truncation(
                turns=len(fitted.dropped),
                characters=fitted.lost_characters or 0,
                summary=bool(stored.summary or uncovered) and not summary,
                recalled=entries.left_out,
            ),
            sources=Sources(
                messages=tuple(message.message_id for message in messages),
                summary=_range(stored.summary, uncovered) if summary else None,
                recalled=tuple(known for item in entries.items for known in item.message_ids),
            ),
            warnings=recollection.warnings,
        )

    def _fit_entries(
        self,
        items: Sequence[Recalled],
        stored: StoredWindow,
        window: Sequence[ConversationTurn],
        room: int,
    ) -> _FittedEntries:
        """As many of the best as fit into their share, or into what the conversation leaves.

        The last turn comes before all of them: the question most often follows on from it.
        """
        if not items:
            return _FittedEntries()
        memory = self._shares.retrieved + self._shares.history
        share = room * self._shares.retrieved // memory if memory else 0
        unneeded = room - self._needed(stored, window, room)
        last = self._fitted(window[-1:], room).tokens
        left = min(max(share, unneeded), room - last)
        fitting: list[Recalled] = []
        used = max(map(self._count, (RECALLED_FRAME, PAST_QUERIES, *RECALLED_HEADINGS)))
        used += TOKENS_A_MESSAGE
        for item in items:
            shown = item.shortened()
            # The form that takes most, with the breaks around it.
            blocks = (earlier_line(shown, language=language) for language in ("en", "nl"))
            forms = (record(shown), past_query(shown), *blocks)
            tokens = max(map(self._count, forms)) + TOKENS_A_MESSAGE
            if used + tokens <= left:
                fitting.append(shown)
                used += tokens
        return _FittedEntries(
            items=tuple(fitting), tokens=used if fitting else 0, left_out=len(items) - len(fitting)
        )

    def _needed(self, stored: StoredWindow, window: Sequence[ConversationTurn], room: int) -> int:
        """How many tokens the conversation takes if it may have all the room."""
        whole = self._fitted(window, room)
        if whole.is_truncated or self._uncovered(stored, whole):
            return room
        summary = self._count(quoted(stored.summary.text)) if stored.summary else 0
        return min(room, whole.tokens + summary)

    def _fit_window(
        self, stored: StoredWindow, window: Sequence[ConversationTurn], room: int
    ) -> tuple[FittedTurns, tuple[Message, ...]]:
        """The turns that fit, and the messages that neither they nor the summary cover.

        Where there is anything to summarise, a part of the room is left free for it, but never
        at the cost of the last turn.
        """
        last = self._fitted(window[-1:], room).tokens
        for for_summary in (0, max(0, min(room // _SUMMARY_PART, room - last))):
            fitted = self._fitted(window, room - for_summary)
            uncovered = self._uncovered(stored, fitted)
            if not uncovered and not stored.summary:
                break
        return fitted, uncovered

    def _fitted(self, window: Sequence[ConversationTurn], room: int) -> FittedTurns:
        return fit(
            window,
            room,
            self._count,
            render=self._longest_form,
            tokens_per_message=TOKENS_A_MESSAGE,
        )

    def _longest_form(self, message: Message) -> str:
        """The text of a message in the form that takes most tokens, so that all forms fit."""
        key = message.message_id, message.content, message.details.sql_query
        if key not in self._longest:
            forms = (message_text, section_lines, partial(block_line, language="nl"))
            self._longest[key] = max((form(message) for form in forms), key=self._count)
        return self._longest[key]

    def _uncovered(self, stored: StoredWindow, fitted: FittedTurns) -> tuple[Message, ...]:
        """The messages that neither the summary nor the fitted turns hold."""
        if not self._covers_all:
            return ()
        shown = messages_in(fitted.turns)
        end = stored.summary.last_sequence if stored.summary else 0
        start = shown[0].sequence if shown else None
        return tuple(
            m
            for m in stored.messages
            if m.sequence > end and (start is None or m.sequence < start) and _has_content(m)
        )

    def _summary(self, summary: Summary | None, uncovered: Sequence[Message], room: int) -> str:
        """The stored summary, with the messages after it and before the window."""
        if room <= 0 or not (summary or uncovered):
            return ""
        if not uncovered and summary and self._count(quoted(summary.text)) <= room:
            return summary.text
        earlier = summary.text if summary else None
        allowed = room
        while allowed > 0:
            text = self._summariser.extract(uncovered, previous=earlier, max_tokens=allowed)
            over = self._count_whole(quoted(text)) - room  # the marks of quotation come on top
            if over <= 0:
                return text
            allowed -= over
        return ""


def _has_content(message: Message) -> bool:
    """Whether a message has something to summarise: an answer without its values has not."""
    return message.visibility is Visibility.ALL or message.role is Role.USER


def _range(summary: Summary | None, uncovered: Sequence[Message]) -> tuple[int, int] | None:
    ends = [summary.first_sequence, summary.last_sequence] if summary else []
    ends += [message.sequence for message in uncovered]
    return (min(ends), max(ends)) if ends else None
