"""What the wording of a message tells: whose doings it is about, and its names and numbers."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

from recollect.domain.language import fold

_READ: Final = 300
"""Characters of a message that are looked at."""
_MOST_NAMES: Final = 3
# Fitted together with the weights of `ranking`; docs/decisions/0037.
_OF_SELF: Final = 4.2
"""Of the share of words like "I" and "my": who tells something of themselves."""
_OF_OTHERS: Final = -7.1
"""Of the share of words like "you": who asks, thanks or praises."""
_NAME_WEIGHT: Final = 0.25
_WORD: Final = re.compile(r"\w+")
_DIGIT: Final = re.compile(r"\d")
_NAME: Final = re.compile(r"(?<=[a-zß-ÿ,] )[A-ZÀ-Þ]\w+")
"""A word with a capital inside a sentence."""


class Wording(NamedTuple):
    """What a message of a log tells by its words and its length, whatever the question is."""

    worth: float = 0.0
    """How much more it is likely to be an answer than other messages."""
    names: int = 0
    """How many, three at most."""
    has_number: bool = False


class Wanted(NamedTuple):
    """What an answer has to have."""

    name: bool = False
    number: bool = False


NOTHING_WANTED: Final = Wanted()


@dataclass(frozen=True, slots=True)
class _Words:
    """The words of a language, in lower case and with accents."""

    own: frozenset[str]
    others: frozenset[str]
    numbers: frozenset[str]
    for_name: re.Pattern[str]
    """What a question begins with that asks for a name."""
    for_number: re.Pattern[str]
    names_have_capitals: bool = True
    """In German all nouns have them."""


def _words(
    own: str,
    others: str,
    numbers: str,
    *,
    for_name: str,
    for_number: str,
    names_have_capitals: bool = True,
) -> _Words:
    return _Words(
        own=frozenset(own.split()),
        others=frozenset(others.split()),
        numbers=frozenset(numbers.split()),
        for_name=re.compile(rf"\W*+(?:{for_name})\b"),
        for_number=re.compile(rf"\W*+(?:{for_number})\b"),
        names_have_capitals=names_have_capitals,
    )


_LANGUAGES: Final[Mapping[str, _Words]] = {
    "en": _words(
        "i my me mine myself we our us ours",
        "you your yours yourself",
        "one two three four five six seven eight nine ten once twice couple dozen few several"
        " hundred",
        for_name="who|whose|whom|where|which|what is the name",
        for_number="how (?:many|much|long|old|often|far)",
    ),
    "nl": _words(
        "ik mijn mij me mezelf wij we ons onze",
        "je jij jou jouw jezelf u uw jullie",
        "twee drie vier vijf zes zeven acht negen tien eenmaal tweemaal paar tiental enkele"
        " meerdere honderd",
        for_name="wie|wiens|waar|waarheen|welk|welke|hoe heet",
        for_number="hoeveel|hoe (?:lang|oud|vaak|ver)",
    ),
    "de": _words(
        "ich mein meine meinen meinem meiner mich mir wir uns unser unsere unseren unserem unserer",
        "du dein deine deinen deinem deiner dich dir euch euer eure euren",
        "zwei drei vier fünf sechs sieben acht neun zehn einmal zweimal paar dutzend einige mehrere"
        " hundert",
        for_name="wer|wen|wem|wessen|wo|wohin|woher|welche[rsnm]?|wie heisst",
        for_number="wieviele?|wie (?:viele?|lange?|alt|oft|weit|haufig)",
        names_have_capitals=False,
    ),
    "fr": _words(
        "je j moi me m mon ma mes nous notre nos",
        "tu te t toi ton ta tes vous votre vos",
        "deux trois quatre cinq six sept huit neuf dix dizaine douzaine quelques plusieurs cent",
        for_name="qui|a qui|ou|quel|quelle|quels|quelles|lequel|laquelle",
        for_number="combien|depuis combien|quel age|a quelle frequence",
    ),
    "es": _words(
        "yo me mi mis mí conmigo mío mía nosotros nosotras nos nuestro nuestra nuestros nuestras",
        "tú tu tus te ti contigo usted ustedes vosotros vosotras os",
        "dos tres cuatro cinco seis siete ocho nueve diez docena par varios varias algunos cien",
        for_name="quien|quienes|de quien|donde|adonde|cual|cuales",
        for_number="cuantos?|cuantas?|cada cuanto|que edad",
    ),
}
_NO_WORDS: Final = _words("", "", "", for_name="(?!)", for_number="(?!)", names_have_capitals=False)


def read_wording(text: str, language: str) -> Wording:
    """Read the beginning of a message with the words of a language."""
    known = _LANGUAGES.get(language, _NO_WORDS)
    beginning = text[:_READ]
    words = _WORD.findall(beginning.lower())
    names = _names_in(beginning) if known.names_have_capitals else 0
    of_self, of_others = (
        sum(map(some.__contains__, words)) / max(len(words), 1)
        for some in (known.own, known.others)
    )
    return Wording(
        worth=_OF_SELF * of_self + _OF_OTHERS * of_others + _NAME_WEIGHT * names,
        names=names,
        has_number=_DIGIT.search(beginning) is not None or not known.numbers.isdisjoint(words),
    )


def _names_in(text: str) -> int:
    return min(len(_NAME.findall(text)), _MOST_NAMES)


def wanted_in(question: str, language: str) -> Wanted:
    """What an answer to a question has to have, by the question's first words."""
    known = _LANGUAGES.get(language, _NO_WORDS)
    text = fold(question)
    is_number = known.for_number.match(text) is not None
    return Wanted(
        name=not is_number and known.for_name.match(text) is not None,
        number=is_number,
    )
