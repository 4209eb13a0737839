"""Messages, exchanges, turns and batches as JSON."""

from datetime import datetime
from typing import Annotated, Any, Final, Literal, Self, TypeAlias, cast
from uuid import UUID

from pydantic import (
    AliasChoices,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    SkipValidation,
    ValidationError,
)

from recollect.domain.conversation.message import (
    MAX_CONTENT_LENGTH,
    NO_DETAILS,
    AnswerDetails,
    Message,
    NewMessage,
    Role,
    Visibility,
    message_id_for_key,
)
from recollect.domain.conversation.session import TurnStatus, parse_uuid
from recollect.domain.text import parse_moment
from recollect.errors import InvalidInput
from recollect.interfaces.http.schemas.conversations import (
    AnyJson,
    AnyObject,
    Content,
    FromDomain,
    UuidText,
    example,
    optional,
)
from recollect.ports.runtime import Ids
from recollect.services.conversations.messages import MAX_APPENDED

_LongText: TypeAlias = Annotated[str, Field(max_length=MAX_CONTENT_LENGTH)]
_ShortText: TypeAlias = Annotated[str, Field(max_length=1000)]
_Count: TypeAlias = Annotated[int, Field(ge=0, le=2**63 - 1, strict=True)]
_SAID_AT: Final = "When it was said, with a time zone, for imports; default: now."


def _read_time(given: object) -> object:
    """Read ISO 8601 alone: what a number means, seconds or milliseconds, nobody can tell."""
    if given is None or isinstance(given, datetime):
        return given
    try:
        return parse_moment(cast("str", given), "created_at")
    except InvalidInput as error:
        raise ValueError(error.problem) from None


_CreatedAt: TypeAlias = Annotated[datetime | None, BeforeValidator(_read_time)]


class Details(BaseModel):
    """What an assistant's message may tell about how its answer was found."""

    model_config = ConfigDict(extra="forbid")

    sql_query: _LongText | None = None
    query_explanation: _LongText | None = None
    tables_used: Annotated[tuple[str, ...], Field(max_length=1000, fail_fast=True)] | None = None
    execution_result: AnyJson = None
    tokens: _Count | AnyObject | None = None
    execution_time_ms: Annotated[float, Field(ge=0, allow_inf_nan=False, strict=True)] | None = None
    citations: tuple[AnyJson, ...] | None = None
    model: _ShortText | None = None
    database: _ShortText | None = optional(
        "Of tables named without one; default: the session's, if it has just one."
    )

    def details(self) -> AnswerDetails:
        """The details that were given."""
        names = Details.model_fields.keys() & self.model_fields_set
        details = {name: getattr(self, name) for name in names}
        return AnswerDetails(**details) if details else NO_DETAILS


class NewMessageIn(Details):
    """A message to store; `created_at` may also be called `timestamp`."""

    model_config = example(
        role="assistant",
        content="North 2.5M, South 1.8M",
        sql_query="SELECT region, SUM(amount) FROM sales GROUP BY region",
        tables_used=["sales"],
    )

    role: Role
    content: Content
    metadata: AnyObject = Field(default_factory=dict)
    message_id: UuidText | None = optional(
        "A UUID of your own; the same one again stores nothing twice."
    )
    created_at: _CreatedAt = optional(
        _SAID_AT, validation_alias=AliasChoices("created_at", "timestamp")
    )

    def to_domain(
        self, session_id: UUID, idempotency_key: str | None, ids: Ids
    ) -> list[NewMessage]:
        """The message this stands for, its id taken from the caller's id or key."""
        if self.message_id:
            message_id = parse_uuid(self.message_id, "message_id")
        else:
            message_id = _message_id(session_id, idempotency_key, ids)
        message = NewMessage(
            message_id=message_id,
            role=self.role,
            content=self.content,
            metadata=self.metadata,
            details=self.details(),
            created_at=self.created_at,
        )
        return [message]


class MessageIn(NewMessageIn):
    """A message to store in a session; `created_at` may also be called `timestamp`."""

    reply_to: UuidText | None = optional(
        "For a reply: the message it answers. Default: the latest question."
    )


class ExchangeIn(Details):
    """A question and its answer, to be stored together."""

    model_config = example(
        question="Show me total sales by region for 2024",
        answer="North 2.5M, South 1.8M",
        sql_query="SELECT region, SUM(amount) FROM sales GROUP BY region",
    )

    question: Content
    answer: Content
    created_at: _CreatedAt = optional(_SAID_AT)

    def to_domain(
        self, session_id: UUID, idempotency_key: str | None, ids: Ids
    ) -> list[NewMessage]:
        """The two messages this stands for."""
        parts = (
            ("q", Role.USER, self.question, NO_DETAILS),
            ("a", Role.ASSISTANT, self.answer, self.details()),
        )
        return [
            NewMessage(
                message_id=_message_id(session_id, idempotency_key, ids, part=part),
                role=role,
                content=content,
                details=details,
                created_at=self.created_at,
            )
            for part, role, content, details in parts
        ]


