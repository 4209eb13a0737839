"""The words by which users say that something is over: `events.toml`."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Final

from recollect.domain.facts.reading.plain.languages import table_of
from recollect.domain.speech.phrases import Phrase, Phrases, words_in

_PARTNER: Final = "PARTNER"


@dataclass(frozen=True, slots=True, kw_only=True)
class EventWords:
    """Phrases of one language, without accents and in small letters."""

    lately: Phrases
    """What may stand anywhere: "yesterday"."""
    job_ended: Phrases
    """That the user has no longer the job they had: "I got fired"."""
    job_left: Phrases
    """The same right before the employer: "I left"."""
    parted: Mapping[Phrase, Phrase]
    """That a couple has parted, with the partner whom it names; nobody if it is empty."""
    partners: Phrases
    """Somebody of whom there is one: "girlfriend"."""
    divorced: Phrases
    """That a marriage has ended: "we got divorced"."""
    spouses: Phrases
    """Those of the partners who are married to the user: "wife"."""
    coupled: Phrases
    """How a fact begins that holds for a couple: "I'm married"."""
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
    parted = _with_partners(tables.pop("parted"), tables["partners"])
    has_end = bool(tables["moved_end"])
    phrases = {name: Phrases.parse(table) for name, table in tables.items()}
    return EventWords(parted=parted, has_moved_end=has_end, **phrases)


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
