"""Quotes that mean nothing by themselves: labels, searches, halves, corrections of nothing."""

from functools import cache
from typing import Final

from recollect.domain.facts.reading.languages import fact_words
from recollect.domain.facts.reading.plain.corrections import is_short_correction
from recollect.domain.facts.reading.plain.languages.events import event_words
from recollect.domain.facts.reading.plain.replies import asks_user, tells_slot_again
from recollect.domain.facts.reading.quoted_clause import QuotedClause
from recollect.domain.facts.reading.wording import FIRST_PERSON, names_user
from recollect.domain.facts.slots import Slot
from recollect.domain.facts.statement import Statement
from recollect.domain.language import is_common_word
from recollect.domain.speech.phrases import LANGUAGES, Phrases

_SEARCH: Final = 3
"""The fewest words of a search."""
_SHORT_SLOTS: Final = frozenset({Slot.ALLERGY, Slot.DIET, Slot.HEALTH})
"""What people tell in a word or two."""
_OF_VERB: Final = "mos"
"""The ending of Spanish verbs that tell of the user by themselves: "tenemos"."""


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
    if _is_search(statement, clause, reply):
        return True
    if any(_is_elliptic(clause, code) or _is_half_of_couple(clause, code) for code in LANGUAGES):
        return True
    start, end = clause.sentence_start, clause.sentence_end
    capitals = {at - start for at in clause.capitals}
    if not is_short_correction(clause.words[start:end], capitals):
        return False
    is_told = earlier is not None and tells_slot_again(earlier, statement.slot)
    return is_told or reply is None or not asks_user(reply)


def _is_label(clause: QuotedClause) -> bool:
    """Whether a quote only says what follows its colon is about: "Diet: …"."""
    is_first = clause.start == clause.sentence_start
    return is_first and clause.words[clause.end : clause.end + 1] == (":",)


def _is_search(statement: Statement, clause: QuotedClause, reply: str | None) -> bool:
    """Whether a message only names things, as people type them into a search: "hotels Rome May".

    It has no verb, no end, and no capital at its beginning alone. It may well answer a question.
    """
    words = clause.words[:-1]  # the last ends the message
    if len(words) < _SEARCH or (clause.start, clause.end) != (0, len(words)):
        return False
    if statement.slot in _SHORT_SLOTS or (reply is not None and asks_user(reply)):
        return False
    begins_sentence = 0 in clause.capitals and len(clause.capitals) < len(words)
    return not begins_sentence and all(map(_names_thing, words))


def _names_thing(word: str) -> bool:
    """Whether a word is none that a statement about somebody has."""
    is_of_statement = word in FIRST_PERSON or is_common_word(word) or word.endswith(_OF_VERB)
    return word.isalnum() and not is_of_statement and (word,) not in _verbs()


@cache
def _verbs() -> Phrases:
    known = [fact_words(code) for code in LANGUAGES]
    return Phrases.joined(
        phrases for one in known for phrases in (one.own_verbs, one.statement_verbs, one.called)
    )


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
