"""Fragments that change one part of the last question: "And in 2023?", "only the north"."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache, lru_cache
from typing import Final

from recollect.domain.followup.edits import Word, words_of
from recollect.domain.followup.languages import (
    LanguageWords,
    PhraseList,
    phrase_places,
    starting_phrase,
)

_LONGEST_FRAGMENT: Final = 12  # words
_LONGEST_VALUE: Final = 4  # words, without the preposition
_OPENERS: Final = 3  # "no", "I mean", "what about"
_ENDS: Final = frozenset(".?!,;:\u2026")
_INSIDE_NAMES: Final = frozenset("-'\u2019&./")
_YEAR: Final = re.compile(r"(?:19|20)\d\d")
_QUARTER: Final = re.compile(r"q[1-4]")
_QUOTES: Final = frozenset('"\u201c\u201d\u201e\u00ab\u00bb')
_LONGEST_GROUP: Final = 4  # words
_LONGEST_REMARK: Final = 6  # words
_LONGEST_REMARK_TEXT: Final = 100  # characters
_CACHED_QUESTIONS: Final = 256
_AFTER_IDIOM: Final = 2  # words: "just a quick thought"


class Part(StrEnum):
    """The part of a question that a fragment changes."""

    VALUE = "value"
    ONLY = "only"
    WITHOUT = "without"
    GROUP = "group"
    ORDER = "order"
    LIMIT = "limit"


class ValueKind(StrEnum):
    """Values of one kind take each other's place."""

    YEAR = "year"
    QUARTER = "quarter"
    MONTH = "month"
    WEEKDAY = "weekday"
    NUMBER = "number"


@dataclass(frozen=True, slots=True, kw_only=True)
class Refinement:
    """What a fragment says about one part of the last question."""

    part: Part
    text: str
    """As it stands in the changed question."""
    preposition: str
    has_article: bool
    value: tuple[Word, ...]
    """The words after preposition and article."""
    is_opened: bool
    """Whether it begins with an opener, such as "what about"."""
    has_question_mark: bool


_Beginning = tuple[Part, PhraseList, str | None]
"""A kind of fragments, how they begin, and how that is written; None for as it was."""


@lru_cache(maxsize=_CACHED_QUESTIONS)
def read_refinement(question: str, known: LanguageWords) -> Refinement | None:
    """The part that a fragment changes, and how; None for any other message."""
    body, is_opened = _without_opener(words_of(question), known)
    body = _without_trailing(_up_to(body, known.instead), known)
    is_fragment = 0 < len(body) <= _LONGEST_FRAGMENT and _QUOTES.isdisjoint(question)
    beginning = _lower(body)
    if not is_fragment or starting_phrase(beginning, known.idioms):
        return None
    for part, phrases, written in _beginnings(known).get(beginning[0], ()):
        length = starting_phrase(beginning, phrases)
        rest = body[length:]
        if length and rest and _can_change(part, rest, known, is_command=bool(written)):
            own = question[body[0].start : rest[0].start].strip() if written is None else written
            own = own[:1].lower() + own[1:]
            return Refinement(
                part=part,
                text=f"{own} {question[rest[0].start : rest[-1].end]}".strip(),
                preposition=beginning[length - 1],
                has_article=False,
                value=tuple(rest),
                is_opened=is_opened,
                has_question_mark="?" in question,
            )
    return _value(question, body, known, is_opened=is_opened)


def fragment_words(message: str, known: LanguageWords) -> tuple[Sequence[Word], bool]:
    """The words of a fragment without what opens and closes it, and whether it has an opener."""
    body, is_opened = _without_opener(words_of(message), known)
    return _without_trailing(body, known), is_opened


def is_remark(message: str, known: LanguageWords, *, is_answer: bool) -> bool:
    """Whether a message is an idiom or a wish about the form of a reply: "per email please".

    What has a question mark may ask for another value: "in Python?". Small words alone, as in
    "for me", say something only where they answer a question of the assistant's.
    """
    if "?" in message or len(message) > _LONGEST_REMARK_TEXT:
        return False
    body, _ = _without_opener(words_of(message), known)
    words = [word for word in _lower(_without_trailing(body, known)) if word[0].isalnum()]
    if len(words) > _LONGEST_REMARK:
        return False
    idiom = starting_phrase(words, known.idioms)
    if idiom:
        return len(words) <= idiom + _AFTER_IDIOM
    begins = not known.prepositions.isdisjoint(words[:1]) or starting_phrase(words, known.fragments)
    if begins and not known.form_words.isdisjoint(words):
        return True
    named = set(words) - known.small_words | known.pointers.intersection(words)
    has_value = any(value_kind(word, known) for word in body)
    return not (is_answer or named or has_value) and (bool(begins) or not words)


@cache
def _beginnings(known: LanguageWords) -> Mapping[str, Sequence[_Beginning]]:
    """How fragments of each kind begin, and how that is written, by the first word."""
    beginnings: tuple[_Beginning, ...] = (
        (Part.ORDER, known.order, None),
        (Part.ORDER, known.sort, known.sorted_by),
        (Part.WITHOUT, known.without, None),
        (Part.WITHOUT, known.leave_out, known.without_word),
        (Part.LIMIT, known.limit, ""),
        (Part.ONLY, known.only, None),
        (Part.GROUP, known.group, ""),
    )
    first_words = {word for _, phrases, _ in beginnings for word in phrases.by_first_word}
    return {
        word: [beginning for beginning in beginnings if word in beginning[1].by_first_word]
        for word in first_words
    }


