"""The words by which a sentence says that something is as it was not before: `changes.toml`."""

from dataclasses import dataclass
from functools import cache

from recollect.domain.facts.reading.plain.languages import phrases_of
from recollect.domain.speech.phrases import Phrases


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeWords:
    """Phrases of one language, without accents and in small letters."""

    again: Phrases
    """What is so again: "again"."""
    over: Phrases
    """What is no longer so: "no longer"."""
    without: Phrases
    """What stands before something that is not had or eaten: "no"."""
    had: Phrases
    """Verbs of what is had again: "eat"."""
    for_others: Phrases
    """What says that something may be for somebody else: "for"."""
    wished: Phrases
    """What says that it is not so yet: "want"."""
    free: Phrases
    """What stands behind it: the "free" of "gluten-free"."""
    free_endings: Phrases
    """With what a word ends that says the same: the "vrij" of "glutenvrij"."""


@cache
def change_words(code: str) -> ChangeWords:
    """The words of one of the `LANGUAGES`."""
    return phrases_of(ChangeWords, "changes", code)
