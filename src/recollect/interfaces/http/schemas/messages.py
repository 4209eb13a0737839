"""Messages as JSON."""

from datetime import datetime
from typing import Annotated, Final, Literal, Self, cast
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
from recollect.domain.conversation.paging import Page
from recollect.domain.conversation.session import parse_uuid
from recollect.domain.conversation.turns import TurnStatus
from recollect.domain.text import parse_moment
from recollect.errors import InvalidInput
from recollect.interfaces.http.schemas.common import AnyJson, AnyObject, ListOf
from recollect.ports.runtime import Ids
from recollect.services.conversations.sessions import MAX_APPENDED

Content = Annotated[str, Field(min_length=1, max_length=MAX_CONTENT_LENGTH)]
_Count = Annotated[int, Field(ge=0, le=2**63 - 1, strict=True)]
_UuidText = Annotated[str, Field(json_schema_extra={"format": "uuid"})]


def _read_time(given: object) -> object:
    """Read ISO 8601 alone: what a number means, seconds or milliseconds, nobody can tell."""
    if given is None or isinstance(given, datetime):
        return given
    try:
        return parse_moment(cast("str", given), "created_at")
    except InvalidInput as error:
        raise ValueError(error.problem) from None


_CreatedAt = Annotated[datetime | None, BeforeValidator(_read_time)]


_SAID_AT: Final = "When it was said, with a time zone, for imports; default: now."


class Details(BaseModel):
    """What an assistant's message may tell about how its answer was found."""

    model_config = ConfigDict(extra="forbid")

    sql_query: Annotated[str, Field(max_length=MAX_CONTENT_LENGTH)] | None = None
    query_explanation: Annotated[str, Field(max_length=MAX_CONTENT_LENGTH)] | None = None
    tables_used: Annotated[tuple[str, ...], Field(max_length=1000, fail_fast=True)] | None = None
    execution_result: AnyJson = None
    tokens: _Count | AnyObject | None = None
    execution_time_ms: Annotated[float, Field(ge=0, allow_inf_nan=False, strict=True)] | None = None
    citations: tuple[AnyJson, ...] | None = None
    model: Annotated[str, Field(max_length=1000)] | None = None
    database: Annotated[str, Field(max_length=1000)] | None = Field(
        default=None,
        description="Of tables named without one; default: the session's, if it has just one.",
    )

    def details(self) -> AnswerDetails:
        """The details this tells."""
        given = Details.model_fields.keys() & self.model_fields_set
        told = {name: getattr(self, name) for name in given}
        return AnswerDetails(**told) if told else NO_DETAILS


class NewMessageIn(Details):
    """A message to store; `created_at` may also be called `timestamp`."""

    model_config = ConfigDict(
        json_schema_extra={
            "example": {
                "role": "assistant",
                "content": "North 2.5M, South 1.8M",
                "sql_query": "SELECT region, SUM(amount) FROM sales GROUP BY region",
                "tables_used": ["sales"],
            }
        }
    )

    role: Role
    content: Content
    metadata: AnyObject = Field(default_factory=dict)
    message_id: _UuidText | None = Field(
        default=None, description="A UUID of your own; the same one again stores nothing twice."
    )
    created_at: _CreatedAt = Field(
        default=None,
        validation_alias=AliasChoices("created_at", "timestamp"),
        description=_SAID_AT,
    )

    def to_domain(self, session_id: UUID, idempotency_key: str | None, ids: Ids) -> NewMessage:
        """The message this stands for, its id taken from the caller's id or key."""
        if self.message_id:
            message_id = parse_uuid(self.message_id, "message_id")
        else:
            message_id = _message_id(session_id, idempotency_key, ids)
        return NewMessage(
            message_id=message_id,
            role=self.role,
            content=self.content,
            metadata=self.metadata,
            details=self.details(),
            created_at=self.created_at,
        )


