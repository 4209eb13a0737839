"""Messages that their user has edited: what only the old words said is no longer said."""

from collections import Counter
from collections.abc import Sequence
from typing import Final

from recollect.domain.conversation.message import Message, Role
from recollect.domain.facts.fact import Fact, FactSource
from recollect.domain.speech.phrases import words_in

_EDITED: Final = 0.6
"""The least share of words that a message has in common with what it was edited to.

A client that shortens old messages, or begins a conversation anew with a summary, leaves messages
as well, of which their users have taken back nothing.
"""
COMPARED: Final = 2_000
"""Characters of a message that are compared."""
WAS_EDITED: Final = "the message was edited"
"""The reason in the history of a fact that is withdrawn for it."""


def edited_to(message: Message, shown: Sequence[Message]) -> Message | None:
    """The message of those that are shown that a user has edited another one to; None if none."""
    users = [one for one in shown if one.role is Role.USER and one.is_active]
    words = _compared_words(message)
    likeness, found = max(
        ((_likeness(words, _compared_words(one)), one) for one in users),
        key=lambda pair: pair[0],
        default=(0.0, None),
    )
    return found if likeness >= _EDITED else None


def said_only_before(fact: Fact, message: Message, edited: Message) -> bool:
    """Whether a message alone has taught a fact, and does not say it now that it is edited."""
    evidence = fact.evidence
    if evidence is None or evidence.message_id != message.message_id:
        return False
    is_untouched = fact.version == 1 and fact.source is not FactSource.API
    return is_untouched and not _has_words(edited.content, evidence.quote)


def _has_words(text: str, quote: str) -> bool:
    """Whether a text has the words of a quote one after the other: not "Ann" in "Anna"."""
    words, quoted = words_in(text), words_in(quote)
    places = range(len(words) - len(quoted) + 1)
    return any(words[at : at + len(quoted)] == quoted for at in places)


def _compared_words(message: Message) -> Counter[str]:
    return Counter(words_in(message.content[:COMPARED]))


def _likeness(first: Counter[str], second: Counter[str]) -> float:
    """The share of words that two messages have in common, in whatever order."""
    total = first.total() + second.total()
    return 2 * (first & second).total() / total if total else 0.0
