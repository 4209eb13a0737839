"""Fragments that change a question to data by words they share with it: "than 50"."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from recollect.domain.followup.data_questions.phrases import singular
from recollect.domain.followup.edits import Word, words_of
from recollect.domain.followup.languages import LanguageWords, starting_phrase
from recollect.domain.followup.refinements import fragment_words

_LONGEST: Final = 12  # words
_SHORTEST_REST: Final = 3  # words of a question of which something is left out
_CLAUSE_SIGNS: Final = frozenset(",?.!;:")
_ENDS: Final = frozenset("?.! ")


def changed_by_fragment(question: str, fragment: str, known: LanguageWords) -> str | None:
    """A question to data as a fragment changes it; None where the fragment has no one place in it.

    The fragment says another value after the same words ("with a grid below 9"), another extreme
    ("the lowest"), what no longer holds ("remove the year"), or one condition more.
    """
    body, is_opened = fragment_words(fragment, known)
    lower = [word.text.lower() for word in body]
    is_personal = not (known.personal | known.weekdays | known.form_words).isdisjoint(lower)
    if not 0 < len(body) <= _LONGEST or is_personal or starting_phrase(lower, known.idioms):
        return None
    change = _Change(
        text=question,
        words=words_of(question),
        fragment=fragment,
        body=body,
        known=known,
        is_asked=is_opened or "?" in fragment,
    )
    return next((text for way in _WAYS if (text := way(change)) is not None), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Change:
    text: str
    words: Sequence[Word]
    fragment: str
    body: Sequence[Word]
    known: LanguageWords
    is_asked: bool

    @property
    def old(self) -> list[str]:
        """The words of the question in small letters."""
        return [word.text.lower() for word in self.words]

    @property
    def new(self) -> list[str]:
        """Those of the fragment."""
        return [word.text.lower() for word in self.body]

    def said(self, first: int = 0) -> str:
        """The fragment from a word on, as it stands."""
        text = self.fragment[self.body[first].start : self.body[-1].end]
        return text[:1].lower() + text[1:] if self.body[first].start == 0 else text

    def with_words(self, first: int, last: int, text: str) -> str:
        """The question with a text in the place of some words."""
        return self.text[: self.words[first].start] + text + self.text[self.words[last].end :]

    def place_of(self, texts: Sequence[str]) -> int | None:
        """Where words stand in the question, if that is once."""
        size, old = len(texts), self.old
        wanted = list(map(singular, texts))
        old = list(map(singular, old))
        places = [n for n in range(len(old) - size + 1) if old[n : n + size] == wanted]
        return places[0] if len(places) == 1 else None


def _other_extreme(change: _Change) -> str | None:
    """As "The lowest?" after "Who has the highest score?"."""
    known, new = change.known, change.new
    lead = starting_phrase(new, known.extreme_leads)
    rest = [word for word in new[lead:] if word not in known.articles]
    places = [n for n, word in enumerate(change.old) if word in known.extremes]
    if not rest or rest[0] not in known.extremes or len(places) != 1:
        return None
    if not set(change.old).issuperset(rest[1:]) or rest[0] == change.old[places[0]]:
        return None
    extreme = next(word for word in change.body if word.text.lower() == rest[0])
    return change.with_words(places[0], places[0], extreme.text)


def _left_out(change: _Change) -> str | None:
    """As "Remove the price" after "Show name, weight and price of all bikes"."""
    known, old = change.known, change.old
    length = starting_phrase(change.new, known.leave_out)
    rest = [word for word in change.new[length:] if word not in known.articles]
    place = change.place_of(rest) if length and rest else None
    if place is None:
        return None
    joints = {",", known.and_word, known.or_word}
    first, last = place, place + len(rest) - 1
    while first > 0 and old[first - 1] in known.articles | joints:
        first -= 1
    is_first = first == 0 and old[last + 1 : last + 2] == [","]
    if not is_first and joints.isdisjoint(old[first:place]):
        return None
    if len(old) - (last - first + 1) < _SHORTEST_REST:
        return None
    end = change.words[last + is_first].end
    return (change.text[: change.words[first].start].rstrip() + change.text[end:]).strip()


def _other_value(change: _Change) -> str | None:
    """As "With a grid below 9" after "Which riders with a grid below 5 finished?"."""
    known, new, old = change.known, change.new, change.old
    if new[0] not in known.prepositions | known.conditions | known.comparing:
        return None
    for size in range(len(new) - 1, 0, -1):
        place = change.place_of(new[:size])
        if place is not None and new[size - 1] not in _CLAUSE_SIGNS:
            end = _value_end(change, place + size, new[size:])
            small = known.small_words | known.prepositions
            kind = _kind(new[size:], small)
            if end is None or _kind(old[place + size : end], small) != kind:
                return None
            is_certain = change.is_asked or kind[0] or any(_kind(new[:size], small))
            if not is_certain:
                return None  # "for the meeting"
            return change.with_words(place, end - 1, change.said())
    return None


def _value_end(change: _Change, start: int, value: Sequence[str]) -> int | None:
    """Where the old value ends: before a sign or a small word that the new value has not."""
    known, old = change.known, change.old
    small = known.small_words | known.prepositions
    left = [word for word in value if word in small]
    end = start
    while end < len(old) and old[end] not in _CLAUSE_SIGNS:
        if old[end] in small:
            if not left or old[end] != left[0]:
                break
            left = left[1:]
        end += 1
    return end if end > start and not left else None


def _kind(value: Sequence[str], small: frozenset[str]) -> tuple[bool, bool]:
    """Whether a value has a number, and whether it has words: those of one kind are exchanged."""
    named = [word for word in value if word not in small and word[0].isalnum()]
    return any(w[0].isdigit() for w in named), any(not w[0].isdigit() for w in named)


def _condition(change: _Change) -> str | None:
    """As "Where the year is 1999" after "Show all titles by Corcoran"."""
    known, new, old = change.known, change.new, change.old
    is_clause = new[0] in known.conditions and len(new) >= _SHORTEST_REST
    if not is_clause or new[1] in known.auxiliaries | known.helping_verbs or new[0] in old:
        return None
    if set(new) & set(old) - known.small_words:
        return None  # changes a condition that is there
    end = len(change.text.rstrip("".join(_ENDS)))
    return f"{change.text[:end]} {change.said()}{change.text[end:].rstrip()}"


_WAYS: Final[tuple[Callable[[_Change], str | None], ...]] = (
    _other_extreme,
    _left_out,
    _other_value,
    _condition,
)
