"""The words by which users say that something is over: `events.toml`."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Final

from recollect.domain.facts.reading.plain.languages import table_of
from recollect.domain.speech.phrases import Phrase, Phrases, words_in

_PARTNER: Final = "PARTNER"
_NAME: Final = "NAME"
_LONGEST_NAME: Final = 3
_FRAMED: Final = ("job_left", "parted", "married", "coupled")
"""Tables some of whose phrases are around a name."""


class Frames:
    """Phrases around a name, each as the words before and behind it: "NAME and I broke up"."""

    def __init__(self, frames: Iterable[tuple[Phrase, Phrase]]) -> None:
        self._frames = tuple(frames)

    @classmethod
    def parse(cls, text: str) -> "Frames":
        """Those of some phrases that have a `NAME`."""
        halves = (part.split(_NAME) for part in text.split(";") if _NAME in part)
        return cls((words_in(before), words_in(after)) for before, after in halves)

    def name_in(self, words: Phrase) -> tuple[int, int] | None:
        """Where the words begin and end that one of the phrases is around; None if none is."""
        for before, after in self._frames:
            start, end = len(before), len(words) - len(after)
            if start < end and words[:start] == before and words[end:] == after:
                return start, end
        return None

    def follow_name(self, words: Phrase) -> bool:
        """Whether words begin with what follows a name with which a phrase begins."""
        return any(
            not before and after and words[: len(after)] == after for before, after in self._frames
        )

    def begin(self, words: Phrase) -> bool:
        """Whether words begin with one of the phrases around a name of a few words."""
        lengths = range(1, _LONGEST_NAME + 1)
        starts = ((len(before), before, after) for before, after in self._frames)
        return any(
            words[:start] == before and words[start + length :][: len(after)] == after
            for start, before, after in starts
            for length in lengths
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class EventWords:
    """Phrases of one language, without accents and in small letters."""

    lately: Phrases
    """What may stand anywhere: "yesterday"."""
    job_ended: Phrases
    """That the user has no longer the job they had: "I got fired"."""
    job_left: Phrases
    """The same right before the employer: "I left"."""
    job_left_around: Frames
    """The same around the employer: "ich habe bei Bosch gekündigt"."""
    day_ended: Phrases
    """Those that may also say that the day's work is done: "I stopped working"."""
    of_the_day: Phrases
    """With what they say that: "today"."""
    own_boss: Phrases
    """That the user works for nobody else: "I'm self-employed"."""
    states: Phrases
    """Those that say what the user is from then on: "I'm retired"."""
    parted: Mapping[Phrase, Phrase]
    """That a couple has parted, with the partner whom it names; nobody if it is empty."""
    parted_around: Frames
    """The same around the name of the partner: "Tom and I broke up"."""
    partners: Phrases
    """Somebody of whom there is one: "girlfriend"."""
    divorced: Phrases
    """That a marriage has ended: "we got divorced"."""
    spouses: Phrases
    """Those of the partners who are married to the user: "wife"."""
    married: Phrases
    """How a fact begins that holds for a marriage: "I'm married"."""
    married_around: Frames
    coupled: Phrases
    """How a fact begins that holds for a couple: "I'm dating"."""
    coupled_around: Frames
    """The same around the name of the partner: "ich bin mit Jan verheiratet"."""
    died: Phrases
    """What follows an animal that has died: "died"."""
    pets: Phrases
    """Animals, one of each: "dog"."""
    moved: Phrases
    """What stands between an appointment and its new day: "is moved to"."""
    moved_end: Phrases
    """What such a sentence ends with; nothing in most languages."""
    days: Phrases
    """Words of which a day has one, where it has no figure: "Friday"."""
    called: Phrases
    """What stands between somebody and their name: "is called"."""
    has_moved_end: bool
    """Whether it has to."""


@cache
def event_words(code: str) -> EventWords:
    """The words of one of the `LANGUAGES`."""
    tables = table_of("events", code)
    around = {name: Frames.parse(tables[name]) for name in _FRAMED}
    tables |= {name: _without_frames(tables[name]) for name in _FRAMED}
    parted = _with_partners(tables.pop("parted"), tables["partners"])
    has_end = bool(tables["moved_end"])
    phrases = {name: Phrases.parse(table) for name, table in tables.items()}
    return EventWords(
        job_left_around=around["job_left"],
        parted=parted,
        parted_around=around["parted"],
        married_around=around["married"],
        coupled_around=around["coupled"],
        has_moved_end=has_end,
        **phrases,
    )


def _without_frames(table: str) -> str:
    return ";".join(phrase for phrase in table.split(";") if _NAME not in phrase)


def _with_partners(parted: str, partners: str) -> dict[Phrase, Phrase]:
    """Each phrase with each partner in place of `PARTNER`."""
    nouns = [noun.strip() for noun in partners.split(";")]
    found: dict[Phrase, Phrase] = {}
    for phrase in parted.split(";"):
        if _PARTNER in phrase:
            found |= {words_in(phrase.replace(_PARTNER, one)): words_in(one) for one in nouns}
        else:
            found[words_in(phrase)] = ()
    return found
