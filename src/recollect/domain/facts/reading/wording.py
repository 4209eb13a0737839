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
