"""What programs give to the library, and the values of the domain that it stands for."""

from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext
from datetime import datetime
from pathlib import Path
from typing import Any, BinaryIO, Required, TypedDict
from uuid import UUID

from recollect.domain.conversation.message import (
    MAX_CONTENT_LENGTH,
    NO_DETAILS,
    AnswerDetails,
    NewMessage,
    parse_role,
)
from recollect.domain.conversation.session import parse_uuid
from recollect.domain.facts.fact import FactType, Priority
from recollect.domain.facts.query import FactFilter, StatusChoice
from recollect.domain.followup.dialogue import HistoryMessage
from recollect.domain.recall.entry import RecallFilter
from recollect.domain.text import JsonObject, JsonValue, check_text, parse_choice, parse_moment
from recollect.errors import InvalidInput
from recollect.services.conversations.messages import MAX_APPENDED


class Details(TypedDict, total=False):
    """What may be told about an assistant's answer."""

    sql_query: str
    query_explanation: str
    tables_used: tuple[str, ...]
    execution_result: JsonValue
    tokens: int
    execution_time_ms: float
    citations: tuple[JsonValue, ...]
    model: str
    database: str


class MessageFields(Details, total=False):
    """One of many messages, with the names that `add` and HTTP use."""

    role: Required[str]
    content: Required[str]
    created_at: datetime | str | None
    """When it was said: an aware time, or ISO 8601 with a time zone."""
    metadata: JsonObject
    message_id: UUID | str | None
    """The same id again stores nothing twice."""


class RecallFilters(TypedDict, total=False):
    """What a search may be narrowed to."""

    since: datetime
    until: datetime
    tables: Collection[str]
    databases: Collection[str]
    speaker: str


class FactFilters(TypedDict, total=False):
    """Which facts a list or a search has; those that are left out choose none apart."""

    type: str
    """fact, preference, context, procedure, entity or relationship."""
    priority: str
    """critical, high, medium or low."""
    status: str
    """active by default; superseded, retracted, pruned or any."""
    q: str
    """What the content or the quote contains, in upper or lower case."""


class Asking(TypedDict, total=False):
    """How a question is to be answered; what is left out is left to the settings."""

    model: str | None
    """The model that answers."""
    window: int | None
    """How many messages or turns the context looks back."""
    options: JsonObject
    """What is said to the answerer alone."""
    idempotency_key: str | None
    """The same key again asks nobody twice, and returns the answer that is stored."""
    message_id: UUID | None
    """The same by an id of your own for the question."""
    uses_memory: bool
    """False for a plain call: nothing is read, nothing is stored."""


def fact_filter(filters: FactFilters) -> FactFilter:
    """The filter that the names of a call stand for."""
    _refuse_unknown(filters, FactFilters.__annotations__)
    kind, priority = filters.get("type"), filters.get("priority")
    status = parse_choice(StatusChoice, filters.get("status", StatusChoice.ACTIVE), "status")
    return FactFilter(
        type=None if kind is None else parse_choice(FactType, kind, "type"),
        priority=None if priority is None else parse_choice(Priority, priority, "priority"),
        status=status.status,
        text=filters.get("q"),
    )


def new_messages(
    messages: Iterable[MessageFields], id_at: Callable[[int], UUID]
) -> list[NewMessage]:
    """Read messages; those without an id get that of their position.

    Raises:
        InvalidInput: some message cannot be stored; the error says which.
    """
    made = []
    for position, fields in enumerate(messages):
        if position == MAX_APPENDED:
            raise InvalidInput("messages", f"must be 1 to {MAX_APPENDED:,} at a time")
        try:
            made.append(_new_message(fields, id_at, position))
        except InvalidInput as error:
            raise error.inside(f"messages[{position}]") from None
    return made


def _new_message(fields: MessageFields, id_at: Callable[[int], UUID], position: int) -> NewMessage:
    _check_names(fields)
    message_id, created_at = fields.get("message_id"), fields.get("created_at")
    if message_id is None:
        message_id = id_at(position)
    elif isinstance(message_id, str):
        message_id = parse_uuid(message_id, "message_id")
    if isinstance(created_at, str):
        created_at = parse_moment(created_at, "created_at")
    details: dict[str, Any] = {
        name: value for name, value in fields.items() if name in Details.__annotations__
    }
    return NewMessage(
        message_id=message_id,
        role=parse_role(fields["role"]),
        content=fields["content"],
        metadata=fields.get("metadata") or {},
        details=AnswerDetails(**details) if details else NO_DETAILS,
        created_at=created_at,
    )


def _check_names(fields: MessageFields) -> None:
    if not isinstance(fields, Mapping):
        raise InvalidInput("message", "must be a mapping with role and content")
    for name in ("role", "content"):
        if name not in fields:
            raise InvalidInput(name, "is missing")
    if unknown := fields.keys() - MessageFields.__annotations__.keys():
        raise InvalidInput(str(min(unknown, key=str)), "is not a field of a message")


def history_message(role: str, content: str, sql_query: str | None = None) -> HistoryMessage:
    """One message of a history that a caller gives, checked."""
    for name, text in (("content", content), ("sql_query", sql_query)):
        if text is not None:
            check_text(text, name, max_length=MAX_CONTENT_LENGTH)
    return HistoryMessage(role=parse_role(role), content=content, sql_query=sql_query)


def recall_filter(filters: RecallFilters, session_id: UUID | None = None) -> RecallFilter:
    """The filter of a search, from what a caller gave."""
    _refuse_unknown(filters, RecallFilters.__annotations__)
    tables, databases = filters.get("tables"), filters.get("databases")
    return RecallFilter(
        session_id=session_id,
        since=filters.get("since"),
        until=filters.get("until"),
        tables=None if tables is None else frozenset(tables),
        databases=None if databases is None else frozenset(databases),
        speaker=filters.get("speaker"),
    )


def _refuse_unknown(given: Iterable[str], known: Iterable[str]) -> None:
    """Refuse a mistyped name as Python does: without its filter, a search finds everything."""
    for name in given:
        if name not in known:
            raise TypeError(f"unexpected keyword argument '{name}'; known are {', '.join(known)}")


def opened_document(source: Path | str | BinaryIO) -> AbstractContextManager[BinaryIO]:
    """A file to import, opened and closed if it is given by its path."""
    if not isinstance(source, Path | str):
        return nullcontext(source)
    try:
        return Path(source).open("rb")
    except OSError as error:
        raise InvalidInput("file", f"'{source}' cannot be read: {error.strerror}") from None
