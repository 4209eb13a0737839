"""The parts of Dutch and German compounds: "valbeveiliging" is found by "beveiliging"."""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Final

from recollect.models.weights import WEIGHTS

_LINKS: Final[Mapping[str, Sequence[str]]] = {
    "nl": ("", "s", "en", "e", "n", "er"),
    "de": ("", "s", "es", "n", "en", "er", "e", "ens"),
}
"""What may stand between the parts of a compound, none first."""
_SHORTEST: Final = 9
_LONGEST: Final = 32
"""Longer words are no compounds of two parts, and would take long to try."""
_SHORTEST_FIRST: Final = 3
_SHORTEST_SECOND: Final = 4
_LONG_SECOND: Final = 8
"""Beside a first part of three letters, the second must have so many: most others are chance."""
_REMEMBERED: Final = 20_000

Parts = Callable[[str], Sequence[str]]


def read_known_stems(language: str) -> frozenset[str]:
    """The stems that compounds are made of; `training/compounds.py` makes the lists."""
    path = WEIGHTS / f"compound_parts_{language}.txt"
    return frozenset(path.read_text("utf-8").split())


def compound_parts(language: str, *, stem: Callable[[str], str]) -> Parts | None:
    """What tells the stems of a compound's two parts; None for languages that write them apart.

    A word is a compound if both parts are known; of several ways, the one with the longest second
    part counts, which names the thing. Other words have no parts.
    """
    links = _LINKS.get(language)
    if links is None:
        return None
    known = read_known_stems(language)

    def first_part(text: str) -> str | None:
        for link in links:
            if text.endswith(link):
                part = text.removesuffix(link)
                if len(part) >= _SHORTEST_FIRST and (found := stem(part)) in known:
                    return found
        return None

    @lru_cache(maxsize=_REMEMBERED)
    def parts(word: str) -> Sequence[str]:
        if not (_SHORTEST <= len(word) <= _LONGEST and word.isalpha()):
            return ()
        is_long = len(word) >= _SHORTEST_FIRST + _LONG_SECOND
        first_end = _SHORTEST_FIRST if is_long else _SHORTEST_FIRST + 1
        for at in range(first_end, len(word) - _SHORTEST_SECOND + 1):
            second = stem(word[at:])
            first = first_part(word[:at]) if second in known else None
            if first is not None:
                return first, second
        return ()

    return parts
