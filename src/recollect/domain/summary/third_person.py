"""Turning English first and second person into names, so that a sentence stands by itself.

Measured on dialogues summarised by people, this is worth more than any choice of sentences: 'I'
and 'you' mean nothing once the turns around them are gone. Other languages are left as they are:
nothing was measured there. So are quotations and code, whose 'I' may be someone else's.
"""

import re
from collections.abc import Callable
from typing import Final

_REGULAR: Final = """need want think know hope like believe guess see feel live work love prefer say
    mean wonder remember understand agree plan expect wish look get go come take make use find
    suppose try keep start play teach study run enjoy hate own help call pay spend suggest recommend
    hear ask tell give wait"""
_ENDING_IN_ES: Final = ("o", "ch", "sh", "s")


def _third(verb: str) -> str:
    if verb.endswith(_ENDING_IN_ES):
        return verb + "es"
    if verb.endswith("y") and verb[-2] not in "aeou":
        return verb[:-1] + "ies"
    return verb + "s"


_VERBS: Final = {verb: _third(verb) for verb in _REGULAR.split()} | {
    "have": "has",
    "haven't": "hasn't",
    "am": "is",
    "are": "is",
    "aren't": "isn't",
    "do": "does",
    "don't": "doesn't",
    "were": "was",
    "weren't": "wasn't",
}
_ADVERBS: Final = "also|really|just|always|still|only|usually|often|never|certainly|actually"
_NUMBERED: Final = "war|part|type|phase|class|chapter|table|level|stage|tier|group|section|volume"
_NOT_A_PERSON: Final = re.compile(rf"\b(?:{_NUMBERED}) I\b|\bI[/.-]\w", re.IGNORECASE)
_QUOTED: Final = re.compile(r"[\"“”«»„`<>{}=;\0\1]|'\w[^']*'(?!\w)")
_SPEAKER: Final = "\0"  # stand-ins, so that what is in a name is never taken for a pronoun
_LISTENER: Final = "\1"

_Rule = tuple[re.Pattern[str], Callable[[re.Match[str]], str] | str]


def _rules(pronoun: str, name: str) -> tuple[_Rule, ...]:
    modal = "can|could|may|might|will|would|shall|should|must|did|can't|won't|didn't|let|to"
    before = "[Aa]m|[Aa]re|[Dd]o|[Hh]ave|[Dd]on't|[Aa]ren't|[Hh]aven't|[Ww]ere"
    after = "|".join(sorted(_VERBS, key=len, reverse=True))
    return (
        (re.compile(rf"{pronoun}'(?:m|re)\b"), f"{name} is"),
        (re.compile(rf"{pronoun}'ve\b"), f"{name} has"),
        (re.compile(rf"{pronoun}'ll\b"), f"{name} will"),
        (re.compile(rf"{pronoun}'d (?=like|love|rather|prefer|be\b)"), f"{name} would "),
        (re.compile(rf"{pronoun}'d\b"), f"{name} had"),
        (re.compile(rf"\b((?i:{modal})) {pronoun}(?!')"), lambda m: f"{m[1]} {name}"),
        (re.compile(rf"\b({before}) {pronoun}"), lambda m: f"{_verb(m[1])} {name}"),
        (
            re.compile(rf"{pronoun} ((?:(?:{_ADVERBS}) )?)({after})\b(?!')"),
            lambda m: f"{name} {m[1]}{_VERBS[m[2]]}",
        ),
        (re.compile(pronoun), name),
    )


def _verb(word: str) -> str:
    third = _VERBS[word.lower()]
    return third.capitalize() if word[0].isupper() else third


_FIRST_PERSON: Final[tuple[_Rule, ...]] = (
    *_rules(r"\bI\b", _SPEAKER),
    (re.compile(r"\b(?:[Mm]y|[Mm]ine)\b"), f"{_SPEAKER}'s"),
    (re.compile(r"\b(?:[Mm]e|[Mm]yself)\b"), _SPEAKER),
)
_SECOND_PERSON: Final[tuple[_Rule, ...]] = (
    *_rules(r"\b[Yy]ou\b", _LISTENER),
    (re.compile(r"\b[Yy]ours?\b"), f"{_LISTENER}'s"),
    (re.compile(r"\b[Yy]ourself\b"), _LISTENER),
)
_SAYS_I: Final = re.compile(r"\b(?:I|[Mm]y|[Mm]ine|[Mm]e|[Mm]yself)\b")
_SAYS_YOU: Final = re.compile(r"\b[Yy]ou")
_ROLES: Final = {"user": "the user", "assistant": "the assistant"}


def in_third_person(sentence: str, *, speaker: str, listener: str | None) -> str:
    """An English sentence with names for 'I' and, where one other person listens, for 'you'."""
    if _QUOTED.search(sentence) or _NOT_A_PERSON.search(sentence):
        return sentence
    text = sentence.replace("\u2019", "'")
    if _SAYS_I.search(text):
        text = _replace(_FIRST_PERSON, text)
    if listener and _SAYS_YOU.search(text):
        text = _replace(_SECOND_PERSON, text)
    if _SPEAKER not in text and _LISTENER not in text:
        return sentence
    named = text.replace(_SPEAKER, mention_of(speaker))
    named = named.replace(_LISTENER, mention_of(listener or ""))
    return named[:1].upper() + named[1:]


def _replace(rules: tuple[_Rule, ...], text: str) -> str:
    for pattern, replacement in rules:
        text = pattern.sub(replacement, text)
    return text


def mention_of(speaker: str) -> str:
    """How a speaker is called inside a sentence: a name as it is, a role with its article."""
    return _ROLES.get(speaker.lower(), speaker)
