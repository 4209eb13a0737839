"""Fragments that take something out of a question to data: "remove the year"."""

from typing import Final

from recollect.domain.followup.data_questions.changing.changes import CLAUSE_SIGNS, Change
from recollect.domain.followup.languages import starting_phrase

_SHORTEST_REST: Final = 3  # words of a question of which something is left out


def left_out(change: Change) -> str | None:
    """As "Remove the price" after "Show name, weight and price of all bikes"."""
    known = change.known
    length = starting_phrase(change.new, known.leave_out)
    if not length and change.new[-1] in known.restriction_nouns:
        length = starting_phrase(change.new, known.without)
    rest = [word for word in change.new[length:] if word not in known.articles]
    is_restriction = bool(rest) and rest[-1] in known.restriction_nouns
    if is_restriction:
        rest = rest[:-1]
    place = change.place_of(rest) if length and rest else None
    if place is None:
        return None
    last = place + len(rest) - 1
    without = None if is_restriction else _without_item(change, place, last)
    return without or _without_restriction(change, place, last)


def _without_item(change: Change, place: int, last: int) -> str | None:
    known, old = change.known, change.old
    joints = {",", known.and_word, known.or_word}
    first = place
    while first > 0 and old[first - 1] in known.articles | joints:
        first -= 1
    is_first = first == 0 and list(old[last + 1 : last + 2]) == [","]
    if not is_first and joints.isdisjoint(old[first:place]):
        return None
    goes_on = known.prepositions | known.auxiliaries
    if known.of_word not in old[:place]:
        goes_on -= {known.of_word}  # what all items have: "name and price of all boats"
    is_whole = last + 1 == len(old) or old[last + 1] not in goes_on
    is_long = len(old) - (last - first + 1) >= _SHORTEST_REST
    return change.without_words(first, last + is_first) if is_long and is_whole else None


def _without_restriction(change: Change, place: int, last: int) -> str | None:
    """As "remove the motor" after "Which boats with a motor are for sale?"."""
    known, old, starts = change.known, change.old, change.segment_starts
    joints = {known.and_word, known.or_word}
    first = place
    while first > 0 and old[first] not in starts | joints:
        first -= 1
    if old[first] not in starts | joints:
        return None  # what is asked for itself
    ends = starts | joints | CLAUSE_SIGNS
    if old[first] in known.prepositions:
        ends |= known.auxiliaries  # "the boats with a motor are": no part of that
    while last + 1 < len(old) and old[last + 1] not in ends:
        last += 1
    following = old[last + 1] if last + 1 < len(old) else ""
    if following in joints and old[first] not in joints:
        first, last = first + 1, last + 1  # "whose mast is 9 and keel 2": "whose keel 2"
    elif first > 0 and old[first - 1] in {",", *joints}:
        first -= 1
    elif first == 0 and following == ",":
        last += 1 + (last + 2 < len(old) and old[last + 2] in joints)
    is_long = len(old) - (last - first + 1) >= _SHORTEST_REST
    return change.without_words(first, last) if is_long else None
