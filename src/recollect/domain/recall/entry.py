"""What is found again: an exchange, or one message of a plain log.

What a search makes by the hundred are tuples: they are made three times as fast as dataclasses.
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Final, NamedTuple, Self
from uuid import UUID

REACH: Final = 2
"""How many entries on either side say something about the one between them."""

QUESTION: Final = "Question: "
"""What the text of an exchange starts with."""
_ANSWERS: Final = (" SQL: ", " Tables: ", " Result summary: ")
_LONGEST: Final = 600
_LETTERS_A_WORD: Final = 6
_WORD: Final = re.compile(r"\w+")

Vector = tuple[float, ...]
"""What an embedder makes of a text: of length 1, so that cosines are dot products."""


class _Entry(NamedTuple):
    session_id: UUID
    turn_number: int
    sequence: int
    """The number of its first message."""
    message_ids: tuple[UUID, ...]
    """Its messages in the order they were said."""
    text: str
    """What is embedded and shown."""
    said_at: datetime
    speaker: str | None = None
    """Who says it, in a log that names its speakers."""
    tables: tuple[str, ...] = ()
    """The tables its answer draws on, as `database.view`, in lower case."""


class Entry(_Entry):
    """One complete exchange, or one message of a plain log, as recall shows it.

    Session and sequence name it; it never tells more than its messages, and goes with them.
    """

    @cached_property
    def traits(self) -> "Traits":
        """What ranking asks of it each time: those found again and again tell it at once."""
        text = self.text
        is_exchange = self.speaker is None and text.startswith(QUESTION)
        found = _WORD.search(text, len(QUESTION) if is_exchange else 0)
        return Traits(
            opening=found[0].lower() if found else "",
            fullness=math.log1p(min(len(text), _LONGEST) / _LETTERS_A_WORD),
            is_question=text.endswith("?"),
            said_at=self.said_at.timestamp(),
        )

    @cached_property
    def gist(self) -> tuple[str | None, str]:
        """What two entries share when one repeats the other: speaker and words, or the question."""
        said = self.text
        if self.speaker is None and said.startswith(QUESTION):
            for answer in _ANSWERS:
                said = said.partition(answer)[0]
        return self.speaker, " ".join(_WORD.findall(said.lower()))


class Traits(NamedTuple):
    """What can be told of an entry without knowing what it is asked for."""

    opening: str
    """The first word of the question or the message, in lower case."""
    fullness: float
    """The logarithm of how many words there are, about."""
    is_question: bool
    said_at: float
    """Seconds since 1970."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexedEntry:
    """An entry with what it is found by."""

    entry: Entry
    terms: Mapping[str, int]
    """Its words as stems, and how often each is said."""
    model: str | None = None
    vector: Vector | None = None
    """None while it is not embedded; it is then found by its words alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallFilter:
    """What an owner's entries are filters to; None narrows nothing."""

    session_id: UUID | None = None
    since: datetime | None = None
    until: datetime | None = None
    """The first moment no longer meant."""
    tables: frozenset[str] | None = None
    """Entries that touch at least one of these tables."""
    databases: frozenset[str] | None = None
    """Entries all of whose tables are in one of these databases, or that touch none."""
    speaker: str | None = None
    without: frozenset[UUID] = frozenset()
    """Messages that are known already: entries with one of them are left out."""

    def matches(self, entry: Entry) -> bool:
        """Whether an entry is among what is left."""
        return (
            (self.session_id is None or entry.session_id == self.session_id)
            and (self.since is None or entry.said_at >= self.since)
            and (self.until is None or entry.said_at < self.until)
            and (self.tables is None or not self.tables.isdisjoint(entry.tables))
            and (self.databases is None or _databases(entry) <= self.databases)
            and (self.speaker is None or entry.speaker == self.speaker)
            and self.without.isdisjoint(entry.message_ids)
        )


def _databases(entry: Entry) -> set[str]:
    return {table.partition(".")[0] for table in entry.tables}


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallQuery:
    """What to look for in an index."""

    terms: Mapping[str, float]
    """Stems of the question's words, and how much each weighs."""
    model: str | None
    vector: Vector | None
    """The question's vector; None looks by words alone."""
    filters: RecallFilter = RecallFilter()
    count: int
    """How many candidates are wanted."""
    nearest: Mapping[int, float] | None = None
    """Cosines that a store outside has found, by the numbers of entries; in place of vectors."""


class Scores(NamedTuple):
    """How well an entry answers to a query."""

    lexical: float
    """BM25 over the owner's entries; 0 where no word is shared."""
    semantic: float | None
    """Cosine of the vectors; None where the entry has none of the query's model."""


class Candidate(NamedTuple):
    """An entry that may be meant, with its scores and those of what was said around it.

    The scores of the entry and of at most `REACH` on either side stand as they were said.
    """

    entry: Entry
    words: tuple[float, ...]
    """The lexical scores."""
    meanings: tuple[float | None, ...]
    """The semantic scores."""
    own: int = 0
    """Which of them are the entry's."""

    @classmethod
    def among(
        cls,
        entry: Entry,
        words: tuple[float, ...],
        meanings: tuple[float | None, ...],
        at: int,
        *,
        sessions: Sequence[UUID],
    ) -> Self:
        """The candidate at a place among entries that are ordered by session and sequence."""
        first, end, session_id = at, at + 1, sessions[at]
        while first > 0 and at - first < REACH and sessions[first - 1] == session_id:
            first -= 1
        while end < len(sessions) and end - at <= REACH and sessions[end] == session_id:
            end += 1
        return cls(entry, words[first:end], meanings[first:end], at - first)

    @property
    def scores(self) -> Scores:
        """The scores of the entry itself."""
        return Scores(self.words[self.own], self.meanings[self.own])
