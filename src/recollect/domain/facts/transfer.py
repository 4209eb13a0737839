"""Facts as JSON that another memory can take in: what an export has, and an import reads."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Final
from uuid import UUID

from recollect.domain.conversation.session import parse_uuid
from recollect.domain.facts.fact import (
    MAX_QUOTE,
    Evidence,
    Fact,
    FactChange,
    FactRecord,
    FactSource,
    FactStatus,
    FactType,
    Priority,
    checked_content,
    without_secret,
)
from recollect.domain.facts.slots import Slot
from recollect.domain.text import (
    Choice,
    JsonObject,
    JsonValue,
    check_name,
    check_not_ahead,
    check_text,
    parse_choice,
    parse_moment,
)
from recollect.errors import InvalidInput

MAX_IMPORTED: Final = 10_000
"""The most facts of one import."""
_MAX_TABLES: Final = 100
_MAX_TABLE: Final = 500
_MAX_LANGUAGE: Final = 35
_MAX_COUNT: Final = 2**31 - 1
_MADE_ANEW: Final = frozenset({"fact_id", "version", "updated_at", "history"})
"""What an imported fact gets here, whatever it had where it comes from."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportReport:
    """What became of the facts of an import."""

    added: int
    skipped: int
    """There already, active or not, or given twice."""
    conflicting: int
    """About something of which the user has another one already, such as the employer."""


def exported(record: FactRecord) -> JsonObject:
    """A fact with its history as JSON."""
    history = [_plain(change) for change in record.history]
    return {**_plain(record.fact), "history": history}


def imported(item: JsonValue, *, fact_id: UUID, now: datetime) -> Fact:
    """The new fact that an exported one stands for; all but its content may be missing.

    Raises:
        InvalidInput: it cannot be one, or has a member that no fact has.
    """
    if not isinstance(item, Mapping):
        raise InvalidInput("fact", "must be a JSON object")
    if not item.keys() <= _MEMBERS:
        raise InvalidInput("fact", f"may have these members alone: {', '.join(sorted(_MEMBERS))}")
    read = _Reader(item, now)
    kind = read.choice("type", FactType, FactType.FACT)
    status = read.choice("status", FactStatus, FactStatus.ACTIVE)
    created_at = read.moment("created_at") or now
    return Fact(
        fact_id=fact_id,
        type=kind,
        priority=read.choice("priority", Priority, kind.default_priority),
        content=checked_content(read.text("content")),
        source=read.choice("source", FactSource, FactSource.API),
        created_at=created_at,
        updated_at=now,
        accessed_at=read.moment("accessed_at") or now,
        valid_from=read.moment("valid_from") or created_at,
        valid_to=None if status is FactStatus.ACTIVE else read.moment("valid_to") or now,
        status=status,
        slot=None if item.get("slot") is None else read.choice("slot", Slot, Slot.OTHER),
        language=read.language(),
        confidence=read.number("confidence", 1.0, most=1),
        evidence=read.evidence(),
        tables=read.tables(),
        access_count=int(read.number("access_count", 0, most=_MAX_COUNT)),
    )


@dataclass(frozen=True, slots=True)
class _Reader:
    """Reads the members of an exported fact; one that is null is missing."""

    item: JsonObject
    now: datetime

    def text(self, name: str) -> str:
        value = self.item.get(name)
        if not isinstance(value, str):
            raise InvalidInput(name, "must be a text")
        return value

    def choice(self, name: str, kind: type[Choice], default: Choice) -> Choice:
        return parse_choice(kind, self.text(name), name) if self._has(name) else default

    def moment(self, name: str) -> datetime | None:
        if not self._has(name):
            return None
        moment = parse_moment(self.text(name), name)
        check_not_ahead(moment, name, now=self.now)
        return moment

    def number(self, name: str, default: float, *, most: int) -> float:
        value = self.item.get(name, default)
        if not isinstance(value, int | float) or isinstance(value, bool) or not 0 <= value <= most:
            raise InvalidInput(name, f"must be a number from 0 to {most:,}")
        return value

    def language(self) -> str | None:
        if not self._has("language"):
            return None
        return check_name(self.text("language"), "language", max_length=_MAX_LANGUAGE)

    def tables(self) -> tuple[str, ...]:
        names = self.item.get("tables") or ()
        if not isinstance(names, list | tuple) or len(names) > _MAX_TABLES:
            raise InvalidInput("tables", f"must be a list of at most {_MAX_TABLES} names")
        return tuple(check_name(name, "tables", max_length=_MAX_TABLE) for name in names)

    def evidence(self) -> Evidence | None:
        if not self._has("evidence"):
            return None
        value = self.item["evidence"]
        if not isinstance(value, Mapping) or not value.keys() <= _OF_EVIDENCE:
            problem = f"must be an object with these members: {', '.join(sorted(_OF_EVIDENCE))}"
            raise InvalidInput("evidence", problem)
        return _Reader(value, self.now).as_evidence()

    def as_evidence(self) -> Evidence:
        turn = self.number("turn_number", 0, most=_MAX_COUNT) if self._has("turn_number") else None
        quote = check_text(self.text("quote"), "evidence.quote", max_length=MAX_QUOTE)
        return Evidence(
            session_id=parse_uuid(self.text("session_id"), "evidence.session_id"),
            message_id=parse_uuid(self.text("message_id"), "evidence.message_id"),
            turn_number=None if turn is None else int(turn),
            quote=without_secret(quote, "evidence.quote"),
        )

    def _has(self, name: str) -> bool:
        return self.item.get(name) is not None


def _plain(value: Fact | FactChange | Evidence) -> dict[str, JsonValue]:
    return {field.name: _json(getattr(value, field.name)) for field in fields(value)}


def _json(value: object) -> JsonValue:
    match value:
        case None | bool() | int() | float():
            return value
        case datetime():
            return value.isoformat().replace("+00:00", "Z")
        case Evidence():
            return _plain(value)
        case tuple():
            return [str(item) for item in value]
        case _:
            return str(value)


_MEMBERS: Final = frozenset(field.name for field in fields(Fact)) | _MADE_ANEW
_OF_EVIDENCE: Final = frozenset(field.name for field in fields(Evidence))