def _can_change(
    part: Part, rest: Sequence[Word], known: LanguageWords, *, is_command: bool
) -> bool:
    """Whether the words after the beginning of a fragment fit the part that it changes."""
    kinds = {value_kind(word, known) for word in rest}
    if part is Part.LIMIT and value_kind(rest[0], known) is not ValueKind.NUMBER:
        return False
    if part is Part.GROUP and (len(rest) > _LONGEST_GROUP or None not in kinds):
        return False  # "by Friday", "by 5"
    directions = {phrase[-1] for phrase in known.directions if phrase}
    if part is Part.GROUP and not directions.isdisjoint(_lower(rest)):
        return False  # "by name descending"
    first = rest[0].text.lower()
    if part is Part.ONLY and (kinds == {ValueKind.NUMBER} or first in known.requests):
        return False  # "only those two", "just show titles"
    if is_command and rest[0].text.lower() in known.prepositions:
        return False  # "skip to the end"
    return known.form_words.isdisjoint(_lower(rest)) and _names_something(rest, known)


def _value(
    question: str, body: Sequence[Word], known: LanguageWords, *, is_opened: bool
) -> Refinement | None:
    preposition = body[0].text.lower() if body[0].text.lower() in known.prepositions else ""
    if preposition in known.group_words:
        return None  # "by Friday" is when it is needed
    value = list(body[1:] if preposition else body)
    has_article = bool(value) and value[0].text.lower() in known.articles
    value = value[has_article:]
    if not 0 < len(value) <= _LONGEST_VALUE or not _names_something(value, known):
        return None
    outside = known.prepositions | known.item_words
    if not outside.isdisjoint(_lower(value)) or known.small_talk.issuperset(_lower(value)):
        return None  # "im Vergleich zu 2023" is no value, nor is "ok, Super"
    kinds = {value_kind(word, known) for word in value}
    has_question_mark = "?" in question
    is_alone = kinds == {ValueKind.NUMBER} and not (has_question_mark or has_article)
    is_typed = None not in kinds and not is_alone
    if not (is_opened or preposition or is_typed):
        return None  # "2" alone is a choice, or an answer
    return Refinement(
        part=Part.VALUE,
        text=_lower_preposition(question[body[0].start : value[-1].end], preposition),
        preposition=preposition,
        has_article=has_article,
        value=tuple(value),
        is_opened=is_opened,
        has_question_mark=has_question_mark,
    )


def _lower_preposition(text: str, preposition: str) -> str:
    """A value whose preposition does not begin a sentence any more."""
    return preposition + text[len(preposition) :] if preposition else text


def _names_something(words: Sequence[Word], known: LanguageWords) -> bool:
    """Whether words are a name or a value, without a verb, a pronoun or another clause."""
    if any(word.is_sign and word.text not in _INSIDE_NAMES for word in words):
        return False
    texts = {word.text.lower() for word in words}
    inside = known.small_words - known.prepositions - known.articles
    return inside.isdisjoint(texts) and not texts <= known.small_words


def value_kind(word: Word, known: LanguageWords) -> ValueKind | None:
    """The kind of value that a word is, if it is one that others can take the place of."""
    text = word.text.lower()
    if text[-1].isdigit():
        if _YEAR.fullmatch(text):
            return ValueKind.YEAR
        if _QUARTER.fullmatch(text):
            return ValueKind.QUARTER
    if text in known.months:
        return ValueKind.MONTH
    if text in known.weekdays:
        return ValueKind.WEEKDAY
    return ValueKind.NUMBER if text.isdecimal() or text in known.number_words else None


def _without_opener(words: Sequence[Word], known: LanguageWords) -> tuple[Sequence[Word], bool]:
    body, is_opened = _without_signs(words), False
    for _ in range(_OPENERS):
        length = starting_phrase(_lower(body), known.openers)
        if not length:
            break
        body, is_opened = _without_signs(body[length:]), True
    return body, is_opened


def _without_signs(words: Sequence[Word]) -> Sequence[Word]:
    first = next((place for place, word in enumerate(words) if not word.is_sign), len(words))
    return words[first:]


def _up_to(words: Sequence[Word], phrases: PhraseList) -> Sequence[Word]:
    """The words before the first of some phrases."""
    places = (place for place in phrase_places(_lower(words), phrases) if place)
    return words[: next(places, len(words))]


def _without_trailing(words: Sequence[Word], known: LanguageWords) -> Sequence[Word]:
    while words and (words[-1].text in _ENDS or words[-1].text.lower() in known.trailing):
        words = words[:-1]
    return words


def _lower(words: Sequence[Word]) -> list[str]:
    first = words[: _LONGEST_FRAGMENT * 2]
    return [word.text.lower().replace("\u2019", "'") for word in first]
