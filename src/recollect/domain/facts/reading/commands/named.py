"""Things of the user's that a command names by a noun: "forget my bike", "vergeet mijn allergie".

What the noun means is told by the facts: exactly one must be about it, and no other mention it.
"""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from recollect.domain.facts.fact import MERGED_BY, Fact
from recollect.domain.facts.reading.belongings import belongs_to_another, is_about_another
from recollect.domain.facts.reading.languages import FactWords, fact_words
from recollect.domain.facts.reading.languages.slot_names import slots_named
from recollect.domain.language import is_common_word
from recollect.domain.speech.phrases import LANGUAGES, Phrase, words_in

_MOST_NOUNS: Final = 2
"""Words behind "my": "phone number"."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedFacts:
    """What a noun may mean among some facts."""

    certain: Fact | None
    """The only one that it can mean; None if there is none, or any doubt."""
    possible: tuple[Fact, ...]
    """All that are about it or mention it."""


def nouns_at(words: Phrase, place: int, known: FactWords) -> Iterator[Phrase]:
    """The nouns behind a possessive of the user's at a place, the shortest reading first."""
    owner = known.owners_named.length_at(words, place)
    first = place + owner
    for count in range(1, _MOST_NOUNS + 1):
        nouns = words[first : first + count]
        if not owner or len(nouns) < count or not all(_is_noun(one, known) for one in nouns):
            return
        yield nouns


def facts_named(nouns: Phrase, facts: Iterable[Fact]) -> NamedFacts:
    """The facts that nouns of the user's may mean."""
    slots = {slot.value for slot in slots_named(nouns)}
    possible = tuple(one for one in facts if one.slot in slots or _mentions(one, nouns))
    only = possible[0] if len(possible) == 1 else None
    is_certain = only is not None and (
        is_told_of(only.content, nouns) or (only.slot in slots and _is_of_user(only))
    )
    return NamedFacts(certain=only if is_certain else None, possible=possible)


def is_told_of(text: str, nouns: Phrase) -> bool:
    """Whether a text says something of these nouns of the user's, and of nothing else."""
    return all(_begins_with(words_in(part), nouns) for part in text.split(MERGED_BY))


def _is_of_user(fact: Fact) -> bool:
    """Whether all that a fact says may be of the user: the allergy of a daughter is not."""
    return not any(
        is_about_another(part) or belongs_to_another(part) for part in fact.content.split(MERGED_BY)
    )


def _begins_with(words: Phrase, nouns: Phrase) -> bool:
    """Whether words begin as "my bike is" does."""
    for known in map(fact_words, LANGUAGES):
        start = known.owners.length_at(words)
        end = start + len(nouns)
        has_verb = known.statement_verbs.length_at(words, end) or words[end : end + 1] == (":",)
        if start and words[start:end] == nouns and has_verb:
            return True
    return False


def _mentions(fact: Fact, nouns: Collection[str]) -> bool:
    return set(nouns) <= set(words_in(fact.content))


def _is_noun(word: str, known: FactWords) -> bool:
    """Whether a word may name a thing that is to be forgotten, and nothing of the conversation."""
    others = (known.talk_nouns, known.passing_nouns, known.not_content, known.please)
    is_other = any((word,) in phrases for phrases in others)
    return word.isalpha() and len(word) > 1 and not is_other and not is_common_word(word)
