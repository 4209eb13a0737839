"""Fragments that change a question to data by words they share with it: "than 50"."""

import re
from collections.abc import Callable, Sequence
from itertools import dropwhile
from typing import Final

from recollect.domain.followup.data_questions.changes import CLAUSE_SIGNS, Change
from recollect.domain.followup.data_questions.leaving_out import left_out
from recollect.domain.followup.data_questions.measures import more_rows, other_measure
from recollect.domain.followup.data_questions.nouns import singular
from recollect.domain.followup.data_questions.ordering import reordered
from recollect.domain.followup.edits import Word, spoken_words, words_of
from recollect.domain.followup.languages import LanguageWords, starting_phrase
from recollect.domain.followup.refinements import fragment_words

_LONGEST: Final = 16  # words
_SHORTEST_CONDITION: Final = 3  # words
_LONGEST_NAME: Final = 3  # words
_FIRST_WORDS: Final = 6  # of a question, among which is what it asks for
_LONGEST_MODIFIER: Final = 3  # words
_YEAR: Final = re.compile(r"(?:19|20)\d\d")


def changed_by_fragment(question: str, fragment: str, known: LanguageWords) -> str | None:
    """A question to data as a fragment changes it; None where the fragment has no one place in it.

    The fragment says another value after the same words ("with a grid below 9"), another extreme
    ("the lowest"), what no longer holds ("remove the year"), or one condition more.
    """
    body, is_opened = fragment_words(fragment, known)
    lower = [word.text.lower() for word in body]
    is_personal = not (known.personal | known.weekdays).isdisjoint(lower)
    is_personal = is_personal or _is_about_form(lower, known)
    bound = starting_phrase(lower, known.bounds)
    is_bound = bound > 0 and lower[bound : bound + 1] > [] and lower[bound][0].isdigit()
    is_idiom = starting_phrase(lower, known.idioms) > 0 and not is_bound  # "at least 3" is none
    if not 0 < len(body) <= _LONGEST or is_personal or is_idiom:
        return None
    words = words_of(question)
    body, is_repeated = _without_repeated_lead(body, spoken_words(question), known)
    lower = [word.text.lower() for word in body]
    change = Change(
        text=question,
        words=words,
        fragment=fragment,
        body=body,
        known=known,
        is_asked=is_opened or is_repeated or "?" in fragment,
        is_opened=is_opened,
        old=[word.text.lower() for word in words],
        new=lower,
    )
    ways = _ADDING if change.is_addition else _WAYS if change.is_value else _ASKING
    text = next((text for way in ways if (text := way(change)) is not None), None)
    is_whole = text is not None and spoken_words(text) == spoken_words(fragment)
    return None if is_whole else text  # a fragment that says everything is a question of its own


def _is_about_form(words: Sequence[str], known: LanguageWords) -> bool:
    """Whether words are about the form of a reply: "as a table", but not "the harbour code"."""
    if not starting_phrase(words, known.data_copulas):
        return not known.form_words.isdisjoint(words)
    return any(
        word in known.form_words and words[n - 1] in known.small_words
        for n, word in enumerate(words)
    )


def _without_repeated_lead(
    body: Sequence[Word], old: Sequence[str], known: LanguageWords
) -> tuple[Sequence[Word], bool]:
    """Without "how many" that the question has, too: "how many above 400"; and without "only"."""
    lower = [word.text.lower() for word in body]
    if lower[0] in known.only_words and len(body) > 1:
        return body[1:], False
    length = starting_phrase(lower, known.bare_questions)
    is_verb = lower[length : length + 1] and lower[length] in known.auxiliaries
    bound = starting_phrase(lower, known.bounds, start=length + 1) if length and is_verb else 0
    if bound and any(starting_phrase(old, known.bounds, start=n) for n in range(len(old))):
        return body[length + 1 :], True  # "which is more than 900"
    is_same = length > 0 and list(old[:length]) == lower[:length]
    follows = lower[length : length + 1]
    starts = known.prepositions | known.comparing
    return (
        (body[length:], True)
        if is_same and starts.issuperset(follows) and follows
        else (body, False)
    )


