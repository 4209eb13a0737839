"""What an import reads, checked as if it were new."""

from dataclasses import fields
from datetime import datetime
from typing import Final

from recollect.domain.context.compaction import Summary
from recollect.domain.conversation.message import (
    NO_DETAILS,
    AnswerDetails,
    Message,
    NewMessage,
    Role,
    Visibility,
    parse_role,
)
from recollect.domain.conversation.session import MAX_LABELS, NewSession, Session, TurnStatus
from recollect.domain.identity.accounts import UserState, check_mode
from recollect.domain.members import Members
from recollect.domain.profile.json_values import value_text
from recollect.domain.profile.profile import ProfileItem, check_key
from recollect.domain.text import JsonValue, check_text
from recollect.domain.transfer.records import MessageRecord, SessionRecord, TurnRecord
from recollect.errors import InvalidInput

_MAX_NUMBER: Final = 2**53
_MAX_TABLES: Final = 1_000
_MAX_METHOD: Final = 255
_MAX_SUMMARY: Final = 1_000_000
_VISIBLE: Final = Visibility.ALL.name.lower()
_OF_PROFILE: Final = frozenset(field.name for field in fields(ProfileItem))
_OF_STATE: Final = frozenset(field.name for field in fields(UserState))
_OF_SUMMARY: Final = frozenset(field.name for field in fields(Summary))
_OF_TURN: Final = frozenset(field.name for field in fields(TurnRecord))
_OF_DETAILS: Final = frozenset(field.name for field in fields(AnswerDetails))
_OF_SESSION: Final = frozenset(
    {
        *("session_id", "name", "name_turn", "metadata", "databases", "tags", "created_at"),
        *("updated_at", "last_accessed_at", "expires_at", "last_sequence", "last_turn", "summary"),
    }
)
_OF_MESSAGE: Final = frozenset(
    {
        *("message_id", "session_id", "sequence", "role", "content", "metadata", "details"),
        *("created_at", "is_active", "visibility", "turn"),
    }
)


def profile_item(item: JsonValue, *, now: datetime) -> tuple[ProfileItem, str]:
    """A value of the profile, and its text as it is stored."""
    read = Members.of(item, now, name="value", allowed=_OF_PROFILE)
    value = read.item.get("value")
    text = value_text(value)
    restored = ProfileItem(
        key=check_key(read.text("key")),
        value=value,
        version=read.integer("version", least=1, most=_MAX_NUMBER),
        created_at=read.past_moment("created_at"),
        updated_at=read.past_moment("updated_at"),
    )
    return restored, text


def state(item: JsonValue, *, now: datetime) -> UserState:
    """The mode of the user."""
    read = Members.of(item, now, name="state", allowed=_OF_STATE)
    return UserState(mode=check_mode(read.text("mode")), updated_at=read.past_moment("updated_at"))


def session(item: JsonValue, *, now: datetime) -> SessionRecord:
    """A session without its messages; its counters are those of an empty one."""
    read = Members.of(item, now, name="session", allowed=_OF_SESSION)
    new = NewSession(
        session_id=read.uuid("session_id"),
        name=read.text("name") if read.has("name") else None,
        metadata=read.json_object("metadata"),
        databases=read.texts("databases", most=MAX_LABELS),
        tags=read.texts("tags", most=MAX_LABELS),
    )
    summary = _summary(read, now)
    has_turn = read.has("name_turn")
    return SessionRecord(
        session=Session(
            session_id=new.session_id,
            name=new.name,
            metadata=new.metadata,
            databases=new.databases,
            tags=new.tags,
            created_at=read.past_moment("created_at"),
            updated_at=read.past_moment("updated_at"),
            last_accessed_at=read.past_moment("last_accessed_at"),
            expires_at=read.any_moment("expires_at"),
            message_count=0,
            turn_count=0,
            summary=None if summary is None else summary.text,
            summary_tables=() if summary is None else summary.tables,
            name_turn=read.integer("name_turn", least=1, most=_MAX_NUMBER) if has_turn else None,
        ),
        last_sequence=read.integer("last_sequence", most=_MAX_NUMBER),
        last_turn=read.integer("last_turn", most=_MAX_NUMBER),
        summary=summary,
    )


def _summary(session_members: Members, now: datetime) -> Summary | None:
    if not session_members.has("summary"):
        return None
    try:
        return _summary_of(session_members.item["summary"], now)
    except InvalidInput as error:
        raise error.inside("summary") from None


def _summary_of(item: JsonValue, now: datetime) -> Summary:
    read = Members.of(item, now, name="value", allowed=_OF_SUMMARY)
    first = read.integer("first_sequence", least=1, most=_MAX_NUMBER)
    tables = read.texts("tables", most=_MAX_TABLES)
    return Summary(
        text=check_text(read.text("text"), "text", max_length=_MAX_SUMMARY),
        first_sequence=first,
        last_sequence=read.integer("last_sequence", least=first, most=_MAX_NUMBER),
        tables=tuple(check_text(name, "tables", max_length=_MAX_TABLES) for name in tables),
        method=check_text(read.text("method"), "method", max_length=_MAX_METHOD),
        created_at=read.past_moment("created_at"),
    )


def message(item: JsonValue, *, now: datetime) -> MessageRecord | None:
    """A message of any branch; None for one that the export has not whole."""
    read = Members.of(item, now, name="message", allowed=_OF_MESSAGE)
    if read.text("visibility") != _VISIBLE:
        return None
    role, created_at = parse_role(read.text("role")), read.past_moment("created_at")
    new = NewMessage(
        message_id=read.uuid("message_id"),
        role=role,
        content=read.text("content"),
        metadata=read.json_object("metadata"),
        details=_details(read, now),
        created_at=created_at,
    )
    turn = _turn(read, now, role)
    return MessageRecord(
        message=Message(
            message_id=new.message_id,
            session_id=read.uuid("session_id"),
            sequence=read.integer("sequence", least=1, most=_MAX_NUMBER),
            turn_number=None if turn is None else turn.number,
            role=role,
            content=new.content,
            metadata=new.metadata,
            details=new.details,
            created_at=created_at,
            is_active=read.flag("is_active"),
        ),
        turn=turn,
    )


def _details(message_members: Members, now: datetime) -> AnswerDetails:
    given = message_members.json_object("details")
    if not given:
        return NO_DETAILS
    read = Members.of(given, now, name="details", allowed=_OF_DETAILS)
    return AnswerDetails(**read.item)  # type: ignore[arg-type]  # the class checks what it gets


def _turn(message_members: Members, now: datetime, role: Role) -> TurnRecord | None:
    if not message_members.has("turn"):
        if role is Role.USER:
            raise InvalidInput("turn", "must be given of a user's message")
        return None
    if role is Role.SYSTEM:
        raise InvalidInput("turn", "must be null: a system message belongs to no turn")
    try:
        read = Members.of(message_members.item["turn"], now, name="value", allowed=_OF_TURN)
        return TurnRecord(
            number=read.integer("number", least=1, most=_MAX_NUMBER),
            status=read.choice("status", TurnStatus),
            follows=read.integer("follows", most=_MAX_NUMBER) if read.has("follows") else None,
            is_learnt=read.flag("is_learnt"),
        )
    except InvalidInput as error:
        raise error.inside("turn") from None
