"""A question put to whoever answers, and all that came of it."""

from dataclasses import dataclass, field
from typing import Final
from uuid import UUID

from recollect.domain.answer import Answer
from recollect.domain.context import Context
from recollect.domain.recall.policy import AS_SET, RecallWish
from recollect.domain.text import JsonObject, check_json_object, check_name

_MAX_MODEL_NAME: Final = 255


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
    recall: RecallWish = AS_SET
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
