"""Which tables and columns a user may see, and what is withheld of messages without them."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final, Self
from urllib.parse import parse_qs, urlsplit, urlunsplit
from uuid import UUID

from recollect.domain.conversation.message import (
    NO_DETAILS,
    AnswerDetails,
    Message,
    Role,
    Visibility,
)
from recollect.errors import InvalidInput

_FORMS: Final = (
    "must be none, file:PATH, an address such as https://host/path, "
    "or denodo:https://host/denodo-data-catalog?databases=a,b"
)
UNKNOWN: Final = "?"
"""Stands for unknown tables, which only owners with access to everything may see."""
_PART: Final = re.compile(r'"((?:[^"]|"")*)"|`([^`]*)`|\[([^\]]*)(?:\]|\Z)|([^."`\[\]]+)')
EVERY_TABLE: Final = "*"
ReadTables = Callable[[str], tuple[str, ...] | None]
"""The tables that SQL names, normalised; None if it cannot be read."""
WITHHELD: Final = "[…]"
"""Stands in place of withheld text, in every language."""
TurnKey = tuple[UUID, int]
"""A session, and the number of a turn in it."""


class PermissionKind(StrEnum):
    """The kinds of permission sources that can be set."""

    FILE = "file"
    HOOK = "hook"
    DENODO = "denodo"


@dataclass(frozen=True, slots=True, kw_only=True)
class PermissionAddress:
    """One permission source."""

    kind: PermissionKind
    target: str
    """A path, or an address without what the options say."""
    databases: tuple[str, ...] = ()
    server_id: int = 1

    @property
    def needs_credentials(self) -> bool:
        """Whether the source goes by the caller's own credentials."""
        return self.kind is PermissionKind.DENODO

    @classmethod
    def parse(cls, text: str) -> Self | None:
        """Read a setting; None for 'none'."""
        text = text.strip()
        kind, _, rest = text.partition(":")
        match kind.lower():
            case "none" if not rest:
                return None
            case "file" if rest:
                return cls(kind=PermissionKind.FILE, target=rest)
            case "http" | "https":
                return cls(kind=PermissionKind.HOOK, target=_checked(text))
            case "denodo" if rest:
                return cls._denodo(rest)
        raise InvalidInput("permissions", _FORMS)

    @classmethod
    def _denodo(cls, text: str) -> Self:
        parts = urlsplit(_checked(text))
        options = parse_qs(parts.query, keep_blank_values=True)
        if not options.keys() <= {"databases", "serverId"}:
            raise InvalidInput("permissions", "may have the options databases and serverId")
        named = ",".join(options.get("databases", [])).split(",")
        databases = tuple(name.strip() for name in named if name.strip())
        server_id = options.get("serverId", ["1"])[-1]
        if not databases or not server_id.isdecimal():
            raise InvalidInput(
                "permissions",
                "must name the catalog's databases, and its server by a number if at all: "
                "denodo:https://host/denodo-data-catalog?databases=a,b&serverId=1",
            )
        return cls(
            kind=PermissionKind.DENODO,
            target=urlunsplit((parts.scheme, parts.netloc, parts.path, "", "")),
            databases=databases,
            server_id=int(server_id),
        )


def _checked(address: str) -> str:
    """An address that has what it needs, and no password in it."""
    try:
        parts = urlsplit(address)
        is_usable = parts.scheme in {"http", "https"} and parts.hostname and not parts.username
    except ValueError:
        is_usable = False
    if not is_usable:
        raise InvalidInput("permissions", _FORMS)
    return address


def normalised(name: str) -> str:
    """Return a table's name as `database.view`: in lower case, without quotes and outer blanks.

    A name without a database stays without one. What names no single table is `UNKNOWN`.
    """
    parts = ("".join(part).replace('""', '"').strip() for part in _PART.findall(name))
    joined = ".".join(part for part in parts if part).lower()
    return UNKNOWN if not joined or "*" in joined else joined


def database_of(table: str) -> str | None:
    """Return the database that a table's normalised name begins with, if it has one."""
    return table.rpartition(".")[0] or None


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """What an owner may see now."""

    tables: Mapping[str, Visibility] | None
    """By name as `database.view`, in lower case; a table not in it may not be seen.

    `database.*` stands for all tables of a database and `*` for all tables; of several entries
    for a table the one that shows least counts. None without a permission source: everything
    may be seen.
    """
    databases: frozenset[str] | None = None
    """Tables of other databases may not be seen, whatever `tables` says; None is no limit."""
    warnings: tuple[str, ...] = ()
    """Warnings for the result that this access is applied to."""

    @property
    def is_everything(self) -> bool:
        """Whether nothing has to be withheld, whatever it draws on."""
        return self.tables is None and self.databases is None

    def within(self, databases: Iterable[str] | None) -> Self:
        """Return the access to some databases only; None is no limit."""
        if databases is None:
            return self
        named = frozenset(map(normalised, databases))
        return replace(self, databases=named if self.databases is None else self.databases & named)

    def visibility_of(self, tables: Iterable[str]) -> Visibility:
        """Return how much may be shown of something that draws on these tables."""
        return min(map(self._of, tables), default=Visibility.ALL)

    def _of(self, table: str) -> Visibility:
        if self.databases is not None and database_of(table) not in self.databases:
            return Visibility.NOTHING
        if self.tables is None:
            return Visibility.ALL
        return min(_entries_for(table, self.tables), default=Visibility.NOTHING)


