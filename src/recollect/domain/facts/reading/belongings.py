"""Statements about what belongs to somebody of the user's: "my manager's manager is Bob".

They say nothing of the user's own manager, home or name, which have one value at a time.
"""

from dataclasses import replace
from typing import Final

from recollect.domain.facts.reading.cut_words import place_behind_other
from recollect.domain.facts.reading.languages import FactWords, fact_words
from recollect.domain.facts.reading.languages.first_names import is_first_name
from recollect.domain.facts.reading.moves import tells_former_home
from recollect.domain.facts.reading.wording import names_user
from recollect.domain.facts.slots import Slot
from recollect.domain.facts.statement import Statement
from recollect.domain.speech.phrases import LANGUAGES, Phrase, words_in

_BEGINNING: Final = 12
"""Words in which a sentence says what it is about."""
_BEFORE: Final = 3
"""The most words before "of my", and between "my" and whom it means."""
_MOST_NOUNS: Final = 2
"""The most words of what belongs to somebody."""


def with_own_slot(statement: Statement) -> Statement:
    """A statement as it is, or without a slot of one value that says nothing of the user now."""
    if not statement.slot.has_one_value:
        return statement
    is_former = statement.slot is Slot.HOME and tells_former_home(statement.content)
    if not is_former and not belongs_to_another(statement.content):
        return statement
    slot = Slot.COLLEAGUE if statement.slot is Slot.MANAGER else Slot.OTHER
    return replace(statement, slot=slot)


def belongs_to_another(content: str) -> bool:
    """Whether a sentence is about something of somebody else, whom the user calls theirs.

    "My manager's name is Bob" is about the manager.
    """
    words = words_in(content)[:_BEGINNING]
    return any(
        _is_of_mine(words, fact_words(code)) or _is_mine_of(words, fact_words(code))
        for code in LANGUAGES
    )


def is_about_person(content: str) -> bool:
    """Whether a sentence begins with somebody of the user's and a verb: "My wife is"."""
    words = words_in(content)[:_BEGINNING]
    return any(_is_person_with_verb(words, fact_words(code)) for code in LANGUAGES)


def is_about_another(content: str) -> bool:
    """Whether a sentence is about somebody else and not the user: "My wife works", "Tom left"."""
    words = words_in(content)
    known = [fact_words(code) for code in LANGUAGES]
    is_of_both = any(place_behind_other(words, code) for code in LANGUAGES)
    if is_of_both or any(one.subjects.are_in(words) for one in known):
        return False
    is_named = bool(words) and is_first_name(words[0]) and not names_user(content)
    return is_named or any(
        one.owners.length_at(words) and _person_after(words, 0, one) is not None for one in known
    )


def share_person(content: str, other: str) -> bool:
    """Whether two sentences have the same word for somebody: "brother"."""
    shared = set(words_in(content)) & set(words_in(other))
    known = [fact_words(code) for code in LANGUAGES]
    stems = {stem for word in shared for stem in (word, word[:-1])}
    return any(one.persons.length_at((stem,)) for stem in stems for one in known)


def _is_person_with_verb(words: Phrase, known: FactWords) -> bool:
    person = _person_after(words, 0, known) if known.owners.length_at(words) else None
    return person is not None and known.statement_verbs.length_at(words, person + 1) > 0


def _is_of_mine(words: Phrase, known: FactWords) -> bool:
    """Whether a sentence begins as "the manager of my manager"."""
    if not known.articles.length_at(words):
        return False
    for at in known.of_mine.places_in(words[: _BEFORE + 1]):
        person = _person_after(words, at + known.of_mine.length_at(words, at) - 1, known)
        if at > 1 and person is not None and not _ends_with_name(words[:at], known):
            return True
    return False


def _is_mine_of(words: Phrase, known: FactWords) -> bool:
    """Whether a sentence begins as "my manager's manager is"."""
    person = _person_after(words, 0, known) if known.owners.length_at(words) else None
    if person is None:
        return False
    is_joined = not known.persons.length_at(words, person)
    first = person + 1 + (0 if is_joined else known.genitives.length_at(words, person + 1))
    if first == person + 1 and not is_joined:
        return False
    if known.name_nouns.length_at(words, first) or known.statement_verbs.length_at(words, first):
        return False
    verbs = range(first + 1, first + 1 + _MOST_NOUNS)
    verb = next((at for at in verbs if known.statement_verbs.length_at(words, at)), None)
    return verb is not None and all(word[0].isalnum() for word in words[first:verb])


def _person_after(words: Phrase, owner: int, known: FactWords) -> int | None:
    """The place of somebody whom an "owner" word makes the user's."""
    for at in range(owner + 1, min(owner + 1 + _BEFORE, len(words))):
        has_ending = known.genitives.length_at((words[at][-1:],)) > 0
        stem = words[at][:-1] if has_ending else words[at]
        if known.persons.length_at(words, at) or known.persons.length_at((stem,)):
            return at
    return None


def _ends_with_name(words: Phrase, known: FactWords) -> bool:
    return any(
        at + known.name_nouns.length_at(words, at) == len(words)
        for at in known.name_nouns.places_in(words)
    )
