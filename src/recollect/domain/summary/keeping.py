"""Keeping in a summary what it would forget of the one before, and of what the user stated."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from recollect.domain.followup.languages import pack_for
from recollect.domain.language import guess_language
from recollect.domain.summary.candidates import read_conversation, read_summary
from recollect.domain.summary.extractive import Utterance, cut_to_fit
from recollect.domain.summary.facts import Fact, FactIndex, FactKind, facts_of, is_about_user
from recollect.domain.summary.sentences import split_sentences

_KEPT_PART: Final = 0.5
"""How much of a summary sentences kept from before may take."""
_MOST_SENTENCES: Final = 400
_USERS: Final = frozenset({"user", "gebruiker", "benutzer", "utilisateur", "usuario"})
_WORTH: Final = {FactKind.WISH: 3.0, FactKind.NAME: 2.0, FactKind.FIGURE: 1.0}
_USERS_OWN: Final = 5.0

Count = Callable[[str], int]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sentence:
    """A sentence that tells facts, and its place among all of them."""

    place: int
    line: str
    facts: frozenset[Fact]
    is_users: bool
    """Whether users say it, or it speaks of them."""
    is_asking: bool
    """Whether a question or a request, which states nothing."""

    @property
    def is_stated(self) -> bool:
        """Whether it tells facts of the user's own."""
        return self.is_users and not self.is_asking and bool(self.facts)

    def lost_in(self, told: FactIndex) -> frozenset[Fact]:
        return frozenset(fact for fact in self.facts if not fact.is_in(told))


def keep_facts(
    summary: str,
    *,
    earlier: str,
    utterances: Sequence[Utterance] = (),
    limit: int,
    count: Count,
) -> str:
    """The summary, with sentences before it that tell what it has lost; never over the limit.

    Looked for are the names, figures and wishes of the earlier summary, and those that users
    stated without asking for anything. Sentences kept take at most half of the limit. Where they
    need more, those about the user stay before others, wishes and names before mere figures, and
    of equals the newer one. What is too long after that loses its oldest sentences: so a summary
    never piles up.
    """
    sentences = [*_earlier(earlier), *_stated(utterances)][-_MOST_SENTENCES:]
    if not sentences:
        return summary
    told = FactIndex.by(summary)
    lost = [sentence for sentence in sentences if sentence.lost_in(told)]
    if not lost:
        return summary
    kept = _within(lost, told, limit=int(limit * _KEPT_PART), count=count)
    lines = [sentence.line for sentence in sorted(kept, key=lambda one: one.place)]
    room = limit - sum(count(f"{line}\n") for line in lines)
    return "\n".join(filter(None, [*lines, _shortened(summary, limit=room, count=count)]))


def _earlier(summary: str) -> Iterator[_Sentence]:
    language = guess_language(summary)
    for place, candidate in enumerate(read_summary(summary).candidates):
        yield _sentence(candidate.line, place - _MOST_SENTENCES, language)


def _stated(utterances: Sequence[Utterance]) -> Iterator[_Sentence]:
    said = [(one.speaker, one.text) for one in utterances if one.speaker.lower() in _USERS]
    language = guess_language(text for _, text in said)
    for place, candidate in enumerate(read_conversation(said).candidates):
        if _is_question(candidate.line):
            continue
        sentence = _sentence(candidate.line, place, language)
        if sentence.is_stated:
            yield sentence


def _sentence(line: str, place: int, language: str | None) -> _Sentence:
    label, _, rest = line.partition(": ")
    is_users = label.lower() in _USERS
    said = rest if is_users else line  # the label itself says nothing
    facts = facts_of(said, language=language)
    has_wish = any(fact.kind is FactKind.WISH for fact in facts)
    return _Sentence(
        place=place,
        line=line,
        facts=facts,
        is_users=is_users or is_about_user(said),
        is_asking=_is_question(said) or (not has_wish and _is_request(said, language)),
    )


def _is_question(said: str) -> bool:
    return said.rstrip().endswith("?")


def _is_request(said: str, language: str | None) -> bool:
    """Whether it opens as in "Show me …", which states nothing."""
    first = said.split(maxsplit=1)[:1]
    opening = first[0].strip(",.").lower() if first else ""
    return opening in pack_for(language or "en").requests


def _within(
    lost: Sequence[_Sentence], told: FactIndex, *, limit: int, count: Count
) -> list[_Sentence]:
    """The sentences worth most that fit, each judged by what it adds to those before it."""
    kept: list[_Sentence] = []
    room = limit
    for sentence in sorted(lost, key=lambda one: (_worth(one, told), one.place), reverse=True):
        size = count(f"{sentence.line}\n")
        if size > room or not sentence.lost_in(_with(told, kept)):
            continue
        kept.append(sentence)
        room -= size
    return kept


def _with(told: FactIndex, kept: Iterable[_Sentence]) -> FactIndex:
    facts = [fact for sentence in kept for fact in sentence.facts]
    figures = (fact.said for fact in facts if fact.kind is FactKind.FIGURE)
    stems = (fact.said for fact in facts if fact.kind is not FactKind.FIGURE)
    return FactIndex(stems=told.stems.union(*stems), figures=told.figures.union(*figures))


def _worth(sentence: _Sentence, told: FactIndex) -> float:
    kinds = {fact.kind for fact in sentence.lost_in(told)}
    return sum(_WORTH[kind] for kind in kinds) + _USERS_OWN * sentence.is_stated


def _shortened(summary: str, *, limit: int, count: Count) -> str:
    """As much of the new text as there is room for, in whole sentences.

    The oldest go first; what it tells of the user itself goes last.
    """
    if count(summary) <= limit:
        return summary
    language = guess_language(summary)
    sentences = [_sentence(s, n, language) for n, s in enumerate(split_sentences(summary))]
    protected = {one.place for one in sentences if one.is_stated}
    kept: set[int] = set()
    room = limit
    for one in sorted(sentences, key=lambda one: (one.place in protected, one.place), reverse=True):
        size = count(f"{one.line}\n")
        if size > room:
            break
        room -= size
        kept.add(one.place)
    between = "\n" if "\n" in summary else " "
    chosen = between.join(one.line for one in sentences if one.place in kept)
    return chosen or cut_to_fit(summary, limit=limit, count=count)
