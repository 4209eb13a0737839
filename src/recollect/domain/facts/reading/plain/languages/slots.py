"""The words by which a sentence plainly says where somebody lives or works: `slots.toml`."""

from dataclasses import dataclass
from functools import cache

from recollect.domain.facts.reading.plain.languages import phrases_of
from recollect.domain.speech.phrases import Phrases


@dataclass(frozen=True, slots=True, kw_only=True)
class PlainSlotWords:
    """Phrases of one language, without accents and in small letters."""

    adverbs: Phrases
    """What may stand anywhere in such a sentence: "now"."""
    beside: Phrases
    """What makes a home or an employer one of several: "also"."""
    articles: Phrases
    """What no name of a place begins with: "a"."""
    others: Phrases
    """How a sentence about somebody begins who is named elsewhere: "he"."""
    nobody: Phrases
    """The same where nobody is meant: "il y a"."""
    not_named: Phrases
    """What no name of a place or an employer follows: "a", "my"."""
    spans: Phrases
    """What makes a number one of days or weeks, and no date."""
    home_verbs: Phrases
    """How a sentence about the home begins: "I live"."""
    company: Phrases
    """What stands between the home and those whom the user lives with: "with"."""
    mine: Phrases
    """What somebody of the user's begins with behind it: "my"."""
    moves_home: Phrases
    """How a sentence begins that the new home follows: "I moved to"."""
    moves_work: Phrases
    """How a sentence begins that the new employer follows: "I joined"."""
    starts_at: Phrases
    """The same where a participle follows the employer: "ich habe bei"."""
    started: Phrases
    """That participle: "angefangen"."""
    changes: Phrases
    """How a sentence begins that tells of a change, with or without what is new: "I've moved"."""
    now: Phrases
    """What makes something new: "now"."""
    past_home: Phrases
    """What makes a home one of before, or of once: "lived"."""
    lived_home: Phrases
    """The same, unless it has lasted until now: "have lived"."""
    until_now: Phrases
    """With what it has: "since"."""
    former_work: Phrases
    """What makes an employer one of before: "used to"."""
    sought_work: Phrases
    """What makes an employer one with whom the user would like to work: "applied"."""
    no_home: Phrases
    """How a sentence begins that tells something else of the home: "I live alone"."""
    no_employer: Phrases
    """How a sentence begins that tells something else of the work: "I work nights"."""
    works_in: Phrases
    """How a sentence begins that the place or the field of the work follows: "I work in"."""
    works_at: Phrases
    """How a sentence begins that an employer surely follows: "I work at"."""
    works_maybe: Phrases
    """How a sentence begins that an employer or a place follows: "trabajo en"."""
    employed_by: Phrases
    """What stands before an employer behind it: "for"."""
    employed_at: Phrases
    """What stands between a profession and an employer: "at"."""


@cache
def plain_slot_words(code: str) -> PlainSlotWords:
    """The words of one of the `LANGUAGES`."""
    return phrases_of(PlainSlotWords, "slots", code)
