"""What the core tells about itself: counts, durations, stages, operations and spans."""

from contextlib import AbstractContextManager
from contextvars import ContextVar
from dataclasses import dataclass, field
from enum import StrEnum
from types import TracebackType
from typing import Final, Protocol, Self, TypeAlias
from uuid import UUID

from recollect.domain.identity.scope import Scope

AttributeValue: TypeAlias = str | bool | int | float | tuple[str, ...]
"""What a span may tell; never what users said, unless content is traced."""

traceparent: Final[ContextVar[str]] = ContextVar("traceparent", default="")
"""The W3C trace context of the work being done, which HTTP requests pass on; empty: none."""


class MetricKind(StrEnum):
    """How a metric behaves."""

    COUNTER = "counter"
    HISTOGRAM = "histogram"
    GAUGE = "gauge"
    """A level, summed over the processes."""
    LATEST = "latest"
    """A time, of which the latest of all processes counts."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Metric:
    """Something that is measured, in series by labels.

    The values of labels come from the code, the routes and the installed languages: never from
    what users send.
    """

    name: str
    kind: MetricKind
    help: str
    labels: tuple[str, ...] = ()
    buckets: tuple[float, ...] = ()
    """The upper bounds of a histogram, ascending; the last one, infinity, is not among them."""


class Stage(StrEnum):
    """The parts of building a context and of a turn, in their usual order."""

    PERMISSIONS = "permissions"
    WINDOW = "window"
    REWRITE = "rewrite"
    EMBED = "embed"
    RECALL = "recall"
    FACTS = "facts"
    PROFILE = "profile"
    ASSEMBLE = "assemble"
    STORE_QUESTION = "store_question"
    STORE_REPLY = "store_reply"


class SpanKind(StrEnum):
    """Which side of a call a span shows."""

    INTERNAL = "internal"
    SERVER = "server"
    CLIENT = "client"


class TracedUsers(StrEnum):
    """What stands for users in traces."""

    PSEUDONYM = "pseudonym"
    NAME = "name"
    OFF = "off"


class Span(Protocol):
    """A piece of work in a trace.

    As a context manager it is the parent of what begins in the block, and ends with it; an
    exception marks it as failed. Elsewhere `active` and `end` do the same apart.
    """

    def __enter__(self) -> Self:
        """Make it the parent of what begins in the block."""

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
        /,
    ) -> None:
        """End it."""

    def active(self) -> AbstractContextManager[object]:
        """Make it the parent of what begins in the block, without ending it."""

    def set(self, name: str, value: AttributeValue) -> None:
        """Set an attribute."""

    def rename(self, name: str) -> None:
        """Give it another name, once that is known."""

    def end(self, *, error: str = "") -> None:
        """End it, with the kind of error if it failed; only the first call counts."""


class Operation(Protocol):
    """An operation of memory that is being done."""

    def counted(self, items: int) -> None:
        """Tell how many things it was about."""


class Telemetry(Protocol):
    """Takes measurements; never fails and never waits."""

    @property
    def traces_content(self) -> bool:
        """Whether spans may hold what users and models said."""

    def count(self, metric: Metric, *labels: str, by: float = 1) -> None:
        """Add to a counter, apart for each combination of labels."""

    def observe(self, metric: Metric, value: float, *labels: str) -> None:
        """Add a value to a histogram, or set a gauge."""

    def stage(self, stage: Stage) -> AbstractContextManager[object]:
        """Measure a part of the work: in the metrics, the trace and the operation around it."""

    def operation(
        self, name: str, *, owner_id: UUID | None = None, session_id: UUID | None = None
    ) -> AbstractContextManager[Operation]:
        """Measure and log an operation of memory; a slow one with its slowest stage."""

    def span(
        self, name: str, *, kind: SpanKind = SpanKind.INTERNAL, remote_parent: str = ""
    ) -> Span:
        """Begin a span of the current trace, or of the W3C trace context of another program."""

    def user_id(self, scope: Scope) -> str:
        """Return what stands for a user in traces; empty: users are not told apart."""

    def key_pseudonyms(self, key: bytes) -> None:
        """Make pseudonyms of users with this secret of up to 64 bytes from now on."""


@dataclass(frozen=True, slots=True)
class _NoSpan:
    """A span, an operation and a stage that leave no trace."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def active(self) -> Self:
        return self

    def set(self, name: str, value: AttributeValue) -> None:
        pass

    def rename(self, name: str) -> None:
        pass

    def end(self, *, error: str = "") -> None:
        pass

    def counted(self, items: int) -> None:
        pass


NO_SPAN: Final = _NoSpan()


@dataclass(frozen=True, slots=True)
class Unmeasured:
    """`Telemetry` that measures nothing."""

    traces_content: bool = field(default=False, init=False)

    def count(self, metric: Metric, *labels: str, by: float = 1) -> None:
        """Do nothing."""

    def observe(self, metric: Metric, value: float, *labels: str) -> None:
        """Do nothing."""

    def stage(self, stage: Stage) -> AbstractContextManager[object]:  # noqa: ARG002  # the port's
        """Measure nothing."""
        return NO_SPAN

    def operation(
        self,
        name: str,  # noqa: ARG002  # the port's
        *,
        owner_id: UUID | None = None,  # noqa: ARG002
        session_id: UUID | None = None,  # noqa: ARG002
    ) -> AbstractContextManager[Operation]:
        """Measure nothing."""
        return NO_SPAN

    def span(
        self,
        name: str,  # noqa: ARG002  # the port's
        *,
        kind: SpanKind = SpanKind.INTERNAL,  # noqa: ARG002
        remote_parent: str = "",  # noqa: ARG002
    ) -> Span:
        """Return a span that leaves no trace."""
        return NO_SPAN

    def user_id(self, scope: Scope) -> str:  # noqa: ARG002  # the port's
        """Tell nothing."""
        return ""

    def key_pseudonyms(self, key: bytes) -> None:
        """Do nothing."""


UNMEASURED: Final = Unmeasured()
