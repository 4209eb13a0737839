"""The rule-based reading of a follow-up: one call, no model, no I/O."""

from collections.abc import Sequence
from threading import Lock
from typing import Final

from recollect.domain.conversation.message import Role
from recollect.domain.followup.detect import DECISIVE, detect
from recollect.domain.followup.dialogue import Method, Rewrite, Said, Signal
from recollect.domain.followup.discourse import Discourse
from recollect.domain.followup.language import detect_language, language_of
from recollect.domain.followup.languages import installed, pack_for
from recollect.domain.followup.reader import Reader, ReadingCache
from recollect.domain.followup.reading import Reading, read_turn
from recollect.domain.followup.sql_values import compared_values

MAX_ADDED: Final = 500  # a standalone question is at most this much longer than what was asked
_LONGEST_QUESTION: Final = 1000  # what is longer is a document, and says what it means
_KEPT_MESSAGES: Final = 20
_RECENT_ANSWERS: Final = 4  # older ones have faded

_CONFIDENCE: Final = {
    Signal.PRONOUN: 0.8,
    Signal.POSSESSIVE: 0.8,
    Signal.PRONOMINAL_ADVERB: 0.8,
    Signal.PLACE_ADVERB: 0.65,
    Signal.ELLIPSIS_OPENER: 0.75,
    Signal.ORDINAL: 0.75,
    Signal.SAME_BUT: 0.7,
    Signal.FILTER: 0.7,
    Signal.REPLY: 0.7,
    Signal.DEMONSTRATIVE: 0.65,
    Signal.DEFINITE_NOUN: 0.6,
    Signal.MISSING_COMPLEMENT: 0.6,
    Signal.PARTIAL_NAME: 0.6,
    Signal.FRAGMENT: 0.5,
    Signal.ELSE: 0.4,
}
_UNSURE: Final = 0.3
_SURE: Final = 0.9


class Rewriter:
    """Makes questions standalone, and remembers what it has read of their conversations.

    Threads may share one; it takes their questions one after the other.
    """

    def __init__(self) -> None:
        self._memory = ReadingCache()
        self._readers: dict[str, Reader] = {}
        self._turn = Lock()

    def rewrite(
        self, question: str, history: Sequence[Said], *, language: str | None = None
    ) -> Rewrite:
        """Say a question so that it needs no history; a standalone one comes back unchanged."""
        code = language if language in installed() else language_of(question, history)
        is_askable = bool(history) and len(question) <= _LONGEST_QUESTION
        if not is_askable:
            return _result(question, (), (), code)
        with self._turn:
            return _rewrite(question, _listen(history, self._reader(code)))

    def _reader(self, code: str) -> Reader:
        reader = self._readers.get(code)
        if reader is None:
            reader = self._readers[code] = Reader(pack_for(code), self._memory)
        return reader


def rewrite(question: str, history: Sequence[Said], *, language: str | None = None) -> Rewrite:
    """Rewrite one question; for more of them, a `Rewriter` is quicker."""
    return Rewriter().rewrite(question, history, language=language)


def load_everything() -> None:
    """Load now what the first questions would wait for: about a second of work."""
    detect_language("?")  # which no small word decides
    compared_values("SELECT 'all'")
    for code in installed():
        rewrite("it?", [Said(role=Role.USER, content="it")], language=code)


def _rewrite(question: str, discourse: Discourse) -> Rewrite:
    asked = discourse.reader.read(question)
    reading = read_turn(asked, discourse)
    if len(reading.question.said) > len(question) + MAX_ADDED:
        reading = Reading(question=asked)
    seen = detect(asked.text, discourse.pack) if discourse.referents else ()
    return _result(reading.question.said, reading.signals, seen, discourse.pack.code)


def _result(
    standalone: str, resolved: tuple[Signal, ...], seen: tuple[Signal, ...], code: str
) -> Rewrite:
    is_follow_up = bool(resolved) or any(signal in DECISIVE for signal in seen)
    if resolved:
        confidence = min(_CONFIDENCE.get(signal, _UNSURE) for signal in resolved)
    else:
        confidence = _UNSURE if is_follow_up else _SURE
    return Rewrite(
        standalone_question=standalone,
        is_follow_up=is_follow_up,
        method=Method.RULES if resolved else Method.NONE,
        signals=tuple(dict.fromkeys((*resolved, *seen))) if is_follow_up else (),
        confidence=confidence,
        language=code,
    )


def _listen(history: Sequence[Said], reader: Reader) -> Discourse:
    """Read the conversation in order, each question in the light of those before it."""
    discourse = Discourse(reader=reader)
    kept = history if len(history) <= _KEPT_MESSAGES else (*history[:2], *history[-_KEPT_MESSAGES:])
    answers = sum(said.role is Role.ASSISTANT for said in kept)
    for said in kept:
        if said.role is Role.USER:
            _hear(said.content[:_LONGEST_QUESTION], discourse)
        elif said.role is Role.ASSISTANT:
            is_recent = answers <= _RECENT_ANSWERS
            discourse.hear_answer(said.content, sql_query=said.sql_query, is_recent=is_recent)
            answers -= 1
    discourse.next_turn()
    return discourse


def _hear(said: str, discourse: Discourse) -> None:
    question = discourse.reader.read(said)
    discourse.next_turn()
    reading = read_turn(question, discourse)
    if not question.asks_nothing:
        discourse.hear_question(reading.question)
    if question.is_open:
        discourse.had_open_question = True
