"""What a sentence tells more of its last noun: "I have a bike, a red Gazelle", "a dog that barks".

A denial of the rest denies it all: who has no bike any more has no red Gazelle either.
"""

from collections.abc import Iterator
from typing import Final

from recollect.domain.facts.reading.languages import fact_words
from recollect.domain.facts.reading.plain.languages.denials import denial_words
from recollect.domain.speech.phrases import LANGUAGES, Phrase
from recollect.domain.speech.spoken import Part
from recollect.domain.speech.tokens import Token, tokens_of

_GERMAN: Final = "de"
_MIN_HEAD: Final = 3
"""The fewest words before a tail: "I have bikes"."""
_MOST_WORDS: Final = 40
_ME: Final = frozenset({"me", "mij", "mich", "mir", "moi", "us", "ons", "uns", "nous", "nos"})


def heads_of(content: str) -> Iterator[str]:
    """The sentence without what it tells more of its last noun, as each language reads it.

    None if something else may be told there: "I have a dog, a cat and a horse".
    """
    tokens = tuple(tokens_of(Part(start=0, text=content.rstrip(" .!"))))
    if len(tokens) > _MOST_WORDS:
        return
    for code in LANGUAGES:
        place = _tail(content, tokens, code)
        if place >= _MIN_HEAD:
            yield content[: tokens[place - 1].end]


def _tail(content: str, tokens: tuple[Token, ...], code: str) -> int:
    """Where the tail begins, with its comma if it has one; 0 if there is none."""
    words = tuple(token.word for token in tokens)
    known = denial_words(code)
    for at in range(1, len(words)):
        is_comma = words[at] == ","
        if not is_comma and (code == _GERMAN or not known.relatives.length_at(words, at)):
            continue
        first = at + 1 if is_comma else at
        rest = words[first:]
        if "," in rest or _tells_of_others(rest, code):
            return 0
        is_more = known.relatives.length_at(rest) > 0
        return at if is_more or (is_comma and _is_apposition(content, tokens[first:], code)) else 0
    return 0


def _tells_of_others(words: Phrase, code: str) -> bool:
    """Whether what is told more is of the user or of somebody of theirs as well."""
    known = fact_words(code)
    is_of_user = not _ME.isdisjoint(words)
    return is_of_user or any(one.are_in(words) for one in (known.joints, known.owners))


def _is_apposition(content: str, tokens: tuple[Token, ...], code: str) -> bool:
    """Whether words are another name of the same thing: "a red Gazelle", but not "a Siamese cat".

    In German every noun has a capital, and nothing tells a name from a thing.
    """
    words = tuple(token.word for token in tokens)
    length = denial_words(code).small.length_at(words)
    is_named = len(words) > length + 1 and content[tokens[-1].start].isupper()
    return length > 0 and code != _GERMAN and is_named
