"""Many messages as JSON."""

from typing import Annotated, Self
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, SkipValidation, ValidationError

from recollect.domain.message import Message, NewMessage
from recollect.errors import InvalidInput
from recollect.interfaces.http.schemas.messages import NewMessageIn
from recollect.ports.clock import Ids
from recollect.services.messages import MAX_APPENDED


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
