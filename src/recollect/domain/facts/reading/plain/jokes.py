"""Users who say that their last message was a joke: "Just kidding!"."""

from typing import Final

from recollect.domain.facts.reading.languages import FactWords, fact_words
from recollect.domain.facts.reading.paraphrase import negates
from recollect.domain.language import sentence_parts
from recollect.domain.speech.phrases import LANGUAGES, Phrase, words_in
from recollect.domain.speech.spoken import Part
from recollect.domain.speech.tokens import tokens_of

_READ: Final = 80
"""Characters in which a message says so."""
_LONGEST: Final = 300
"""Characters of a message that may be a joke."""


def takes_back_joke(message: str) -> bool:
    """Whether a message begins with a clause that says that what was said before was a joke.

    "No kidding" says the opposite, and so does what is asked.
    """
    text = message.strip()[:_READ]
    words = tuple(token.word for token in tokens_of(Part(start=0, text=text)))
    return any(_begins_with_joke(words, fact_words(code)) for code in LANGUAGES)


def may_be_joke(message: str) -> bool:
    """Whether a message is one sentence, so that "just kidding" surely means all that it says."""
    if len(message) > _LONGEST:
        return False
    return sum(1 for part in sentence_parts(message) if len(words_in(part)) > 1) == 1


def _begins_with_joke(words: Phrase, known: FactWords) -> bool:
    place = _after_laughter(words, known)
    length = known.jokes.length_at(words, place)
    end = words[place + length : place + length + 1]
    is_clause = not end or (not end[0][0].isalnum() and end[0] != "?")
    return length > 0 and is_clause and not negates(words[place - 1] if place else "")


def _after_laughter(words: Phrase, known: FactWords) -> int:
    place = 0
    while place < len(words):
        length = known.openers.length_at(words, place) or known.laughs.length_at(words, place)
        if not length and words[place][0].isalnum():
            break
        place += length or 1
    return place
