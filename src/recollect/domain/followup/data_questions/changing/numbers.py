"""Nouns in the number that an exchanged number asks for."""

from itertools import takewhile
from typing import Final

from recollect.domain.followup.data_questions.endings import plural, singular
from recollect.domain.followup.edits import words_of
from recollect.domain.followup.languages import LanguageWords

_LONGEST_NOUN: Final = 3  # words
_ONE: Final = "1"


def with_number(question: str, changed: str, known: LanguageWords) -> str:
    """As "at least 1 mast" for "at least 1 masts", where the question had "at least 2 masts"."""
    old, words = [word.text.lower() for word in words_of(question)], words_of(changed)
    if not known.plural_verbs[0] or len(words) != len(old):
        return changed
    places = [n for n, word in enumerate(words) if word.text.lower() != old[n]]
    if len(places) != 1:
        return changed
    before, number = old[places[0]], words[places[0]].text
    small = known.small_words | known.prepositions
    after = words[places[0] + 1 :]
    nouns = list(takewhile(lambda w: w.text.isalpha() and w.text.lower() not in small, after))
    are_numbers = before.isdecimal() and number.isdecimal()
    if not are_numbers or (before == _ONE) == (number == _ONE):
        return changed
    if not 0 < len(nouns) <= _LONGEST_NOUN:
        return changed
    noun = nouns[-1]
    form = singular(noun.text) if number == _ONE else plural(noun.text)
    return changed[: noun.start] + form + changed[noun.end :]
