"""The facts of a text that no summary may forget: names, figures and stated wishes.

Five languages are read: English, Dutch, German, French and Spanish. Facts are compared without
regard to case, accents, endings and the format of numbers and dates.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise
from typing import Final

from recollect.domain.language import common_words, guess_language, is_common_word
from recollect.domain.recall.dates import DATES
from recollect.domain.recall.words import fold
from recollect.domain.summary.sentences import split_sentences

_READ: Final = 20_000
"""Characters of a text that are read; a summary has fewer."""
_TOKEN: Final = re.compile(
    r"\d{1,3}(?:[ \u00a0\u202f]\d{3}(?!\d))++[\d.,]*+"  # 1 250,00
    r"|\d[\d.,'\u2019]*+|[^\W\d_][\w.@&'\u2019-]*+|[\"“”«»„]"
)
_MARKS: Final = ".,'\u2019-"
_NO_CENTS: Final = re.compile(r"[.,]0{1,2}$")
_QUOTE_MARKS: Final = frozenset('"“”«»„')
_LONGEST_QUOTED: Final = 5
_POSSESSIVES: Final = ("'s", "\u2019s", "'", "\u2019")
_ENDINGS: Final = ("ing", "es", "en", "ed", "er", "s", "e")
_SHORTEST_STEM: Final = 4
_KEPT_OF_WISH: Final = 0.6
_SMALLEST_NUMBER: Final = 2  # "one" and "a" say little

_USER_WORDS: Final = "user gebruiker benutzer utilisateur usuario"
_WISH_WORDS: Final = """prefer prefers preferred preference want wants wanted wish wishes like likes
    love loves hate hates dislike dislikes always never rather avoid favourite favorite
    wil wilt willen graag liever voorkeur nooit altijd haat lievelings
    möchte möchten will lieber bevorzugt bevorzuge mag immer nie niemals wünscht
    préfère préfères préférer veut veux voudrait voudrais aime toujours jamais souhaite
    prefiere prefiero quiere quiero gusta gustan gustaría siempre nunca desea deseo"""
_SPEAKING_WORDS: Final = """i my mine we our ik mijn wij onze ich mein meine meinen meinem meiner
    wir unser unsere je j m mon ma mes nous notre nos yo mi mis llamo tengo soy nosotros nuestro
    nuestra"""
_BEING_WORDS: Final = "is am was ben bin ist suis est soy es i'm"
_NAMING_WORDS: Final = "heiße heißt name namens bin firma laden herr frau genannt in aus bei"
_LABEL_WORDS: Final = """user assistant gebruiker assistent benutzer utilisateur usuario the de der
    die das le la les el los las i ik ich je yo"""
_START_WORDS: Final = """is has owns runs works lives wants likes prefers asked and
    heeft werkt woont wil vroeg en ist hat arbeitet wohnt möchte fragte und
    est a travaille habite veut aime et es tiene trabaja vive quiere y"""


def _folded(words: str) -> frozenset[str]:
    return frozenset(map(fold, words.split()))


_USERS: Final = _folded(_USER_WORDS)
_WISHES: Final = _folded(_WISH_WORDS)
_SPEAKING: Final = _USERS | _folded(_SPEAKING_WORDS)
"""Words by which users speak of themselves, or a summary of its user; not "show me"."""
_BEING: Final = _folded(_BEING_WORDS)
"""What comes between users and what they say they are."""
_NAMING: Final = _folded(_NAMING_WORDS)
"""German words before a name; every other noun has a capital there, too."""
_LABELS: Final = _folded(_LABEL_WORDS)
_STARTS: Final = _folded(_START_WORDS)
"""Words after the first word of a sentence that make it likely to be a name."""
_NUMBERS: Final = {
    word: number
    for words in DATES.values()
    for word, number in words.numbers.items()
    if number >= _SMALLEST_NUMBER
}
_MONTHS: Final = {word: number for words in DATES.values() for word, number in words.months.items()}


class FactKind(StrEnum):
    """What a fact is."""

    NAME = "name"
    FIGURE = "figure"
    WISH = "wish"


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """Something that a sentence tells, as the stems or figures it is recognised by."""

    kind: FactKind
    said: frozenset[str]

    def is_in(self, text: "FactIndex") -> bool:
        """Whether another text tells it, too; of a wish most of its words."""
        if self.kind is FactKind.FIGURE:
            return self.said <= text.figures
        if self.kind is FactKind.NAME:
            return self.said <= text.stems
        return len(self.said & text.stems) >= _KEPT_OF_WISH * len(self.said)


@dataclass(frozen=True, slots=True, kw_only=True)
class FactIndex:
    """What a text tells, to look facts up in."""

    stems: frozenset[str]
    figures: frozenset[str]

    @classmethod
    def by(cls, text: str) -> "FactIndex":
        """Read a text."""
        tokens = _tokens(text[:_READ])
        return cls(
            stems=frozenset(_stem(token) for token in tokens if not token[0].isdigit()),
            figures=frozenset(figure for token in tokens for figure in _figures(token)),
        )


def facts_in(text: str) -> frozenset[Fact]:
    """The names, figures and wishes of a text, in its first 20,000 characters."""
    language = guess_language(text[:_READ])
    sentences = split_sentences(text[:_READ])
    return frozenset(fact for one in sentences for fact in facts_of(one, language=language))


def is_about_user(sentence: str) -> bool:
    """Whether users speak of themselves there, or a summary speaks of its user."""
    return any(_first_part(token) in _SPEAKING for token in _tokens(sentence))


def facts_of(sentence: str, *, language: str | None) -> frozenset[Fact]:
    """The names, figures and wishes of one sentence.

    What users say they are counts as a wish. A number in words is a figure where it is about
    the user: "two ways to do it" is none.
    """
    tokens = _tokens(sentence)
    counted = tokens if is_about_user(sentence) else [t for t in tokens if t[0].isdigit()]
    figures = (figure for token in counted for figure in _figures(token))
    found = {Fact(kind=FactKind.FIGURE, said=frozenset([figure])) for figure in figures}
    found |= {
        Fact(kind=FactKind.NAME, said=frozenset([_stem(name)]))
        for name in _names(tokens, language=language or "en")
    }
    if any(fold(token) in _WISHES for token in tokens) or _says_what_user_is(tokens):
        wished = _wished(tokens)
        found |= {Fact(kind=FactKind.WISH, said=wished)} if wished else set()
    return frozenset(found)


def _tokens(text: str) -> list[str]:
    stripped = (token.strip(_MARKS) or token for token in _TOKEN.findall(text))
    return [token for token in stripped if token]


def _figures(token: str) -> Iterator[str]:
    """A number's digits without separators and cents, a number word's, or a month's."""
    if token[0].isdigit():
        digits = "".join(filter(str.isdecimal, _NO_CENTS.sub("", token)))
        yield digits.lstrip("0") or "0"
        return
    folded = fold(token)
    number = _NUMBERS.get(folded) or _MONTHS.get(folded)
    if number is not None:
        yield str(number)


