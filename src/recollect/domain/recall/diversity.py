"""Results for each of the things that a question asks about."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from typing import Final

from recollect.domain.language import common_words, fold, words_of
from recollect.domain.recall.ranking import Ranked

_CONJUNCTIONS: Final[Mapping[str, re.Pattern[str]]] = {
    "en": re.compile(r"\b(?:and|or)\b"),
    "nl": re.compile(r"\b(?:en|of)\b"),
    "de": re.compile(r"\b(?:und|oder|sowie)\b"),
    "fr": re.compile(r"\b(?:et|ou)\b"),
    "es": re.compile(r"\b(?:y|e|o|u)\b"),
}
_PREPOSITION_WORDS: Final = (
    "about regarding over omtrent rond uber um zu zum zur nach sur concernant sobre acerca"
)
_PREPOSITIONS: Final = frozenset(_PREPOSITION_WORDS.split())
_MARKS: Final = re.compile(r"[,;]")
_MOST_THINGS: Final = 4
SEARCHED: Final = 50
"""How many of the best results are looked through for each thing."""
READ: Final = 1_000
"""Characters of an entry that are looked through."""

Stems = Callable[[str], Iterable[str]]


def things_in(question: str, language: str) -> tuple[str, ...]:
    """The things that a question joins by "and" or "or", or in a list; none if it is about one.

    A thing is the run of telling words beside the conjunction: of "What did we decide about the
    harness and about the ladder?" the words "harness" and "ladder".
    """
    text, conjunction = fold(question), _CONJUNCTIONS.get(language)
    if conjunction is None or conjunction.search(text) is None:
        return ()
    pieces = [piece for part in _MARKS.split(text) for piece in conjunction.split(part)]
    pieces = [piece for piece in pieces if piece.strip()]  # "red, green, and blue"
    runs = [_runs(piece, _untelling_words(language)) for piece in pieces]
    beside = [piece[:1] if at else piece[-1:] for at, piece in enumerate(runs)]
    things = tuple(run for runs_beside in beside for run in runs_beside)
    return things if 1 < len(things) == len(pieces) <= _MOST_THINGS else ()


@cache
def _untelling_words(language: str) -> frozenset[str]:
    return _PREPOSITIONS.union(map(fold, common_words(language)))


def _runs(text: str, untelling: frozenset[str]) -> list[str]:
    """The runs of telling words of a text."""
    runs: list[list[str]] = [[]]
    for word in words_of(text):
        if word not in untelling:
            runs[-1].append(word)
        elif runs[-1]:
            runs.append([])
    return [" ".join(run) for run in runs if run]


def cover_each(ranked: Sequence[Ranked], things: Sequence[str], *, stems: Stems) -> list[Ranked]:
    """The ranking with a result for each thing among the first, where there is one.

    The first result stays. After it comes the best result about each thing that none before it is
    about; places keep their scores. A result is about a thing if it has half of its words.
    """
    if not ranked:
        return []
    wanted = [frozenset(stems(thing)) for thing in things]
    texts = [one.candidate.entry.text[:READ] for one in ranked[:SEARCHED]]
    words = [frozenset(stems(text)) for text in texts]
    first: list[int] = []
    for thing in wanted:
        about = [at for at, known in enumerate(words) if 2 * len(thing & known) >= len(thing) > 0]
        if about and not {0, *first}.intersection(about):
            first.append(about[0])
    order = [0, *first, *(at for at in range(1, len(ranked)) if at not in first)]
    return [
        Ranked(ranked[at].candidate, place.score) for at, place in zip(order, ranked, strict=True)
    ]
