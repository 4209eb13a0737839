"""Statements right behind "remember": "remember my size is M", "remember my size: M".

Only what begins with something of the user's and has a verb and a value is one: neither "remember
my first question" nor "remember my friend who is a doctor". A colon does for the verb. Somebody
with a name is told without one: "remember my wife Ann".
"""

from collections.abc import Collection
from typing import Final

from recollect.domain.facts.reading.languages import FactWords, fact_words
from recollect.domain.facts.reading.languages.first_names import is_first_name
from recollect.domain.speech.phrases import LANGUAGES, Phrase, words_in

_MOST_NAMES: Final = 3
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


def named_person_at(
    words: Phrase, place: int, known: FactWords, *, capitals: Collection[int]
) -> int | None:
    """Where somebody of the user's and their name begin, if a command says no more; None if not."""
    length = known.remember_verbs.length_at(words, place)
    if not length:
        return None
    first = place + length
    end = len(words) - (not words[-1][0].isalnum())
    person = _end_of_person(words[:end], first, known)
    names = range(person, end)
    is_named = _is_name(words[person:end], known) and all(at in capitals for at in names)
    return first if person and is_named else None


def naming_sentence(content: str) -> str | None:
    """A sentence that says who somebody is, of "my wife Ann"; None if it is anything else."""
    spelled, words = content.rstrip(".!").split(), words_in(content)
    for known in map(fact_words, LANGUAGES):
        person = _end_of_person(words, 0, known)
        has_capitals = all(one[0].isupper() for one in spelled[person:])
        if person and has_capitals and _is_name(words[person:], known):
            return " ".join((*spelled[:person], known.copula.first, *spelled[person:]))
    return None


def _is_name(words: Phrase, known: FactWords) -> bool:
    """Whether words with a capital may be a name; in German, as every noun has one, a known one."""
    if known is fact_words("de") and not is_first_name("".join(words[:1])):
        return False
    return 0 < len(words) <= _MOST_NAMES


def _end_of_person(words: Phrase, first: int, known: FactWords) -> int:
    """The place after somebody of the user's who is named from a place on: "my wife"; 0 if none."""
    owned = first + known.owners.length_at(words, first)
    length = known.persons.length_at(words, owned)
    return owned + length if owned > first and length else 0


def _is_about_talk(named: Phrase, known: FactWords) -> bool:
    """Whether what is named is of the conversation, or somebody of whom more is said."""
    return known.talk_nouns.are_in(named) or known.subordinating.are_in(named)
