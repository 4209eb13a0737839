"""Statements that differ in a value alone: "the price is 5 euros", then "the price is 7 euros"."""

from collections.abc import Iterator
from itertools import takewhile
from typing import Final

from recollect.domain.facts.fact import MERGED_BY, Fact, gist_of
from recollect.domain.facts.reading.cut_words import place_behind_other
from recollect.domain.facts.reading.languages import fact_words, phrases_of_all
from recollect.domain.facts.reading.paraphrase import negates
from recollect.domain.facts.reading.plain.denying.denials import limits_in
from recollect.domain.language import is_common_word
from recollect.domain.speech.phrases import LANGUAGES, Phrase, words_in

_MOST_WORDS: Final = 40
"""Of a statement; longer ones are hardly the same but for a value."""
_LONGEST_VALUE: Final = 4
_EMPHASIS: Final = frozenset(
    (
        *("actually", "really", "anymore", "any", "longer", "eigenlijk", "echt", "meer", "langer"),
        *("eigentlich", "wirklich", "mehr", "vraiment", "plus", "realmente", "ya"),
        *("again", "weer", "opnieuw", "wieder", "nouveau", "vez", "nuevo"),
        *("turns", "turned", "apparently", "luckily", "blijkt", "blijkbaar", "toch", "gelukkig"),
        *("doch", "anscheinend", "offenbar", "finalement", "apparemment"),
    )
)
"""Words that change nothing of what is denied."""
_AFTER_ALL: Final = (" after all", "al final ")
"""The same of several words, one of which alone would change something: "all"."""
_CONTRACTED: Final = frozenset(
    (
        *("don", "doesn", "didn", "isn", "aren", "wasn", "weren", "ain", "haven", "hasn", "hadn"),
        *("wouldn", "couldn", "shouldn"),
    )
)
"""What a gist has of "don't" and the like."""
_PAIR: Final = 2
_FRAME: Final = 2
"""The fewest words before a value, if none of them means something by itself: "I am"."""


def has_other_value(fact: Fact, gist: str) -> bool:
    """Whether a fact says the same but for its last words: "I like tea", then "I like coffee"."""
    return any(_value_place(old, gist.split()) for old in _parts(fact))


def replaces_value(fact: Fact, gist: str) -> bool:
    """Whether a statement gives the only value of something anew: "our budget is 20k" after 10k.

    "My brother is vegetarian" does not end "my brother is allergic to nuts".
    """
    new = gist.split()
    return any(_has_new_figure(old, new) or _has_new_name(old, new) for old in _parts(fact))


def has_other_figures(fact: Fact, gist: str) -> bool:
    """Whether both tell figures, and none is the same."""
    old, new = ({word for word in one.split() if _is_figure(word)} for one in (fact.gist, gist))
    return bool(old) and bool(new) and old.isdisjoint(new)


def denies(fact: Fact, content: str) -> bool:
    """Whether a statement denies what a fact says, or says what it denies: "I'm not allergic"."""
    meant = _meant(gist_of(content))
    if not meant or negates(fact.content) == negates(content):
        return False
    if not limits_in(content) <= set(words_in(fact.content)):
        return False
    return _meant(fact.gist) == meant


def names_nothing_else(fact: Fact, gist: str) -> bool:
    """Whether a statement has no word of meaning that a fact lacks: "I don't live there"."""
    return _meant(gist) <= words_of_meaning(fact.gist)


def tells_beside(fact: Fact, gist: str) -> bool:
    """Whether a fact joins something to what a statement names: the cat of "a dog and a cat".

    The first thing has the verb beside it, which names nothing: "I'm allergic to nuts and milk".
    """
    told = words_in(fact.content)
    subject = max(place_behind_other(told, code) for code in LANGUAGES)  # "my wife and I"
    parts = [part for part in _joined(told[subject:]) if part]
    named = {word for word in words_in(gist) if _has_meaning(word)}
    if len(parts) < _PAIR or named.isdisjoint(set().union(*parts)):
        return False
    return any(named.isdisjoint(part) for part in parts[1:]) or not parts[0] <= named


def _joined(words: Phrase) -> Iterator[set[str]]:
    """The words of meaning of each of the things that "and" or several commas join.

    A comma alone may tell more of the same thing: "a bike, a red Gazelle".
    """
    joints = {word for word in words if word == "&" or (word,) in phrases_of_all("pairs")}
    joints |= {","} if joints or words.count(",") > 1 else set()
    part: set[str] = set()
    for word in words:
        if word in joints:
            yield part
            part = set()
        elif _has_meaning(word):
            part.add(word)
    yield part


def _has_meaning(word: str) -> bool:
    """Whether a word means something by itself; the "m" of "I'm" does not."""
    return len(word) > 1 and not is_common_word(word)


def words_of_meaning(gist: str) -> set[str]:
    """The words of a gist that mean something by themselves."""
    return {word for word in gist.split() if not is_common_word(word)}


def _meant(gist: str) -> set[str]:
    for phrase in _AFTER_ALL:
        gist = gist.replace(phrase, " ")
    words = words_of_meaning(gist) - _EMPHASIS - _CONTRACTED
    return {word for word in words if not negates(word)}


def _parts(fact: Fact) -> Iterator[list[str]]:
    return (gist_of(part).split() for part in fact.content.split(MERGED_BY))


def _value_place(old: list[str], new: list[str]) -> int:
    """Where the last words begin in which both differ; 0 if they differ otherwise."""
    if max(len(old), len(new)) > _MOST_WORDS:
        return 0
    same = len([*takewhile(lambda pair: pair[0] == pair[1], zip(old, new, strict=False))])
    if all(map(is_common_word, new[:same])) and same < _FRAME:
        return 0
    values = old[same:], new[same:]
    is_value = all(0 < len(one) <= _LONGEST_VALUE for one in values)
    means_something = all(not all(map(is_common_word, one)) for one in values)
    is_like = not _is_within(*values) and not _is_within(*reversed(values))
    return same if is_value and means_something and is_like else 0


def _is_within(some: list[str], others: list[str]) -> bool:
    """Whether a value is in the other one, which then tells more or less of the same."""
    return set(some) <= set(others)


def _has_new_figure(old: list[str], new: list[str]) -> bool:
    """Whether only figures differ, at their places."""
    if len(old) != len(new) or len(new) > _MOST_WORDS:
        return False
    changed = [pair for pair in zip(old, new, strict=True) if pair[0] != pair[1]]
    return bool(changed) and all(_is_figure(one) for pair in changed for one in pair)


def _is_figure(word: str) -> bool:
    return any(character.isdigit() for character in word)


def _has_new_name(old: list[str], new: list[str]) -> bool:
    """Whether something that is named has another value of as many words."""
    place = _value_place(old, new)
    return bool(place) and len(old) == len(new) and _names(tuple(new[:place]))


def _names(words: tuple[str, ...]) -> bool:
    """Whether these words name a thing and the verb that its only value follows."""
    known = [fact_words(code) for code in LANGUAGES]
    for naming in (one.naming for one in known):
        for at in naming.places_in(words):
            subject, after = words[:at], words[at + naming.length_at(words, at) :]
            is_thing = any(not is_common_word(word) for word in subject)
            if is_thing and not any(one.one_of_many.are_in(after) for one in known):
                return True
    return False
