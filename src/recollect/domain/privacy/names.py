"""Names of people in a text: those that were found, and the other places that have the same."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final, Self, TypeAlias
from unicodedata import normalize

from recollect.domain.privacy.kinds import PersonalDataKind
from recollect.domain.privacy.personal_data import PersonalData

Span: TypeAlias = tuple[int, int]
FindNames: TypeAlias = Callable[[Sequence[str]], Sequence[Sequence[Span]]]
"""Where names of people stand in each of several texts; blocks."""
_ACCENTS: Final = "[\u0300-\u036f]*+"
"""Of a letter before them, where a text is not composed."""
_LINE: Final = re.compile(rf"[^\W_](?:[^\r\n]*[^\W_])?{_ACCENTS}")
"""What one line has between its first and its last letter or digit."""
_WORD: Final = re.compile(rf"(?:[^\W_]++{_ACCENTS})++")
_POSSESSIVE: Final = ("'s", "\u2019s", "'S", "\u2019S")
_SHORTEST: Final = 2
_MOST_WORDS: Final = 8
"""Words of a name that is looked for elsewhere; a longer one is hardly a name."""
_WIDEST_GAP: Final = 2
"""Characters between two words of a name, such as a full stop and a blank."""


@dataclass(frozen=True, slots=True)
class KnownNames:
    """Names that were found somewhere, and stand for people in what belongs to it, too."""

    single: frozenset[str] = frozenset()
    """Names of one word, as they are written: 'Will' is a name where 'will' is none."""
    several: frozenset[tuple[str, ...]] = frozenset()
    """The words of others, without case."""
    _lengths: tuple[int, ...] = field(init=False, repr=False, compare=False)
    """How many words the others have."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "_lengths", tuple({len(words) for words in self.several}))

    @classmethod
    def of(cls, names: Iterable[str]) -> Self:
        """The names that are written so."""
        written = [tuple(_WORD.findall(name)) for name in names]
        several = (tuple(map(str.casefold, words)) for words in written if len(words) > 1)
        return cls(
            frozenset(words[0] for words in written if len(words) == 1),
            frozenset(words for words in several if len(words) <= _MOST_WORDS),
        )

    def __or__(self, other: "KnownNames") -> "KnownNames":
        return KnownNames(self.single | other.single, self.several | other.several)

    def spans_in(self, text: str) -> Iterator[Span]:
        """Where they stand in a text, in the order of their first words; may overlap."""
        if not self.single and not self.several:
            return
        found = list(_WORD.finditer(text))
        words = [one[0].casefold() for one in found]
        for at, first in enumerate(found):
            if first[0] in self.single:
                yield first.span()
            for length in self._lengths:
                last = at + length - 1
                is_known = last < len(found) and tuple(words[at : last + 1]) in self.several
                if is_known and _is_joined(text, found[at : last + 1]):
                    yield first.start(), found[last].end()


NO_NAMES: Final = KnownNames()


def names_in(text: str, spans: Iterable[Span]) -> list[PersonalData]:
    """The names at the spans and wherever else a text has them, in order.

    A name does not reach over the end of a line: what cannot be of one is given as line breaks.
    """
    found = [name for span in _joined(spans) for name in _names_at(text, span)]
    known = KnownNames.of(text[name.start : name.end] for name in found)
    places = _joined([*((name.start, name.end) for name in found), *known.spans_in(text)])
    return [name for span in places for name in _names_at(text, span)]


def _names_at(text: str, span: Span) -> Iterator[PersonalData]:
    """The lines of a span, without the marks around them."""
    for line in _LINE.finditer(text, *span):
        name = _without_possessive(line[0])
        if len(name) >= _SHORTEST and any(map(str.isalpha, name)):
            end = line.start() + len(name)
            yield PersonalData(PersonalDataKind.NAME, line.start(), end, _written(name))


def _without_possessive(name: str) -> str:
    return name[:-2] if name.endswith(_POSSESSIVE) else name


def _written(name: str) -> str:
    """The same for a name however it is written: its words without marks and case."""
    return " ".join(_WORD.findall(normalize("NFKC", name))).casefold()


def _is_joined(text: str, words: Sequence[re.Match[str]]) -> bool:
    """Whether nothing but a blank or a mark stands between words."""
    gaps = (text[one.end() : two.start()] for one, two in pairwise(words))
    return all(len(gap) <= _WIDEST_GAP and "\n" not in gap for gap in gaps)


def _joined(spans: Iterable[Span]) -> list[Span]:
    """The spans in order; those that overlap are one."""
    joined: list[Span] = []
    for start, end in sorted(spans):
        if joined and start < joined[-1][1]:
            joined[-1] = joined[-1][0], max(end, joined[-1][1])
        else:
            joined.append((start, end))
    return joined
