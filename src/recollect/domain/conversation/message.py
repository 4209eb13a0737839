"""A message, its author, and how much there is to read in it."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import datetime
from enum import IntEnum, StrEnum
from typing import Final, Self, TypeVar, cast
from uuid import UUID, uuid5

from recollect.domain.text import (
    JsonObject,
    JsonValue,
    check_json,
    check_json_object,
    check_name,
    check_text,
    json_characters,
    to_utc,
)
from recollect.errors import IdAlreadyUsed, InvalidInput, InvalidRole

MAX_CONTENT_LENGTH: Final = 1_000_000
FROM_MEMORY: Final = "recollect/from-memory"
"""The model of answers that only quote earlier messages; they are not quoted in turn."""
_MAX_ITEMS: Final = 1000
_MOST_TABLES: Final = 1000  # of an answer that names none itself
_MAX_SHORT_TEXT: Final = 1000
_MAX_COUNT: Final = 2**63 - 1
Item = TypeVar("Item")
_TEXTS: Final = (
    ("sql_query", MAX_CONTENT_LENGTH),
    ("query_explanation", MAX_CONTENT_LENGTH),
    ("model", _MAX_SHORT_TEXT),
    ("database", _MAX_SHORT_TEXT),
)
_LISTS: Final = frozenset({"tables_used", "citations"})
OF_SQL: Final = 20
"""A character of SQL takes as long to read as this many of text."""
_SHORT_SQL: Final = 1_000
_OF_RECORD: Final = 200
"""A message or a session takes as long to write as this many characters, empty or not."""


class Visibility(IntEnum):
    """How much of an answer may be shown; of several tables the least counts."""

    NOTHING = 0
    SHAPE = 1
    """The question and the form of its SQL, no values: rows or columns are restricted."""
    ALL = 2


class Role(StrEnum):
    """Who speaks."""

    USER = "user"
    ASSISTANT = "assistant"
    SYSTEM = "system"


def _check_number(number: float | None, field_name: str, *kinds: type) -> None:
    if number is None:
        return
    if isinstance(number, bool) or not isinstance(number, kinds):
        raise InvalidInput(field_name, "must be a number")
    if not 0 <= number <= _MAX_COUNT:
        raise InvalidInput(field_name, f"must lie between 0 and {_MAX_COUNT}")


def _as_tuple(items: Sequence[Item], field_name: str) -> tuple[Item, ...]:
    if not isinstance(items, list | tuple):
        raise InvalidInput(field_name, "must be a list")
    if len(items) > _MAX_ITEMS:
        raise InvalidInput(field_name, f"has more than {_MAX_ITEMS} entries")
    return tuple(items)


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerDetails:
    """How an assistant's message was made: its SQL, tables, result, model and costs."""

    sql_query: str | None = None
    query_explanation: str | None = None
    tables_used: tuple[str, ...] | None = None
    execution_result: JsonValue = None
    tokens: int | JsonObject | None = None
    """How many tokens an answer took: a number, or what its model reports."""
    execution_time_ms: float | None = None
    citations: tuple[JsonValue, ...] | None = None
    model: str | None = None
    database: str | None = None
    """The database of tables that are named without one."""

    def __post_init__(self) -> None:
        for name, max_length in _TEXTS:
            if getattr(self, name) is not None:
                check_text(getattr(self, name), name, max_length=max_length)
        for name in ("tables_used", "citations"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, _as_tuple(getattr(self, name), name))
        for table in self.tables_used or ():
            check_text(table, "tables_used", max_length=_MAX_SHORT_TEXT)
        if self.tokens is None or isinstance(self.tokens, int):
            _check_number(self.tokens, "tokens", int)
        else:
            check_json_object(self.tokens, "tokens")
        _check_number(self.execution_time_ms, "execution_time_ms", int, float)
        check_json(self.execution_result, "execution_result")
        check_json(self.citations, "citations")

    @property
    def lacks_database(self) -> bool:
        """Whether they name tables, and not the database that these belong to."""
        return self.database is None and bool(self.sql_query or self.tables_used)

    def placed_in(self, database: str | None) -> Self:
        """Return the details with the database that tables without one belong to, if known."""
        if database is None or not self.lacks_database:
            return self
        return self.stored({**self.to_json(), "database": database})  # checked already

    @property
    def only_quotes(self) -> bool:
        """Whether memory itself answered, so that nothing in it is new."""
        return self.model == FROM_MEMORY

    def to_json(self) -> dict[str, JsonValue]:
        """Return only what is set, so that a plain answer takes no room."""
        return {name: value for name in _DETAILS if (value := getattr(self, name)) is not None}

    @classmethod
    def stored(cls, values: JsonObject) -> Self:
        """Read back what `to_json` gave, which was checked when it was stored."""
        details = _OpenDetails()
        for name in _DETAILS:
            value = values.get(name)
            if isinstance(value, list) and name in _LISTS:
                value = tuple(value)
            setattr(details, name, value)
        return frozen(details, cls)


class _OpenDetails:
    """The slots of `AnswerDetails`, open until they are filled; see `frozen`."""

    __slots__ = AnswerDetails.__slots__


def frozen(filled: object, kind: type[Item]) -> Item:
    """Turn a value with all slots of a frozen class filled into one of that class.

    A frozen class sets each of its own fields by a call, which takes three times as long:
    a third of the time of reading ten messages.
    """
    filled.__class__ = kind
    return cast("Item", filled)


