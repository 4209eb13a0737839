"""How users name what facts are about, say it and ask for it: `slot_names.toml`."""

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from recollect.domain.facts.slots import Slot
from recollect.domain.speech.phrases import LANGUAGES, Phrase, Phrases, words_in


def slot_at(words: Phrase, place: int, code: str) -> tuple[Slot, int] | None:
    """The slot that is named at a place, and how many words its name has."""
    found = ((phrases.length_at(words, place), slot) for slot, phrases in _names(code).items())
    length, slot = max(found, default=(0, Slot.OTHER))
    return (slot, length) if length else None


def slots_named(nouns: Phrase) -> frozenset[Slot]:
    """The slots that a noun of the user's may mean: "job"."""
    return frozenset(
        slot for code in LANGUAGES for slot, phrases in _nouns(code).items() if nouns in phrases
    )


def tells_slot(content: str, slot: Slot) -> bool:
    """Whether a sentence begins as one about a slot does: "My name is …", "My address: …"."""
    words = words_in(content)
    return any(_tells(words, slot, code) for code in LANGUAGES)


def slots_asked(question: str) -> frozenset[Slot]:
    """What a question asks for, if it asks for nothing else: "Where do I live now?"."""
    words = words_in(question)
    return frozenset(
        slot
        for code in LANGUAGES
        for slot, phrases in _questions(code).items()
        if _is_question(words, phrases, code)
    )


def length_of_saying(words: Phrase, slot: Slot, code: str) -> int:
    """How many words a sentence begins with that tell a slot, as "my name is"; 0 if none do."""
    sayings = _sayings(code).get(slot)
    return sayings.length_at(words) if sayings else 0


def _tells(words: Phrase, slot: Slot, code: str) -> bool:
    names, sayings = _names(code).get(slot), _sayings(code).get(slot)
    if sayings and sayings.length_at(words):
        return True
    length = names.length_at(words) if names else 0
    return length > 0 and words[length : length + 1] == (":",)


def _is_question(words: Phrase, phrases: Phrases, code: str) -> bool:
    length = phrases.length_at(words)
    if not length:
        return False
    rest = tuple(word for word in words[length:] if word != ",")
    return not rest or rest in _question_ends(code)


@cache
def _names(code: str) -> Mapping[Slot, Phrases]:
    return _phrases("names", code)


@cache
def _nouns(code: str) -> Mapping[Slot, Phrases]:
    return _phrases("nouns", code)


@cache
def _sayings(code: str) -> Mapping[Slot, Phrases]:
    return _phrases("sayings", code)


@cache
def _questions(code: str) -> Mapping[Slot, Phrases]:
    return _phrases("questions", code)


@cache
def _question_ends(code: str) -> Phrases:
    ends: Mapping[str, str] = tomllib.loads(_text())["question_ends"]
    return Phrases.parse(ends[code])


def _phrases(kind: str, code: str) -> Mapping[Slot, Phrases]:
    tables: Mapping[str, str] = tomllib.loads(_text())[kind][code]
    return {Slot(slot): Phrases.parse(phrases) for slot, phrases in tables.items()}


def _text() -> str:
    return files(__package__).joinpath("slot_names.toml").read_text("utf-8")
