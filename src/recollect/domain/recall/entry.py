"""What recall works with: entries, queries, candidates and results, and how many go into a context.

Entries, candidates and results are tuples: a search makes hundreds, three times as fast as
dataclasses.
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from functools import cached_property
from typing import Final, NamedTuple, Self
from uuid import UUID

from recollect.domain.recall.wording import Wording, read_wording
from recollect.domain.text import parse_choice
from recollect.domain.vectors import Vector
from recollect.errors import InvalidInput

REACH: Final = 2
"""How many entries on either side count in the score of an entry."""

QUESTION: Final = "Question: "
"""What the text of an exchange starts with."""
_SUMMARY: Final = " Result summary: "
_ANSWERS: Final = (" SQL: ", " Tables: ", _SUMMARY)
_IN_ANSWER: Final = "answer "
_BRIEF: Final = 300
"""Characters: a longer message stands for itself, and is about more than the question."""
_SHORTEST: Final = 10
"""Characters: still shorter messages are not told apart."""
_SHORT_QUESTION: Final = 150
"""Characters: a longer message that ends with a question states something, too."""
_WORD: Final = re.compile(r"\w+")

TOLD_CHARACTERS: Final = 1000
"""The most characters of one entry in a context."""
_MARK: Final = "…"
_STATE_LASTS: Final = timedelta(seconds=1)
MAX_RECALLED: Final = 100
"""The most results of one search."""
DEFAULT_RECALLED: Final = 3
EMBEDDER_FAILED: Final = (
    "the embedding model did not answer: only words were compared, not meanings"
)
"""The warning of results that were found by words alone."""


class _Entry(NamedTuple):
    session_id: UUID
    turn_number: int
    sequence: int
    """The sequence of its first message."""
    message_ids: tuple[UUID, ...]
    """Its messages, in order."""
    text: str
    """What is embedded and shown."""
    said_at: datetime
    speaker: str | None = None
    """The speaker, in a log that names its speakers."""
    tables: tuple[str, ...] = ()
    """The tables its answer uses, as `database.view`, in lower case."""


class Entry(_Entry):
    """One complete exchange, or one message of a log; deleted together with its messages."""

    @cached_property
    def traits(self) -> "Traits":
        """What ranking needs of the entry whatever the question is."""
        length = len(self.text)
        brevity = _BRIEF / max(length, _BRIEF)
        return Traits(
            brevity=brevity,
            excess=-math.log(brevity),
            shortness=math.log(_BRIEF / min(max(length, _SHORTEST), _BRIEF)),
            is_question=length <= _SHORT_QUESTION and self.text.endswith("?"),
            said_at=self.said_at.timestamp(),
            asks="?" in self.text,
        )

    @cached_property
    def _wordings(self) -> dict[str, Wording]:
        return {}

    def wording(self, language: str) -> Wording:
        """What its words tell in a language; read once for each language it is asked about in."""
        known = self._wordings.get(language)
        if known is None:
            known = self._wordings[language] = read_wording(self.text, language)
        return known

    @cached_property
    def passage(self) -> str:
        """What is embedded: the question and the answer of an exchange, without labels or SQL.

        With the labels, 5 of 100 held-out questions in five languages lose the first place.
        """
        if self.speaker is not None or not self.text.startswith(QUESTION):
            return self.text
        question = self.text.removeprefix(QUESTION)
        for label in _ANSWERS:
            question = question.partition(label)[0]
        _, label, answer = self.text.rpartition(_SUMMARY)
        return f"{question}\n{answer}" if label else question

    @property
    def databases(self) -> set[str]:
        """The databases of its tables."""
        return {table.partition(".")[0] for table in self.tables}

    @cached_property
    def gist(self) -> tuple[str | None, str]:
        """What two entries share if one repeats the other: speaker and words, or the question."""
        text = self.text
        if self.speaker is None and text.startswith(QUESTION):
            for answer in _ANSWERS:
                text = text.partition(answer)[0]
        return self.speaker, " ".join(_WORD.findall(text.lower()))


class Traits(NamedTuple):
    """Properties of an entry that do not depend on the question."""

    brevity: float
    """1 for a brief message; half for one that is twice as long as that."""
    excess: float
    """0 for a brief message; the logarithm of how many times as long it is."""
    shortness: float
    """0 for one that is not brief; the logarithm of how many of it would be as long."""
    is_question: bool
    said_at: float
    """Seconds since 1970."""
    asks: bool
    """Whether there is a question anywhere in it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexedEntry:
    """An entry with its words and its vector."""

    entry: Entry
    terms: Mapping[str, int]
    """The stems of its words, and how often each occurs; those of an answer by `answer_term`."""
    model: str | None = None
    vector: Vector | None = None
    """None until it is embedded; it is found by its words alone until then."""

    @property
    def length(self) -> int:
        """How many words the question has, or the message of a log."""
        return question_length(self.terms)