def _other_extreme(change: Change) -> str | None:
    """As "The lowest?" after "Who has the highest score?"."""
    known, new = change.known, change.new
    lead = starting_phrase(new, known.extreme_leads)
    rest = [word for word in new[lead:] if word not in known.articles]
    places = [n for n, word in enumerate(change.old) if word in known.extremes]
    if not rest or rest[0] not in known.extremes or len(places) != 1:
        return None
    if not set(change.old).issuperset(rest[1:]) or rest[0] == change.old[places[0]]:
        return None
    place = next(n for n, word in enumerate(new) if word == rest[0])
    return change.with_words(places[0], places[0], change.said(place, place + 1))


def _other_value(change: Change) -> str | None:
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
    ends_clause = end == len(old) or old[end] in CLAUSE_SIGNS or old[end] in change.segment_starts
    if known.extremes.issuperset(new[size:]) or not (ends_clause or end - start == len(new) - size):
        return None  # where the old value ends cannot be seen
    if start > place + size - first:
        return change.with_words(start, end - 1, change.said(size))
    return change.with_words(place, end - 1, change.said(first))


def _other_restriction(change: Change) -> str | None:
    """As "What about those built in 1960?" after "Name the boats built in 1950"."""
    known, new, old = change.known, change.new, change.old
    pointers = known.row_determiners | known.item_words | {known.that}
    first = 1 + (new[0] in known.articles)
    rest = new[first:]
    if not rest:
        return None
    others = known.row_pointers | known.single_pointers | known.wh_openers - known.restrictions
    if not change.is_opened or new[first - 1] not in pointers or not others.isdisjoint(rest):
        return None
    for size in range(len(rest) - 1, 0, -1):
        place = change.place_of(rest[:size])
        end = len(old) - (old[-1] in CLAUSE_SIGNS)
        if place is not None and place + size < end and CLAUSE_SIGNS.isdisjoint(old[place:end]):
            return change.with_words(place, end - 1, change.said(first))
    return None


def _other_modifier(change: Change) -> str | None:
    """As "the 2nd boat" after "Name the 1st boat of the race"."""
    known, new, old = change.known, change.new, change.old
    first = int(new[0] in known.articles)
    count = len(new) - 1 - first
    place = change.place_of(new[-1:])
    small = known.small_words | known.prepositions | known.requests
    if not 0 < count <= _LONGEST_MODIFIER or place is None or place < count:
        return None
    replaced, modifier = old[place - count : place], new[first:-1]
    are_alike = all(
        one == two
        or (one[0].isdigit() == two[0].isdigit() and one[0].isalnum() and two[0].isalnum())
        for one, two in zip(replaced, modifier, strict=True)
    )
    is_new = replaced != modifier and small.isdisjoint((*replaced, *modifier, new[-1]))
    is_compared = place > count and old[place - count - 1] in known.extremes | known.comparing
    if is_compared or not are_alike or not is_new or not (first or change.is_asked):
        return None
    return change.with_words(place - count, place - 1, change.said(first, len(new) - 1))


def _other_noun(change: Change) -> str | None:
    """As "And suppliers?" after "How many customers are there in Utrecht?"."""
    known, new = change.known, change.new
    small = known.small_words | known.prepositions | known.requests
    plurals = [
        n for n, word in enumerate(change.old) if singular(word) != word and word not in small
    ]
    is_noun = len(new) == 1 and singular(new[0]) != new[0] and new[0] not in small
    is_name = change.body[0].text[0].isupper()
    is_asked = change.is_asked and not change.is_correction
    if not is_noun or is_name or not is_asked or len(plurals) != 1:
        return None
    place = plurals[0]
    return change.with_words(place, place, change.said()) if place < _FIRST_WORDS else None