def _message_id(
    session_id: UUID, idempotency_key: str | None, ids: Ids, *, part: object = None
) -> UUID:
    """The id that the caller's key stands for; with a part, one of several under the same key."""
    if not idempotency_key:
        return ids.new_id()
    key = idempotency_key if part is None else f"{idempotency_key}:{part}"
    return message_id_for_key(session_id, key)


class MessageOut(Details):
    """A message; of the details only those that were given."""

    message_id: UUID
    session_id: UUID
    sequence: int = Field(
        description="1, 2, 3, … in the session; the number of a deleted one is not given again."
    )
    turn_number: int | None = Field(description="The question and its reply share a number.")
    role: Role
    content: str
    metadata: AnyObject
    created_at: datetime = Field(
        description="When it was said: its own time where it brought one, else when it was stored."
    )
    is_active: bool = Field(
        description="Whether it is on the active branch; else another reply or question is."
    )
    visibility: Literal["shape", "nothing"] | None = optional(
        "Given where permissions keep something back: all but the question and the "
        "form of the SQL (shape), or all (nothing)."
    )

    @classmethod
    def of(cls, message: Message) -> Self:
        """The JSON form of a message."""
        return cls.model_validate(cls.members_of(message))

    @staticmethod
    def members_of(message: Message) -> dict[str, Any]:
        """The members of its JSON form, unchecked: a page has many messages, all of them ours."""
        members = {
            "message_id": str(message.message_id),
            "session_id": str(message.session_id),
            "sequence": message.sequence,
            "turn_number": message.turn_number,
            "role": message.role,
            "content": message.content,
            "metadata": message.metadata,
            "created_at": message.created_at,
            "is_active": message.is_active,
        }
        if message.details is not NO_DETAILS:
            members |= message.details.to_json()
        if message.visibility is not Visibility.ALL:
            members["visibility"] = message.visibility.name.lower()
        return members


class ExchangeOut(BaseModel):
    """The two messages of an exchange."""

    question: MessageOut
    answer: MessageOut

    @classmethod
    def of(cls, question: Message, answer: Message) -> Self:
        """The JSON form of both."""
        return cls(question=MessageOut.of(question), answer=MessageOut.of(answer))


class TurnOut(BaseModel):
    """How far a turn has come."""

    turn_number: int
    status: TurnStatus


class TurnPatch(BaseModel):
    """Say that a question will get no answer."""

    model_config = example(status="failed")

    status: Literal["failed"]


class BatchIn(BaseModel):
    """Messages to store together, oldest first."""

    model_config = example(
        messages=[
            {
                "role": "user",
                "content": "Show me total sales by region for 2024",
                "created_at": "2024-05-06T09:30:00Z",
            },
            {
                "role": "assistant",
                "content": "North 2.5M, South 1.8M",
                "created_at": "2024-05-06T09:30:02Z",
            },
        ]
    )

    # Each is read by `to_domain`: all at once would hold the event loop for too long.
    messages: Annotated[
        list[SkipValidation[NewMessageIn]],
        Field(min_length=1, description=f"At most {MAX_APPENDED:,}."),
    ]

    def to_domain(
        self, session_id: UUID, idempotency_key: str | None, ids: Ids
    ) -> list[NewMessage]:
        """The messages this stands for; slow, so that it wants a thread of its own."""
        messages: list[NewMessage] = []
        for position, given in enumerate(self.messages):
            key = f"{idempotency_key}:{position}" if idempotency_key else None
            try:
                message = NewMessageIn.model_validate(given)
                messages += message.to_domain(session_id, key, ids)
            except ValidationError as error:
                raise _first_problem(error).inside(f"messages[{position}]") from None
            except InvalidInput as error:
                raise error.inside(f"messages[{position}]") from None
        return messages


def _first_problem(error: ValidationError) -> InvalidInput:
    """What is wrong with a message, in our words: names of fields alone, nothing that was sent."""
    problem = error.errors(include_url=False, include_input=False)[0]
    name = str(problem["loc"][0]) if problem["loc"] else "message"
    is_known = name in NewMessageIn.model_fields or name == "timestamp"
    reason = problem["msg"].removeprefix("Value error, ")
    return InvalidInput(name if is_known else "message", f"is not valid: {reason}")


class StoredMessage(FromDomain):
    """Where one message of a batch is now."""

    message_id: UUID
    sequence: int
    turn_number: int | None


class BatchOut(BaseModel):
    """What a batch left behind, without the texts."""

    count: int
    first_sequence: int
    last_sequence: int
    messages: list[StoredMessage] = Field(description="In the order they were given.")

    @classmethod
    def of(cls, messages: tuple[Message, ...]) -> Self:
        """The JSON form of stored messages; slow, so that it wants a thread of its own."""
        return cls(
            count=len(messages),
            first_sequence=messages[0].sequence,
            last_sequence=messages[-1].sequence,
            messages=[StoredMessage.of(message) for message in messages],
        )
