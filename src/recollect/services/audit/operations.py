"""Use cases that are measured and recorded: two decorators, and what they tell of a result."""

from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import wraps
from itertools import islice
from typing import Concatenate, Final, ParamSpec, Protocol, TypeVar
from uuid import UUID

from recollect.domain.activity import ListedUser
from recollect.domain.context.context import Context
from recollect.domain.conversation.message import Message
from recollect.domain.conversation.paging import Page
from recollect.domain.conversation.session import Session
from recollect.domain.facts.fact import Fact, FactRecord
from recollect.domain.facts.query import FoundFact
from recollect.domain.facts.stored import FactStats
from recollect.domain.identity.accounts import ApiKey
from recollect.domain.identity.audit import MAX_ITEMS, AuditAction
from recollect.domain.identity.scope import Scope, TenantScope
from recollect.domain.profile.profile import ProfileItem
from recollect.domain.recall.entry import Recalled, Recollection
from recollect.errors import SessionNotFound
from recollect.ports.conversations import Appended
from recollect.ports.telemetry import UNMEASURED, Telemetry
from recollect.services.audit.trail import AuditTrail

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")
Work = Coroutine[object, object, Result]
_session_may_be_new: Final[ContextVar[bool]] = ContextVar("session_may_be_new", default=False)


@contextmanager
def expecting_new_session(*, is_expected: bool) -> Iterator[None]:
    """Take it for no failure of operations that a session is not there: it is started next."""
    token = _session_may_be_new.set(is_expected)
    try:
        yield
    finally:
        _session_may_be_new.reset(token)


@dataclass(frozen=True, slots=True, kw_only=True)
class Audited:
    """A service whose use cases are measured and recorded."""

    audit: AuditTrail | None = None
    """None: nothing is recorded but what the stores record themselves."""
    telemetry: Telemetry = UNMEASURED

    def check_audit(self) -> None:
        """Refuse to go on where something must be recorded and cannot."""
        if self.audit is not None:
            self.audit.check()

    def note(
        self,
        scope: Scope,
        action: AuditAction,
        target: object = "",
        *,
        items: Sequence[UUID],
        count: int | None = None,
    ) -> None:
        """Record what was done to things of these ids, where operations are recorded.

        `count` says how many things it was where no ids are given.
        """
        if self.audit is not None:
            self.audit.note(scope, action, target, items=items, count=count)


Service = TypeVar("Service", bound=Audited)
AnyScope = TypeVar("AnyScope", Scope, TenantScope)


class UseCaseDecorator(Protocol):
    """Gives back a use case of the same type."""

    def __call__(
        self, use_case: Callable[Concatenate[Service, AnyScope, Parameters], Work[Result]], /
    ) -> Callable[Concatenate[Service, AnyScope, Parameters], Work[Result]]:
        """Decorate a method whose first argument is the scope."""


def audited(action: AuditAction | Callable[..., AuditAction]) -> UseCaseDecorator:
    """Measure each call of a use case, and record those that return.

    By whom, for whom, and which ids it was about. The action may depend on the result. Of the
    arguments after the scope only an id that comes first is recorded, of the result only ids and
    numbers: never a text, but the key of a profile.
    """

    def decorate(
        use_case: Callable[Concatenate[Service, AnyScope, Parameters], Work[Result]], /
    ) -> Callable[Concatenate[Service, AnyScope, Parameters], Work[Result]]:
        # Where the action depends on the result, the name of the use case stands for it.
        usual = str(action) if isinstance(action, AuditAction) else use_case.__qualname__.lower()

        @wraps(use_case)
        async def recorded(
            self: Service, scope: AnyScope, /, *args: Parameters.args, **options: Parameters.kwargs
        ) -> Result:
            trail = self.audit
            if trail is not None:
                trail.check()
            result, trace = await _measured(self, usual, scope, use_case, *args, **options)
            if trail is None:
                return result
            given = args[0] if args else None
            trail.note(
                scope,
                action if isinstance(action, AuditAction) else action(result),
                given if isinstance(given, UUID) else trace.target,
                items=trace.items,
                count=trace.count,
            )
            return result

        return recorded

    return decorate


def measured(action: AuditAction) -> UseCaseDecorator:
    """Measure each call of a use case that its store records itself, such as a deletion."""

    def decorate(
        use_case: Callable[Concatenate[Service, AnyScope, Parameters], Work[Result]], /
    ) -> Callable[Concatenate[Service, AnyScope, Parameters], Work[Result]]:
        @wraps(use_case)
        async def watched(
            self: Service, scope: AnyScope, /, *args: Parameters.args, **options: Parameters.kwargs
        ) -> Result:
            result, _ = await _measured(self, action, scope, use_case, *args, **options)
            return result

        return watched

    return decorate


async def _measured(
    service: Service,
    action: str,
    scope: AnyScope,
    use_case: Callable[Concatenate[Service, AnyScope, Parameters], Work[Result]],
    *args: Parameters.args,
    **options: Parameters.kwargs,
) -> "tuple[Result, Trace]":
    given = args[0] if args else None
    operation = service.telemetry.operation(
        action,
        owner_id=scope.owner_id if isinstance(scope, Scope) else None,
        session_id=given if isinstance(given, UUID) else None,
    )
    with operation as doing:
        try:
            result = await use_case(service, scope, *args, **options)
        except SessionNotFound as error:
            if not _session_may_be_new.get():
                raise
            missing = error
            doing.counted(0)
        else:
            trace = trace_of(result)
            doing.counted(trace.count)
            return result, trace
    try:
        raise missing
    finally:
        del missing  # else its traceback would hold this call, and this call its error


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """What the audit log tells of a result."""

    items: tuple[UUID, ...] = ()
    count: int = 0
    target: str = ""


def trace_of(result: object) -> Trace:
    """The ids and the number of what a use case returned; None stands for something done."""
    match result:
        case int():
            return Trace(count=int(result))
        case FactStats():
            return Trace(count=result.total)
        case (ProfileItem() as item) | (ProfileItem() as item,):
            return Trace(count=1, target=item.key)
        case _:
            parts = parts_of(result)
            ids = (item for part in parts for item in ids_of(part))
            return Trace(items=tuple(islice(ids, MAX_ITEMS)), count=len(parts))


def parts_of(result: object) -> tuple[object, ...]:
    """The single things that a result is made of."""
    match result:
        case Page() | Recollection():
            return tuple(result.items)
        case Appended():
            return result.messages
        case Context():
            facts = (*result.standing_instructions, *result.facts)
            return (*result.window, *result.recalled, *facts, *result.profile)
        case (Session() as session, bool()):
            return (session,)
        case tuple():
            return result
        case _:
            return (result,)


def ids_of(part: object) -> Iterator[UUID]:
    """The ids by which one thing is known."""
    match part:
        case Session():
            yield part.session_id
        case Message():
            yield part.message_id
        case Recalled():
            yield from part.message_ids
        case Fact():
            yield part.fact_id
        case FactRecord() | FoundFact():
            yield part.fact.fact_id
        case ApiKey():
            yield part.key_id
        case ListedUser():
            yield part.owner_id
