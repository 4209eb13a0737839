"""The words by which users speak of work without telling a job of theirs: `work.toml`."""

from dataclasses import dataclass
from functools import cache

from recollect.domain.facts.reading.plain.languages import phrases_of
from recollect.domain.speech.phrases import Phrases


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkWords:
    """Phrases of one language, without accents and in small letters."""

    leaving: Phrases
    """That somebody leaves: "left"."""
    workplace: Phrases
    """What they leave for the day: "the office"."""
    hours: Phrases
    """When they do, which says that it is for the day: "early"."""
    at_hour: Phrases
    """What stands before the hour: "at"."""
    hour_words: Phrases
    """The hour in words: "five"."""
    long: Phrases
    """What says that it is for longer: "for good"."""
    working: Phrases
    """How a sentence begins that may tell at what table somebody sits: "I'm working"."""
    at_spot: Phrases
    """What stands before that: "at"."""
    spot_articles: Phrases
    """What stands between the two: "a"."""
    spots: Phrases
    """Where people sit with their work: "table"."""
    offered: Phrases
    """That something is offered: "offered"."""
    takers: Phrases
    """To whom: "me"."""
    jobs: Phrases
    """What is offered: "position"."""
    offers: Phrases
    """All of it at once: "got a job offer"."""
    accepted: Phrases
    """That it is taken: "accepted"."""


@cache
def work_words(code: str) -> WorkWords:
    """The words of one of the `LANGUAGES`."""
    return phrases_of(WorkWords, "work", code)
