"""A cache of what was read of messages.

While the worker is behind, each turn of a conversation summarises the same messages and two more:
reading them took nine tenths of the time.
"""

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from threading import Lock
from typing import Final
from uuid import UUID

from recollect.domain.summary.candidates import SentenceCandidate, Voice, read_message

_MAX_BYTES: Final = 64 * 2**20
"""Some 40,000 sentences."""
_SENTENCE_BYTES: Final = 700
_CHARACTER_BYTES: Final = 4  # at most; what Python says of a text grows while it is used
_TERM_BYTES: Final = 150  # of a word, a figure or a fact that a sentence is known by


class ReadMessages:
    """What this process has cached of messages that were summarised lately, whoever wrote them.

    Those that were used longest ago make room for others. Threads may share it.
    """

    def __init__(self, *, max_bytes: int = _MAX_BYTES) -> None:
        self._max_bytes = max_bytes
        self._cached: OrderedDict[_Key, _Reading] = OrderedDict()
        self._lock = Lock()
        self._times_forgotten = 0
        self.size = 0
        """In bytes, about."""

    def read(self, text: str, voice: Voice, *, turn: int, most: int) -> Sequence[SentenceCandidate]:
        """The same as `read_message`."""
        key = text, voice
        with self._lock:
            times_forgotten = self._times_forgotten
            reading = self._cached.get(key)
            if reading is not None:
                self._cached.move_to_end(key)
        if reading is None or not reading.has(most):
            sentences = read_message(text, voice, turn=turn, most=most)
            reading = _Reading(sentences=sentences, turn=turn, most=most)
            self._put(key, reading, times_forgotten)
        elif reading.turn != turn:
            reading = reading.at(turn)
            self._put(key, reading, times_forgotten)
        return reading.sentences[:most]

    def forget(self, owner_id: UUID) -> None:  # noqa: ARG002  # nobody knows whose they are
        """Drop all messages; see `OwnerCache.forget`."""
        with self._lock:
            self._cached.clear()
            self._times_forgotten += 1
            self.size = 0

    def _put(self, key: "_Key", reading: "_Reading", times_forgotten: int) -> None:
        with self._lock:
            if times_forgotten != self._times_forgotten:
                return  # it was read before: it may be what is to be forgotten
            self._evict(key)
            self._cached[key] = reading
            self.size += _bytes_of(key, reading)
            while self.size > self._max_bytes:
                self._evict(next(iter(self._cached)))

    def _evict(self, key: "_Key") -> None:
        evicted = self._cached.pop(key, None)
        self.size -= 0 if evicted is None else _bytes_of(key, evicted)


_Key = tuple[str, Voice]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reading:
    """The sentences of a message, or the first of them."""

    sentences: Sequence[SentenceCandidate]
    turn: int
    """Where the message stood when it was asked for last; mostly it stands there again."""
    most: int
    """How many were asked for."""

    def at(self, turn: int) -> "_Reading":
        """The same message where it stands now."""
        sentences = tuple(replace(sentence, turn=turn) for sentence in self.sentences)
        return replace(self, sentences=sentences, turn=turn)

    def has(self, most: int) -> bool:
        """Whether so many of them are here, or all that there are."""
        return most <= self.most or len(self.sentences) < self.most


def _bytes_of(key: _Key, reading: _Reading) -> int:
    terms = (len(one.content) + len(one.exact) for one in reading.sentences)
    facts = (len(one.statement.facts) for one in reading.sentences)
    sentences = _SENTENCE_BYTES * (1 + len(reading.sentences))
    return _CHARACTER_BYTES * len(key[0]) + sentences + _TERM_BYTES * (sum(terms) + sum(facts))
