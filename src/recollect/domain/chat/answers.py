"""A question to an answerer, and its answer."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Final
from uuid import UUID

from recollect.domain.chat.experiment import ExperimentArm
from recollect.domain.context.context import Context
from recollect.domain.conversation.message import MAX_CONTENT_LENGTH, NO_DETAILS, AnswerDetails
from recollect.domain.conversation.session import Session
from recollect.domain.facts.fact import Fact
from recollect.domain.recall.entry import AS_SET, RecallOverrides
from recollect.domain.text import JsonObject, check_json_object, check_name, storable

_MAX_MODEL_NAME: Final = 255


@dataclass(frozen=True, slots=True, kw_only=True)
class UserFacts:
    """What is known about a user, for an answerer that quotes memory itself."""

    known: tuple[Fact, ...] = ()
    """The facts that hold, those that changed last first."""
    forgotten: tuple[Fact, ...] = ()
    """Those that the question itself has ended."""
    withheld: frozenset[UUID] = frozenset()
    """The messages that taught what the user had the memory forget: they are not quoted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerRequest:
    """What an answerer is given."""

    context: Context
    """The question with what memory adds to it, which may be nothing."""
    options: JsonObject = field(default_factory=dict)
    """What the request says to this answerer alone; only what was set."""
    model: str | None = None
    """The model the request asks for; None leaves it to the settings."""
    is_stored: bool = True
    """Whether the question is; not in a temporary chat, or while memory is unavailable."""
    asked_at: datetime | None = None
    """When the question was stored."""
    is_memory_read: bool = True
    """Whether memory has answered; otherwise nobody can tell what is stored or known."""
    lacks_session: bool = False
    """Whether memory was not read and nothing is stored because the client named no session."""
    user_facts: UserFacts = UserFacts()
    """Empty for answerers that do not quote memory themselves."""


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
    session: Session | None = None
    """The session as the reply left it, as it is stored; None where it has to be read."""
    experiment: ExperimentArm | None = None
    """The arm of the experiment that its session is in; None while none runs."""
    is_repeated: bool = False
    """Whether a retry got the answer that was stored before."""
    warnings: tuple[str, ...] = ()
    timings: Timings
