"""Where in a full question a fragment belongs: a local alignment of their words."""

from dataclasses import dataclass
from typing import Final

from recollect.domain.followup.grammar import Tag, Text
from recollect.domain.followup.languages.pack import LanguagePack
from recollect.domain.followup.values import can_replace

_SAME_WORD: Final = 3.0
_SAME_SMALL_WORD: Final = 1.0
_SAME_ARTICLE: Final = 0.2
_LIKE_VALUE: Final = 1.5
_OTHER: Final = -1.0
_SKIP: Final = -0.5
_PLURAL_ENDINGS: Final = frozenset({"s", "es", "en"})
_MOST_PAIRS: Final = 2_000  # of 100 words and 20; each pair takes some microseconds
_STEM: Final = 3  # shorter words have no plural worth a guess


@dataclass(frozen=True, slots=True, kw_only=True)
class Alignment:
    """Pairs of places (in the full question, in the fragment) that belong together."""

    pairs: tuple[tuple[int, int], ...]
    score: float


def align(full: Text, fragment: Text, pack: LanguagePack) -> Alignment:
    """The best local alignment (Smith and Waterman's) of a fragment in a full question.

    There is none of long texts: what has hundreds of words is no fragment of anything.
    """
    if len(full.tokens) * len(fragment.tokens) > _MOST_PAIRS:
        return Alignment(pairs=(), score=0.0)
    rows, columns = len(full.tokens) + 1, len(fragment.tokens) + 1
    table = [[0.0] * columns for _ in range(rows)]
    best, at = 0.0, (0, 0)
    for row in range(1, rows):
        for column in range(1, columns):
            pair = _pair_score(full, row - 1, fragment, column - 1, pack)
            score = max(
                0.0,
                table[row - 1][column - 1] + pair,
                table[row - 1][column] + _SKIP,
                table[row][column - 1] + _SKIP,
            )
            table[row][column] = score
            if score >= best and score > 0:
                best, at = score, (row, column)
    return Alignment(pairs=_trace(table, at, full, fragment, pack), score=best)


def _trace(
    table: list[list[float]],
    at: tuple[int, int],
    full: Text,
    fragment: Text,
    pack: LanguagePack,
) -> tuple[tuple[int, int], ...]:
    row, column = at
    pairs: list[tuple[int, int]] = []
    while row and column and table[row][column] > 0:
        pair = _pair_score(full, row - 1, fragment, column - 1, pack)
        if table[row][column] == table[row - 1][column - 1] + pair:
            row, column = row - 1, column - 1
            pairs.append((row, column))
        elif table[row][column] == table[row - 1][column] + _SKIP:
            row -= 1
        else:
            column -= 1
    return tuple(reversed(pairs))


def _pair_score(full: Text, place: int, fragment: Text, other: int, pack: LanguagePack) -> float:
    one, two = full.tokens[place].lower, fragment.tokens[other].lower
    if one == two or _same_stem(one, two):
        if one in pack.definite or one in pack.indefinite or not full.tokens[place].is_word:
            return _SAME_ARTICLE
        return _SAME_SMALL_WORD if full.tags[place] in _SMALL else _SAME_WORD
    return _LIKE_VALUE if can_replace(two, one, pack) else _OTHER


def _same_stem(one: str, two: str) -> bool:
    """Singular and plural of one word, roughly."""
    shorter, longer = (one, two) if len(one) < len(two) else (two, one)
    is_longer = len(shorter) >= _STEM and longer.startswith(shorter)
    return is_longer and longer[len(shorter) :] in _PLURAL_ENDINGS


_SMALL: Final = frozenset(
    {
        Tag.PREPOSITION, Tag.CONJUNCTION, Tag.AUXILIARY, Tag.QUESTION, Tag.DETERMINER,
        Tag.CLAUSE, Tag.ADVERB, Tag.PERSONAL, Tag.PRONOUN,
    }
)  # fmt: skip
