"""Replies of the assistant that what users say next may be about, and those that say nothing."""

from collections.abc import Collection
from typing import Final

from recollect.domain.facts.reading.introductions import introductions
from recollect.domain.facts.reading.plain.languages.corrections import correction_words
from recollect.domain.facts.reading.plain.slots import plain_slot
from recollect.domain.facts.slots import Slot
from recollect.domain.language import is_common_word, sentence_parts
from recollect.domain.speech.phrases import LANGUAGES, words_in

_LONGEST_NOTED: Final = 500
"""Characters of a reply that only says that it was heard."""
_LONGEST_EARLIER: Final = 200
"""Characters of a message before a reply that tells one thing."""


def only_acknowledges(reply: str, message: str) -> bool:
    """Whether a reply says nothing of its own that a correction may be about.

    "Okay, you live in Hull" does not, and "Hull is in Wales" does.
    """
    if len(reply) > _LONGEST_NOTED:
        return False
    own = set(words_in(message))
    return all(_only_notes(part, own) for part in sentence_parts(reply))


def _only_notes(sentence: str, own: Collection[str]) -> bool:
    """Whether a sentence of a reply has but small words, the user's own and those that note them.

    A question may only be how the assistant can help, or whether it has heard right; what it has
    heard are the user's own words then: "You work in Hull, is that right?" asks something else.
    """
    words = words_in(sentence)
    noted = [correction_words(code).noted for code in LANGUAGES]
    checks = [correction_words(code).checks for code in LANGUAGES]
    lengths = ((at, one.length_at(words, at)) for one in checks for at in one.places_in(words))
    start, length = max(lengths, key=lambda found: found[1], default=(0, 0))
    rest = (*words[:start], *words[start + length :])
    return ("?" not in sentence or length > 0) and all(
        word in own or is_common_word(word) or (not length and any((word,) in one for one in noted))
        for word in rest
        if word[0].isalnum()
    )


def asks_user(reply: str) -> bool:
    """Whether a reply asks something, and not only what the assistant should do."""
    asked = [words_in(one) for one in sentence_parts(reply) if "?" in one]
    offers = [correction_words(code).offers for code in LANGUAGES]
    return any(not any(one.are_in(words) for one in offers) for words in asked)


def tells_slot_again(earlier: str, slot: Slot) -> bool:
    """Whether a short answer is taken for another value of what the user told before it.

    "No, Bruges" to "Do you work in Ghent too?" says nothing of the home after "I live in Ghent".
    """
    return len(earlier) <= _LONGEST_EARLIER and _told_slot(earlier) is slot


def _told_slot(message: str) -> Slot | None:
    """The slot of one value that a message plainly tells; its user's name also by "I'm Max"."""
    is_presented = next(introductions(message), None) is not None
    return plain_slot(message) or (Slot.NAME if is_presented else None)
