"""Changing one part of a question, and nothing else of it."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Final

from recollect.domain.followup.edits import Word, words_of
from recollect.domain.followup.languages import LanguageWords
from recollect.domain.followup.rules.refinements import Part, Refinement, ValueKind, value_kind

_LAST_LIMIT: Final = 5  # a number of rows is one of the first words: "Show me the top 5 …"
_SENTENCE_ENDS: Final = frozenset(".?!:")
_PERIODS: Final = frozenset((ValueKind.YEAR, ValueKind.QUARTER, ValueKind.MONTH, ValueKind.WEEKDAY))
_QUOTES: Final = frozenset("'\u2018\u2019")
_WORD_SIGNS: Final = frozenset("-_/{}[]^$%@#'\u2019")


def refine(
    question: str,
    change: Refinement,
    known: LanguageWords,
    *,
    values: Collection[str] = (),
    is_data: bool = True,
) -> str | None:
    """The question with one part changed; None where the part has no certain place in it.

    `values` are names that the question is known to have, such as those of its SQL. Where it is
    no question to data, values take the place of others, and nothing is added.
    """
    if not is_data and change.part is not Part.VALUE:
        return None
    target = _Target(
        text=question,
        words=words_of(question),
        known=known,
        values=frozenset(value.lower() for value in values),
        is_data=is_data,
    )
    return _CHANGES[change.part](target, change)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Target:
    """The question that is changed."""

    text: str
    words: Sequence[Word]
    known: LanguageWords
    values: frozenset[str]
    is_data: bool

    def lower(self, place: int) -> str:
        """The word at a place; nothing before the first one."""
        return self.words[place].text.lower() if place >= 0 else ""

    def with_words(self, first: int, last: int, text: str) -> str:
        """The question with a text in the place of some words; quoted once where it is quoted."""
        before, after = self.text[: self.words[first].start], self.text[self.words[last].end :]
        if text[0] in _QUOTES and before.endswith(text[0]):
            text = text[1:]
        if text[-1] in _QUOTES and after.startswith(text[-1]):
            text = text[:-1]
        return before + text + after

    def appended(self, addition: str) -> str:
        """The question with more at its end, before the sign that closes it."""
        text = self.text.rstrip()
        end = len(text.rstrip("?!. "))
        return text[:end] + addition + text[end:]

    def of_kind(self, kind: ValueKind | None) -> list[int]:
        """The places of the values of a kind; of a number that is a part of a name, none."""
        places = [p for p, word in enumerate(self.words) if value_kind(word, self.known) is kind]
        is_part = kind is ValueKind.NUMBER and any(map(self._is_inside_name, places))
        return [] if is_part else places

    def _is_inside_name(self, place: int) -> bool:
        """As the number in "Model 3", in "15%", or in a piece of code."""
        word = self.words[place]
        around = self.text[max(0, word.start - 1) : word.start] + self.text[word.end : word.end + 1]
        is_limit = any(self.lower(place - 1) == phrase[-1] for phrase in self.known.limit)
        is_named = self._is_name(place - 1) and not is_limit  # German has "Top" with a capital
        return is_named or not _WORD_SIGNS.isdisjoint(around)

    def names(self) -> list[tuple[int, int]]:
        """First and last word of each name: known values, and runs of words with a capital."""
        names: list[tuple[int, int]] = []
        for place in range(len(self.words)):
            is_after_name = bool(names) and names[-1][1] == place - 1
            is_number = value_kind(self.words[place], self.known) is ValueKind.NUMBER
            if is_after_name and (is_number or (self._is_name(place) and self._joins(place))):
                names[-1] = (names[-1][0], place)
            elif self._is_name(place):
                names.append((place, place))
        return names

    def _joins(self, place: int) -> bool:
        """Whether a word goes on with the name before it: "New York", but not "Berlin offen"."""
        return self.words[place].text[0].isupper() == self.words[place - 1].text[0].isupper()

    def _is_name(self, place: int) -> bool:
        if place <= 0:
            return False
        word = self.lower(place)
        if word in self.values:
            return True
        starts_sentence = self.lower(place - 1) in _SENTENCE_ENDS
        is_capital = self.words[place].text[0].isupper() and not starts_sentence
        return is_capital and not (
            word in self.known.small_words or value_kind(self.words[place], self.known)
        )


def _exchange(target: _Target, change: Refinement) -> str | None:
    """Put a value in the place of the one value of its kind."""
    kinds = [value_kind(word, target.known) for word in change.value]
    if all(kinds):
        return _exchange_typed(target, change, kinds)
    place = _place_of_name(target, change)
    if place is None:
        return None
    first, last = place
    has_article = target.lower(first - 1) in target.known.articles
    if has_article != change.has_article or _is_about_form(target, change, first, last):
        return None
    first -= has_article and change.has_article
    return target.with_words(first - bool(change.preposition), last, change.text)


def _is_about_form(target: _Target, change: Refinement, first: int, last: int) -> bool:
    """Whether a value says how to write the reply, unlike the words whose place it would take.

    "in French" after "Is it warm in Paris?" does; after "What is 'hello' in Dutch?" it does not.
    """
    form_words = target.known.form_words
    replaced = {target.lower(place) for place in range(first, last + 1)}
    value = {word.text.lower() for word in change.value}
    return not form_words.isdisjoint(value) and form_words.isdisjoint(replaced)


def _exchange_typed(
    target: _Target, change: Refinement, kinds: Sequence[ValueKind | None]
) -> str | None:
    places = [target.of_kind(kind) for kind in kinds]
    if not any(places) and change.preposition and _PERIODS.issuperset(kinds):
        has_period = any(target.of_kind(kind) for kind in _PERIODS)
        is_deadline = ValueKind.WEEKDAY in kinds and not (
            change.is_opened or change.has_question_mark
        )
        is_certain = target.is_data and not has_period and not is_deadline
        return target.appended(f" {change.text}") if is_certain else None
    if any(len(of_kind) != 1 for of_kind in places):
        return None
    if len(kinds) == 1 and change.preposition:
        place = places[0][0]
        follows = _preposition_before(target, place) in target.known.prepositions
        if kinds[0] is ValueKind.NUMBER and not (follows or change.is_opened):
            return None  # "at five" after "the top 5"
        return _with_preposition(target, change, place)
    text = target.text
    for (place,), value in sorted(zip(places, change.value, strict=True), reverse=True):
        word = target.words[place]
        text = text[: word.start] + value.text + text[word.end :]
    return text


def _with_preposition(target: _Target, change: Refinement, place: int) -> str:
    """Exchange a value together with the preposition before it, if there is one.

    "Of" leaves the other as it is: "van mei?" after "Hoeveel boten waren er in april?".
    """
    first = place - (target.lower(place - 1) in target.known.articles)
    before = target.lower(first - 1)
    if before not in target.known.prepositions or change.preposition == target.known.of_word:
        return target.with_words(place, place, change.value[0].text)
    return target.with_words(first - 1, place, change.text)


def _place_of_name(target: _Target, change: Refinement) -> tuple[int, int] | None:
    """The one name that stands after the same preposition, or the only one of all."""
    names = target.names()
    if value_kind(change.value[0], target.known):
        return None  # "in two sentences"
    is_name = change.value[0].text[0].isupper()
    if change.preposition:
        names = [one for one in names if _preposition_before(target, one[0]) == change.preposition]
    if len(names) != 1:
        return None
    first = names[0][0]
    is_small = target.lower(first) in target.values and target.words[first].text[0].islower()
    is_asked_for = change.preposition and (change.is_opened or change.has_question_mark)
    return names[0] if is_name or is_small or is_asked_for else None


def _preposition_before(target: _Target, place: int) -> str:
    has_article = target.lower(place - 1) in target.known.articles
    return target.lower(place - 1 - has_article)


def _group(target: _Target, change: Refinement) -> str | None:
    """Group by something else, or by something at all."""
    known, last = target.known, len(target.words) - 1
    marks = [p for p in range(last) if target.lower(p) in known.group_words]
    if not marks:
        is_certain = change.preposition in known.prepositions and not change.is_opened
        return target.appended(f" {change.preposition} {change.text}") if is_certain else None
    old = marks[0] + 1
    follows = old + 1 > last or target.words[old + 1].is_sign
    ends = follows or target.lower(old + 1) in known.small_words | known.prepositions
    if len(marks) > 1 or target.words[old].is_sign or not ends:
        return None
    return target.with_words(old, old, change.text)


def _limit(target: _Target, change: Refinement) -> str | None:
    """Ask for another number of rows; what else the fragment says must have been said before."""
    numbers = target.of_kind(ValueKind.NUMBER)
    said = {word.text.lower() for word in target.words}
    if len(numbers) != 1 or not said.issuperset(word.text.lower() for word in change.value[1:]):
        return None
    before = target.lower(numbers[0] - 1)
    is_named = any(before == phrase[-1] for phrase in target.known.limit)  # "with the top 5 prices"
    if not is_named and (numbers[0] > _LAST_LIMIT or before in target.known.prepositions):
        return None  # "above 50"
    return target.with_words(numbers[0], numbers[0], change.value[0].text)


def _add(target: _Target, change: Refinement) -> str | None:
    return target.appended(f", {change.text}")


def _order(target: _Target, change: Refinement) -> str | None:
    is_sorted = target.known.sorted_by.split()[0] in target.text.lower()
    return None if is_sorted else _add(target, change)


_CHANGES: Final[dict[Part, Callable[[_Target, Refinement], str | None]]] = {
    Part.VALUE: _exchange,
    Part.ONLY: _add,
    Part.WITHOUT: _add,
    Part.GROUP: _group,
    Part.ORDER: _order,
    Part.LIMIT: _limit,
}
