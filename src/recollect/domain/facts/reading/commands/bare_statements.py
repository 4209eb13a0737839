"""Statements right behind "remember": "remember my size is M", "remember my size: M".

Only what begins with something of the user's and has a verb and a value is one: neither "remember
my first question" nor "remember my friend who is a doctor". A colon does for the verb.
"""

from typing import Final

from recollect.domain.facts.reading.languages import FactWords
from recollect.domain.speech.phrases import Phrase

_MOST_NOUNS: Final = 5
"""The most words between "my" and the verb."""


def bare_statement_at(words: Phrase, place: int, known: FactWords) -> int | None:
    """Where the statement of a command at this place begins; None if there is none."""
    length = known.remember_verbs.length_at(words, place)
    if not length:
        return None
    first = place + length
    first += words[first : first + 1] in ((",",), (":",))
    return first if _is_statement(words, first, known) else None


def _is_statement(words: Phrase, first: int, known: FactWords) -> bool:
    if not known.owners.length_at(words, first):
        return False
    for verb in range(first + 2, min(first + 2 + _MOST_NOUNS, len(words))):
        named = words[first + 1 : verb]
        if not named[-1][0].isalnum():
            return False
        if length := known.statement_verbs.length_at(words, verb) or int(words[verb] == ":"):
            value = words[verb + length : verb + length + 1]
            has_value = bool(value) and value[0][0].isalnum()
            return has_value and not _is_about_talk(named, known)
    return False


def _is_about_talk(named: Phrase, known: FactWords) -> bool:
    """Whether what is named is of the conversation, or somebody of whom more is said."""
    return known.talk_nouns.are_in(named) or known.subordinating.are_in(named)
