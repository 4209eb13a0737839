"""Lists in pages: their size, order and cursors."""

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import Final, Generic, NamedTuple, Self, TypeVar
from uuid import UUID

from recollect.domain.text import parse_choice
from recollect.errors import InvalidCursor, InvalidInput

MAX_LIMIT: Final = 1000
DEFAULT_LIMIT: Final = 50
MAX_OFFSET: Final = 10_000
_MAX_CURSOR_LENGTH: Final = 500
_MAX_SEQUENCE: Final = 2**63 - 1

Item = TypeVar("Item")


class Order(StrEnum):
    """Oldest first or newest first."""

    ASC = "asc"
    DESC = "desc"


class SessionSort(StrEnum):
    """The time by which sessions are listed."""

    UPDATED = "updated"
    """The time of the last change: a message, another name."""
    LAST_ACCESSED = "last_accessed"
    """The time of the last use: reading counts, too."""

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read the value of a request."""
        return parse_choice(cls, text, "sort")


class MessagePosition(NamedTuple):
    """Where in one session's messages a page ended."""

    sequence: int


class SessionPosition(NamedTuple):
    """Where in an owner's sessions a page ended."""

    updated_at: datetime
    session_id: UUID


class AccessPosition(NamedTuple):
    """Where in an owner's sessions a page ended, by the time of their last use."""

    last_accessed_at: datetime
    session_id: UUID


class HistoryPosition(NamedTuple):
    """Where in an owner's messages across all sessions a page ended."""

    created_at: datetime
    session_id: UUID
    sequence: int


class FactPosition(NamedTuple):
    """Where in an owner's facts a page ended; each sort has positions of its own."""

    sort: str
    rank: int
    """0 where the sort is by time alone."""
    at: datetime
    fact_id: UUID


class AuditPosition(NamedTuple):
    """Where in a tenant's audit log a page ended."""

    at: datetime
    owner_id: UUID
    number: int


class OwnerPosition(NamedTuple):
    """Where in the users of a tenant a page ended."""

    owner_id: UUID


Position = TypeVar(
    "Position",
    MessagePosition,
    SessionPosition,
    AccessPosition,
    HistoryPosition,
    FactPosition,
    AuditPosition,
    OwnerPosition,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PageRequest:
    """The part of a list that a caller requests."""

    limit: int = DEFAULT_LIMIT
    order: Order = Order.DESC
    cursor: str | None = None
    offset: int = 0

    def __post_init__(self) -> None:
        if not 1 <= self.limit <= MAX_LIMIT:
            raise InvalidInput("limit", f"must lie between 1 and {MAX_LIMIT}")
        if not 0 <= self.offset <= MAX_OFFSET:
            raise InvalidInput(
                "offset", f"must lie between 0 and {MAX_OFFSET}; use cursor to go further"
            )
        if self.cursor is not None and self.offset:
            raise InvalidInput("offset", "cannot be combined with cursor")

    @classmethod
    def of(cls, *, limit: int, order: str, cursor: str | None, offset: int) -> Self:
        """Read a request, with the order as text."""
        if order not in set(Order):
            raise InvalidInput("order", "must be asc or desc")
        return cls(limit=limit, order=Order(order), cursor=cursor, offset=offset)

    def position(self, kind: type[Position]) -> Position | None:
        """Read the cursor as a position in a list of this kind; None is the list's start."""
        return None if self.cursor is None else _decode(self.cursor, kind, self.order)

    def page(self, rows: list[tuple[Item, Position]]) -> "Page[Item]":
        """Make a page of up to `limit + 1` rows: one more says that there are more."""
        shown, has_more = rows[: self.limit], len(rows) > self.limit
        next_cursor = _encode(shown[-1][1], self.order) if has_more else None
        return Page(items=tuple(item for item, _ in shown), next_cursor=next_cursor)


@dataclass(frozen=True, slots=True, kw_only=True)
class Page(Generic[Item]):
    """A part of a list, and where the next part starts."""

    items: tuple[Item, ...]
    next_cursor: str | None


def _encode(position: tuple[object, ...], order: Order) -> str:
    values = [value if isinstance(value, int) else str(value) for value in position]
    text = json.dumps([type(position).__name__, order, *values], separators=(",", ":"))
    return urlsafe_b64encode(text.encode()).rstrip(b"=").decode()


def _decode(cursor: str, kind: type[Position], order: Order) -> Position:
    """Read what `_encode` wrote for a list of this kind and order, and nothing else."""
    if not cursor.isascii() or len(cursor) > _MAX_CURSOR_LENGTH:
        raise InvalidCursor
    try:
        name, direction, *values = json.loads(urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
        types = kind.__annotations__.values()
        position = kind._make(
            _READERS[type_](value) for type_, value in zip(types, values, strict=True)
        )
    except (ValueError, TypeError, OverflowError):
        raise InvalidCursor from None
    if (name, direction) != (kind.__name__, order) or _encode(position, order) != cursor:
        raise InvalidCursor
    return position


def _read_sequence(value: object) -> int:
    if not isinstance(value, int) or not 0 <= value <= _MAX_SEQUENCE:
        raise ValueError(value)
    return value


_READERS: Final[dict[type, Callable[[object], object]]] = {
    str: str,
    int: _read_sequence,
    datetime: lambda value: datetime.fromisoformat(str(value)).astimezone(UTC),
    UUID: lambda value: UUID(str(value)),
}


def cut_page(
    items: Iterable[Item],
    request: PageRequest,
    kind: type[Position],
    position_of: Callable[[Item], Position],
) -> Page[Item]:
    """Sort the items by their positions and return the requested page."""
    after = request.position(kind)
    is_descending = request.order is Order.DESC
    rows = [(item, position_of(item)) for item in items]
    if after is not None:
        rows = [row for row in rows if (row[1] < after if is_descending else row[1] > after)]
    rows.sort(key=lambda row: row[1], reverse=is_descending)
    return request.page(rows[request.offset : request.offset + request.limit + 1])
