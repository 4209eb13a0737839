"""Fragments about the order of rows: "from high to low", "sorted by name instead"."""

from collections.abc import Sequence
from functools import cache
from itertools import pairwise
from typing import Final

from recollect.domain.followup.data_questions.changing.changes import CLAUSE_SIGNS, Change
from recollect.domain.followup.data_questions.phrases import data_phrase
from recollect.domain.followup.languages import LanguageWords, starting_phrase

_NEAR: Final = 4  # words between "sort" and "by"
_LONGEST_KEY: Final = 5  # words


def reordered(change: Change) -> str | None:
    """As "in descending order" after "List the boats sorted by age in ascending order"."""
    known, new = change.known, change.new
    direction = _direction(new, known)
    end = direction[0] if direction else len(new)
    by = next((n for n in range(end) if new[n] == known.sort_by_word), end)
    verbs = _sort_verbs(known)
    is_about_order = direction is not None or (by < end and not verbs.isdisjoint(new[:by]))
    if not is_about_order or by + 1 == end:
        return None
    if direction and direction[1] + 1 < len(new):
        return _sorted_by_last_words(change, direction, rest=new[:end])
    key = [w for w in change.body[by + 1 : end] if w.text.lower() not in known.row_possessives]
    if not _lead_words(known).issuperset(new[:by]) or len(key) > _LONGEST_KEY:
        return None
    said_of = [word.text.lower() for word in key]
    own = {two for one, two in pairwise(said_of) if one == known.of_word}
    own &= known.row_possessives  # "by the age of their skippers"
    if not (known.pointers - own).isdisjoint(said_of):
        return None
    said = change.said(direction[0], direction[1] + 1) if direction else ""
    text = change.fragment[key[0].start : key[-1].end] if key else ""
    return _with_order(change, text, said)


def _sorted_by_last_words(
    change: Change, direction: tuple[int, int], *, rest: Sequence[str]
) -> str | None:
    """As "Order them in descending order of price"."""
    known, new = change.known, change.new
    first = direction[1] + 2
    is_owned = "".join(new[first : first + 1]) in known.row_possessives  # "of their prices"
    key = change.body[first + is_owned :]
    outside = known.row_pointers | known.single_pointers | known.wh_openers
    is_key = new[first - 1] == known.of_word and outside.isdisjoint(new[first + is_owned :])
    if not key or not is_key or not _lead_words(known).issuperset(rest):
        return None
    if _direction(change.old, known) is not None:
        return None
    said = change.said(direction[0], first)
    return _sorted(change, "", f"{said} {change.said(first + is_owned)}")


@cache
def _lead_words(known: LanguageWords) -> frozenset[str]:
    """Words before the key that say nothing else."""
    pointers = known.row_pointers | known.ordering_rest
    return known.requests | pointers | known.articles | _sort_verbs(known)


def _with_order(change: Change, key: str, direction: str) -> str | None:
    old_direction = _direction(change.old, change.known)
    old_key = _key(change, old_direction)
    if old_key is None and (key or old_direction is None):
        return None if old_direction else _sorted(change, key, direction)
    if direction and old_direction is None:
        return None if key else change.appended(f" {direction}")
    edits = [(*old_key, key)] if key and old_key else []
    if direction and old_direction:
        edits.append((*old_direction, _in_the_form_of(old_direction, direction, change)))
    text = change.text
    for first, last, words in sorted(edits, reverse=True):
        text = text[: change.words[first].start] + words + text[change.words[last].end :]
    return text


def _sorted(change: Change, key: str, direction: str) -> str:
    """The question with an order, of which it had none; what was counted is listed instead."""
    known, old = change.known, change.old
    by = known.sorted_by if key else known.sorted_by.split()[0]
    addition = " ".join(part for part in (by, key, direction) if part)
    is_grouped = not (known.each | known.group_words).isdisjoint(old)
    is_count = starting_phrase(old, known.how_many) > 0 and not is_grouped
    phrase = data_phrase(change.text, known) if is_count else None
    lead = " ".join(known.data_requests[0]).capitalize()
    return f"{lead} {phrase.text}, {addition}" if phrase else change.appended(f", {addition}")


def _in_the_form_of(old: tuple[int, int], direction: str, change: Change) -> str:
    """A direction as the question says it: "descending" alone, or "in a descending order"."""
    names = {phrase[0] for phrase in change.known.directions if len(phrase) == 1}
    said = next((word for word in direction.split() if word.lower() in names), "")
    words = change.words[old[0] : old[1] + 1]
    place = next((word for word in words if word.text.lower() in names), None)
    if not said or place is None:
        return direction
    first, last = words[0].start, words[-1].end
    return change.text[first : place.start] + said + change.text[place.end : last]


@cache
def _sort_verbs(known: LanguageWords) -> frozenset[str]:
    return frozenset(phrase[0] for phrase in (*known.order, *known.sort))


def _direction(words: Sequence[str], known: LanguageWords) -> tuple[int, int] | None:
    """First and last word of what says a direction: "in descending order", "from low to high"."""
    for place, word in enumerate(words):
        length = starting_phrase(words, known.directions, start=place)
        if length:
            return place, place + length - 1
        ends = words[place + 1 : place + 4]
        is_range = word == known.from_to[0][0] and list(ends[1:2]) == [known.from_to[0][1]]
        if is_range and known.magnitudes.issuperset((*ends[:1], *ends[2:])):
            return place, place + 3
    return None


def _key(change: Change, direction: tuple[int, int] | None) -> tuple[int, int] | None:
    """First and last word of what the question is sorted by."""
    known, old = change.known, change.old
    verbs = _sort_verbs(known)
    for place, word in enumerate(old):
        near = old[place + 1 : place + 2 + _NEAR]
        if word in verbs and known.sort_by_word in near:
            first = last = place + 2 + list(near).index(known.sort_by_word)
            stop = direction[0] if direction and direction[0] >= first else len(old)
            ends = CLAUSE_SIGNS | change.segment_starts
            while last < stop and old[last] not in ends:
                last += 1
            return (first, last - 1) if last > first else None
    return None
