"""Keeping the facts that no summary may lose beside one that has lost them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from recollect.domain.language import guess_language
from recollect.domain.summary.candidates import (
    SentenceCandidate,
    Utterance,
    read_conversation,
    read_summary,
)
from recollect.domain.summary.extractive import Count, cut_to_fit
from recollect.domain.summary.facts import Fact, FactKind, terms_of, wish_of
from recollect.domain.summary.languages import labels_of
from recollect.domain.summary.sentences import split_sentences
from recollect.domain.summary.statements import read_told_statement

_KEPT_PART: Final = 0.5
"""How much of a summary sentences kept from before may take."""
_MOST_SENTENCES: Final = 400
_WORTH_STATING: Final = 2.0
_SHORT_FIGURE: Final = 2
"""Figures of up to two digits stand in many texts by chance."""
_USERS: Final = labels_of("user")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sentence:
    """A sentence with its facts, and its place among all sentences."""

    place: int
    line: str
    facts: frozenset[Fact]
    worth: float


class _Told:
    """The terms of a summary, as a whole and by sentence."""

    def __init__(self, text: str) -> None:
        self._all = terms_of(text)
        self._sentences = [terms_of(sentence) for sentence in split_sentences(text)]

    def add(self, line: str) -> None:
        terms = terms_of(line)
        self._all |= terms
        self._sentences.append(terms)

    def has(self, sentence: _Sentence) -> bool:
        """Whether every fact of a sentence is told."""
        return all(self._has_fact(fact, sentence) for fact in sentence.facts)

    def _has_fact(self, fact: Fact, sentence: _Sentence) -> bool:
        if not fact.is_in(self._all):
            return False
        if fact.kind is not FactKind.FIGURE or max(map(len, fact.terms)) > _SHORT_FIGURE:
            return True
        # "12 March" does not tell of the "12 cows": another word must be the same.
        others = wish_of(sentence.line, language=None).terms
        return any(fact.terms <= terms and others & terms for terms in self._sentences)


def keep_facts(
    summary: str, *, earlier: str, utterances: Sequence[Utterance] = (), limit: int, count: Count
) -> str:
    """Return the summary, after sentences with the facts that it has lost, within the limit.

    Facts are the names, figures and wishes of the earlier summary, those that users stated, and
    questions that nobody answered. Sentences kept take at most half of the limit. Where they need
    more, those about the user stay before others, wishes and names before mere figures, and of
    equals the newer one. A summary too long after that loses its oldest sentences, so that
    summaries never grow.
    """
    sentences = [*_told_before(earlier), *_stated(utterances)][-_MOST_SENTENCES:]
    told = _Told(summary)
    lost = [sentence for sentence in sentences if not told.has(sentence)]
    if not lost:
        return summary
    chosen = _within(lost, told, limit=int(limit * _KEPT_PART), count=count)
    lines = [sentence.line for sentence in sorted(chosen, key=lambda one: one.place)]
    room = limit - sum(count(f"{line}\n") for line in lines)
    return "\n".join(filter(None, [*lines, _shortened(summary, limit=room, count=count)]))


def _told_before(earlier: str) -> Iterator[_Sentence]:
    for place, candidate in enumerate(read_summary(earlier).candidates):
        yield _sentence(candidate, place - _MOST_SENTENCES)


def _stated(utterances: Sequence[Utterance]) -> Iterator[_Sentence]:
    for place, candidate in enumerate(read_conversation(utterances).candidates):
        if candidate.speaker.lower() in _USERS and candidate.statement.worth >= _WORTH_STATING:
            yield _sentence(candidate, place)


def _sentence(candidate: SentenceCandidate, place: int) -> _Sentence:
    statement = candidate.statement
    return _Sentence(place=place, line=candidate.line, facts=statement.facts, worth=statement.worth)


def _within(lost: Sequence[_Sentence], told: _Told, *, limit: int, count: Count) -> list[_Sentence]:
    """The sentences worth most that fit, each judged by what it adds to those before it."""
    chosen: list[_Sentence] = []
    room = limit
    for sentence in sorted(lost, key=lambda one: (one.worth, one.place), reverse=True):
        size = count(f"{sentence.line}\n")
        if size > room or told.has(sentence):
            continue
        chosen.append(sentence)
        told.add(sentence.line)
        room -= size
    return chosen


def _shortened(summary: str, *, limit: int, count: Count) -> str:
    """As much of the new text as there is room for, in whole sentences.

    The oldest go first; facts of the user go last.
    """
    if count(summary) <= limit:
        return summary
    language = guess_language(summary)
    sentences = split_sentences(summary)
    worth = [read_told_statement(one, language=language).worth for one in sentences]
    order = sorted(
        range(len(sentences)), key=lambda n: (worth[n] >= _WORTH_STATING, n), reverse=True
    )
    chosen: set[int] = set()
    room = limit
    for place in order:
        size = count(f"{sentences[place]}\n")
        if size > room:
            break
        room -= size
        chosen.add(place)
    between = "\n" if "\n" in summary else " "
    text = between.join(one for place, one in enumerate(sentences) if place in chosen)
    return text or cut_to_fit(summary, limit=limit, count=count)
