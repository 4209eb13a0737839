"""The content of a fact in the user's own words."""

import re
from typing import Final

from recollect.domain.facts.fact import MAX_CONTENT
from recollect.domain.language import sentence_parts, split_words

FIRST_PERSON: Final = frozenset(
    word
    for words in (
        "i i'm i've i'd i'll im ive me my mine myself we we're we've our ours us",
        "ik mij me mijn m'n wij we ons onze",
        "ich mich mir mein meine meinen meinem meiner wir uns unser unsere unseren unserem",
        "je j'ai moi mon ma mes nous notre nos on m'appelle",
        "yo mi mis me nosotros nosotras nuestro nuestra nuestros nuestras soy tengo vivo trabajo",
    )
    for word in words.split()
)
"""Words by which users speak of themselves."""
_SUBJECTS: Final = frozenset({"ik", "wij", "we", "ich", "wir"})
_DUTCH_OWNERS: Final = frozenset({"mijn", "ons", "onze"})
_GERMAN_OWNERS: Final = frozenset({"mein", "meine", "unser", "unsere"})
_LAST_VERBS: Final = frozenset(
    word
    for words in (
        "ben heb woon werk heet is zijn heeft hebben woont werkt begint eindigt kost wonen werken",
        "bin habe wohne arbeite heiße ist sind hat haben wohnt arbeitet heißt beginnt endet kostet",
    )
    for word in words.split()
)
"""Verbs with which a clause ends and a sentence does not."""
_JOINTS: Final = frozenset(
    ("en", "maar", "omdat", "als", "die", "dat", "und", "aber", "weil", "wenn", "dass")
)
"""Words behind which another clause may begin, with a verb of its own."""
_MAX_QUESTION: Final = 160
_BREAKS: Final = re.compile(r"\s+")


def content_of(quote: str, *, asked: str | None) -> str:
    """A quote as a sentence of its own.

    An answer without a word for the user means little without its question: "At Philips." is
    stored as "Where do you work? At Philips."
    """
    sentence = _sentence(quote)
    question = _question_in(asked) if asked else None
    if question is None or names_user(quote):
        return sentence[:MAX_CONTENT]
    return f"{question} {sentence}"[:MAX_CONTENT]


def main_clause(clause: str) -> str:
    """A Dutch or German clause behind "dat" with its verb where a sentence has it.

    "ich Vegetarier bin" becomes "ich bin Vegetarier". What is not surely subject and verb stays.
    """
    words = clause.rstrip(".!").split()
    subject = _subject_of(words)
    middle = {word.lower() for word in words[subject:-1]}
    is_plain = bool(middle) and middle.isdisjoint(_LAST_VERBS | _JOINTS) and "," not in clause
    if not subject or not is_plain or words[-1].lower() not in _LAST_VERBS:
        return clause
    return " ".join((*words[:subject], words[-1], *words[subject:-1]))


def _subject_of(words: list[str]) -> int:
    """How many words the subject has that a clause begins with; 0 if that is not sure."""
    padded = [*words, "", ""]
    first, others = padded[0], padded[1:]
    if first.lower() in _SUBJECTS:
        return 1
    if first.lower() in _GERMAN_OWNERS:  # up to its noun, which has a capital
        return next((at for at, word in enumerate(others[:3], start=2) if word[:1].isupper()), 0)
    is_owned = first.lower() in _DUTCH_OWNERS
    is_noun = others[0].isalpha() and not others[0].endswith("e")  # "oudste" is none
    return 2 if is_owned and is_noun else 0


def names_user(text: str) -> bool:
    """Whether a text has a word for the user, so that it is understood without a question."""
    return not FIRST_PERSON.isdisjoint(split_words(text.lower()))


def _sentence(quote: str) -> str:
    text = _BREAKS.sub(" ", quote).strip()
    text = text[:1].upper() + text[1:]
    return text if text.endswith((".", "!", "?", "…")) else f"{text}."


def _question_in(text: str) -> str | None:
    """The last sentence, if it is a question."""
    parts = [part.strip() for part in sentence_parts(text) if part.strip()]
    last = parts[-1] if parts else ""
    return last if last.endswith("?") and len(last) <= _MAX_QUESTION else None
