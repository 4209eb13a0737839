"""Fragments that change a question to data by words they share with it: "than 50"."""

import re
from collections.abc import Callable, Sequence
from itertools import dropwhile
from typing import Final

from recollect.domain.followup.data_questions.changing.changes import CLAUSE_SIGNS, Change
from recollect.domain.followup.data_questions.changing.conditions import (
    condition,
    narrowed,
    one_condition_more,
)
from recollect.domain.followup.data_questions.changing.leaving_out import left_out
from recollect.domain.followup.data_questions.changing.measures import more_rows, other_measure
from recollect.domain.followup.data_questions.changing.numbers import with_number
from recollect.domain.followup.data_questions.changing.ordering import reordered
from recollect.domain.followup.data_questions.changing.values import (
    other_bound,
    other_number,
    other_side,
    other_value,
)
from recollect.domain.followup.data_questions.endings import singular
from recollect.domain.followup.data_questions.nouns import is_acronym
from recollect.domain.followup.edits import Word, spoken_words, words_of
from recollect.domain.followup.languages import LanguageWords, starting_phrase
from recollect.domain.followup.rules.refinements import fragment_words

_LONGEST: Final = 16  # words
_FIRST_WORDS: Final = 6  # of a question, among which is what it asks for
_LONGEST_MODIFIER: Final = 3  # words
_ENDING: Final = 3  # letters: "ers"
_POINTED: Final = 2  # words: "in that"
_YEAR: Final = re.compile(r"(?:19|20)\d\d")


def changed_by_fragment(question: str, fragment: str, known: LanguageWords) -> str | None:
    """A question to data as a fragment changes it; None where the fragment has no one place in it.

    The fragment says another value after the same words ("with a grid below 9"), another extreme
    ("the lowest"), what no longer holds ("remove the year"), or one condition more.
    """
    body, is_opened = fragment_words(fragment, known)
    body = _without_last_pointer(body, known)
    lower = [word.text.lower() for word in body]
    said = (word.text.lower() for word in body if not is_acronym(word.text))
    is_personal = not (known.personal | known.weekdays).isdisjoint(said)
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
    text = text and with_number(question, text, known)
    is_whole = text is not None and spoken_words(text) == spoken_words(fragment)
    return None if is_whole else text  # a fragment that says everything is a question of its own


def _without_last_pointer(body: Sequence[Word], known: LanguageWords) -> Sequence[Word]:
    """Without "in that" at the end, which says that the rest of the question stays."""
    lower = [word.text.lower() for word in body[-_POINTED:]]
    bounds = {bound[-1] for bound in known.bounds}
    is_place = len(body) > _POINTED and lower[0] in known.prepositions - bounds
    is_pointer = is_place and lower[1] == known.that
    return body[:-_POINTED] if is_pointer else body


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
    if not known.item_words.union(change.old).issuperset(rest[1:]):
        return None
    if rest[0] == change.old[places[0]]:
        return None
    place = next(n for n, word in enumerate(new) if word == rest[0])
    return change.with_words(places[0], places[0], change.said(place, place + 1))


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
    if len(new) != 1:
        return None
    small = known.small_words | known.prepositions | known.requests
    plurals = [
        n for n, word in enumerate(change.old) if singular(word) != word and word not in small
    ]
    is_noun = singular(new[0]) != new[0] and new[0] not in small
    is_asked = change.is_asked and not change.is_correction
    if not is_noun or not is_asked or len(plurals) != 1:
        return None
    place = plurals[0]
    is_alike = change.body[0].start == 0 and new[0][-_ENDING:] == change.old[place][-_ENDING:]
    if change.body[0].text[0].isupper() and not is_alike:
        return None  # "Texas?", but "Sellers?" after "buyers"
    return change.with_words(place, place, change.said()) if place < _FIRST_WORDS else None


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
    if not change.is_listed:
        return None
    for size in range(len(new) - 1, 0, -1):
        place = change.place_of(new[:size])
        if place is None:
            continue
        start = place + size
        owned = known.articles | known.row_possessives
        start += start < len(old) and old[start] in owned
        end = start
        stops = (known.small_words | known.prepositions) - {known.and_word, known.or_word}
        while end < len(old) and (old[end] == "," or old[end] not in stops | CLAUSE_SIGNS):
            end += 1
        value = [word for word in new[size:] if word not in known.articles]
        is_list = not {",", known.and_word, known.or_word}.isdisjoint(old[start:end])
        if is_list and value and set(value) < set(old[start:end]):
            first = size + (start > place + size and new[size] in owned)
            return change.with_words(start, end - 1, change.said(first))
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


_WAYS: Final[tuple[Callable[[Change], str | None], ...]] = (
    reordered,
    narrowed,
    _other_extreme,
    _other_year,
    _replaced,
    _part_of_list,
    left_out,
    other_number,
    other_value,
    other_side,
    other_bound,
    _other_modifier,
    _other_noun,
    _other_restriction,
    condition,
    one_condition_more,
    other_measure,
)
_ADDING: Final = (reordered, narrowed, more_rows, one_condition_more, other_measure)
_ASKING: Final = (
    reordered,
    narrowed,
    _other_extreme,
    left_out,
    other_side,
    _other_restriction,
    other_measure,
)
