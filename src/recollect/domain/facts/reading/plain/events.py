"""What users say is over, without a word of what was known: "I got fired yesterday".

Only a sentence that says nothing else tells of an event: "I got fired up" and "I quit my job in
2015" are none. What it ends is found among the known facts by `ended_by` of `facts.events`.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from recollect.domain.facts.reading.commands.openings import after_openers
from recollect.domain.facts.reading.languages import fact_words
from recollect.domain.facts.reading.own_words import readable_parts
from recollect.domain.facts.reading.plain.languages.events import EventWords, event_words
from recollect.domain.facts.reading.plain.languages.slots import plain_slot_words
from recollect.domain.speech.phrases import LANGUAGES, Phrase, Phrases
from recollect.domain.speech.spoken import Part, sentences_of
from recollect.domain.speech.tokens import Token, tokens_of

_MOST_WORDS: Final = 20
"""Of such a sentence."""
_MOST_SUBJECT: Final = 7
"""The most words of an appointment: "my appointment with the dentist"."""
_MOST_NAME: Final = 2
"""The most words of an animal's name."""


class EventKind(StrEnum):
    """What is over, or on another day."""

    JOB_ENDED = "job_ended"
    PARTED = "parted"
    DIVORCED = "divorced"
    DIED = "died"
    MOVED = "moved"


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """A sentence of the user that says that something is over."""

    kind: EventKind
    quote: str
    """Verbatim from the message."""
    named: Phrase = ()
    """Whom or what it names: the employer, the partner, the animal's name, the appointment."""
    animal: Phrase = ()
    """Which animal has died, if it is said: "dog"."""


def events_in(text: str) -> Iterator[Event]:
    """The events that a user's message tells, each in a sentence of its own."""
    sentences = (one for part in readable_parts(text) for one in sentences_of(part))
    for sentence in sentences:
        quote = sentence.text.strip().rstrip(".!")
        tokens = tuple(tokens_of(Part(start=0, text=quote)))
        if not quote or "?" in sentence.text or len(tokens) > _MOST_WORDS:
            continue
        found = (_event(quote, tokens, code) for code in LANGUAGES)
        yield from [one for one in found if one][:1]


def _event(quote: str, tokens: tuple[Token, ...], code: str) -> Event | None:
    known = event_words(code)
    start = after_openers(tuple(token.word for token in tokens), 0, fact_words(code))
    left = _without(tokens[start:], known.lately)
    words = tuple(token.word for token in left)
    if not words or any(not word[0].isalnum() for word in words):
        return None
    readings = (
        _job_ended(quote, words, code),
        _parted(quote, words, known),
        _died(quote, left, code),
        _moved(quote, words, code),
    )
    return next((one for one in readings if one), None)


def _without(tokens: tuple[Token, ...], phrases: Phrases) -> tuple[Token, ...]:
    """The tokens without these phrases and the commas beside them."""
    words = tuple(token.word for token in tokens)
    kept: list[Token] = []
    at = 0
    while at < len(tokens):
        length = phrases.length_at(words, at)
        if not length and (words[at] != "," or kept):
            kept.append(tokens[at])
        at += length or 1
    while kept and kept[-1].word == ",":
        kept.pop()
    return tuple(kept)


def _job_ended(quote: str, words: Phrase, code: str) -> Event | None:
    known = event_words(code)
    length, left = known.job_ended.length_at(words), known.job_left.length_at(words)
    if left > length and words[left:]:
        return Event(kind=EventKind.JOB_ENDED, quote=quote, named=words[left:])
    rest = words[length:]
    at = plain_slot_words(code).employed_at.length_at(rest)
    if not length or (rest and not at):
        return None
    return Event(kind=EventKind.JOB_ENDED, quote=quote, named=rest[at:])


def _parted(quote: str, words: Phrase, known: EventWords) -> Event | None:
    if known.divorced.length_at(words) == len(words):
        return Event(kind=EventKind.DIVORCED, quote=quote)
    if words not in known.parted:
        return None
    return Event(kind=EventKind.PARTED, quote=quote, named=known.parted[words])


def _died(quote: str, tokens: tuple[Token, ...], code: str) -> Event | None:
    """An animal of the user's that has died, or somebody with a name, which may be one."""
    known, words = event_words(code), tuple(token.word for token in tokens)
    verb = next((at for at in known.died.places_in(words) if _ends(words, at, known.died)), 0)
    who = words[:verb]
    animal: Phrase = ()
    if owned := fact_words(code).owners.length_at(who):
        length = known.pets.length_at(who, owned)
        animal, who = who[owned : owned + length], who[owned + length :]
        if not length:
            return None
    place = verb - len(who)
    is_name = all(quote[token.start].isupper() for token in tokens[place:verb])
    if len(who) > _MOST_NAME or not is_name or not (who or animal):
        return None
    return Event(kind=EventKind.DIED, quote=quote, named=who, animal=animal)


def _ends(words: Phrase, at: int, phrases: Phrases) -> bool:
    return at + phrases.length_at(words, at) == len(words)


def _moved(quote: str, words: Phrase, code: str) -> Event | None:
    """Something of the user's, or something known to them, that is on another day."""
    known, owned = event_words(code), fact_words(code)
    if not (owned.owners.length_at(words) or owned.articles.length_at(words)):
        return None
    for at in range(2, min(_MOST_SUBJECT, len(words)) + 1):
        length = known.moved.length_at(words, at)
        day = words[at + length :]
        ends = any(_ends(day, end, known.moved_end) for end in range(1, len(day)))
        if length and tells_day(day, known) and (ends or not known.has_moved_end):
            return Event(kind=EventKind.MOVED, quote=quote, named=words[:at])
    return None


def tells_day(words: Phrase, known: EventWords) -> bool:
    """Whether some words say when something is: "Friday at 9"."""
    return known.days.are_in(words) or any(word[0].isdigit() for word in words)