def question_length(terms: Mapping[str, int]) -> int:
    """Return how many words a question has, or the message of a log, without its answer.

    The length of the answer tells nothing about how much the question is about a word.
    """
    return sum(n for term, n in terms.items() if not term.startswith(_IN_ANSWER))


def answer_term(stem: str) -> str:
    """A stem as a term of answers, which have a document frequency of their own."""
    return _IN_ANSWER + stem


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallFilter:
    """Which of an owner's entries are searched; None filters nothing."""

    session_id: UUID | None = None
    since: datetime | None = None
    until: datetime | None = None
    """The first moment after the period."""
    tables: frozenset[str] | None = None
    """Entries that use at least one of these tables."""
    databases: frozenset[str] | None = None
    """Entries all of whose tables are in these databases, or that use none."""
    speaker: str | None = None
    without: frozenset[UUID] = frozenset()
    """Messages whose entries are left out."""

    def matches(self, entry: Entry) -> bool:
        """Whether an entry passes the filter."""
        return (
            (self.session_id is None or entry.session_id == self.session_id)
            and (self.since is None or entry.said_at >= self.since)
            and (self.until is None or entry.said_at < self.until)
            and (self.tables is None or not self.tables.isdisjoint(entry.tables))
            and (self.databases is None or entry.databases <= self.databases)
            and (self.speaker is None or entry.speaker == self.speaker)
            and self.without.isdisjoint(entry.message_ids)
        )


class EntriesState(NamedTuple):
    """The state of an owner's entries, by which a cache tells whether it is current."""

    last_number: int
    """Of the entry that was added last; 0 without any."""
    changes: int
    """How often entries were changed or removed."""
    expired: frozenset[UUID]
    """Sessions whose entries are no longer to be found."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EntriesSeen:
    """What was told of an owner's entries while something else was read for the same question."""

    at: datetime
    state: EntriesState
    has_speakers: bool
    """Whether some of them name who speaks, as those of a log do."""

    def state_at(self, now: datetime) -> EntriesState | None:
        """Their state, unless that was so long ago that it is to be asked for again."""
        return self.state if self.at <= now < self.at + _STATE_LASTS else None


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallQuery:
    """A search of the index."""

    terms: Mapping[str, float]
    """The stems of the question's words, and their weights."""
    model: str | None
    vector: Vector | None
    """The question's vector; None searches by words alone."""
    filters: RecallFilter = RecallFilter()
    count: int
    """How many candidates are wanted by words, and as many by meaning."""
    nearest: Mapping[int, float] | None = None
    """Cosines from an outside vector store, by the numbers of entries; in place of vectors."""
    chosen: Sequence[int] | None = None
    """The numbers of entries that a first pass has chosen to be rescored."""
    state: EntriesState | None = None
    """Of the owner's entries, if it was read with the session just now; None: ask the index."""


