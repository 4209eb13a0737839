"""Statements that something is as it was not before: "Ik mag weer gluten eten".

They are never more of what was known, and one of the first kind ends what excludes the same thing.
"""

from collections.abc import Iterator
from typing import Final

from recollect.domain.facts.reading.languages import fact_words
from recollect.domain.facts.reading.paraphrase import negates
from recollect.domain.facts.reading.plain.languages.changes import ChangeWords, change_words
from recollect.domain.facts.reading.wording import names_user
from recollect.domain.language import is_common_word
from recollect.domain.speech.phrases import LANGUAGES, Phrase, words_in

_MOST_BETWEEN: Final = 2
"""Small words between "no" and what is excluded."""
_SHORTEST: Final = 3
"""Letters of what is excluded before an ending: not the "on" of "onvrij"."""


def tells_change(content: str) -> bool:
    """Whether a sentence says that something is so again, or no longer."""
    words = words_in(content)
    known = [change_words(code) for code in LANGUAGES]
    return any(one.again.are_in(words) or one.over.are_in(words) for one in known)


def resumes(content: str, other: str) -> bool:
    """Whether a sentence says that the user has something again that the other excludes.

    "I can eat gluten again" ends "I eat gluten-free", and "my son can eat gluten again" does not.
    """
    words = words_in(content)
    is_again = any(_is_had_again(words, change_words(code)) for code in LANGUAGES)
    if not is_again or negates(content) or not _are_of_user(words, content):
        return False
    if not _are_of_user(words_in(other), other):
        return False
    return not _excluded(words_in(other)).isdisjoint(set(words) - _excluded(words))


def only_mentions(content: str, other: str) -> bool:
    """Whether a sentence is about what the other excludes, and not about having it again.

    "I spilled coffee again" says nothing against "I drink no coffee".
    """
    words = words_in(content)
    is_again = any(change_words(code).again.are_in(words) for code in LANGUAGES)
    return (
        is_again
        and not resumes(content, other)
        and not _excluded(words_in(other)).isdisjoint(words)
    )


def _is_had_again(words: Phrase, known: ChangeWords) -> bool:
    """Whether the user has or eats something again, and does not want it, or buy it for others."""
    is_again = known.again.are_in(words) and known.had.are_in(words)
    return is_again and not (known.for_others.are_in(words) or known.wished.are_in(words))


def _are_of_user(words: Phrase, content: str) -> bool:
    """Whether a sentence has a word for the user, and is not about something of theirs."""
    return names_user(content) and not any(
        fact_words(code).owners.length_at(words) for code in LANGUAGES
    )


def _excluded(words: Phrase) -> set[str]:
    """The things that a sentence says the user does without."""
    return {word for code in LANGUAGES for word in _excluded_by(words, change_words(code))}


def _excluded_by(words: Phrase, known: ChangeWords) -> Iterator[str]:
    for at in known.without.places_in(words):
        first = at + known.without.length_at(words, at)
        things = words[first : first + _MOST_BETWEEN + 1]
        yield from [word for word in things if not is_common_word(word)][:1]
    before = (words[at - 1] for at in known.free.places_in(words) if at)
    yield from (word for word in before if not is_common_word(word))
    for word in words:
        endings = (at for at in range(_SHORTEST, len(word)) if (word[at:],) in known.free_endings)
        yield from (word[:at] for at in endings)
