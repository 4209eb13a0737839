"""Things of another kind than the one that is known: a red bike, where there is a blue one."""

from collections import defaultdict
from functools import partial
from itertools import takewhile
from typing import Final

from recollect.domain.facts.fact import MERGED_BY, Fact
from recollect.domain.facts.reading.languages import FactWords, fact_words
from recollect.domain.facts.reading.plain.languages.denials import DenialWords, denial_words
from recollect.domain.language import is_common_word
from recollect.domain.speech.phrases import LANGUAGES, Phrase, words_in

_BEHIND: Final = frozenset({"fr", "es"})
"""Languages whose adjectives stand behind their noun."""
_MOST_ADJECTIVES: Final = 3
_STEM: Final = 4
"""Letters that the forms of an adjective share: "rote", "rotes"."""


def is_of_other_kind(fact: Fact, content: str) -> bool:
    """Whether both say of what kind the same thing is, and not the same: red, and blue."""
    known = [_kinds_in(words_in(part)) for part in fact.content.split(MERGED_BY)]
    said = _kinds_in(words_in(content))
    return any(
        said[noun] - kinds[noun] and kinds[noun] - said[noun]
        for kinds in known
        for noun in said.keys() & kinds.keys()
    )


def _kinds_in(words: Phrase) -> dict[str, set[str]]:
    """The adjectives of the nouns of a sentence, by noun; of what may be either, both are told."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    for code in LANGUAGES:
        is_article = partial(_is_article, words, fact_words(code), denial_words(code))
        for at in filter(is_article, range(len(words))):
            for noun, adjectives in _nouns_behind(words, at + 1, is_behind=code in _BEHIND).items():
                found[noun] |= {word[:_STEM] for word in adjectives}
    return {noun: kinds for noun, kinds in found.items() if kinds}


def _is_article(words: Phrase, known: FactWords, denied: DenialWords, place: int) -> bool:
    """Whether a noun follows, with or without adjectives: behind "a", "my", "no"; "tengo"."""
    phrases = (denied.small, known.articles, known.owners, denied.negations, known.own_verbs)
    return any(one.length_at(words[place : place + 1]) > 0 for one in phrases)


def _nouns_behind(words: Phrase, place: int, *, is_behind: bool) -> dict[str, tuple[str, ...]]:
    """What may be nouns from a place on, each with what may be its adjectives."""
    near = words[place : place + _MOST_ADJECTIVES + 1]
    told = tuple(takewhile(_means_something, near))
    if is_behind:
        return {told[0]: told[1:2]} if len(told) > 1 else {}
    return {noun: told[:at] for at, noun in enumerate(told) if at}


def _means_something(word: str) -> bool:
    return word[0].isalnum() and not is_common_word(word)
