"""A question to an answerer, and its answer."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final, Self
from uuid import UUID

from recollect.domain.context.context import Context
from recollect.domain.conversation.message import MAX_CONTENT_LENGTH, NO_DETAILS, AnswerDetails
from recollect.domain.recall.entry import AS_SET, RecallOverrides
from recollect.domain.text import JsonObject, JsonValue, check_json_object, check_name, storable
from recollect.errors import InvalidInput

_ROWS: Final = re.compile(r"rows:(\d{1,4})")
_MAX_MODEL_NAME: Final = 255


class StoredPart(StrEnum):
    """How much of a result is stored."""

    NONE = "none"
    SUMMARY = "summary"
    """Its columns, and how many rows it had."""
    ROWS = "rows"
    """The first rows, too."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultPolicy:
    """What is stored of the results of queries."""

    part: StoredPart = StoredPart.SUMMARY
    rows: int = 0

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read `none`, `summary` or `rows:N`."""
        if match := _ROWS.fullmatch(text):
            return cls(part=StoredPart.ROWS, rows=int(match[1]))
        if text in {StoredPart.NONE, StoredPart.SUMMARY}:
            return cls(part=StoredPart(text))
        raise InvalidInput("results", "must be none, summary or rows:N (N up to 9999)")

    def keep(self, rows: Sequence[Mapping[str, JsonValue]]) -> JsonValue:
        """What is stored of these rows; None for nothing."""
        if self.part is StoredPart.NONE or not rows:
            return None
        columns = list(dict.fromkeys(name for row in rows for name in row))
        summary: dict[str, JsonValue] = {"columns": columns, "row_count": len(rows)}
        if self.part is StoredPart.ROWS:
            summary["rows"] = [dict(row) for row in rows[: self.rows]]
        return summary


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerRequest:
    """What an answerer is given."""

    context: Context
    """The question with what memory adds to it, which may be nothing."""
    options: JsonObject = field(default_factory=dict)
    """What the request says to this answerer alone; only what was set."""
    model: str | None = None
    """The model the request asks for; None leaves it to the settings."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What is told to the user and stored as the reply."""

    content: str
    details: AnswerDetails = NO_DETAILS
    response: JsonObject = field(default_factory=dict)
    """Everything else the upstream said, for clients that know it; never stored."""
    stored_as: str | None = None
    """The reply as it is remembered, where that is less than what is told; None: all of it."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "content", storable(self.content))

    @property
    def remembered(self) -> str:
        """What is stored as the reply."""
        return storable(self.stored_as or self.content)[:MAX_CONTENT_LENGTH]


@dataclass(frozen=True, slots=True, kw_only=True)
class Inquiry:
    """A question, the session it belongs to, and how it is to be answered."""

    text: str
    session_id: UUID | None = None
    """None leaves it to the preset: a new session, the user's own one, or a refusal."""
    needs_session_id: bool = False
    """Whether a missing session id is refused where the preset refuses it."""
    session_name: str | None = None
    session_metadata: JsonObject = field(default_factory=dict)
    databases: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    message_id: UUID | None = None
    """The question's own id: asked again with the same one, it is stored and answered once."""
    idempotency_key: str | None = None
    """The same for callers without ids of their own; a new session is found again by it, too."""
    model: str | None = None
    options: JsonObject = field(default_factory=dict)
    """What the request says to the answerer alone; only what was set."""
    uses_memory: bool = True
    """False for a plain call: nothing is read, nothing is stored."""
    window: int | None = None
    """How many messages or turns the context looks back; None leaves it to the settings."""
    recall: RecallOverrides = AS_SET
    """Where the context looks for earlier exchanges, and how many it takes."""

    def __post_init__(self) -> None:
        check_json_object(self.options, "options")
        if self.model is not None:
            check_name(self.model, "model", max_length=_MAX_MODEL_NAME)


@dataclass(frozen=True, slots=True, kw_only=True)
class Timings:
    """How long the parts of a turn took, in seconds."""

    memory: float
    """From the question's arrival to its context, before anybody was asked."""
    answer: float
    total: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """An answer, with what memory did for it."""

    answer: Answer
    context: Context
    session_id: UUID | None
    """None where the question was asked without memory."""
    question_id: UUID | None
    reply_id: UUID | None
    """The stored messages; None for one that is not stored."""
    is_repeated: bool = False
    """Whether a retry got the answer that was stored before."""
    warnings: tuple[str, ...] = ()
    timings: Timings
