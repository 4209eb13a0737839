"""What the in-memory engine remembers of each owner."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from uuid import UUID

from recollect.domain.api_key import ApiKey
from recollect.domain.audit import AuditAction, AuditEntry
from recollect.domain.message import Message
from recollect.domain.scope import Scope, TenantScope
from recollect.domain.session import Session
from recollect.domain.text import JsonObject, JsonValue
from recollect.domain.turn import TurnStatus


@dataclass(slots=True, kw_only=True)
class Conversation:
    """A session with its messages and turns.

    The last numbers given out are kept apart from what is there now, so that a deleted
    message's number is never given again.
    """

    session: Session
    messages: dict[UUID, Message] = field(default_factory=dict)
    turns: dict[int, TurnStatus] = field(default_factory=dict)
    last_sequence: int = 0
    last_turn: int = 0

    def remove(self, messages: Iterable[Message]) -> None:
        """Take messages out, and with them the turns that no message belongs to any more."""
        for message in messages:
            del self.messages[message.message_id]
        alive = {message.turn_number for message in self.messages.values()}
        self.turns = {number: status for number, status in self.turns.items() if number in alive}
        self.recount()

    def recount(self) -> None:
        """Make the session tell how many messages and turns there are now."""
        self.session = replace(
            self.session, message_count=len(self.messages), turn_count=len(self.turns)
        )


@dataclass(slots=True, kw_only=True)
class OwnerMemory:
    """Everything kept for one owner."""

    conversations: dict[UUID, Conversation] = field(default_factory=dict)
    api_keys: dict[UUID, ApiKey] = field(default_factory=dict)
    audit_entries: list[AuditEntry] = field(default_factory=list)

    def messages(self) -> list[Message]:
        """The owner's messages of all sessions, in no particular order."""
        return [
            message
            for conversation in self.conversations.values()
            for message in conversation.messages.values()
        ]

    def conversation_with(self, message_id: UUID) -> Conversation | None:
        """The conversation that holds a message, or None."""
        for conversation in self.conversations.values():
            if message_id in conversation.messages:
                return conversation
        return None


class State:
    """The memories of all owners, shared by the stores of one engine."""

    def __init__(self) -> None:
        self._owners: defaultdict[UUID, OwnerMemory] = defaultdict(OwnerMemory)

    def of(self, owner_id: UUID) -> OwnerMemory:
        """What is kept for this owner, and for nobody else."""
        return self._owners[owner_id]

    def conversation(self, scope: Scope, session_id: UUID) -> Conversation | None:
        """The owner's conversation of that id, or None."""
        return self.of(scope.owner_id).conversations.get(session_id)

    def audit(
        self,
        scope: Scope | TenantScope,
        action: AuditAction,
        *,
        target: object,
        count: int,
        now: datetime,
    ) -> None:
        """Write a line into the owner's audit log."""
        entry = AuditEntry(
            action=action,
            target=str(target),
            count=count,
            actor=scope.actor,
            transaction_id=scope.transaction_id,
            at=now,
        )
        self.of(scope.owner_id).audit_entries.append(entry)


def copy_object(value: JsonObject) -> JsonObject:
    """Copy a JSON object, so that what its giver does to it later changes nothing stored."""
    return {key: _copy_json(item) for key, item in value.items()}


def _copy_json(value: JsonValue) -> JsonValue:
    match value:
        case Mapping():
            return copy_object(value)
        case list() | tuple():
            return [_copy_json(item) for item in value]
        case _:
            return value
