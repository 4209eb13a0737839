"""Which messages a summary takes the place of."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from recollect.domain.conversation.message import Message
from recollect.domain.identity.permissions import UNKNOWN
from recollect.errors import InvalidInput


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """A text that stands for a range of a session's messages, which stay as they are."""

    text: str
    first_sequence: int
    last_sequence: int
    tables: tuple[str, ...]
    method: str
    created_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class CompactionPolicy:
    """When older messages are summarised, and how many recent ones are left out of it."""

    trigger: int
    keep: int

    def __post_init__(self) -> None:
        if not 0 <= self.keep < self.trigger:
            raise InvalidInput("compaction", "must keep fewer messages than trigger it")

    def is_due(self, unsummarized: int) -> bool:
        """Whether that number of messages without a summary is too high."""
        return unsummarized > self.trigger


@dataclass(frozen=True, slots=True, kw_only=True)
class Uncompacted:
    """What a session's next summary is made of: the last one, and messages after it in order."""

    summary: Summary | None
    messages: tuple[Message, ...]
    last_sequence: int
    """The last message of all, which may lie beyond those given here."""
    unanswered: frozenset[int] = field(default=frozenset(), compare=False)
    """The turns among them that are pending or failed: of those no summary tells."""

    @property
    def summarized_through(self) -> int:
        """The last message that the summary stands for; 0 without one."""
        return 0 if self.summary is None else self.summary.last_sequence


def range_to_compact(uncompacted: Uncompacted, *, keep: int) -> tuple[Message, ...]:
    """The oldest messages that may be summarised: all but the last ones, and whole turns only."""
    messages = uncompacted.messages
    is_all = not messages or messages[-1].sequence == uncompacted.last_sequence
    end = uncompacted.last_sequence - keep
    count = len(messages) - keep if is_all else sum(m.sequence <= end for m in messages)
    while count > 0:
        left = {m.turn_number for m in messages[count:]}
        if not is_all:
            left.add(messages[-1].turn_number)  # its end may lie beyond what was read
        left.discard(None)
        whole = next((i for i, m in enumerate(messages[:count]) if m.turn_number in left), count)
        if whole == count:
            break
        count = whole
    return messages[: max(count, 0)]


def tables_of_summary(
    messages: Sequence[Message],
    previous: Summary | None,
    tables_of_message: Callable[[Message], tuple[str, ...]],
) -> tuple[str, ...]:
    """All tables that a summary of these draws on, through the answers it tells of."""
    named = [table for message in messages for table in tables_of_message(message)]
    earlier = previous.tables if previous else ()
    return tuple(sorted({*earlier, *named}))


def naming(message: Message, tables: tuple[str, ...]) -> Message:
    """A message as a summary is made of it: of tables it names those it draws on, and no other."""
    if message.details.tables_used is None and not tables:
        return message
    named = tuple(table for table in tables if table != UNKNOWN)
    return replace(message, details=replace(message.details, tables_used=named))