def _says_what_user_is(tokens: Sequence[str]) -> bool:
    if any(fold(token) in {"i'm", "soy"} for token in tokens):
        return True
    return any(
        _first_part(one) in _SPEAKING and fold(two) in _BEING for one, two in pairwise(tokens)
    )


def _first_part(token: str) -> str:
    """The word before an apostrophe: "the user's", "j'ai"."""
    return fold(token.replace("\u2019", "'").partition("'")[0])


def _names(tokens: Sequence[str], *, language: str) -> Iterator[str]:
    words = [token for token in tokens if token not in _QUOTE_MARKS]
    common = common_words(language)
    yield from (token for token in _quoted(tokens) if token.lower() not in common)
    for place, token in enumerate(words):
        is_exact = "_" in token or "@" in token or _is_dotted(token)
        if is_exact or _is_name(words, place, is_german=language == "de"):
            yield token


def _quoted(tokens: Sequence[str]) -> Iterator[str]:
    marks = [place for place, token in enumerate(tokens) if token in _QUOTE_MARKS]
    for start, end in zip(marks[::2], marks[1::2], strict=False):
        inside = tokens[start + 1 : end]
        if 0 < len(inside) <= _LONGEST_QUOTED:
            yield from (token for token in inside if not token[0].isdigit())


def _is_name(words: Sequence[str], place: int, *, is_german: bool) -> bool:
    token = words[place]
    before = words[place - 1] if place else ""
    after = words[place + 1] if place + 1 < len(words) else ""
    if not _is_part_of_name(token) or fold(token) in _MONTHS:
        return False
    in_a_row = _is_part_of_name(before) or _is_part_of_name(after)
    if is_german:
        return in_a_row or fold(before) in _NAMING
    return place > 0 or in_a_row or fold(after) in _STARTS


def _is_part_of_name(token: str) -> bool:
    is_word = not is_common_word(token) and fold(token) not in _LABELS
    return is_word and _is_capitalised(token)


def _is_capitalised(token: str) -> bool:
    return token[:1].isupper()


def _is_dotted(token: str) -> bool:
    first, dot, second = token.partition(".")
    return bool(dot) and not token[0].isdigit() and min(len(first), len(second)) > 1


def _wished(tokens: Sequence[str]) -> frozenset[str]:
    words = (token for token in tokens if token not in _QUOTE_MARKS and not token[0].isdigit())
    content = (word for word in words if not is_common_word(word))
    folded = {fold(word) for word in content} - _WISHES - _LABELS - _USERS
    return frozenset(map(_stem, folded))


def _stem(word: str) -> str:
    """A word without case, accents and its commonest ending; short ones stay whole."""
    stem = fold(word)
    if stem.endswith(_POSSESSIVES):
        stem = stem.rstrip("'\u2019").removesuffix("'s").removesuffix("\u2019s")
    for _ in range(2):  # an answer's "workings"
        if not stem.endswith(_ENDINGS):
            break
        found = next(end for end in _ENDINGS if stem.endswith(end))
        if len(stem) - len(found) >= _SHORTEST_STEM:
            stem = stem.removesuffix(found)
    return stem
