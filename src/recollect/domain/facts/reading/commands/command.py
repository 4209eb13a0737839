"""A command to the memory, and what kinds there are."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from recollect.domain.facts.reading.commands.named import NamedThing
from recollect.domain.facts.slots import Slot


class CommandKind(StrEnum):
    """What the memory is to do."""

    REMEMBER = "remember"
    FORGET = "forget"
    """What a statement says."""
    FORGET_TOPIC = "forget_topic"
    """All about a topic: "forget what I said about my diet"."""
    FORGET_SLOTS = "forget_slots"
    """All about some slots: "forget my name"."""
    FORGET_NAMED = "forget_named"
    """The one fact about a thing of the user's: "forget my bike"."""
    FORGET_EVERYTHING = "forget_everything"
    FORGET_LAST = "forget_last"
    """What the message before says: "forget what I just said"."""
    FORGET_THAT = "forget_that"
    """The same, if nothing else can be meant: "forget that"."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """A command to the memory."""

    kind: CommandKind
    content: str
    """What it is about, verbatim from the message: a statement, the name of a topic, or the command
    itself where it names neither."""
    start: int
    """Where the content begins in the message."""
    slots: frozenset[Slot] = frozenset()
    """What is to be forgotten, where slots are."""
    thing: NamedThing | None = None
    """What is named, where a thing of the user's is."""

    @property
    def is_sweeping(self) -> bool:
        """Whether it ends facts without a word of what they say."""
        return self.kind in _SWEEPING


_SWEEPING: Final = frozenset(CommandKind) - {CommandKind.REMEMBER, CommandKind.FORGET}
