"""Sentences that deny a statement word for word, and nothing else: "I don't live in Hull any more".

"I don't live in Hull alone" and "I don't work at Shell on Fridays" deny something else: a word more
than the statement has is no plain denial of it.
"""

from collections.abc import Iterator
from typing import Final

from recollect.domain.facts.reading.commands.openings import after_openers
from recollect.domain.facts.reading.cut_words import place_behind_other
from recollect.domain.facts.reading.languages import fact_words
from recollect.domain.facts.reading.plain.languages.denials import DenialWords, denial_words
from recollect.domain.facts.reading.plain.languages.slots import plain_slot_words
from recollect.domain.language import is_common_word
from recollect.domain.speech.phrases import LANGUAGES, Phrase, Phrases, words_in

_SAME: Final = {"j": "je"}
"""Words that are written in two ways: French "je" before a vowel."""
_CONTRACTED: Final = "n"
"""What is left of "not" at the end of "isn"."""


def denied_words(words: Phrase, code: str) -> Phrase:
    """The words of what a sentence of one language denies; none if it is no plain denial."""
    known = denial_words(code)
    words = words[place_behind_other(words, code) :]
    place = after_openers(words, 0, fact_words(code))
    said = _without_reason(tuple(word for word in words[place:] if word != ","), known)
    negations = [*known.negations.places_in(said), *known.contracted.places_in(said)]
    is_denial = bool(negations) or known.particles.are_in(said)
    if any(_limits(said, known)) or _counts_more(said, known):
        return ()
    affirmed = _bare(_affirmed(said, known), known)
    return affirmed if is_denial and _is_of_user(affirmed, code) else ()


def bare_words(content: str) -> Iterator[Phrase]:
    """The words of a statement that a denial of it has too, as each language tells them."""
    words = words_in(content)
    for code in LANGUAGES:
        known = denial_words(code)
        if not any(one.are_in(words) for one in (known.negations, known.contracted)):
            yield _bare(_without(words, plain_slot_words(code).adverbs), known)


def limits_in(content: str) -> frozenset[str]:
    """The words by which a sentence denies a part alone: "only" of "I don't only work at Shell"."""
    words = words_in(content)
    return frozenset(word for code in LANGUAGES for word in _limits(words, denial_words(code)))


def _limits(words: Phrase, known: DenialWords) -> Iterator[str]:
    negations = (known.negations, known.contracted)
    ends = [at + one.length_at(words, at) for one in negations for at in one.places_in(words)]
    for place in (place for end in ends for place in (end, end + 1)):
        yield from words[place : place + known.limits.length_at(words, place)]


def _counts_more(words: Phrase, known: DenialWords) -> bool:
    """Whether a noun follows "any more": "I don't have any more children" has those it has."""
    ends = (at + known.more.length_at(words, at) for at in known.more.places_in(words))
    return any(end < len(words) and not is_common_word(words[end]) for end in ends)


def _without_reason(words: Phrase, known: DenialWords) -> Phrase:
    """The words of what is over, without why: "I don't live in Hull any more" "because of rain"."""
    place = next((at for at in known.reasons.places_in(words) if at), len(words))
    return words[:place] if known.over.are_in(words[:place]) else words


def _affirmed(words: Phrase, known: DenialWords) -> Phrase:
    """The words of a denial without its negation; none if it has two."""
    left: list[str] = []
    negations = at = 0
    while at < len(words):
        contracted = known.contracted.length_at(words, at)
        negation = known.negations.length_at(words, at)
        if contracted:
            left.append(words[at].removesuffix(_CONTRACTED))
        dropped = contracted or negation or known.particles.length_at(words, at)
        left += [] if dropped else [words[at]]
        negations += bool(contracted or negation)
        at += dropped or 1
    return tuple(left) if negations <= 1 else ()


def _bare(words: Phrase, known: DenialWords) -> Phrase:
    """Words without emphasis and articles."""
    left = _without(_without(words, known.emphasis), known.small)
    return tuple(_SAME.get(word, word) for word in left)


def _without(words: Phrase, phrases: Phrases) -> Phrase:
    left: list[str] = []
    at = 0
    while at < len(words):
        length = phrases.length_at(words, at)
        left += [] if length else [words[at]]
        at += length or 1
    return tuple(left)


def _is_of_user(words: Phrase, code: str) -> bool:
    """Whether words begin with the user, something of theirs, or what they do."""
    known = fact_words(code)
    return any(one.length_at(words) for one in (known.subjects, known.owners, known.own_verbs))
