"""The words by which users deny what was known: `denials.toml`."""

from dataclasses import dataclass
from functools import cache

from recollect.domain.facts.reading.plain.languages import phrases_of
from recollect.domain.speech.phrases import Phrases


@dataclass(frozen=True, slots=True, kw_only=True)
class DenialWords:
    """Phrases of one language, without accents and in small letters."""

    negations: Phrases
    """What makes a denial of a sentence: "don't"."""
    contracted: Phrases
    """The same in one word with a verb, which stays: "isn't"."""
    particles: Phrases
    """What goes along with a negation: the French "ne"."""
    emphasis: Phrases
    """What changes nothing of what is denied: "any more"."""
    more: Phrases
    """What counts things before a noun, and is emphasis elsewhere: "any more"."""
    small: Phrases
    """What a denial and what it denies need not share: "a"."""
    over: Phrases
    """What makes a denial one of something that was so before: "any more"."""
    reasons: Phrases
    """What a reason surely begins with: "because of"."""
    purposes: Phrases
    """What a reason or something else begins with: "for the"."""
    relatives: Phrases
    """With what a sentence goes on to tell more of its last noun: "that", "called"."""
    limits: Phrases
    """With what behind a negation a part is denied alone: "only"."""


@cache
def denial_words(code: str) -> DenialWords:
    """The words of one of the `LANGUAGES`."""
    return phrases_of(DenialWords, "denials", code)
