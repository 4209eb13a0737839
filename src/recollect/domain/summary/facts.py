"""The facts of a sentence: its names, figures, and what users wish, decide or say they are.

Facts are compared without regard to case, accents, endings and the format of numbers and dates.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from recollect.domain.dates import DATES
from recollect.domain.language import common_words, fold, is_common_word
from recollect.domain.summary.languages import SummaryWords, labels_of, summary_words

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
_POSSESSIVE_ENDINGS: Final = ("'s", "\u2019s", "'", "\u2019")
_ENDINGS: Final = ("ing", "es", "en", "ed", "er", "s", "e")
_SHORTEST_STEM: Final = 4
_KEPT_OF_WISH: Final = 0.6
SURE_WISH: Final = 3.0
_LIKELY_WISH: Final = 1.0
_BETWEEN_SELF_AND_BEING: Final = 3  # "my youngest daughter is"
_SMALLEST_NUMBER: Final = 2  # "one" and "a" say little
_USERS: Final = frozenset(map(fold, labels_of("user")))
_ARTICLES: Final = frozenset(
    ["the", "de", "der", "die", "das", "le", "la", "les", "el", "los", "las"]
)
_PRONOUNS: Final = frozenset(["i", "ik", "ich", "je", "yo"])
_NOT_NAMES: Final = _ARTICLES | _PRONOUNS | _USERS | frozenset(map(fold, labels_of("assistant")))
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
    """Something that a sentence states, as the stems or figures it is recognised by."""

    kind: FactKind
    terms: frozenset[str]

    def is_in(self, terms: frozenset[str]) -> bool:
        """Whether a text with these terms states it, too; of a wish most of its words."""
        needed = _KEPT_OF_WISH if self.kind is FactKind.WISH else 1
        return len(self.terms & terms) >= needed * len(self.terms)


def terms_of(text: str) -> frozenset[str]:
    """Return the stems and figures in the first 20,000 characters of a text."""
    tokens = tokens_of(text[:_READ])
    stems = (_stem(token) for token in tokens if not token[0].isdigit())
    return frozenset(stems) | {figure for token in tokens for figure in _figures(token)}


def is_about_user(tokens: Sequence[str], words: SummaryWords) -> bool:
    """Tell whether users speak of themselves there, or a summary speaks of its user."""
    parts = map(first_part, tokens)
    return any(words.is_self(part) or part in _USERS for part in parts)


def facts_of(sentence: str, *, language: str | None) -> frozenset[Fact]:
    """Return the names, figures and wishes of one sentence.

    What users have decided and what they say they are count as wishes. A number in words is a
    figure where it is about the user: "two ways to do it" is none.
    """
    tokens, words = tokens_of(sentence), summary_words(language)
    is_own = is_about_user(tokens, words)
    counted = tokens if is_own else [token for token in tokens if token[0].isdigit()]
    figures = (figure for token in counted for figure in _figures(token))
    facts = {Fact(kind=FactKind.FIGURE, terms=frozenset([figure])) for figure in figures}
    names = _names(tokens, language or "en", words)
    facts |= {Fact(kind=FactKind.NAME, terms=frozenset([_stem(name)])) for name in names}
    if wish_strength(tokens, words) and (wish := wish_of(sentence, language=language)).terms:
        facts.add(wish)
    return frozenset(facts)


def wish_of(sentence: str, *, language: str | None) -> Fact:
    """Return what a sentence wishes or asks, by the words that mean something."""
    spoken = (one for one in tokens_of(sentence) if one[0].isalpha() and not is_common_word(one))
    words = summary_words(language)
    folded = set(map(fold, spoken)) - words.wishes - words.habits - _NOT_NAMES
    return Fact(kind=FactKind.WISH, terms=frozenset(map(_stem, folded)))


def tokens_of(text: str) -> list[str]:
    """Return the words, figures and quotation marks of a text in their order."""
    stripped = (token.strip(_MARKS) or token for token in _TOKEN.findall(text))
    return [token for token in stripped if token]


def first_part(token: str) -> str:
    """Return the word before an apostrophe, folded: "the user's", "j'ai"."""
    return fold(token.replace("\u2019", "'").partition("'")[0])


def has_phrase(folded: str, phrases: frozenset[str]) -> bool:
    """Tell whether one of the phrases stands, in whole words, in a folded text."""
    return any(phrase in folded and f" {phrase} " in f" {folded} " for phrase in phrases)


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


def wish_strength(tokens: Sequence[str], words: SummaryWords) -> float:
    """Return how surely tokens tell what users wish, have decided or are: 0 for not at all.

    "I prefer", "we decided" and "I am" are sure; "always" and "my coffee is" stand in chatter, too.
    """
    folded = [fold(token).replace("\u2019", "'") for token in tokens]
    known = set(folded)
    if not (known.isdisjoint(words.wishes) and known.isdisjoint(words.decisions)):
        return SURE_WISH
    if has_phrase(" ".join(folded), words.decision_phrases):
        return SURE_WISH
    being = _being(folded, words)
    return max(being, 0.0 if known.isdisjoint(words.habits) else _LIKELY_WISH)


def _being(folded: Sequence[str], words: SummaryWords) -> float:
    """Whether "I am" or "soy" stands there, or less surely "my youngest daughter is"."""
    left, found = 0, 0.0
    for word in folded:
        if word in words.being and (left == _BETWEEN_SELF_AND_BEING or word in words.self_words):
            return SURE_WISH
        if word in words.being and "'" in word:  # I'm
            return SURE_WISH
        if word in words.being and left > 0:
            found = _LIKELY_WISH
        part = word.partition("'")[0]
        is_self = words.is_self(part) or part in _USERS
        left = _BETWEEN_SELF_AND_BEING if is_self else left - 1
    return found


def _names(tokens: Sequence[str], language: str, words: SummaryWords) -> Iterator[str]:
    unquoted = [token for token in tokens if token not in _QUOTE_MARKS]
    common = common_words(language)
    yield from (token for token in _quoted(tokens) if token.lower() not in common)
    for place, token in enumerate(unquoted):
        first, dot, second = token.partition(".")
        is_dotted = bool(dot) and not token[0].isdigit() and min(len(first), len(second)) > 1
        is_exact = "_" in token or "@" in token or is_dotted
        if is_exact or _is_name(unquoted, place, words):
            yield token


def _quoted(tokens: Sequence[str]) -> Iterator[str]:
    marks = [place for place, token in enumerate(tokens) if token in _QUOTE_MARKS]
    for start, end in zip(marks[::2], marks[1::2], strict=False):
        inside = tokens[start + 1 : end]
        if 0 < len(inside) <= _LONGEST_QUOTED:
            yield from (token for token in inside if not token[0].isdigit())


def _is_name(tokens: Sequence[str], place: int, words: SummaryWords) -> bool:
    token = tokens[place]
    before = tokens[place - 1] if place else ""
    after = tokens[place + 1] if place + 1 < len(tokens) else ""
    if not _is_part_of_name(token) or fold(token) in _MONTHS:
        return False
    in_a_row = _is_part_of_name(before) or _is_part_of_name(after)
    if words.naming and words is not summary_words(None):
        return in_a_row or fold(before) in words.naming
    return place > 0 or in_a_row or fold(after) in words.name_followers


def _is_part_of_name(token: str) -> bool:
    return not is_common_word(token) and fold(token) not in _NOT_NAMES and token[:1].isupper()


def _stem(word: str) -> str:
    """A word without case, accents and its commonest ending; short ones stay whole."""
    stem = fold(word)
    if stem.endswith(_POSSESSIVE_ENDINGS):
        stem = stem.rstrip("'\u2019").removesuffix("'s").removesuffix("\u2019s")
    for _ in range(2):  # an answer's "workings"
        if not stem.endswith(_ENDINGS):
            break
        ending = next(end for end in _ENDINGS if stem.endswith(end))
        if len(stem) - len(ending) >= _SHORTEST_STEM:
            stem = stem.removesuffix(ending)
    return stem