def _entries_for(table: str, entries: Mapping[str, Visibility]) -> list[Visibility]:
    """The visibilities that the entries give to a table; none where no entry is about it."""
    database = database_of(table)
    named = {table, f"{database}.*", EVERY_TABLE}
    visibilities = [entries[name] for name in named if name in entries]
    if not visibilities or database is not None:
        return visibilities
    # It may be the table of that name in any database, and an unknown one may be any table.
    return [
        visibility
        for name, visibility in entries.items()
        if table == UNKNOWN or name.rpartition(".")[2] in {table, "*"}
    ]


EVERYTHING: Final = Access(tables=None)
NOTHING: Final = Access(tables={})


def tables_of_answer(details: AnswerDetails, read_tables: ReadTables) -> tuple[str, ...]:
    """Return the tables an answer draws on, normalised and sorted; none without data.

    Those in its SQL count. Of SQL that cannot be read, every table that may have been used does
    (`tables_used`), and where none is named, or there is a result without either: `UNKNOWN`.
    """
    tables = candidates_of(details)
    if details.sql_query and details.sql_query.strip():
        read = read_tables(details.sql_query)
        tables = (tables or (UNKNOWN,)) if read is None else read
    elif not tables and details.execution_result:
        tables = (UNKNOWN,)
    return tuple(sorted({name for table in tables for name in placed(table, details)}))


def candidates_of(details: AnswerDetails) -> tuple[str, ...]:
    """Return the tables that an answer may have used, normalised."""
    return tuple(normalised(table) for table in details.tables_used or ())


def placed(table: str, details: AnswerDetails) -> Sequence[str]:
    """Return a table with its database: that of a candidate of its name, or the answer's own."""
    if "." in table or table == UNKNOWN:
        return (table,)
    named = [name for name in candidates_of(details) if name.endswith(f".{table}")]
    if named or not details.database:
        return named or (table,)
    return (f"{normalised(details.database)}.{table}",)


def turn_key(message: Message) -> TurnKey:
    """Return what a message shares with the others of its turn; its own key outside of turns."""
    number = message.turn_number
    return message.session_id, -message.sequence if number is None else number


@dataclass(frozen=True, slots=True, kw_only=True)
class Withholding:
    """Withholds from messages what an owner may not see."""

    access: Access
    tables_of: Callable[[Message], tuple[str, ...]]
    """The tables that a message draws on."""
    shape_of: Callable[[str], str | None]
    """SQL without its values; None if it cannot be read."""

    def visibilities(self, messages: Iterable[Message]) -> dict[TurnKey, Visibility]:
        """Return how much may be seen of each turn: the least of its messages."""
        seen: dict[TurnKey, Visibility] = {}
        for message in messages:
            visibility = self.access.visibility_of(self.tables_of(message))
            turn = turn_key(message)
            seen[turn] = min(visibility, seen.get(turn, Visibility.ALL))
        return seen

    def for_model(self, messages: Sequence[Message]) -> tuple[Message, ...]:
        """Return the messages for a model: turns that may not be seen are left out whole."""
        seen = self.visibilities(messages)
        shown = (self._part(message, seen[turn_key(message)]) for message in messages)
        return tuple(message for message in shown if message.visibility)

    def for_owner(
        self, messages: Sequence[Message], beside: Sequence[Message]
    ) -> tuple[Message, ...]:
        """Return the messages for their owner: what may not be seen keeps its place and id.

        `beside` are the other messages of their turns, which count as well.
        """
        seen = self.visibilities([*messages, *beside])
        return tuple(self._part(message, seen[turn_key(message)]) for message in messages)

    def _part(self, message: Message, visibility: Visibility) -> Message:
        match visibility:
            case Visibility.ALL:
                return replace(message, details=self._without_hidden_names(message.details))
            case Visibility.SHAPE if message.role is not Role.ASSISTANT:
                return replace(message, visibility=visibility)
            case Visibility.SHAPE:
                details = self._shape(message.details)
            case Visibility.NOTHING:
                details = NO_DETAILS
        return replace(
            message, content=WITHHELD, metadata={}, details=details, visibility=visibility
        )

    def _shape(self, details: AnswerDetails) -> AnswerDetails:
        return AnswerDetails(
            sql_query=self.shape_of(details.sql_query) if details.sql_query else None,
            tables_used=self._without_hidden_names(details).tables_used,
            tokens=details.tokens,
            execution_time_ms=details.execution_time_ms,
            model=details.model,
        )

    def _without_hidden_names(self, details: AnswerDetails) -> AnswerDetails:
        """Tables that were candidates for an answer may be ones that may not be seen."""
        if not details.tables_used:
            return details
        names = tuple(
            name
            for name in details.tables_used
            if self.access.visibility_of(placed(normalised(name), details))
        )
        return details if names == details.tables_used else replace(details, tables_used=names)
