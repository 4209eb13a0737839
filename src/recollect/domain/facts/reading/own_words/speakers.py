"""Lines that begin with who says them: "My mother: I'm retired", "Jan: I live in Hull".

What follows the label is said by somebody else. "About me: I'm retired" names nobody, and neither
does "My wife: a nurse", which says nothing as "I".
"""

import re
from collections.abc import Sequence
from typing import Final

from recollect.domain.facts.reading.languages import FactWords, fact_words
from recollect.domain.facts.reading.languages.first_names import is_first_name
from recollect.domain.speech.phrases import LANGUAGES, Phrase, spelled_words_in, words_in

_LABEL: Final = re.compile(r"\s{0,10}(?:[-*\u2022]\s{1,3})?(?P<label>[^\W_][^:\n]{0,40}?) ?:(?=\s)")
_MOST_WORDS: Final = 4
"""Of a label: "my sister Ann"."""
_MOST_OF_NAME: Final = 2


def spoken_by_others(lines: Sequence[str]) -> frozenset[int]:
    """The places of those lines that somebody else says.

    A name alone may be the user's own, as in a log; beside another label it is one of those who
    talk in a conversation that is pasted.
    """
    labels = {at: found["label"] for at, line in enumerate(lines) if (found := _LABEL.match(line))}
    are_several = len({words_in(label) for label in labels.values()}) > 1
    return frozenset(
        at
        for at, label in labels.items()
        if (_is_person(label) or (are_several and _is_name(label)))
        and _has_subject(lines[at].partition(":")[2])
    )


def _is_person(label: str) -> bool:
    """Whether a label is somebody of the user's, or who somebody is in a conversation."""
    words = words_in(label)
    return len(words) <= _MOST_WORDS and any(_names(words, fact_words(code)) for code in LANGUAGES)


def _names(words: Phrase, known: FactWords) -> bool:
    first = known.owners.length_at(words) or known.articles.length_at(words)
    length = known.persons.length_at(words, first) or known.speakers.length_at(words, first)
    rest = words[first + length :]
    return length > 0 and all(word.isdigit() or is_first_name(word) for word in rest)


def _is_name(label: str) -> bool:
    """Whether a label may be a name: not "Me", and nothing with a small letter."""
    words = spelled_words_in(label)
    is_user = any(fact_words(code).own_labels.length_at(words_in(label)) for code in LANGUAGES)
    return not is_user and len(words) <= _MOST_OF_NAME and all(one[0].isupper() for one in words)


def _has_subject(text: str) -> bool:
    words = words_in(text)
    return any(fact_words(code).subjects.are_in(words) for code in LANGUAGES)
