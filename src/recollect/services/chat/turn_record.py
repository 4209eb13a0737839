"""What is measured and traced of one turn, from its question to its end."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from time import perf_counter
from uuid import UUID

from recollect.domain.chat.experiment import ExperimentArm
from recollect.domain.context.context import Context
from recollect.domain.conversation.message import Message
from recollect.domain.identity.scope import Scope
from recollect.ports.metrics import (
    CONVERSATION_LENGTH,
    MODEL_TOKENS,
    TURN_MEMORY_SECONDS,
    TURN_SECONDS,
    TURNS,
)
from recollect.ports.telemetry import Span, Telemetry
from recollect.services.context.context_metrics import has_memory


class MemoryUse(StrEnum):
    """What memory did for a turn."""

    USED = "used"
    EMPTY = "empty"
    """There was nothing to add to the question."""
    OFF = "off"
    """Nobody asked for it, or it is switched off."""
    CONTROL = "control"
    """An experiment answers the session without it."""
    FAILED = "failed"


class TurnOutcome(StrEnum):
    """How a turn ended."""

    ANSWERED = "answered"
    FAILED = "failed"
    REFUSED = "refused"
    """It never began: a halted user, a wrong request."""


@dataclass(slots=True, kw_only=True)
class TurnRecord:
    """Measures one turn; ended once, whatever is called afterwards."""

    telemetry: Telemetry
    interface: str
    """`chat` or `proxy`."""
    scope: Scope
    memory: MemoryUse = MemoryUse.OFF
    arm: ExperimentArm | None = None
    span: Span = field(init=False)
    _began: float = field(default_factory=perf_counter)
    _ready: float | None = None
    _answered: float | None = None
    _is_ended: bool = False

    def __post_init__(self) -> None:
        self.span = self.telemetry.span("turn")
        self.span.set("recollect.interface", self.interface)
        if user := self.telemetry.user_id(self.scope):
            self.span.set("user.id", user)

    @contextmanager
    def beginning(self) -> Iterator[None]:
        """Make its span the parent of the block; an error in the block ends the turn."""
        try:
            with self.span.active():
                yield
        except BaseException as error:
            self.end(TurnOutcome.REFUSED, error=type(error).__name__)
            raise

    def of_session(self, session_id: UUID | None, arm: ExperimentArm | None) -> None:
        """Tell which session it belongs to, and which arm of an experiment."""
        if session_id is not None:
            self.span.set("session.id", str(session_id))
            self.span.set("gen_ai.conversation.id", str(session_id))
        if session_id is not None and arm is not None:
            self.arm = arm
            self.span.set("recollect.experiment", arm)
            self.span.set("langfuse.trace.metadata.experiment", arm)

    def has_context(self, context: Context | None, *, wants_memory: bool) -> None:
        """Tell what memory has added; from now on the turn waits for its answer."""
        self._ready = perf_counter()
        if not wants_memory:
            self.memory = MemoryUse.OFF
        elif self.arm is ExperimentArm.CONTROL:
            self.memory = MemoryUse.CONTROL
        elif context is None:
            self.memory = MemoryUse.FAILED
        else:
            self.memory = MemoryUse.USED if has_memory(context) else MemoryUse.EMPTY
        tags = [f"memory:{self.memory}"]
        tags += [f"experiment:{self.arm}"] if self.arm else []
        self.span.set("recollect.memory", self.memory)
        self.span.set("langfuse.trace.metadata.memory", self.memory)
        self.span.set("langfuse.trace.tags", tuple(tags))

    def describe(self, context: Context) -> None:
        """Tell what is asked: how many tokens, and where content is traced, which."""
        tokens = context.tokens
        self.span.set("recollect.tokens.with_context", tokens.total)
        self.span.set("recollect.tokens.without_context", tokens.question)
        self.span.set("langfuse.trace.metadata.tokens_with_context", tokens.total)
        self.span.set("langfuse.trace.metadata.tokens_without_context", tokens.question)
        self.span.set("recollect.is_follow_up", context.is_follow_up)
        self.span.set("recollect.is_truncated", context.is_truncated)
        if self.telemetry.traces_content:
            self.span.set("langfuse.trace.input", context.question)
            self.span.set("recollect.standalone_question", context.standalone_question)

    def answered(self, text: str = "") -> None:
        """Tell that the whole answer is there, and only storing it is left."""
        self._answered = perf_counter()
        if text and self.telemetry.traces_content:
            self.span.set("langfuse.trace.output", text)

    def used_tokens(self, *, input_tokens: int | None, output_tokens: int | None) -> None:
        """Tell what a model reports whose reply is passed on."""
        for direction, used in (("input", input_tokens), ("output", output_tokens)):
            if used is not None:
                self.span.set(f"gen_ai.usage.{direction}_tokens", used)
                self.telemetry.count(MODEL_TOKENS, direction, by=used)

    def stored(self, reply: Message | None) -> None:
        """Tell that the answer is stored."""
        if reply is not None:
            self.telemetry.observe(CONVERSATION_LENGTH, reply.sequence)

    def end(self, outcome: TurnOutcome, *, error: str = "") -> None:
        """End it: only the first call counts."""
        if self._is_ended:
            return
        self._is_ended = True
        now, ready = perf_counter(), self._ready
        self.telemetry.count(TURNS, self.interface, self.memory, outcome)
        if ready is not None and outcome is TurnOutcome.ANSWERED:
            self.telemetry.observe(TURN_SECONDS, now - self._began, self.interface)
            if self.memory is not MemoryUse.OFF:
                added = ready - self._began + now - (self._answered or now)
                self.telemetry.observe(TURN_MEMORY_SECONDS, added, self.interface)
        self.span.set("recollect.outcome", outcome)
        self.span.end(error=error)
