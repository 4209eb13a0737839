"""Fragments that say another value or bound after words that the question has: "than 50"."""

from collections.abc import Sequence
from typing import Final

from recollect.domain.followup.data_questions.changing.changes import CLAUSE_SIGNS, Change
from recollect.domain.followup.languages import phrase_places, starting_phrase

_LONGEST_NAME: Final = 3  # words


def other_value(change: Change) -> str | None:
    """As "With a grid below 9" after "Which riders with a grid below 5 finished?"."""
    known, new = change.known, change.new
    begins = new[0] in known.prepositions | known.conditions | known.comparing
    first = int(not begins and new[0] in known.articles)
    small = known.small_words | known.prepositions | known.requests
    for size in range(len(new) - 1, first, -1):
        anchor = new[first:size]
        place = change.place_of(anchor)
        if place is None or new[size - 1] in CLAUSE_SIGNS:
            continue
        is_named = any(_kind(anchor, small))
        kind = _kind(new[size:], small)
        is_bare = known.articles.isdisjoint(new) and size + _LONGEST_NAME >= len(new)
        is_certain = change.is_asked or (begins and (kind[0] or is_named or is_bare))
        is_certain = is_certain or (is_named and size - first > 1)  # "directed by Kim"
        if not is_certain or not (begins or is_named):
            return None  # "for the meeting"
        return _with_value(change, place, size, first)
    return None


def _with_value(change: Change, place: int, size: int, first: int) -> str | None:
    """The question with the words after an anchor in the place of those that follow it there."""
    known, new, old = change.known, change.new, change.old
    small = known.small_words | known.prepositions
    start = place + size - first
    while start < len(old) and old[start] in known.auxiliaries and new[size] not in small:
        start += 1  # "the mast was 9 m", "mast 12 m"
    end = _value_end(change, start, new[size:])
    if end is None or _kind(old[start:end], small) != _kind(new[size:], small):
        return None
    if not known.helping_verbs.isdisjoint(old[:place]) and not _kind(new[size:], small)[0]:
        end = min(end, start + len(new) - size)  # "did Ruth sail to": her verb stays
    end = _list_end(change, start, end)
    ends_clause = end == len(old) or old[end] in CLAUSE_SIGNS or old[end] in change.segment_starts
    if known.extremes.issuperset(new[size:]) or not (ends_clause or end - start == len(new) - size):
        return None  # where the old value ends cannot be seen
    if start > place + size - first:
        return change.with_words(start, end - 1, change.said(size))
    return change.with_words(place, end - 1, change.said(first))


def _list_end(change: Change, start: int, end: int) -> int:
    """Where a list of numbers ends that a number opens: "week 1, 2 and 3"."""
    known, old = change.known, change.old
    joints = {",", known.and_word, known.or_word}
    if end - start != 1 or not old[start].isdecimal() or not joints.isdisjoint(change.new):
        return end
    while end + 1 < len(old) and old[end] in joints and old[end + 1].isdecimal():
        end += 2
    return end


def other_number(change: Change) -> str | None:
    """As "how about 3 or less?" after "Which boats have 5 masts or less?"."""
    new, old = change.new, change.old
    place = change.place_of(new[1:]) if len(new) > 1 and new[0].isdecimal() else None
    if place is None or not change.is_asked:
        return None
    numbers = [n for n in range(max(0, place - _LONGEST_NAME), place) if old[n].isdecimal()]
    is_new = len(numbers) == 1 and old[numbers[0]] != new[0]
    return change.with_words(numbers[0], numbers[0], new[0]) if is_new else None


def other_bound(change: Change) -> str | None:
    """As "before 1990" after "Which boats were built after 2000?"."""
    known, new, old = change.known, change.new, change.old
    length = starting_phrase(new, known.bounds)
    bound = _only_bound(change) if length else None
    if bound is None or change.is_joined:
        return None
    first, start = bound
    if length == len(new):  # "how about after?"
        is_new = list(old[first:start]) != list(new)
        return change.with_words(first, start - 1, change.said()) if is_new else None
    end = _value_end(change, start, new[length:])
    small = known.small_words | known.prepositions
    if end is None or not _kind(new[length:], small)[0]:
        return None
    if _kind(old[start:end], small) == _kind(new[length:], small):
        return change.with_words(first, end - 1, change.said())
    is_number = length + 1 == len(new) and old[start][0].isdigit()  # "than 3 years", "at least 5"
    return change.with_words(first, start, change.said()) if is_number else None


def other_side(change: Change) -> str | None:
    """As "how about below this?" after "Which boats are longer than the average length?"."""
    known, new, old = change.known, change.new, change.old
    length = starting_phrase(new, known.bounds)
    pointers = {known.that} | known.single_pointers & known.row_determiners
    is_pointer = length > 0 and len(new) == length + 1 and new[length] in pointers
    bound = _only_bound(change) if is_pointer and change.is_asked else None
    if bound is None:
        return None
    first, end = bound
    is_new = list(old[first:end]) != list(new[:length])
    return change.with_words(first, end - 1, change.said(0, length)) if is_new else None


def _only_bound(change: Change) -> tuple[int, int] | None:
    """Where "longer than" begins and ends in the question; None unless it has one bound."""
    bounds, old = change.known.bounds, change.old
    starts = list(phrase_places(old, bounds))
    places = [n for n in starts if n - 1 not in starts]
    if len(places) != 1:
        return None
    return places[0], places[0] + starting_phrase(old, bounds, start=places[0])


def _value_end(change: Change, start: int, value: Sequence[str]) -> int | None:
    """Where the old value ends: before a sign or a small word that the new value has not."""
    known, old = change.known, change.old
    small = known.small_words | known.prepositions
    left = [word for word in value if word in small or word == ","]
    end = start
    while end < len(old) and (old[end] not in CLAUSE_SIGNS or old[end : end + 1] == left[:1]):
        if old[end] in small or old[end] == ",":
            if not left or old[end] != left[0]:
                break
            left = left[1:]
        end += 1
    ends_clause = end == len(old) or old[end] in CLAUSE_SIGNS
    return end if end > start and (ends_clause or not left) else None


def _kind(value: Sequence[str], small: frozenset[str]) -> tuple[bool, bool]:
    """Whether a value has a number, and whether it has words: those of one kind are exchanged."""
    named = [word for word in value if word not in small and word[0].isalnum()]
    return any(w[0].isdigit() for w in named), any(not w[0].isdigit() for w in named)
