"""Facts as JSON that another memory can take in: what an export has, and an import reads."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, replace
from datetime import datetime
from typing import Final
from uuid import UUID

from recollect.domain.conversation.session import parse_uuid
from recollect.domain.facts.fact import (
    MAX_CONTENT,
    MAX_QUOTE,
    ChangeKind,
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
from recollect.domain.members import Members
from recollect.domain.text import JsonObject, JsonValue, check_name, check_text
from recollect.errors import InvalidInput

MAX_IMPORTED: Final = 10_000
"""The most facts of one import."""
_MAX_TABLES: Final = 100
_MAX_TABLE: Final = 500
_MAX_LANGUAGE: Final = 35
_MAX_ACTOR: Final = 255
_MAX_REASON: Final = 1_000_000
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


def restored(item: JsonValue, *, now: datetime) -> FactRecord:
    """The fact of an export as it was, with its id, its version and its history.

    Raises:
        InvalidInput: it cannot be one, or its history is not that of the fact.
    """
    read = _Reader.of(item, now, name="fact")
    fact = imported(read.item, fact_id=read.uuid("fact_id"), now=now)
    version = read.integer("version", least=1, most=_MAX_COUNT)
    fact = replace(fact, version=version, updated_at=read.past_moment("updated_at"))
    return FactRecord(fact=fact, history=tuple(_history(read, fact)))


def _history(read: "_Reader", fact: Fact) -> Iterator[FactChange]:
    lines = read.item.get("history") or ()
    if not isinstance(lines, list | tuple):
        raise InvalidInput("history", "must be a list of changes")
    last = 0
    for position, line in enumerate(lines):
        try:
            change = _Reader.of(line, read.now, name="change").as_change(fact.fact_id)
        except InvalidInput as error:
            raise error.inside(f"history[{position}]") from None
        if not last < change.version <= fact.version:
            problem = "must grow from change to change, up to that of the fact"
            raise InvalidInput(f"history[{position}].version", problem)
        last = change.version
        yield change


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


class _Reader(Members):
    """Reads the members of an exported fact."""

    __slots__ = ()

    def language(self) -> str | None:
        if not self.has("language"):
            return None
        return check_name(self.text("language"), "language", max_length=_MAX_LANGUAGE)

    def tables(self) -> tuple[str, ...]:
        names = self.texts("tables", most=_MAX_TABLES)
        return tuple(check_name(name, "tables", max_length=_MAX_TABLE) for name in names)

    def evidence(self) -> Evidence | None:
        if not self.has("evidence"):
            return None
        value = self.item["evidence"]
        if not isinstance(value, Mapping) or not value.keys() <= _OF_EVIDENCE:
            problem = f"must be an object with these members: {', '.join(sorted(_OF_EVIDENCE))}"
            raise InvalidInput("evidence", problem)
        return _Reader(value, self.now).as_evidence()

    def as_evidence(self) -> Evidence:
        turn = self.number("turn_number", 0, most=_MAX_COUNT) if self.has("turn_number") else None
        quote = check_text(self.text("quote"), "evidence.quote", max_length=MAX_QUOTE)
        return Evidence(
            session_id=parse_uuid(self.text("session_id"), "evidence.session_id"),
            message_id=parse_uuid(self.text("message_id"), "evidence.message_id"),
            turn_number=None if turn is None else int(turn),
            quote=without_secret(quote, "evidence.quote"),
        )

    def as_change(self, fact_id: UUID) -> FactChange:
        reason, statement = self._short_text("reason"), self._short_text("statement")
        return FactChange(
            fact_id=fact_id,
            version=self.integer("version", least=1, most=_MAX_COUNT),
            kind=self.choice("kind", ChangeKind),
            at=self.past_moment("at"),
            actor=check_text(self.text("actor"), "actor", max_length=_MAX_ACTOR),
            content=check_text(self.text("content"), "content", max_length=MAX_CONTENT),
            status=self.choice("status", FactStatus),
            reason=reason,
            message_id=self.uuid("message_id") if self.has("message_id") else None,
            statement=statement,
        )

    def _short_text(self, name: str) -> str | None:
        if not self.has(name):
            return None
        return check_text(self.text(name), name, max_length=_MAX_REASON)


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
