"""Statements that only say what is not so: "I don't live in Paris"."""

import re
from collections.abc import Iterator
from itertools import takewhile
from typing import Final

from recollect.domain.facts.reading.languages import fact_words
from recollect.domain.facts.reading.paraphrase import negates
from recollect.domain.facts.reading.wording import names_user
from recollect.domain.language import is_common_word, split_words
from recollect.domain.speech.phrases import LANGUAGES

_CLAUSES: Final = re.compile(r"[,;:.!?()\u2013\u2014]+")
_TELLING: Final = 2
"""The fewest words of meaning with which a clause about the user says something: "live", "Rome"."""


def only_denies(content: str) -> bool:
    """Whether a sentence denies something and says nothing of what is so instead.

    "I don't live in Paris but in Rome" says where somebody lives, and "My name is Jan, not Piet"
    a name.
    """
    if not negates(content):
        return False
    return not any(_says_something(words, content) for words in _clauses(content))


def _clauses(content: str) -> Iterator[list[str]]:
    """The words of each clause, which "but" begins, too."""
    for part in _CLAUSES.split(content):
        clause: list[str] = []
        for word in split_words(part):
            if _contrasts(word):
                yield clause
                clause = []
            else:
                clause.append(word)
        yield clause


def _contrasts(word: str) -> bool:
    words = (word.lower(),)
    return not negates(word) and any(fact_words(c).contrasts.length_at(words) for c in LANGUAGES)


def _says_something(clause: list[str], content: str) -> bool:
    """Whether a clause has a value: of one with a negation, only the words before that count."""
    told = [*takewhile(lambda word: not negates(word), clause)]
    meant = [word for word in told if not is_common_word(word)]
    if any(word[0].isdigit() for word in meant):
        return True
    if len(told) == len(clause) and any(_is_name(word, content) for word in meant):
        return True
    return len(meant) >= _TELLING and names_user(" ".join(told))


def _is_name(word: str, content: str) -> bool:
    """Whether a word has a capital, which the first one has anyway."""
    return word[0].isupper() and not content.startswith(word)
