"""Implements `recollect.ports.telemetry.Telemetry`: metrics, traces and one log line an operation.

What is switched off costs next to nothing: two readings of a clock for a stage.
"""

import logging
from contextlib import AbstractContextManager
from contextvars import ContextVar, Token
from hashlib import blake2b
from secrets import token_bytes
from time import perf_counter
from types import TracebackType
from typing import Final, Protocol, Self
from uuid import UUID

from recollect.domain.identity.scope import Scope
from recollect.errors import RecollectError
from recollect.ports.metrics import OPERATION_SECONDS, OPERATIONS, STAGE_SECONDS
from recollect.ports.telemetry import (
    NO_SPAN,
    Metric,
    Operation,
    Span,
    SpanKind,
    Stage,
    TracedUsers,
)
from recollect.telemetry.metrics import MetricStore

_PSEUDONYM_BYTES: Final = 8
_RANDOM_KEY_BYTES: Final = 32
_OK: Final = "ok"
_stages: Final[ContextVar[dict[str, float] | None]] = ContextVar("stages", default=None)
"""The seconds of each stage of the operation being done."""
logger = logging.getLogger("recollect.operations")


class Tracer(Protocol):
    """Makes spans."""

    traces_content: bool

    def span(self, name: str, kind: SpanKind, remote_parent: str = "") -> Span:
        """Begin a span of the current trace, or of that of another program."""


class Measuring:
    """Takes all measurements of one process."""

    def __init__(
        self,
        *,
        metrics: MetricStore | None = None,
        tracer: Tracer | None = None,
        slow_seconds: float = 1.0,
        pseudonym_key: bytes | None = None,
        traced_users: TracedUsers = TracedUsers.PSEUDONYM,
    ) -> None:
        self.metrics = metrics
        self.tracer = tracer
        self._slow_seconds = slow_seconds
        # A random key until there is another: owner ids are made of names, which can be tried out.
        self._pseudonym_key = pseudonym_key or token_bytes(_RANDOM_KEY_BYTES)
        self._traced_users = traced_users

    @property
    def traces_content(self) -> bool:
        """Whether spans may hold what was said."""
        return self.tracer is not None and self.tracer.traces_content

    def count(self, metric: Metric, *labels: str, by: float = 1) -> None:
        """Add to a counter."""
        if self.metrics is not None:
            self.metrics.count(metric, labels, by)

    def observe(self, metric: Metric, value: float, *labels: str) -> None:
        """Add to a histogram, or set a gauge."""
        if self.metrics is not None:
            self.metrics.observe(metric, value, labels)

    def stage(self, stage: Stage) -> AbstractContextManager[object]:
        """Measure a stage."""
        return _Stage(self, stage)

    def operation(
        self, name: str, *, owner_id: UUID | None = None, session_id: UUID | None = None
    ) -> AbstractContextManager[Operation]:
        """Measure and log an operation."""
        return _Operation(self, name, owner_id, session_id)

    def span(
        self, name: str, *, kind: SpanKind = SpanKind.INTERNAL, remote_parent: str = ""
    ) -> Span:
        """Begin a span, if there are traces."""
        return NO_SPAN if self.tracer is None else self.tracer.span(name, kind, remote_parent)

    def user_id(self, scope: Scope) -> str:
        """What stands for a user in traces."""
        match self._traced_users:
            case TracedUsers.NAME:
                return scope.user
            case TracedUsers.PSEUDONYM:
                return self.pseudonym(scope.owner_id)
            case _:
                return ""

    def key_pseudonyms(self, key: bytes) -> None:
        """Make pseudonyms with this key from now on."""
        self._pseudonym_key = key

    def pseudonym(self, owner_id: UUID) -> str:
        """What stands for an owner in logs.

        The same for the same owner and key; without the key nobody can tell for whom.
        """
        digest = blake2b(owner_id.bytes, key=self._pseudonym_key, digest_size=_PSEUDONYM_BYTES)
        return digest.hexdigest()

    def is_slow(self, seconds: float) -> bool:
        """Whether an operation that took so long is worth a warning."""
        return seconds >= self._slow_seconds


class _Stage:
    """A stage that is being measured."""

    __slots__ = ("_began", "_measuring", "_span", "_stage")

    def __init__(self, measuring: Measuring, stage: Stage) -> None:
        self._measuring = measuring
        self._stage = stage

    def __enter__(self) -> Self:
        tracer = self._measuring.tracer
        self._span = NO_SPAN if tracer is None else tracer.span(self._stage, SpanKind.INTERNAL)
        self._span.__enter__()
        self._began = perf_counter()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        seconds = perf_counter() - self._began
        self._span.__exit__(kind, error, traceback)
        measuring, stage = self._measuring, self._stage
        if measuring.metrics is not None:
            measuring.metrics.observe(STAGE_SECONDS, seconds, (stage.value,))
        stages = _stages.get()
        if stages is not None:
            stages[stage] = stages.get(stage, 0.0) + seconds


class _Operation:
    """An operation that is being done."""

    __slots__ = ("_began", "_items", "_measuring", "_name", "_owner_id", "_session_id", "_token")
    _token: Token[dict[str, float] | None]

    def __init__(
        self, measuring: Measuring, name: str, owner_id: UUID | None, session_id: UUID | None
    ) -> None:
        self._measuring = measuring
        self._name = name
        self._owner_id = owner_id
        self._session_id = session_id
        self._items: int | None = None

    def counted(self, items: int) -> None:
        """Tell how many things it was about."""
        self._items = items

    def __enter__(self) -> Self:
        self._token = _stages.set({})
        self._began = perf_counter()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        seconds = perf_counter() - self._began
        stages = _stages.get() or {}
        _stages.reset(self._token)
        outer = _stages.get()
        if outer is not None:
            for stage, taken in stages.items():
                outer[stage] = outer.get(stage, 0.0) + taken
        outcome = _OK if kind is None else kind.__name__
        metrics = self._measuring.metrics
        if metrics is not None:
            is_expected = kind is None or issubclass(kind, (RecollectError, TimeoutError))
            metrics.count(OPERATIONS, (self._name, outcome if is_expected else "error"))
            metrics.observe(OPERATION_SECONDS, seconds, (self._name,))
        self._log(seconds, stages, outcome)

    def _log(self, seconds: float, stages: dict[str, float], outcome: str) -> None:
        is_slow = self._measuring.is_slow(seconds)
        level = logging.WARNING if is_slow else logging.INFO
        if not logger.isEnabledFor(level):
            return
        facts: dict[str, object] = {"operation": self._name, "outcome": outcome}
        if self._owner_id is not None:
            facts["owner"] = self._measuring.pseudonym(self._owner_id)
        if self._session_id is not None:
            facts["session_id"] = str(self._session_id)
        if self._items is not None:
            facts["items"] = self._items
        facts["milliseconds"] = round(seconds * 1000, 2)
        if is_slow and stages:
            slowest = max(stages, key=stages.__getitem__)
            facts["slow_stage"] = str(slowest)
            facts["stage_milliseconds"] = round(stages[slowest] * 1000, 2)
        event = "operation.slow" if is_slow else "operation.done"
        logger.log(level, event, extra={"facts": facts})
