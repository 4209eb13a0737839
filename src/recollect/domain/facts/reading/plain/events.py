"""What users say is over, without a word of what was known: "I got fired yesterday".

Only a sentence that says nothing else tells of an event: "I got fired up" and "I quit my job in
2015" are none. What it ends is found among the known facts by `ended_by` of `facts.updates.events`.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from recollect.domain.facts.reading.commands.openings import after_openers
from recollect.domain.facts.reading.joined_clauses import begins_move
from recollect.domain.facts.reading.languages import fact_words
from recollect.domain.facts.reading.own_words.detection import readable_parts
from recollect.domain.facts.reading.plain.denying.denials import denied_words
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
"""The most words of the name of an animal or a partner."""


class EventKind(StrEnum):
    """What is over, or on another day."""

    JOB_ENDED = "job_ended"
    PARTED = "parted"
    DIVORCED = "divorced"
    DIED = "died"
    MOVED = "moved"
    DENIED = "denied"
    """A statement is denied word for word."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """A sentence of the user that says that something is over."""

    kind: EventKind
    quote: str
    """Verbatim from the message."""
    named: Phrase = ()
    """Whom or what it names: the employer, the partner, the animal's name, the appointment.

    Of a denial all words of what is denied.
    """
    animal: Phrase = ()
    """Which animal has died, if it is said: "dog"."""
    is_state: bool = False
    """Whether it says what the user is from then on: "I'm retired"."""
    partner: Phrase = ()
    """The name of the partner from whom the user has parted, if it is said."""


def events_in(text: str) -> Iterator[Event]:
    """The events that a user's message tells, each in a sentence of its own."""
    sentences = (one for part in readable_parts(text) for one in sentences_of(part))
    for sentence in sentences:
        quote = sentence.text.strip().rstrip(".!")
        if not quote or "?" in sentence.text or len(_tokens_in(quote)) > _MOST_WORDS:
            continue
        found = ([*_events(quote, code)] for code in LANGUAGES)
        yield from next((events for events in found if events), ())


def _tokens_in(quote: str) -> tuple[Token, ...]:
    return tuple(tokens_of(Part(start=0, text=quote)))


def _events(quote: str, code: str) -> Iterator[Event]:
    """The event of a sentence, or of both clauses that "and" joins: "I got fired and Rex died".

    The second one may also tell of a new home or employer; with anything else, the first one may be
    taken back: "I resigned and then stayed".
    """
    tokens = _tokens_in(quote)
    if event := _event(quote, code):
        yield event
        return
    words = tuple(token.word for token in tokens)
    for joint in fact_words(code).joints.places_in(words):
        if not 0 < joint < len(words) - 1:
            continue
        event = _event(quote[: tokens[joint - 1].end], code)
        second = _event(quote[tokens[joint + 1].start :], code) if event else None
        if event and (second or begins_move(words[:joint], words[joint + 1 :], code)):
            yield from (one for one in (event, second) if one)
            return


def _event(quote: str, code: str) -> Event | None:
    tokens = _tokens_in(quote)
    left = _main_words(tokens, event_words(code).lately, code)
    words = tuple(token.word for token in left)
    if not words or any(not word[0].isalnum() for word in words):
        return None
    readings = (
        _job_ended(quote, words, code) if not _ends_day(tokens, words, code) else None,
        _own_boss(quote, tokens, code),
        _parted(quote, left, code),
        _died(quote, left, code),
        _moved(quote, words, code),
        _denied(quote, tokens, code),
    )
    return next((one for one in readings if one), None)


def _main_words(tokens: tuple[Token, ...], adverbs: Phrases, code: str) -> tuple[Token, ...]:
    """A sentence without what it begins with and some adverbs, its subject first.

    "Gisteren ben ik ontslagen" has the words of "ik ben ontslagen".
    """
    kept = _without(tokens, adverbs)
    left = kept[after_openers(tuple(token.word for token in kept), 0, fact_words(code)) :]
    is_behind = bool(left) and left[0] is not tokens[0]
    words = tuple(token.word for token in left)
    is_inverted = is_behind and fact_words(code).inverted_subjects.length_at(words, 1) > 0
    return (left[1], left[0], *left[2:]) if is_inverted else left


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
    if around := known.job_left_around.name_in(words):
        return Event(kind=EventKind.JOB_ENDED, quote=quote, named=words[slice(*around)])
    rest = words[length:]
    at = plain_slot_words(code).employed_at.length_at(rest)
    if not length or (rest and not at):
        return None
    is_state = known.states.length_at(words) == len(words)
    return Event(kind=EventKind.JOB_ENDED, quote=quote, named=rest[at:], is_state=is_state)


def _ends_day(tokens: tuple[Token, ...], words: Phrase, code: str) -> bool:
    """Whether only the work of a day is done: "I stopped working just now"."""
    known = event_words(code)
    spoken = tuple(token.word for token in tokens)
    return words in known.day_ended and known.of_the_day.are_in(spoken)


def _own_boss(quote: str, tokens: tuple[Token, ...], code: str) -> Event | None:
    """That the user works for nobody else now; without "now" it may be so beside a job."""
    now = plain_slot_words(code).now
    words = tuple(token.word for token in _main_words(tokens, now, code))
    is_new = now.are_in(tuple(token.word for token in tokens))
    if not words or not is_new or event_words(code).own_boss.length_at(words) < len(words):
        return None
    return Event(kind=EventKind.JOB_ENDED, quote=quote, is_state=True)


def _parted(quote: str, tokens: tuple[Token, ...], code: str) -> Event | None:
    known, words = event_words(code), tuple(token.word for token in tokens)
    if known.divorced.length_at(words) == len(words):
        is_state = known.states.length_at(words) == len(words)
        return Event(kind=EventKind.DIVORCED, quote=quote, is_state=is_state)
    if words in known.parted:
        return Event(kind=EventKind.PARTED, quote=quote, named=known.parted[words])
    place = known.parted_around.name_in(words)
    name = tokens[slice(*place)] if place else ()
    if not 0 < len(name) <= _MOST_NAME or not _are_names(quote, name):
        return None
    return Event(kind=EventKind.PARTED, quote=quote, partner=words[slice(*place)] if place else ())


def _are_names(quote: str, tokens: tuple[Token, ...]) -> bool:
    return all(quote[token.start].isupper() for token in tokens)


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
    is_name = _are_names(quote, tokens[place:verb])
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


def _denied(quote: str, tokens: tuple[Token, ...], code: str) -> Event | None:
    """A plain denial; with "today" or the like it may hold for that day alone."""
    denied = denied_words(tuple(token.word for token in tokens), code)
    return Event(kind=EventKind.DENIED, quote=quote, named=denied) if denied else None


def tells_day(words: Phrase, known: EventWords) -> bool:
    """Whether some words say when something is: "Friday at 9"."""
    return known.days.are_in(words) or any(word[0].isdigit() for word in words)
