"""Messages of which the user asks to keep nothing: "I live in Leeds, but don't remember that"."""

from collections.abc import Iterable

from recollect.domain.facts.reading.languages import FactWords, fact_words
from recollect.domain.speech.phrases import LANGUAGES, Phrase
from recollect.domain.speech.spoken import Part, sentences_of
from recollect.domain.speech.tokens import tokens_of


def asks_to_keep_nothing(parts: Iterable[Part]) -> bool:
    """Whether a clause of a message's parts says that it is not to be remembered.

    Which of its sentences is meant nobody knows, so that it holds for the whole message. What
    tells of a bad memory says no such thing ("I don't remember this"), nor does what is asked.
    """
    sentences = (one for part in parts for one in sentences_of(part))
    return any(_says_so(tuple(token.word for token in tokens_of(one))) for one in sentences)


def length_of_unwanted(words: Phrase, place: int, known: FactWords) -> int:
    """How many words say at a place that something is not to be remembered; 0 if none do."""
    if length := known.unwanted.length_at(words, place):
        return length
    verb = known.unwanted_verbs.length_at(words, place)
    thing = known.unwanted_things.length_at(words, place + verb) if verb else 0
    return verb + thing if thing else 0


def _says_so(words: Phrase) -> bool:
    if "?" in words:
        return False
    return any(
        _begins_clause(words, place, known) and _ends_clause(words, place, known)
        for known in map(fact_words, LANGUAGES)
        for phrases in (known.unwanted, known.unwanted_verbs)
        for place in phrases.places_in(words)
    )


def _begins_clause(words: Phrase, place: int, known: FactWords) -> bool:
    if place == 0 or not words[place - 1][0].isalnum():
        return True
    before = words[max(0, place - 3) : place]
    return any(
        phrases.length_at(before, at) == len(before) - at
        for phrases in (known.openers, known.please)
        for at in range(len(before))
    )


def _ends_clause(words: Phrase, place: int, known: FactWords) -> bool:
    length = length_of_unwanted(words, place, known)
    after = words[place + length :]
    if not length or not after or not after[0][0].isalnum():
        return length > 0
    ends = (known.please, known.topic_endings, known.contrasts, known.joints)
    return any(one.length_at(after) > 0 for one in ends)
