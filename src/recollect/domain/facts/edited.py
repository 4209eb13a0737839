"""Messages that their user has edited: what only the old words said is no longer said."""

from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import Final

from recollect.domain.conversation.message import Message, Role
from recollect.domain.facts.fact import Fact, FactSource
from recollect.domain.speech.phrases import words_in

_EDITED: Final = 0.6
"""The least share of words that a message has in common with what it was edited to.

A client that shortens old messages, or begins a conversation anew with a summary, leaves messages
as well, of which their users have taken back nothing.
"""
_COMPARED: Final = 300
"""Words of a message that are compared."""
WAS_EDITED: Final = "the message was edited"
"""The reason in the history of a fact that is withdrawn for it."""


def edited_to(message: Message, shown: Sequence[Message]) -> Message | None:
    """The message of those that are shown that a user has edited another one to; None if none."""
    users = [one for one in shown if one.role is Role.USER and one.is_active]
    likeness, found = max(
        ((_likeness(message.content, one.content), one) for one in users),
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


def _likeness(first: str, second: str) -> float:
    words = (words_in(first)[:_COMPARED], words_in(second)[:_COMPARED])
    return SequenceMatcher(None, *words, autojunk=False).ratio()
