"""A conversation of one owner."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Final
from uuid import UUID, uuid5

from recollect.domain.text import JsonObject, check_json_object, check_name, without_breaks
from recollect.errors import InvalidId, InvalidInput

MAX_SESSION_NAME_LENGTH: Final = 500
MAX_EXTERNAL_ID_LENGTH: Final = 255
MAX_LABELS: Final = 100
_MAX_LABEL_LENGTH: Final = 255


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """A conversation as it is stored."""

    session_id: UUID
    name: str | None
    metadata: JsonObject
    databases: tuple[str, ...]
    tags: tuple[str, ...]
    created_at: datetime
    updated_at: datetime
    last_accessed_at: datetime
    expires_at: datetime | None
    message_count: int
    turn_count: int
    summary: str | None = None
    summary_tables: tuple[str, ...] = ()
    """The tables that the summary draws on."""
    name_turn: int | None = None
    """The turn whose question the name was made from; None for a name that was set."""

    @property
    def only_database(self) -> str | None:
        """The database of tables that name none; None where that is not clear."""
        return self.databases[0] if len(self.databases) == 1 else None

    @property
    def is_summarized(self) -> bool:
        """Whether a summary stands for the session's older messages."""
        return self.summary is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class NewSession:
    """A conversation about to be started; values that cannot be stored are refused here."""

    session_id: UUID
    name: str | None = None
    metadata: JsonObject = field(default_factory=dict)
    databases: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        _check_parts(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionChanges:
    """What to change in a session; None leaves a part as it is."""

    name: str | None = None
    metadata: JsonObject | None = None
    databases: tuple[str, ...] | None = None
    tags: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        _check_parts(self)


def _check_parts(session: NewSession | SessionChanges) -> None:
    if session.name is not None:
        object.__setattr__(session, "name", check_session_name(session.name))
    if session.metadata is not None:
        check_json_object(session.metadata, "metadata")
    for field_name in ("databases", "tags"):
        if (labels := getattr(session, field_name)) is not None:
            object.__setattr__(session, field_name, check_labels(labels, field_name))


def check_session_name(name: str) -> str:
    """Return a session's name without the blanks around it, or refuse it."""
    return check_name(name, "name", max_length=MAX_SESSION_NAME_LENGTH)


def check_labels(labels: tuple[str, ...], field_name: str) -> tuple[str, ...]:
    """Return tags or database names, each checked, doubles dropped, order kept."""
    if len(labels) > MAX_LABELS:
        raise InvalidInput(field_name, f"has more than {MAX_LABELS} entries")
    names = [check_name(label, field_name, max_length=_MAX_LABEL_LENGTH) for label in labels]
    return tuple(dict.fromkeys(names))


def name_from_question(question: str) -> str | None:
    """Name a session after its first question, on one line, cut at 500 characters."""
    line = without_breaks(question.lstrip()[: 4 * MAX_SESSION_NAME_LENGTH])
    return line[:MAX_SESSION_NAME_LENGTH].strip() or None


def parse_uuid(text: str, field_name: str) -> UUID:
    """Read a UUID in its usual form, in either case, or refuse it."""
    text = text.strip()
    try:
        parsed = UUID(text)
    except ValueError:
        raise InvalidId(field_name) from None
    if str(parsed) != text.lower():
        # UUID() also takes braces, 'urn:uuid:' and missing hyphens: one form is enough.
        raise InvalidId(field_name)
    return parsed


def session_id_from(text: str, owner_id: UUID) -> UUID:
    """Turn any string into a session id: a UUID is itself, anything else maps to one per owner."""
    try:
        return parse_uuid(text, "session_id")
    except InvalidId:
        name = check_name(text, "session_id", max_length=MAX_EXTERNAL_ID_LENGTH)
        return uuid5(owner_id, f"session:{name}")


def user_wide_session_id(owner_id: UUID) -> UUID:
    """Return the id of the one session of a user for requests that name none."""
    return session_id_from("user-wide", owner_id)
