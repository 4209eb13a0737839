"""What is known about a topic that a command names: "forget everything about my wife"."""

from collections.abc import Iterable

from recollect.domain.facts.fact import MERGED_BY, Fact
from recollect.domain.facts.reading.commands.named import is_one_of_user, tells_several
from recollect.domain.facts.reading.languages import FactWords, fact_words
from recollect.domain.facts.reading.languages.slot_names import slot_at, slots_named, tells_slot
from recollect.domain.facts.slots import Slot
from recollect.domain.language import is_common_word
from recollect.domain.speech.phrases import LANGUAGES, Phrase, words_in


def facts_about(topic: str, facts: Iterable[Fact]) -> tuple[Fact, ...]:
    """The facts about a topic: what it is said of, what has all its words, or fills its slot.

    What tells of something else as well stays, such as the cat of "I have a dog and a cat"; and of
    "my wife", what is said of somebody else's.
    """
    words = tuple(word for word in words_in(topic) if word.isalnum())
    owner = max(_owner_length(words, fact_words(code)) for code in LANGUAGES)
    nouns = tuple(word for word in words[owner:] if _is_noun(word))
    if not nouns:
        return ()
    slots = _slots_of(words) | (slots_named(nouns) if owner else frozenset())
    return tuple(
        fact
        for fact in facts
        if _fills(fact, slots)
        or all(_is_about(part, nouns, is_owned=owner > 0) for part in _parts(fact))
    )


def _is_noun(word: str) -> bool:
    """Whether a word means something, and nothing of the conversation: "for this question"."""
    is_of_talk = any((word,) in fact_words(code).talk_nouns for code in LANGUAGES)
    return not is_common_word(word) and not is_of_talk


def _owner_length(words: Phrase, known: FactWords) -> int:
    return max(known.owners.length_at(words), known.owners_named.length_at(words))


def _slots_of(words: Phrase) -> frozenset[Slot]:
    """The slot whose name a topic is: "where I live"."""
    named = (slot_at(words, 0, code) for code in LANGUAGES)
    return frozenset(one[0] for one in named if one and one[1] == len(words))


def _fills(fact: Fact, slots: frozenset[Slot]) -> bool:
    is_about = fact.slot in slots or any(tells_slot(fact.content, slot) for slot in slots)
    return is_about and is_one_of_user(fact)


def _parts(fact: Fact) -> Iterable[Phrase]:
    return (words_in(part) for part in fact.content.split(MERGED_BY))


def _is_about(words: Phrase, nouns: Phrase, *, is_owned: bool) -> bool:
    """Whether one statement is about some nouns, which are the user's own with `is_owned`."""
    if not set(nouns) <= set(words):
        return False
    known = [fact_words(code) for code in LANGUAGES]
    if not is_owned:
        return not tells_several(words)
    if any(_begins_with(words, nouns, one) for one in known):
        return True
    is_users = any(_belongs_to_user(words, nouns, one) for one in known)
    return is_users and not tells_several(words)


def _begins_with(words: Phrase, nouns: Phrase, known: FactWords) -> bool:
    """Whether all of a statement is said of "my wife": "My wife paints, and she plays the oboe"."""
    owner = known.owners.length_at(words)
    end = owner + len(nouns)
    rest = words[end:]
    if not owner or words[owner:end] != nouns or _is_other_noun(rest, known):
        return False
    return not any(one.are_in(rest) for one in (known.subjects, known.owners))


def _belongs_to_user(words: Phrase, nouns: Phrase, known: FactWords) -> bool:
    """Whether nouns stand behind "my" or behind "I have a", and nothing of theirs behind them."""
    owners = (known.owners, known.owners_named, known.having)
    ends = (
        at + length + len(nouns)
        for phrases in owners
        for at in phrases.places_in(words)
        if words[at + (length := phrases.length_at(words, at)) :][: len(nouns)] == nouns
    )
    return any(not _is_other_noun(words[end:], known) for end in ends)


def _is_other_noun(rest: Phrase, known: FactWords) -> bool:
    """Whether the words behind a noun make another of it: "my wife's sister", "mother in law"."""
    return known.genitives.length_at(rest) > 0 or known.compound_ends.length_at(rest) > 0
