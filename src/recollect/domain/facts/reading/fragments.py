"""Quotes that mean nothing by themselves: labels, searches, halves, corrections of nothing."""

from typing import Final

from recollect.domain.facts.reading.languages import fact_words
from recollect.domain.facts.reading.plain.corrections import is_fragment as is_correction
from recollect.domain.facts.reading.plain.languages.events import event_words
from recollect.domain.facts.reading.plain.replies import asks_user, tells_slot_again
from recollect.domain.facts.reading.quoted_clause import QuotedClause
from recollect.domain.facts.reading.wording import FIRST_PERSON, names_user
from recollect.domain.facts.statement import Statement
from recollect.domain.language import is_common_word
from recollect.domain.speech.phrases import LANGUAGES

_SEARCH: Final = 3
"""The fewest words of a search."""
_I_IN_SPANISH: Final = ("o", "oy")
"""Endings of verbs: "tomo", "soy"."""


def is_fragment(
    statement: Statement, clause: QuotedClause, reply: str | None, earlier: str | None
) -> bool:
    """Whether a quote sets right what nobody has asked for, or says nothing of somebody.

    `reply` is what the assistant said before, and `earlier` what the user said before that.
    """
    if _is_label(clause) and not names_user(statement.quote):
        return True
    if statement.has_exact_slot:
        return False
    if _is_search(clause, reply):
        return True
    if any(_is_elliptic(clause, code) or _is_half_of_couple(clause, code) for code in LANGUAGES):
        return True
    start, end = clause.sentence_start, clause.sentence_end
    capitals = {at - start for at in clause.capitals}
    if not is_correction(clause.words[start:end], capitals):
        return False
    is_told = earlier is not None and tells_slot_again(earlier, statement.slot)
    return is_told or reply is None or not asks_user(reply)


def _is_label(clause: QuotedClause) -> bool:
    """Whether a quote only says what follows its colon is about: "Diet: …"."""
    is_first = clause.start == clause.sentence_start
    return is_first and clause.words[clause.end : clause.end + 1] == (":",)


def _is_search(clause: QuotedClause, reply: str | None) -> bool:
    """Whether a sentence only names things, as people type them into a search: "hotels Rome May".

    It may well answer a question. In Spanish a verb tells of the user: "Tomo café molido".
    """
    words = clause.words[clause.sentence_start : clause.sentence_end]
    if len(words) < _SEARCH or words[0].endswith(_I_IN_SPANISH):
        return False
    names_things = FIRST_PERSON.isdisjoint(words) and all(
        word.isalnum() and not is_common_word(word) for word in words
    )
    return names_things and (reply is None or not asks_user(reply))


def _is_elliptic(clause: QuotedClause, code: str) -> bool:
    """Whether a quote needs what was said before: "My wife isn't"."""
    known, words = fact_words(code), clause.words[: clause.end]
    owner = known.owners.length_at(words, clause.start)
    place = clause.start + (owner + 1 if owner else known.subjects.length_at(words, clause.start))
    if not clause.start < place < len(words):
        return False
    while length := known.elliptic.length_at(words, place):
        place += length
    return place == len(words)


def _is_half_of_couple(clause: QuotedClause, code: str) -> bool:
    """Whether the partner is left out of a couple: the "I split up" of "Bob and I split up"."""
    before = clause.words[max(0, clause.start - 1) :]
    is_joined = fact_words(code).joints.length_at(before) > 0
    return is_joined and event_words(code).parted_around.follow_name(before)
