"""The words by which users set right what they have just said: `corrections.toml`."""

from dataclasses import dataclass
from functools import cache

from recollect.domain.facts.reading.plain.languages import phrases_of
from recollect.domain.speech.phrases import Phrases


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrectionWords:
    """Phrases of one language, without accents and in small letters."""

    opening: Phrases
    """How such a sentence begins: "no"."""
    before: Phrases
    """What may stand before the new value: "in"."""
    instead_of: Phrases
    """What stands before the old value: "not"."""
    but: Phrases
    """What stands between the old value and the new one: "but"."""
    meaning: Phrases
    """The ends of openings after which a bare name is the new value: "I meant"."""
    denying: Phrases
    """Openings that only say no."""
    retracting: Phrases
    """The ends of openings that take something back, after which a bare first name is a value."""
    before_date: Phrases
    """What may stand before a day: "on"."""
    offers: Phrases
    """How the assistant asks what it should do: "shall I"."""
    checks: Phrases
    """How a reply asks nothing about the user: "how can I help", "is that right"."""
    noted: Phrases
    """Words of a reply that only says that it was heard: "okay"."""


@cache
def correction_words(code: str) -> CorrectionWords:
    """The words of one of the `LANGUAGES`."""
    return phrases_of(CorrectionWords, "corrections", code)