_DETAILS: Final = tuple(part.name for part in fields(AnswerDetails))
NO_DETAILS: Final = AnswerDetails()


def drawing_on(details: AnswerDetails, tables: tuple[str, ...]) -> AnswerDetails:
    """The details of an answer that was given these tables, which it may repeat.

    Without them, a user who may no longer see a table would still see what an answer says of
    it. An answer that names its own tables or its query keeps them.
    """
    if not tables or details.sql_query or details.tables_used:
        return details
    return AnswerDetails.stored({**details.to_json(), "tables_used": tables[:_MOST_TABLES]})


@dataclass(frozen=True, slots=True, kw_only=True)
class NewMessage:
    """A message about to be stored; values that cannot be stored are refused here."""

    message_id: UUID
    role: Role
    content: str
    metadata: JsonObject = field(default_factory=dict)
    details: AnswerDetails = NO_DETAILS
    created_at: datetime | None = None
    """Its time, for a message of another system; None: when it is stored."""

    def __post_init__(self) -> None:
        check_text(self.content, "content", max_length=MAX_CONTENT_LENGTH)
        if not self.content.strip():
            raise InvalidInput("content", "must not be blank")
        check_json_object(self.metadata, "metadata")
        if self.created_at is not None:
            object.__setattr__(self, "created_at", to_utc(self.created_at, "created_at"))
        if self.role is not Role.ASSISTANT and self.details != NO_DETAILS:
            given = ", ".join(self.details.to_json())
            raise InvalidInput(given, "can only be given with an assistant's message")


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """A message as it is stored."""

    message_id: UUID
    session_id: UUID
    sequence: int
    turn_number: int | None
    role: Role
    content: str
    metadata: JsonObject
    details: AnswerDetails
    created_at: datetime
    """Its own time where it brought one, else when it was stored."""
    is_active: bool = True
    """Whether it is on the active branch of the conversation; see `Stored`."""
    visibility: Visibility = Visibility.ALL
    """How much of the stored message is in it: permissions may leave the rest out."""

    def repeats(self, other: NewMessage) -> bool:
        """Whether a retry says the same as what is stored."""
        return self.role is other.role and self.content == other.content


def parse_role(role: str) -> Role:
    """Read a role, or say which ones there are."""
    try:
        return Role(role)
    except ValueError:
        raise InvalidRole(Role) from None


def message_id_for_key(session_id: UUID, idempotency_key: str) -> UUID:
    """Derive the id of a message from the key its writer gave, so that a retry finds it."""
    key = check_name(idempotency_key, "Idempotency-Key", max_length=_MAX_SHORT_TEXT)
    return uuid5(session_id, f"idempotency-key:{key}")


def reply_id_for(question_id: UUID) -> UUID:
    """Derive the id of the reply to a question: of several that are written, one is stored."""
    return uuid5(question_id, "reply")


def characters_in(messages: Iterable[Message]) -> int:
    """Return how many characters there are to read in messages; long SQL counts for more."""
    return sum(
        len(message.content) + sql_characters(message.details.sql_query) for message in messages
    )


def sql_characters(sql: str | None) -> int:
    """Return what SQL counts as; short queries come again and again, and are read once."""
    length = len(sql or "")
    return length if length <= _SHORT_SQL else length * OF_SQL


def characters_to_write(messages: Iterable[Message], *, most: int) -> int:
    """Return how many characters there are to write; counting ends soon after `most`."""
    return count_each(messages, lambda one, left: len(one.content) + _json_of(one, left), most)


def json_to_store(messages: Iterable[NewMessage], *, most: int) -> int:
    """Return how many characters the JSON of messages has; counting ends soon after `most`."""
    return count_each(messages, _json_of, most, each=0)


def count_each(
    items: Iterable[Item], count: Callable[[Item, int], int], most: int, *, each: int = _OF_RECORD
) -> int:
    """Add up what items count for, given what is left; counting ends soon after `most`."""
    counted = 0
    for item in items:
        counted += each + count(item, most - counted)
        if counted > most:
            break
    return counted


def _json_of(message: Message | NewMessage, most: int) -> int:
    counted = json_characters(message.metadata, most=most) if message.metadata else 0
    if message.details is not NO_DETAILS:
        counted += json_characters(message.details.to_json(), most=most - counted)
    return counted


def repeated_messages(
    messages: Sequence[NewMessage], *, known: Mapping[UUID, Message], used: Collection[UUID]
) -> tuple[Message, ...] | None:
    """Return the stored messages that a retry repeats, or None if all its ids are new.

    `known` are those of the conversation, `used` all ids of the owner among these.

    Raises:
        IdAlreadyUsed: an id belongs to another message, or comes twice.
    """
    taken = [message.message_id for message in messages if message.message_id in used]
    if not taken:
        refuse_doubles(messages)
        return None
    pairs = [(known.get(message.message_id), message) for message in messages]
    repeated = tuple(old for old, new in pairs if old is not None and old.repeats(new))
    if len(repeated) < len(messages):
        raise IdAlreadyUsed(taken[0])
    return repeated


def refuse_doubles(messages: Sequence[NewMessage]) -> None:
    """Raise `IdAlreadyUsed` if two messages have the same id."""
    for message_id, count in Counter(message.message_id for message in messages).items():
        if count > 1:
            raise IdAlreadyUsed(message_id)
