"""Fragments that say one condition more: "where the year is 1999", "limit them to …"."""

from typing import Final

from recollect.domain.followup.data_questions.changing.changes import CLAUSE_SIGNS, Change
from recollect.domain.followup.languages import starting_phrase

_SHORTEST_CONDITION: Final = 3  # words


def narrowed(change: Change) -> str | None:
    """As "Limit the results to those with a motor" after "Show all boats"."""
    known, new = change.known, change.new
    length = starting_phrase(new, known.narrowing)
    fillers = known.articles | known.row_nouns | known.row_pointers | known.narrowing_rest
    fillers |= known.item_words
    while 0 < length < len(new) and new[length] in fillers:
        length += 1
    outside = known.single_pointers | known.wh_openers - known.relatives
    if starting_phrase(new, known.leave_out):
        return None  # "filter out"
    if not 0 < length < len(new) or not outside.isdisjoint(new[length:]):
        return None
    starts = known.prepositions | known.conditions | known.restrictions | known.comparing
    joint = " " if new[length] in starts else f", {known.only[0][0]} "
    if new[0] == known.keep_word and joint != " " and not change.is_listed:
        return None  # "keep the names"
    return change.appended(f"{joint}{change.said(length)}")


def condition(change: Change) -> str | None:
    """As "Where the year is 1999" after "Show all titles by Corcoran"."""
    known, new, old = change.known, change.new, change.old
    is_clause = new[0] in known.conditions and len(new) >= _SHORTEST_CONDITION
    if not is_clause or new[1] in known.auxiliaries | known.helping_verbs or new[0] in old:
        return None
    if set(new) & set(old) - known.small_words or not known.pointers.isdisjoint(new):
        return None  # changes a condition that is there
    return change.appended(f" {change.said()}")


def one_condition_more(change: Change) -> str | None:
    """As "and the tide is low" after "Which boats sail when the wind is west?"."""
    known, new, old = change.known, change.new, change.old
    places = [n for n, word in enumerate(old) if word in known.conditions]
    is_clause = new[0] in known.conditions or not known.auxiliaries.isdisjoint(
        new[1:_SHORTEST_CONDITION]
    )
    is_added = change.is_joined and is_clause and len(new) > 1
    if not is_added or not places or new[0] in known.wh_openers:
        return None
    if new[1] in known.helping_verbs | known.auxiliaries and new[0] in known.conditions:
        return None  # "and when does it end?"
    end = places[-1]
    while end + 1 < len(old) and old[end + 1] not in CLAUSE_SIGNS:
        end += 1
    at = change.words[end].end
    return f"{change.text[:at]} {known.and_word} {change.said()}{change.text[at:]}"