def _other_bound(change: Change) -> str | None:
    """As "before 1990" after "Which boats were built after 2000?"."""
    known, new, old = change.known, change.new, change.old
    lengths = {n: starting_phrase(old, known.bounds, start=n) for n in range(len(old))}
    places = [n for n, length in lengths.items() if length and not lengths.get(n - 1)]
    length = starting_phrase(new, known.bounds)
    if not length or len(places) != 1 or change.is_joined:
        return None
    if length == len(new):  # "how about after?"
        last = places[0] + lengths[places[0]] - 1
        is_new = list(old[places[0] : last + 1]) != list(new)
        return change.with_words(places[0], last, change.said()) if is_new else None
    start = places[0] + lengths[places[0]]
    end = _value_end(change, start, new[length:])
    small = known.small_words | known.prepositions
    if end is None or not _kind(new[length:], small)[0]:
        return None
    if _kind(old[start:end], small) == _kind(new[length:], small):
        return change.with_words(places[0], end - 1, change.said())
    is_number = length + 1 == len(new) and old[start][0].isdigit()  # "than 3 years", "at least 5"
    return change.with_words(places[0], start, change.said()) if is_number else None


def _replaced(change: Change) -> str | None:
    """As "replace 2019 by 2021"."""
    known, new = change.known, change.new
    by = next((n for n, word in enumerate(new) if word in known.replaced_by), 0)
    if new[0] not in known.replace_words or not 1 < by < len(new) - 1:
        return None
    place = change.place_of(new[1:by])
    return None if place is None else change.with_words(place, place + by - 2, change.said(by + 1))


def _part_of_list(change: Change) -> str | None:
    """As "only by type" after "Group the boats by harbour and type"."""
    known, new, old = change.known, change.new, change.old
    for size in range(len(new) - 1, 0, -1):
        place = change.place_of(new[:size])
        if place is None or not change.is_listed:
            continue
        start = end = place + size
        stops = (known.small_words | known.prepositions) - {known.and_word, known.or_word}
        while end < len(old) and (old[end] == "," or old[end] not in stops | CLAUSE_SIGNS):
            end += 1
        value = [word for word in new[size:] if word not in known.articles]
        is_list = not {",", known.and_word, known.or_word}.isdisjoint(old[start:end])
        if is_list and value and set(value) < set(old[start:end]):
            return change.with_words(start, end - 1, change.said(size))
    return None


def _other_year(change: Change) -> str | None:
    """As "the next year" after "What was the catch in 2019?"."""
    known, new, old = change.known, change.new, change.old
    years = [n for n, word in enumerate(old) if _YEAR.fullmatch(word)]
    lead = known.articles | known.prepositions
    words = list(dropwhile(lambda word: word in lead, new))
    shift = next((one[-1] for one in known.year_shifts if list(one[:-1]) == words), None)
    is_meant = change.is_asked or not known.articles.isdisjoint(new)
    if shift is None or len(years) != 1 or not is_meant:
        return None
    return change.with_words(years[0], years[0], str(int(old[years[0]]) + int(shift)))


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


def _narrowed(change: Change) -> str | None:
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


def _condition(change: Change) -> str | None:
    """As "Where the year is 1999" after "Show all titles by Corcoran"."""
    known, new, old = change.known, change.new, change.old
    is_clause = new[0] in known.conditions and len(new) >= _SHORTEST_CONDITION
    if not is_clause or new[1] in known.auxiliaries | known.helping_verbs or new[0] in old:
        return None
    if set(new) & set(old) - known.small_words or not known.pointers.isdisjoint(new):
        return None  # changes a condition that is there
    return change.appended(f" {change.said()}")


def _one_condition_more(change: Change) -> str | None:
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


_WAYS: Final[tuple[Callable[[Change], str | None], ...]] = (
    reordered,
    _narrowed,
    _other_extreme,
    _other_year,
    _replaced,
    _part_of_list,
    left_out,
    _other_value,
    _other_bound,
    _other_modifier,
    _other_noun,
    _other_restriction,
    _condition,
    _one_condition_more,
    other_measure,
)
_ADDING: Final = (reordered, _narrowed, more_rows, _one_condition_more, other_measure)
_ASKING: Final = (reordered, _narrowed, _other_extreme, left_out, _other_restriction, other_measure)
