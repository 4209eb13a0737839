"""The words of each language that reading what users state needs: a TOML file each.

Words are kept without accents, as `fold` leaves them. A text of an unknown language is read with
the words of all.
"""

import tomllib
from dataclasses import dataclass, fields
from functools import cache
from importlib.resources import files
from typing import Final

from recollect.domain.language import fold

_INSTALLED: Final = ("en", "nl", "de", "fr", "es")
_SHORTEST_VERB: Final = 7  # "tenemos"; "ramos" is none
_LABELS: Final = ("user_label", "assistant_label", "open_question_label")
_PHRASES: Final = frozenset(["decision_phrases", "please", "subordinators", "deferrals", "offers"])


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryWords:
    """Labels as a summary writes them; words and phrases folded."""

    user_label: str
    assistant_label: str
    open_question_label: str
    self_words: frozenset[str]
    """Words by which users speak of themselves: "I", "our"."""
    self_endings: frozenset[str]
    """Endings of verbs that need no pronoun: "tenemos"."""
    possessives: frozenset[str]
    being: frozenset[str]
    """Words between users and what they say they are."""
    wishes: frozenset[str]
    please: frozenset[str]
    habits: frozenset[str]
    """Words that tell a wish or a habit, and stand in chatter as often: "always"."""
    asking: frozenset[str]
    """Words that open a request to the assistant: "can you"."""
    decisions: frozenset[str]
    decision_phrases: frozenset[str]
    negations: frozenset[str]
    naming: frozenset[str]
    """Words before a name in a language that writes every noun with a capital."""
    name_followers: frozenset[str]
    """Words after the first word of a sentence that make it likely to be a name."""
    question_openers: frozenset[str]
    conjunctions: frozenset[str]
    """Words that may stand before a question's first word."""
    subordinators: frozenset[str]
    """Words and phrases that join a statement to a question: "given that"."""
    deferrals: frozenset[str]
    """What an answer says that puts a question off, or does not know."""
    offers: frozenset[str]
    """What assistants add for politeness: a sentence with it says nothing."""
    summary_nouns: frozenset[str]
    label_words: frozenset[str]
    """Words that a label such as "Here is the summary:" is made of, besides its noun."""

    def is_self(self, word: str) -> bool:
        """Whether users speak of themselves by a folded word."""
        if word in self.self_words:
            return True
        return len(word) >= _SHORTEST_VERB and word.endswith(tuple(self.self_endings))


def labels_of(role: str) -> frozenset[str]:
    """Return the labels of a user, an assistant or an open question, in small letters.

    The role is `user`, `assistant` or `open_question`; all languages are in.
    """
    return frozenset(getattr(summary_words(code), f"{role}_label").lower() for code in _INSTALLED)


@cache
def summary_words(code: str | None) -> SummaryWords:
    """Return the words of a language; those of all where it is not known, with English labels."""
    if code not in _INSTALLED:
        return _all_words()
    text = files(__name__).joinpath(f"{code}.toml").read_text("utf-8")
    values = tomllib.loads(text)
    for name, value in values.items():
        if name not in _LABELS:
            values[name] = _phrases(value) if name in _PHRASES else frozenset(fold(value).split())
    return SummaryWords(**values)


def _phrases(text: str) -> frozenset[str]:
    return frozenset(filter(None, (" ".join(fold(one).split()) for one in text.split(";"))))


def _all_words() -> SummaryWords:
    known = [summary_words(code) for code in _INSTALLED]
    english = {name: getattr(known[0], name) for name in _LABELS}
    names = [field.name for field in fields(SummaryWords) if field.name not in _LABELS]
    every = {name: frozenset().union(*(getattr(one, name) for one in known)) for name in names}
    return SummaryWords(**(english | every))
