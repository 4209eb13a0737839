"""Users who set right in a few words what they have just said: "No, in Leeds", "Leeds, not Hull".

By itself such a message says nothing of its user. What it corrects is found among the facts of the
message before it, and nothing is corrected where it may be one or another. A bare value counts if
its opening takes something back ("No wait, Leeds"), or if it can be nothing else: a first name for
another one, a day for a day, an age for an age ("No, Moritz", "No, 4 May").
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from recollect.domain.facts.fact import Fact
from recollect.domain.facts.reading.introductions import introductions
from recollect.domain.facts.reading.languages import fact_words, phrases_of_all
from recollect.domain.facts.reading.languages.first_names import (
    is_assistants_name,
    is_persons_name,
)
from recollect.domain.facts.reading.plain.corrected_figures import (
    are_of_date,
    is_age,
    is_date,
    with_age,
    with_date,
)
from recollect.domain.facts.reading.plain.languages.corrections import correction_words
from recollect.domain.facts.reading.plain.languages.events import event_words
from recollect.domain.facts.reading.plain.slots import ToldValue, told_value
from recollect.domain.facts.reading.standing.languages import standing_words
from recollect.domain.facts.slots import Slot
from recollect.domain.language import is_common_word
from recollect.domain.speech.phrases import LANGUAGES, Phrase, Phrases, spelled_words_in, words_in
from recollect.domain.speech.spoken import Part
from recollect.domain.speech.tokens import Token, tokens_of

_LONGEST: Final = 120
"""Characters of such a message."""
_MOST_OF_NAME: Final = 4
"""In which every noun has a capital."""
_OF_PERSONS: Final = frozenset({Slot.NAME, Slot.MANAGER})
_CORRECTED: Final = (*_OF_PERSONS, Slot.HOME, Slot.EMPLOYER, Slot.BIRTHPLACE)
"""Slots whose value is a name."""


class ValueKind(StrEnum):
    """What the value of a correction is."""

    NAME = "name"
    DATE = "date"
    FIGURE = "figure"


@dataclass(frozen=True, slots=True, kw_only=True)
class Correction:
    """A message that gives another value for something, without a word of what that is."""

    quote: str
    """Verbatim from the message."""
    name: str
    """The new value."""
    kind: ValueKind = ValueKind.NAME
    is_meant: bool = True
    """Whether its words say that a value is meant, and not only that something is wrong."""
    before: Phrase = ()
    """What stands before it: "in"."""
    denied: Phrase = ()
    """The old value, if it is named."""


def correction_in(message: str) -> Correction | None:
    """What a message corrects, if it does nothing else; None if it is no such message."""
    text = message.strip()
    if len(text) > _LONGEST or "?" in text:
        return None
    tokens = tuple(tokens_of(Part(start=0, text=text)))
    found = (_Reading(text=text, tokens=tokens, code=code).correction() for code in LANGUAGES)
    return next((one for one in found if one), None)


def corrected(correction: Correction, facts: Sequence[Fact]) -> tuple[Fact, str] | None:
    """The one of some facts that is corrected, and what it says then; None if none surely is.

    Of several facts of a message it has to name what it corrects: "Leeds, not Hull".
    """
    if len(facts) > 1 and not correction.denied:
        return None
    found = [(fact, new) for fact in facts if (new := _with_value(correction, fact))]
    return found[0] if len(found) == 1 else None


def is_short_correction(words: Phrase, capitals: Collection[int]) -> bool:
    """Whether a sentence only sets something right that others say: "No, in Leeds".

    `capitals` are the places of words that are written with one.
    """
    readings = (_is_fragment, _is_contrast)
    return any(reading(words, capitals, code) for reading in readings for code in LANGUAGES)


def _is_fragment(words: Phrase, capitals: Collection[int], code: str) -> bool:
    place = _after_opening(words, code)
    first = place + correction_words(code).before.length_at(words, place)
    if not 0 < place <= first < len(words):
        return False
    is_name = all(at in capitals for at in range(first, len(words)))
    day = place + correction_words(code).before_date.length_at(words, place)
    return (is_name and not words[place - 1].isalnum()) or are_of_date(words[day:], code)


def _is_contrast(words: Phrase, capitals: Collection[int], code: str) -> bool:
    """Whether a sentence has but names and what stands before them: "In Leeds, not in Hull"."""
    known, place = correction_words(code), 0
    small = (known.before, known.instead_of, known.but)
    if not any(one.length_at(words) for one in small) or not known.instead_of.are_in(words):
        return False
    while place < len(words):
        length = max(one.length_at(words, place) for one in small)
        if not length and words[place][0].isalnum() and place not in capitals:
            return False
        place += length or 1
    return any(at in capitals for at in range(1, len(words)))


def _after_opening(words: Phrase, code: str) -> int:
    """The place behind what a correction begins with; 0 if it begins with nothing of the kind."""
    place, opening = 0, correction_words(code).opening
    while place < len(words):
        length = opening.length_at(words, place)
        if not length and (words[place][0].isalnum() or not place):
            break
        place += length or 1
    return place


def _is_no_value(words: Phrase, code: str) -> bool:
    """Whether words with a capital are a day, or only polite: "No, Thanks"."""
    known = fact_words(code)
    languages = standing_words(code).language_names
    others = (event_words(code).days, known.closings, known.openers, languages)
    return any(one.length_at(words) > 0 for one in others)


def _with_value(correction: Correction, fact: Fact) -> str | None:
    """What a fact says with the value of a correction; None if that is no value of it."""
    if correction.kind is ValueKind.DATE:
        is_birthday = fact.slot == Slot.BIRTHDAY
        return with_date(fact.content, correction.name) if is_birthday else None
    if correction.kind is ValueKind.FIGURE:
        return with_age(fact.content, correction.name) if fact.slot == Slot.AGE else None
    slot = Slot(fact.slot) if fact.slot in _CORRECTED else None
    value = _told_value(fact.content, slot) if slot else None
    if slot is None or value is None or not _may_be(correction, slot, value):
        return None
    is_meant = correction.before in {(), value.before} and correction.denied in {(), value.words}
    is_other = correction.name != fact.content[value.start : value.end]
    if not (is_meant and is_other) or _names_several(fact, value):
        return None
    if _is_bare(correction) and _names_more(fact, value):
        return None
    return f"{fact.content[: value.start]}{correction.name}{fact.content[value.end :]}"


def _told_value(content: str, slot: Slot) -> ToldValue | None:
    value = told_value(content, slot)
    return _presented(content) if value is None and slot is Slot.NAME else value


def _presented(content: str) -> ToldValue | None:
    """The one word for a user who is presented: the "Max" of "I'm Max"."""
    sentence = content.rstrip(".! ")
    tokens = tuple(tokens_of(Part(start=0, text=sentence)))
    is_whole = any((one.start, one.end) == (0, len(sentence)) for one in introductions(content))
    capitals = [at for at, one in enumerate(tokens) if sentence[one.start].isupper() and at > 0]
    if not is_whole or capitals != [len(tokens) - 1]:
        return None
    name = tokens[-1]
    return ToldValue(start=name.start, end=name.end, before=(), words=(name.word,))


def _may_be(correction: Correction, slot: Slot, value: ToldValue) -> bool:
    """Whether a new value is of the kind of the old one, as far as words tell.

    Of a first and a last name, one alone may set right the one or the other.
    """
    is_person = is_persons_name(correction.name.split()[0])
    if slot not in _OF_PERSONS:
        return not is_person and not _is_code(correction.name, slot)
    is_part = len(correction.name.split()) < len(value.words)
    is_named = is_person or correction.is_meant
    return is_named and not is_part and not _is_code(correction.name, slot)


def _ends_with(phrases: Phrases, words: Phrase) -> bool:
    ends = (at + phrases.length_at(words, at) for at in phrases.places_in(words))
    return len(words) in ends


def _is_code(name: str, slot: Slot) -> bool:
    """Whether a word is a figure or an abbreviation, as only firms are called: "Q3", "HR"."""
    has_figure = any(letter.isdigit() for letter in name)
    return has_figure or (len(name) > 1 and name.isupper() and slot is not Slot.EMPLOYER)


def _is_bare(correction: Correction) -> bool:
    return not (correction.before or correction.denied)


def _names_more(fact: Fact, value: ToldValue) -> bool:
    """Whether a fact has another name behind its value: "I work at Shell in Hull"."""
    return any(word[0].isupper() for word in spelled_words_in(fact.content[value.end :]))


def _names_several(fact: Fact, value: ToldValue) -> bool:
    """Whether another value is joined to the value of a fact: "I live in Hull and Leeds"."""
    following = words_in(fact.content[value.end :])[:1]
    return following == (",",) or following in phrases_of_all("pairs")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reading:
    """A message as it is read in one language."""

    text: str
    tokens: tuple[Token, ...]
    code: str

    @property
    def words(self) -> Phrase:
        return tuple(token.word for token in self.tokens)

    def correction(self) -> Correction | None:
        place = _after_opening(self.words, self.code)
        return self._old_first(place) or self._new_first(place) or self._figure(place)

    def _figure(self, place: int) -> Correction | None:
        """Read a day or a figure behind an opening: "No wait, on 4 May"."""
        first = place + correction_words(self.code).before_date.length_at(self.words, place)
        if not 0 < place <= first < len(self.tokens):
            return None
        value = self.text[self.tokens[first].start :].rstrip(".! ")
        if is_date(value, self.code):
            return Correction(quote=self.text.rstrip(".!"), name=value, kind=ValueKind.DATE)
        if first == place and is_age(value) and self._is_of_value(place):
            return Correction(quote=self.text.rstrip(".!"), name=value, kind=ValueKind.FIGURE)
        return None

    def _new_first(self, place: int) -> Correction | None:
        """Read the new value before the old one, if that is named: "Leeds, not Hull"."""
        known, words = correction_words(self.code), self.words
        first = place + known.before.length_at(words, place)
        end = self._after_name(first)
        after = self._after_marks(end)
        denied = known.instead_of.length_at(words, after)
        old = self._value_at(after + denied) if denied else (0, 0)
        is_all = self._after_marks(old[1] if denied else after) == len(words)
        is_meant = bool(old[1]) or (place > 0 and (first > place or self._is_meant(place)))
        if not end or not is_all or not (is_meant or self._takes_back(place)):
            return None
        return self._found(
            first, end, before=words[place:first], denied=words[slice(*old)], is_meant=is_meant
        )

    def _is_of_value(self, place: int) -> bool:
        """Whether an opening says that something was wrong: not "Wait, 15"."""
        known, opening = correction_words(self.code), self._opening(place)
        ends = (known.meaning, known.retracting)
        return opening in known.denying or any(_ends_with(one, opening) for one in ends)

    def _is_meant(self, place: int) -> bool:
        """Whether a name right behind an opening is a value: "I meant Leeds", not "No, Excel"."""
        return _ends_with(correction_words(self.code).meaning, self._opening(place))

    def _takes_back(self, place: int) -> bool:
        """Whether an opening takes something back, so that a first name behind it is a value.

        Any other word may say something else: "No wait, Stop!", "No sorry, Boss". So may "No. Tom"
        and "No wait, Claude".
        """
        name = self.text[self.tokens[place].start : self.tokens[place].end]
        is_apart = place > 0 and self.words[place - 1] == "."
        if not place or is_apart or is_assistants_name(name):
            return False
        known, opening = correction_words(self.code), self._opening(place)
        is_back = opening in known.denying or _ends_with(known.retracting, opening)
        return is_back and is_persons_name(name)

    def _opening(self, place: int) -> Phrase:
        """The words before a place, without marks."""
        return tuple(word for word in self.words[:place] if word[0].isalnum())

    def _old_first(self, place: int) -> Correction | None:
        """Read the old value before the new one: "Not in Hull but in Leeds"."""
        known, words = correction_words(self.code), self.words
        denied = known.instead_of.length_at(words, place)
        old = self._value_at(place + denied) if denied else (0, 0)
        after = self._after_marks(old[1]) if old[1] else 0
        but = known.but.length_at(words, after) if after else 0
        if not but:
            return None
        start = after + but
        first = start + known.before.length_at(words, start)
        end = self._after_name(first)
        if not end or self._after_marks(end) != len(words):
            return None
        return self._found(first, end, before=words[start:first], denied=words[slice(*old)])

    def _found(
        self, first: int, end: int, *, before: Phrase, denied: Phrase, is_meant: bool = True
    ) -> Correction:
        return Correction(
            quote=self.text.rstrip(".!"),
            name=self.text[self.tokens[first].start : self.tokens[end - 1].end],
            before=before,
            denied=denied,
            is_meant=is_meant,
        )

    def _value_at(self, place: int) -> tuple[int, int]:
        """Where a name begins and ends, behind "in" or the like; nowhere if none stands there."""
        first = place + correction_words(self.code).before.length_at(self.words, place)
        end = self._after_name(first)
        return (first, end) if end else (0, 0)

    def _after_name(self, first: int) -> int:
        """The place behind a name; 0 if none stands there."""
        end = first
        while end < len(self.tokens) and self.text[self.tokens[end].start].isupper():
            end += 1
        words = self.words[first:end]
        is_name = 0 < len(words) <= _MOST_OF_NAME and not all(map(is_common_word, words))
        return end if is_name and not any(_is_no_value(words, code) for code in LANGUAGES) else 0

    def _after_marks(self, place: int) -> int:
        while place < len(self.tokens) and not self.words[place][0].isalnum():
            place += 1
        return place