class MessageIn(NewMessageIn):
    """A message to store in a session; `created_at` may also be called `timestamp`."""

    reply_to: _UuidText | None = Field(
        default=None,
        description="For a reply: the message it answers. Default: the latest question.",
    )


class ExchangeIn(Details):
    """A question and its answer, to be stored together."""

    model_config = ConfigDict(
        json_schema_extra={
            "example": {
                "question": "Show me total sales by region for 2024",
                "answer": "North 2.5M, South 1.8M",
                "sql_query": "SELECT region, SUM(amount) FROM sales GROUP BY region",
            }
        }
    )

    question: Content
    answer: Content
    created_at: _CreatedAt = Field(default=None, description=_SAID_AT)

    def to_domain(
        self, session_id: UUID, idempotency_key: str | None, ids: Ids
    ) -> list[NewMessage]:
        """The two messages this stands for."""
        said = (
            (Role.USER, self.question, NO_DETAILS),
            (Role.ASSISTANT, self.answer, self.details()),
        )
        keys = (f"{idempotency_key}:{part}" if idempotency_key else None for part in ("q", "a"))
        return [
            NewMessage(
                message_id=_message_id(session_id, key, ids),
                role=role,
                content=content,
                details=details,
                created_at=self.created_at,
            )
            for (role, content, details), key in zip(said, keys, strict=True)
        ]


def _message_id(session_id: UUID, idempotency_key: str | None, ids: Ids) -> UUID:
    if idempotency_key:
        return message_id_for_key(session_id, idempotency_key)
    return ids.new_id()


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
    visibility: Literal["shape", "nothing"] | None = Field(
        default=None,
        description="Given where permissions keep something back: all but the question and the "
        "form of the SQL (shape), or all (nothing).",
    )

    @classmethod
    def of(cls, message: Message) -> Self:
        """The JSON form of a message."""
        return cls.model_validate(
            {
                "message_id": message.message_id,
                "session_id": message.session_id,
                "sequence": message.sequence,
                "turn_number": message.turn_number,
                "role": message.role,
                "content": message.content,
                "metadata": message.metadata,
                "created_at": message.created_at,
                "is_active": message.is_active,
                **message.details.to_json(),
                **_kept_back(message),
            }
        )


def message_page(found: Page[Message]) -> ListOf[MessageOut]:
    """The JSON form of a page of messages."""
    return ListOf(
        items=[MessageOut.of(item) for item in found.items], next_cursor=found.next_cursor
    )


def _kept_back(message: Message) -> dict[str, str]:
    if message.visibility is Visibility.ALL:
        return {}
    return {"visibility": message.visibility.name.lower()}


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

    model_config = ConfigDict(extra="forbid", json_schema_extra={"example": {"status": "failed"}})

    status: Literal["failed"]


class BatchIn(BaseModel):
    """Messages to store together, oldest first."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "example": {
                "messages": [
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
            }
        },
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
        made = []
        for position, given in enumerate(self.messages):
            key = f"{idempotency_key}:{position}" if idempotency_key else None
            place = f"messages[{position}]"
            try:
                message = NewMessageIn.model_validate(given)
                made.append(message.to_domain(session_id, key, ids))
            except ValidationError as error:
                raise _first_problem(error).inside(place) from None
            except InvalidInput as error:
                raise error.inside(place) from None
        return made


def _first_problem(error: ValidationError) -> InvalidInput:
    """What is wrong with a message, in our words: names of fields alone, nothing that was sent."""
    problem = error.errors(include_url=False, include_input=False)[0]
    name = str(problem["loc"][0]) if problem["loc"] else "message"
    known = name in NewMessageIn.model_fields or name == "timestamp"
    said = problem["msg"].removeprefix("Value error, ")
    return InvalidInput(name if known else "message", f"is not valid: {said}")


class StoredMessage(BaseModel):
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
            messages=[
                StoredMessage(
                    message_id=message.message_id,
                    sequence=message.sequence,
                    turn_number=message.turn_number,
                )
                for message in messages
            ],
        )
