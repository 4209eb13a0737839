"""Quotes that leave out what makes them true: a negation, another subject, the rest of a clause.

Of "No vivo en Gante" the words "vivo en Gante" say the opposite, and of "My sister and I run a
shop" the words "I run a shop" say something else.
"""

from typing import Final

from recollect.domain.facts.reading.languages import FactWords, fact_words, phrases_of_all
from recollect.domain.facts.reading.languages.first_names import is_first_name
from recollect.domain.facts.reading.plain.languages.denials import denial_words
from recollect.domain.facts.reading.quoted_clause import QuotedClause
from recollect.domain.speech.phrases import LANGUAGES, Phrase

_MOST_OF_PERSON: Final = 4
"""Words of somebody of the user's: "my best friend Tom"."""
_MOST_NAMES: Final = 2


def leaves_words_out(clause: QuotedClause) -> bool:
    """Whether a quote says something else without the words around it."""
    words = clause.words[clause.start : clause.end]
    if len(words) > 1 and (_is_one_of(words[-1], "open_ends") or _is_subject_alone(words)):
        return True
    before = clause.words[clause.clause_start : clause.start]
    rest = clause.words[clause.end : clause.clause_end]
    return any(
        _leaves_out_negation(before, words, code)
        or (_is_user(words, code) and is_other_subject(before, code))
        or (_is_user(rest[1:], code) and is_other_subject((*words, *rest[:1]), code))
        for code in LANGUAGES
    )


def place_behind_other(words: Phrase, code: str) -> int:
    """The place of the "I" of "my sister and I live"; 0 if a sentence does not begin so."""
    places = range(1, min(_MOST_OF_PERSON + _MOST_NAMES, len(words) - 1) + 1)
    is_user = (
        at
        for at in places
        if _is_one_of(words[at], "second_subjects")
        and _is_one_of(words[at - 1], "joints")
        and is_other_subject(words[:at], code)
    )
    return next(is_user, 0)


def _is_subject_alone(words: Phrase) -> bool:
    """Whether words are two subjects without a verb: "my sister and I"."""
    is_user = _is_one_of(words[-1], "second_subjects")
    return is_user and any(is_other_subject(words[:-1], code) for code in LANGUAGES)


def _is_user(words: Phrase, code: str) -> bool:
    return fact_words(code).subjects.length_at(words) > 0 or words[:1] == ("moi",)


def is_other_subject(words: Phrase, code: str) -> bool:
    """Whether words before "I" are the other one of two subjects: "my sister and", "Tom and"."""
    known = fact_words(code)
    if len(words) < len(("tom", "and")) or not _is_one_of(words[-1], "pairs"):
        return False
    person = words[1:-1] if _is_one_of(words[0], "both") else words[:-1]
    names = person[-_MOST_NAMES:]
    return _is_of_user(person, known) or (person == names and is_first_name(person[0]))


def _is_of_user(person: Phrase, known: FactWords) -> bool:
    """Whether words are somebody of the user's and nothing else: "my best friend Tom"."""
    owner = known.owners.length_at(person)
    if not owner or len(person) > owner + _MOST_OF_PERSON:
        return False
    places = [at for at in known.persons.places_in(person) if at >= owner]
    end = places[-1] + known.persons.length_at(person, places[-1]) if places else len(person)
    return bool(places) and all(map(is_first_name, person[end:]))


def _leaves_out_negation(before: Phrase, words: Phrase, code: str) -> bool:
    """Whether a quote begins with a verb right behind its negation: the "no" of "no vivo"."""
    if not before or not fact_words(code).own_verbs.length_at(words):
        return False
    return denial_words(code).negations.length_at(before[-1:]) > 0


def _is_one_of(word: str, field: str) -> bool:
    """Whether a word is one of those that any language has for a field of `FactWords`."""
    return (word,) in phrases_of_all(field)
