"""A conversation of one owner: its session, its turns, and the branches that editing leaves."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final
from uuid import UUID, uuid5

from recollect.domain.conversation.message import Message, NewMessage, Role, count_each
from recollect.domain.text import (
    JsonObject,
    check_json_object,
    check_name,
    json_characters,
    without_breaks,
)
from recollect.errors import InvalidId, InvalidInput

MAX_SESSION_NAME_LENGTH: Final = 500
MAX_EXTERNAL_ID_LENGTH: Final = 255
MAX_LABELS: Final = 100
_MAX_LABEL_LENGTH: Final = 255
_HEX: Final = "[0-9a-fA-F]"
_UUID: Final = re.compile(f"{_HEX}{{8}}-(?:{_HEX}{{4}}-){{3}}{_HEX}{{12}}")
"""One form: `UUID()` takes braces, `urn:uuid:` and missing hyphens as well."""
LEAST_PATIENCE: Final = timedelta(minutes=10)
"""The least time that a question waits for its answer: clients may run tools in between."""
BEFORE_ALL: Final = 0
"""In the place of the message that a turn follows: there is none."""


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

    def has_expired(self, now: datetime) -> bool:
        """Whether it has come to its end."""
        return self.expires_at is not None and self.expires_at <= now


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

    def started(self, *, now: datetime, expires_at: datetime | None) -> Session:
        """The session as it is stored, without messages."""
        return Session(
            session_id=self.session_id,
            name=self.name,
            metadata=self.metadata,
            databases=self.databases,
            tags=self.tags,
            created_at=now,
            updated_at=now,
            last_accessed_at=now,
            expires_at=expires_at,
            message_count=0,
            turn_count=0,
        )


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


def used_session(session: Session, *, now: datetime, expires_at: datetime | None) -> Session:
    """Return a session after it was used; its end, if it has one, moves only to later."""
    end = session.expires_at
    if end is not None and expires_at is not None:
        end = max(end, expires_at)
    last = max(session.last_accessed_at, now)
    return replace(session, last_accessed_at=last, expires_at=end)


def named_session(session: Session, question: Message | None) -> Session:
    """Return a session with a name made from a question; without one, with no name."""
    name = None if question is None else name_from_question(question.content)
    turn = question.turn_number if question is not None and name else None
    return replace(session, name=name, name_turn=turn)


def parse_uuid(text: str, field_name: str) -> UUID:
    """Read a UUID in its usual form, in either case, or refuse it."""
    if not _UUID.fullmatch(text.strip()):
        raise InvalidId(field_name)
    return UUID(text.strip())


def session_id_from(text: str, owner_id: UUID) -> UUID:
    """Turn any string into a session id: a UUID is itself, anything else maps to one per owner."""
    if _UUID.fullmatch(text.strip()):
        return UUID(text.strip())
    name = check_name(text, "session_id", max_length=MAX_EXTERNAL_ID_LENGTH)
    return uuid5(owner_id, f"session:{name}")


def user_wide_session_id(owner_id: UUID) -> UUID:
    """Return the id of the one session of a user for requests that name none."""
    return session_id_from("user-wide", owner_id)


def session_characters(sessions: Iterable[Session], *, most: int) -> int:
    """Return how many characters there are to write; counting ends soon after `most`."""

    def count(session: Session, left: int) -> int:
        metadata = json_characters(session.metadata, most=left) if session.metadata else 0
        return len(session.summary or "") + metadata

    return count_each(sessions, count, most)


def patience(*, answer_timeout: float) -> timedelta:
    """Return how long a question may wait for its answer before its server counts as killed.

    Twice as long as an answer may take, for the work before and after it.
    """
    return max(LEAST_PATIENCE, timedelta(seconds=2 * answer_timeout))


class TurnStatus(StrEnum):
    """How far a turn has come."""

    PENDING = "pending"
    COMPLETE = "complete"
    FAILED = "failed"


def turn_offsets(messages: Sequence[NewMessage]) -> Iterator[int | None]:
    """Yield the turn of each message, counted from the session's latest one.

    A user message opens the next turn (1, 2, …), a reply belongs to the turn before it, which
    for the first one is the session's latest (0). A system message belongs to no turn (None).
    """
    opened = 0
    for message in messages:
        if message.role is Role.SYSTEM:
            yield None
            continue
        if message.role is Role.USER:
            opened += 1
        yield opened


def answered_turns(
    messages: Sequence[NewMessage], offsets: Sequence[int | None]
) -> dict[int, bool]:
    """Return for each turn of `turn_offsets` whether one of the messages answers it."""
    answered: dict[int, bool] = {}
    for message, offset in zip(messages, offsets, strict=True):
        if offset is not None:
            answered[offset] = answered.get(offset, False) or message.role is Role.ASSISTANT
    return answered


def split_into_parts(
    messages: Sequence[NewMessage], *, size: int
) -> Iterator[Sequence[NewMessage]]:
    """Split messages into whole turns and into replies that belong to a turn before.

    A part begins with a question, or has none. None is longer than `size`.
    """
    first = 0
    while first < len(messages):
        end = min(first + size, len(messages))
        if messages[first].role is not Role.USER:
            questions = (n for n in range(first, end) if messages[n].role is Role.USER)
            end = next(questions, end)
        yield messages[first:end]
        first = end


class Stored:
    """A session's messages with their branches; system messages belong to all of them.

    A turn follows a message, its parent: the reply it goes on from, or a question that had none
    yet. Where no parent is stored it is the end of the active branch before it: as long as nobody
    switches branches, nothing has to be stored.
    """

    def __init__(
        self,
        messages: Iterable[Message],
        parents: Mapping[int, int],
        *,
        failed: Collection[int] = (),
    ) -> None:
        in_turns = [m for m in messages if m.turn_number is not None]
        self.messages = tuple(sorted(in_turns, key=lambda message: message.sequence))
        self.failed = failed
        self._written = parents
        self._by_sequence = {message.sequence: message for message in self.messages}
        self._questions = {turn_number_of(m): m for m in self.messages if m.role is Role.USER}
        self._replies: dict[int, list[Message]] = {}
        for message in self.messages:
            if message.role is Role.ASSISTANT:
                self._replies.setdefault(turn_number_of(message), []).append(message)
        self._parents = dict(self._all_parents())
        self._after: dict[int, list[Message]] = {}
        for turn, parent in self._parents.items():
            self._after.setdefault(parent, []).append(self._questions[turn])

    @property
    def active(self) -> tuple[Message, ...]:
        """The active branch."""
        return tuple(message for message in self.messages if message.is_active)

    @property
    def unwritten_parents(self) -> dict[int, int]:
        """The parents of turns that follow from what is active now alone."""
        return {t: p for t, p in self._parents.items() if self._written.get(t) != p}

    def replies(self, turn: int) -> Sequence[Message]:
        """Return the replies of a turn, all siblings, oldest first."""
        return self._replies.get(turn, ())

    def first_questions(self) -> Sequence[Message]:
        """Return the questions that branches begin with, all siblings."""
        return self._after.get(BEFORE_ALL, ())

    def questions(self) -> Sequence[Message]:
        """Return every question of every branch."""
        return tuple(self._questions.values())

    def after(self, message: Message) -> Iterator[Message]:
        """Yield what may follow a message: a reply in its turn, or a question after that.

        A question that came before its turn was answered follows all replies; and a client may
        leave out replies, so that after a question there may be what followed any of its replies.
        """
        turn = turn_number_of(message)
        question = self._questions.get(turn)
        is_question = message.role is Role.USER
        replies = [r for r in self.replies(turn) if is_question or r.sequence > message.sequence]
        yield from replies
        yield from self._after.get(message.sequence, ())
        for other in replies if is_question else [question] if question else []:
            yield from self._after.get(other.sequence, ())

    def way_to(self, question: Message) -> tuple[Message, ...]:
        """Return the branch that leads to a question, without the question itself."""
        way: list[Message] = []
        parent = self._parents[turn_number_of(question)]
        while parent != BEFORE_ALL:
            message = self._by_sequence[parent]
            turn = turn_number_of(message)
            is_reply = message.role is Role.ASSISTANT
            replies = [message] if is_reply else [r for r in self.replies(turn) if r.is_active]
            way[:0] = [self._questions[turn], *replies]
            parent = self._parents[turn]
        return tuple(way)

    def _all_parents(self) -> Iterator[tuple[int, int]]:
        """What each turn follows: what is written, or the end of the active branch before it."""
        latest, ends = BEFORE_ALL, {BEFORE_ALL: BEFORE_ALL}
        for message in self.messages:
            turn = turn_number_of(message)
            if turn not in self._questions:
                continue
            if message.role is Role.USER:
                parent = self._written.get(turn)
                if parent is None or not self._may_be_followed(parent):
                    parent = ends[latest]
                yield turn, parent
            if message.is_active:
                latest = max(latest, turn)
                ends[turn] = message.sequence

    def _may_be_followed(self, sequence: int) -> bool:
        """Whether there is still such a message, and the question of its turn."""
        message = self._by_sequence.get(sequence)
        is_whole = message is not None and message.turn_number in self._questions
        return is_whole or sequence == BEFORE_ALL


def turn_number_of(message: Message) -> int:
    """The number of the turn that a message of a branch belongs to."""
    assert message.turn_number is not None  # noqa: S101  # `Stored` holds no others
    return message.turn_number
