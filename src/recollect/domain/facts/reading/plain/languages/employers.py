"""The words by which a sentence plainly tells who employs the user: `employers.toml`."""

from dataclasses import dataclass
from functools import cache

from recollect.domain.facts.reading.plain.languages import phrases_of
from recollect.domain.speech.phrases import Phrases


@dataclass(frozen=True, slots=True, kw_only=True)
class EmployerWords:
    """Phrases of one language, without accents and in small letters."""

    works_as: Phrases
    """How a sentence begins that a profession follows: "I work as"."""
    employed_at: Phrases
    """What stands between that and the employer: "at"."""
    stays_at: Phrases
    """How a sentence begins that tells where the user is: "I'm at"."""
    as_what: Phrases
    """What makes an employer of that: "as a"."""
    no_jobs: Phrases
    """What somebody is there without working for it: "guest"."""
    accepting: Phrases
    """How a sentence begins that tells of a job that is accepted: "I have"."""
    accepted: Phrases
    """That it is: "accepted"."""
    job_with: Phrases
    """What stands between a job and who offers it: "from"."""
    places: Phrases
    """Cities, countries and tools, where the word before them may stand before an employer."""


@cache
def employer_words(code: str) -> EmployerWords:
    """The words of one of the `LANGUAGES`."""
    return phrases_of(EmployerWords, "employers", code)