def neighbourhood(at: int, sessions: Sequence[UUID]) -> tuple[int, int]:
    """The first and the end of the places around a message of a log that count in its score.

    `sessions` are those of all entries, ordered by session and sequence.
    """
    first, end, session_id = at, at + 1, sessions[at]
    while first > 0 and at - first < REACH and sessions[first - 1] == session_id:
        first -= 1
    while end < len(sessions) and end - at <= REACH and sessions[end] == session_id:
        end += 1
    return first, end


class Candidate(NamedTuple):
    """An entry with its scores; in a log, with those of `REACH` entries on either side, in order.

    An exchange stands for itself: those around it are about other questions.
    """

    entry: Entry
    words: tuple[float, ...]
    """The lexical scores: the share of the highest BM25 possible, 0 if no word is shared."""
    meanings: tuple[float | None, ...]
    """The semantic scores: cosines, None where an entry has no vector of the query's model."""
    own: int = 0
    """The place of the entry's own scores."""

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
        if entry.speaker is None:
            return cls(entry, (words[at],), (meanings[at],))
        first, end = neighbourhood(at, sessions)
        return cls(entry, words[first:end], meanings[first:end], at - first)


class Recalled(NamedTuple):
    """One earlier exchange, or one message of a log, with its scores."""

    score: float
    """How well it matches the question, from 0 to 1; comparable within one search."""
    session_id: UUID
    message_ids: tuple[UUID, ...]
    """Its messages, in order."""
    text: str
    created_at: datetime
    speaker: str | None = None
    tables: tuple[str, ...] = ()
    """The tables its answer uses."""
    lexical: float = 0.0
    """The share of the highest BM25 possible, from 0 to 1; 0 if it shares no word."""
    semantic: float | None = None
    """Cosine of the vectors; None if they were not compared."""

    def shortened(self, characters: int = TOLD_CHARACTERS) -> Self:
        """The same with its text cut to this many characters, and a mark at the end."""
        if len(self.text) <= characters:
            return self
        return self._replace(text=self.text[: characters - len(_MARK)].rstrip() + _MARK)


@dataclass(frozen=True, slots=True, kw_only=True)
class Recollection:
    """The results of a search, best first."""

    items: tuple[Recalled, ...] = ()
    warnings: tuple[str, ...] = ()
    """What limited the search, such as a missing embedding model."""


class RecallScope(StrEnum):
    """Which sessions a context recalls from."""

    OFF = "off"
    SESSION = "session"
    USER = "user"
    """All sessions of the user."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallOverrides:
    """The recall settings of one request; None keeps the policy's."""

    scope: RecallScope | None = None
    k: int | None = None
    elsewhere: bool = True
    """False: nothing of other sessions is recalled, whatever the policy."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallPolicy:
    """From where a context recalls earlier exchanges, and how many."""

    scope: RecallScope = RecallScope.USER
    k: int = DEFAULT_RECALLED

    def __post_init__(self) -> None:
        if not 0 <= self.k <= MAX_RECALLED:
            raise InvalidInput("recall_k", f"must lie between 0 and {MAX_RECALLED}")

    @property
    def is_on(self) -> bool:
        """Whether contexts recall anything."""
        return self.scope is not RecallScope.OFF and self.k > 0

    def changed(self, wish: RecallOverrides) -> Self:
        """The policy with the settings of one request; `k` alone switches recall on."""
        is_switched_on = self.scope is RecallScope.OFF and bool(wish.k)
        scope = wish.scope or (RecallScope.USER if is_switched_on else self.scope)
        if scope is RecallScope.USER and not wish.elsewhere:
            scope = RecallScope.SESSION
        return replace(self, scope=scope, k=self.k if wish.k is None else wish.k)


AS_SET: Final = RecallOverrides()
NO_RECALL: Final = RecallPolicy(scope=RecallScope.OFF)
"""Nothing is recalled, unless a request asks for it."""


def parse_recall_scope(text: str, field: str = "recall_scope") -> RecallScope:
    """The scope of that name; `InvalidInput` lists the names."""
    return parse_choice(RecallScope, text, field)
