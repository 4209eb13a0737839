"""The words by which users say where they and others are for the moment: `whereabouts.toml`."""

from dataclasses import dataclass
from functools import cache

from recollect.domain.facts.reading.plain.languages import phrases_of
from recollect.domain.speech.phrases import Phrases


@dataclass(frozen=True, slots=True, kw_only=True)
class WhereaboutsWords:
    """Phrases of one language, without accents and in small letters."""

    being: Phrases
    """How such a sentence begins: "I'm"."""
    posing: Phrases
    """The same, which says something else before a name: "ik zit"."""
    being_of: Phrases
    """What stands between somebody else and where they are: "is"."""
    meanwhile: Phrases
    """What may stand between the verb and the place: "still"."""
    at: Phrases
    """What stands before a place: "on"."""
    at_named: Phrases
    """What stands before the name of a place: "in"."""
    articles: Phrases
    """What may stand before a name: "the"."""
    mine: Phrases
    """What stands before somebody of the user's at whose place they are: "my"."""
    places: Phrases
    """Where people are for a while: "train"."""
    anywhere: Phrases
    """The same without a word before it: "home"."""
    places_of: Phrases
    """Where somebody else is for a while, besides: "school"."""
    busy: Phrases
    """What somebody does for a while, if nothing more is said of it: "sleeping"."""
    until: Phrases
    """What may follow where somebody else is, or what they do: "until"."""
    settled: Phrases
    """What makes it last: "since"."""
    moving: Phrases
    """What makes it last in this sentence or the next one: "I've moved"."""
    callings: Phrases
    """What is written like a place's name and tells what somebody does: "HR"."""
    asked: Phrases
    """What a question asks after which "I'm at Google" tells more: "you work"."""


@cache
def whereabouts_words(code: str) -> WhereaboutsWords:
    """The words of one of the `LANGUAGES`."""
    return phrases_of(WhereaboutsWords, "whereabouts", code)
