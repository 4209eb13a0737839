"""Commands that end facts without a word of what they say: "forget my name".

Each is a sentence of its own, from its first word to its last: "forget my name, call me Boss" is
none, nor is a question without a "please".
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from recollect.domain.facts.reading.commands.command import CommandKind
from recollect.domain.facts.reading.commands.named import NamedThing, things_at
from recollect.domain.facts.reading.languages import FactWords, fact_words
from recollect.domain.facts.reading.languages.slot_names import slot_at
from recollect.domain.facts.reading.paraphrase import negates
from recollect.domain.facts.reading.unwanted import length_of_unwanted
from recollect.domain.facts.slots import Slot
from recollect.domain.speech.phrases import Phrase, Phrases

_LONGEST_ENDING: Final = 4
"""Words of what may follow a command or a topic."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Forgetting:
    """What is to be forgotten, and up to which word a sentence says so."""

    kind: CommandKind
    end: int
    """The place after its last word."""
    slots: frozenset[Slot] = frozenset()
    thing: NamedThing | None = None


def forgetting_at(words: Phrase, place: int, code: str, *, is_polite: bool) -> Forgetting | None:
    """What a sentence tells to forget from this place on, if that is all it says."""
    known = fact_words(code)
    if "?" in words and not known.please.are_in(words):
        return None
    return next(
        (
            one
            for one in _readings(words, place, code, is_polite=is_polite)
            if not end_of_content(words[one.end :], known.topic_endings)
        ),
        None,
    )


def excepts_something(words: Phrase, place: int, known: FactWords) -> bool:
    """Whether all about the user is named, and more or less of it: "… about me but my name"."""
    length = known.forget_everything.length_at(words, place)
    after = place + length
    is_more = words[after : after + 1] == (",",) or known.joints.length_at(words, after) > 0
    return length > 0 and (is_more or known.exceptions.length_at(words, after) > 0)


def end_of_content(words: Phrase, endings: Phrases) -> int:
    """The place after a content, without the marks and words that may follow one."""
    last = len(words)
    while last and not words[last - 1][0].isalnum():
        last -= 1
    for at in range(max(0, last - _LONGEST_ENDING), last):
        if at + endings.length_at(words, at) == last:
            return end_of_content(words[:at], endings)
    return last


def _readings(words: Phrase, place: int, code: str, *, is_polite: bool) -> Iterator[Forgetting]:
    known = fact_words(code)
    for kind, phrases in (
        (CommandKind.FORGET_EVERYTHING, known.forget_everything),
        (CommandKind.FORGET_LAST, known.forget_last),
        (CommandKind.FORGET_THAT, known.forget_that),
        (CommandKind.FORGET_THAT, known.jokes),
    ):
        is_denied = phrases is known.jokes and place > 0 and negates(words[place - 1])
        if (length := phrases.length_at(words, place)) and not is_denied:
            yield Forgetting(kind=kind, end=place + length)
    if length := length_of_unwanted(words, place, known) or _length_of_erasing(words, place, known):
        yield Forgetting(kind=CommandKind.FORGET_THAT, end=place + length)
    if is_polite and (length := known.forget_everything_asked.length_at(words, place)):
        yield Forgetting(kind=CommandKind.FORGET_EVERYTHING, end=place + length)
    yield from _slot_readings(words, place, code, is_polite=is_polite)
    yield from _named_readings(words, place, known)


def _length_of_erasing(words: Phrase, place: int, known: FactWords) -> int:
    """How many words say at a place that "that" is to be erased from memory; 0 if none do."""
    verb = known.erase_verbs.length_at(words, place)
    first = _after_please(words, place + verb, known)
    thing = known.unwanted_things.length_at(words, first) if verb else 0
    end = _after_please(words, first + thing, known)
    source = known.from_memory.length_at(words, end) if thing else 0
    return end + source - place if source else 0


def _named_readings(words: Phrase, place: int, known: FactWords) -> Iterator[Forgetting]:
    """Things of the user's behind the verb; a request for it may only ask whether it is done."""
    length = known.forget_verbs.length_at(words, place)
    if known.from_memory.are_in(words):
        length = length or known.erase_verbs.length_at(words, place)
    if length and "?" not in words:
        first = _after_please(words, place + length, known)
        for thing, end in things_at(words, first, known):
            yield Forgetting(kind=CommandKind.FORGET_NAMED, end=end, thing=thing)


def _slot_readings(
    words: Phrase, place: int, code: str, *, is_polite: bool
) -> Iterator[Forgetting]:
    """Slots behind the verb, or before it: "wil je mijn naam vergeten"."""
    known = fact_words(code)
    is_erased = known.from_memory.are_in(words)
    verbs = [known.forget_verbs]
    verbs += [known.erase_verbs] if is_erased else []
    verbs += [known.forget_verbs_asked] if is_polite else []
    for verb in verbs:
        if length := verb.length_at(words, place):
            first = _after_please(words, place + length, known)
            slots, end = _slots_at(words, first, code)
            if slots:
                yield Forgetting(kind=CommandKind.FORGET_SLOTS, end=end, slots=slots)
    if is_polite:
        slots, end = _slots_at(words, _after_please(words, place, known), code)
        length = known.forget_verbs_asked.length_at(words, end)
        if slots and length:
            yield Forgetting(kind=CommandKind.FORGET_SLOTS, end=end + length, slots=slots)


def _slots_at(words: Phrase, place: int, code: str) -> tuple[frozenset[Slot], int]:
    """The slots that are listed from a place on, and the place after them."""
    joints = fact_words(code).joints
    slots: set[Slot] = set()
    end = place
    while found := slot_at(words, place, code):
        slot, length = found
        slots.add(slot)
        end = place = place + length
        while place < len(words) and (words[place] == "," or joints.length_at(words, place)):
            place += 1
    return frozenset(slots), end


def _after_please(words: Phrase, place: int, known: FactWords) -> int:
    """The place after a "please" and the commas around it."""
    while place < len(words) and (words[place] == "," or known.please.length_at(words, place)):
        place += known.please.length_at(words, place) or 1
    return place
