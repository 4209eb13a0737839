"""Fitting the parts of a context into its limit."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final
from uuid import UUID

from recollect.domain.context.compaction import Summary
from recollect.domain.context.context import Context, Sources, Tokens, Truncation
from recollect.domain.context.quoting import quoted
from recollect.domain.context.rendering import (
    FACTS_FRAME,
    FACTS_HEADINGS,
    PROFILE_FRAME,
    PROFILE_HEADINGS,
    STANDING_FRAME,
    STANDING_HEADINGS,
    fact_line,
    profile_line,
    standing_line,
)
from recollect.domain.context.window import (
    BudgetShares,
    ConversationTurn,
    FittedTurns,
    fit,
    messages_in,
)
from recollect.domain.conversation.message import Message, Role, Visibility
from recollect.domain.facts.fact import Fact
from recollect.domain.profile.profile import ProfileItem
from recollect.domain.recall.entry import Recalled, Recollection
from recollect.domain.summary.candidates import MessageReader
from recollect.ports.conversations import StoredWindow
from recollect.ports.models import TokenCounter
from recollect.services.context.form_tokens import TOKENS_A_MESSAGE, FormTokenCache, FormTokens
from recollect.services.context.summarising import ExtractiveSummariser

_SUMMARY_PART: Final = 3  # a summary takes at most a third of what is left for memory
_STANDING_PART: Final = 4  # and standing instructions a quarter
_STANDING_TOKENS: Final = 500
"""The most tokens of all standing instructions: some ten sentences."""
_PROFILE_PART: Final = 4  # and the profile a quarter
_PROFILE_TOKENS: Final = 1000
"""The most tokens of all values of the profile."""
_FACTS_PART: Final = 5  # and facts about the user a fifth
_FACTS_TOKENS: Final = 600
"""The most tokens of all facts: some twenty sentences."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextParts:
    """What was looked up for a context, beside the conversation itself."""

    recollection: Recollection
    instructions: tuple[Fact, ...] = ()
    """Newest first; the window may have some of them already."""
    profile: tuple[ProfileItem, ...] = ()
    """In the order in which the values are wanted."""
    facts: tuple[Fact, ...] = ()
    """In the order in which they are wanted; the window may have some of them already."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _FittedEntries:
    """The recalled entries that fit, and how many do not."""

    items: tuple[Recalled, ...] = ()
    tokens: int = 0
    left_out: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class _FittedProfile:
    """The values of the profile that fit, and how many do not."""

    items: tuple[ProfileItem, ...] = ()
    tokens: int = 0
    left_out: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class _FittedFacts:
    """The facts about the user that fit, or the standing instructions, each with its tokens."""

    items: tuple[tuple[Fact, int], ...] = ()
    frame: int = 0
    left_out: int = 0

    @property
    def tokens(self) -> int:
        return self.frame + sum(tokens for _, tokens in self.items) if self.items else 0

    @property
    def facts(self) -> tuple[Fact, ...]:
        return tuple(fact for fact, _ in self.items)

    def beside(self, window: Sequence[Message]) -> "_FittedFacts":
        """Those that the messages of the window do not say already."""
        shown = {message.message_id: message.content for message in window}
        items = (one for one in self.items if not _is_said(one[0], shown))
        return replace(self, items=tuple(items))


class Assembly:
    """Fits the parts of one context into its limit, in whichever form it is rendered."""

    def __init__(
        self,
        counter: TokenCounter,
        limit: int,
        *,
        covers_all: bool,
        shares: BudgetShares,
        cache: FormTokenCache,
        read: MessageReader,
    ) -> None:
        self._tokens = FormTokens(counter, limit, cache)
        self._count = self._tokens.of_text
        self._count_whole = counter.count
        self._summariser = ExtractiveSummariser(tokens=counter, read=read)
        self._limit = limit
        self._covers_all = covers_all
        self._shares = shares
        self._frame = self._tokens.of_frame()

    def tokens_of(self, draft: Context) -> int:
        """How many tokens the question itself takes, in the form that takes most."""
        forms = (draft.question_with_meaning, draft.standalone_question)
        return max(map(self._count, forms)) + TOKENS_A_MESSAGE

    def fitting(self, draft: Context) -> Context:
        """The question with as much of its meaning as there is room for."""
        if self.tokens_of(draft) <= self._limit:
            return draft
        without = replace(draft, shows_meaning=False)
        if self.tokens_of(without) <= self._limit:
            return without
        return replace(draft, standalone_question=draft.question)

    def put_together(
        self,
        draft: Context,
        stored: StoredWindow,
        window: Sequence[ConversationTurn],
        parts: ContextParts,
    ) -> Context:
        """The question with as much of the conversation and of memory as there is room for."""
        room = max(0, self._limit - self.tokens_of(draft) - self._frame)
        standing = self._fit_instructions(parts.instructions, window, room)
        room -= standing.tokens
        known = self._fit_profile(parts.profile, window, room)
        room -= known.tokens
        facts = self._fit_facts(parts.facts, window, room)
        room -= facts.tokens
        entries = self._fit_entries(parts.recollection.items, stored, window, room)
        room -= entries.tokens
        fitted, uncovered = self._fit_window(stored, window, room)
        messages = messages_in(fitted.turns)
        unneeded = standing.tokens + facts.tokens
        standing, facts = standing.beside(messages), facts.beside(messages)
        unneeded -= standing.tokens + facts.tokens
        summary = self._summary(stored.summary, uncovered, room + unneeded - fitted.tokens)
        told = standing.items or known.items or facts.items
        has_memory = bool(messages or summary or entries.items or told)
        return replace(
            draft,
            standing_instructions=standing.facts,
            profile=known.items,
            facts=facts.facts,
            summary=summary or None,
            window=messages,
            recalled=entries.items,
            tokens=Tokens(
                question=self.tokens_of(draft),
                frame=self._frame * has_memory,
                summary=self._count(quoted(summary)) if summary else 0,
                window=fitted.tokens,
                recalled=entries.tokens,
                standing_instructions=standing.tokens,
                profile=known.tokens,
                facts=facts.tokens,
                limit=self._limit,
            ),
            cut=Truncation(
                turns=len(fitted.dropped),
                characters=fitted.lost_characters or 0,
                summary=bool(stored.summary or uncovered) and not summary,
                recalled=entries.left_out,
                standing_instructions=standing.left_out,
                profile=known.left_out,
                facts=facts.left_out,
            ),
            sources=Sources(
                messages=tuple(message.message_id for message in messages),
                summary=_range(stored.summary, uncovered) if summary else None,
                recalled=tuple(known for item in entries.items for known in item.message_ids),
                standing_instructions=_messages_behind(standing.facts),
                facts=_messages_behind(facts.facts),
            ),
            warnings=parts.recollection.warnings,
        )

    def _fit_instructions(
        self, instructions: Sequence[Fact], window: Sequence[ConversationTurn], room: int
    ) -> _FittedFacts:
        """The newest that fit into their share, oldest first; the last turn comes before them."""
        if not instructions:
            return _FittedFacts()
        frame = max(map(self._count, (STANDING_FRAME, *STANDING_HEADINGS))) + TOKENS_A_MESSAGE
        last = self._fitted(window[-1:], room).tokens
        left = min(_STANDING_TOKENS, room // _STANDING_PART, room - last) - frame
        fitting: list[tuple[Fact, int]] = []
        for one in instructions:
            lines = (standing_line(one, language=language) for language in ("en", "nl"))
            tokens = max(map(self._count, lines)) + TOKENS_A_MESSAGE  # with the breaks around it
            if tokens > left:
                break
            left -= tokens
            fitting.append((one, tokens))
        left_out = len(instructions) - len(fitting)
        return _FittedFacts(items=tuple(reversed(fitting)), frame=frame, left_out=left_out)

    def _fit_profile(
        self, items: Sequence[ProfileItem], window: Sequence[ConversationTurn], room: int
    ) -> _FittedProfile:
        """The values that fit into their share, each whole; the last turn comes before them."""
        if not items:
            return _FittedProfile()
        frame = max(map(self._count, (PROFILE_FRAME, *PROFILE_HEADINGS))) + TOKENS_A_MESSAGE
        last = self._fitted(window[-1:], room).tokens
        left = min(_PROFILE_TOKENS, room // _PROFILE_PART, room - last)
        fitting: list[ProfileItem] = []
        used = frame
        for item in items:
            lines = (profile_line(item, language=language) for language in ("en", "nl"))
            tokens = max(map(self._count, lines)) + TOKENS_A_MESSAGE  # with the breaks around it
            if used + tokens <= left:
                fitting.append(item)
                used += tokens
        return _FittedProfile(
            items=tuple(fitting), tokens=used if fitting else 0, left_out=len(items) - len(fitting)
        )

    def _fit_facts(
        self, facts: Sequence[Fact], window: Sequence[ConversationTurn], room: int
    ) -> _FittedFacts:
        """The facts that fit into their share, each whole; the last turn comes before them."""
        if not facts:
            return _FittedFacts()
        frame = max(map(self._count, (FACTS_FRAME, *FACTS_HEADINGS))) + TOKENS_A_MESSAGE
        last = self._fitted(window[-1:], room).tokens
        left = min(_FACTS_TOKENS, room // _FACTS_PART, room - last)
        fitting: list[tuple[Fact, int]] = []
        used = frame
        for fact in facts:
            lines = (fact_line(fact, language=language) for language in ("en", "nl"))
            tokens = max(map(self._count, lines)) + TOKENS_A_MESSAGE  # with the breaks around it
            if used + tokens <= left:
                fitting.append((fact, tokens))
                used += tokens
        left_out = len(facts) - len(fitting)
        return _FittedFacts(items=tuple(fitting), frame=frame, left_out=left_out)

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
        used = self._tokens.of_recalled_frame()
        for item in items:
            shown = item.shortened()
            tokens = self._tokens.of_recalled(shown)
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
        return fit(window, room, self._tokens.of_message)

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


def _is_said(fact: Fact, shown: Mapping[UUID, str]) -> bool:
    """Whether the words that a fact comes from are in the text of their message."""
    source = fact.evidence
    return source is not None and source.quote in shown.get(source.message_id, "")


def _messages_behind(facts: Iterable[Fact]) -> tuple[UUID, ...]:
    """The messages that facts come from, each once."""
    return tuple(dict.fromkeys(fact.evidence.message_id for fact in facts if fact.evidence))


def _range(summary: Summary | None, uncovered: Sequence[Message]) -> tuple[int, int] | None:
    ends = [summary.first_sequence, summary.last_sequence] if summary else []
    ends += [message.sequence for message in uncovered]
    return (min(ends), max(ends)) if ends else None
