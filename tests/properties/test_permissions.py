"""Whatever permissions, tenants and conversations there are: nothing forbidden is ever given."""

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import count, groupby
from uuid import UUID, uuid4

from hypothesis import given, settings
from hypothesis import strategies as st

from recollect.composition import build_services
from recollect.domain.context.compaction import CompactionPolicy
from recollect.domain.context.context import Context
from recollect.domain.context.window import WindowPolicy, WindowUnit
from recollect.domain.conversation.message import AnswerDetails, Message, Visibility
from recollect.domain.conversation.paging import Order, PageRequest
from recollect.domain.conversation.session import TurnStatus
from recollect.domain.identity.permissions import UNKNOWN, Access, turn_key
from recollect.domain.identity.scope import Scope
from recollect.domain.policy import Policies
from recollect.domain.recall.entry import Candidate, RecallPolicy, RecallQuery, RecallScope
from recollect.domain.recall.entry_maker import EntryMaker
from recollect.engines.in_memory import in_memory_stores
from recollect.errors import PermissionsUnavailable
from recollect.models.tokens import token_counter_for
from recollect.ports import Stores
from recollect.ports.conversations import HistoryStore
from recollect.services.access import UNAVAILABLE
from recollect.services.recall.recall import NO_EMBEDDER
from recollect.services.services import ServiceDependencies, Services
from recollect.sql_reading import SqlglotReader
from recollect.testing import CountingIds, FixedClock
from support.examples import a_message, a_session
from support.followups import RepeatingModel
from support.recall.scripted_index import ScriptedIndex, candidates_of

TABLES = ("sales.orders", "sales.customers", "hr.pay", "hr.staff", "stock.items")
OWNERS = [("acme", "ann"), ("acme", "bob"), ("globex", "ann")]
READER = SqlglotReader()


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """A question and an answer with marks that occur nowhere else, and where they come from."""

    owner: tuple[str, str]
    session: int
    tables: frozenset[str]
    """What it draws on: the tables that a permission must be there for."""
    how: str
    number: int

    @property
    def question(self) -> str:
        """What is asked; it has its mark, and may be shown with the shape of the SQL."""
        return f"What about q{self.number}q?"

    @property
    def answer(self) -> str:
        """What is answered, with the mark of a value."""
        return f"It was v{self.number}v in all."

    def details(self) -> AnswerDetails:
        """The SQL and tables, as one of the kinds of answers has them."""
        tables, value = sorted(self.tables), f"v{self.number}v"
        names = ", ".join(f'"{t.split(".")[0].upper()}"."{t.split(".")[1]}"' for t in tables)
        source = f" FROM {names}" if tables else ""
        sql = f"SELECT x{source} WHERE name = '{value}'"
        match self.how:
            case "by sql":  # the candidates are more than the answer draws on
                return AnswerDetails(
                    sql_query=sql, tables_used=TABLES, execution_result={"x": [value]}
                )
            case "by candidates":
                return AnswerDetails(tables_used=tuple(tables), query_explanation=value)
            case "unreadable":
                return AnswerDetails(
                    sql_query=f"TELL {value} OF WHICH",
                    tables_used=tuple(tables),
                    citations=(value,),
                )
            case _:
                return AnswerDetails(sql_query=f"TELL {value} OF WHICH")

    @property
    def needs(self) -> frozenset[str]:
        """The tables that must be allowed for it to be seen."""
        if self.how == "unknown" or (self.how == "unreadable" and not self.tables):
            return frozenset({UNKNOWN})
        return self.tables


EXCHANGES = st.lists(
    st.tuples(
        st.sampled_from(OWNERS),
        st.integers(0, 1),
        st.frozensets(st.sampled_from(TABLES), max_size=2),
        st.sampled_from(["by sql", "by sql", "by candidates", "unreadable", "unknown"]),
    ),
    max_size=14,
)
ENTRIES = st.sampled_from([*TABLES, "sales.*", "hr.*", "*"])
ACCESS = st.one_of(
    st.none(),
    st.dictionaries(ENTRIES, st.sampled_from(Visibility), max_size=6).map(
        lambda entries: Access(tables=entries)
    ),
)
PERMISSIONS = st.fixed_dictionaries(dict.fromkeys(OWNERS, ACCESS))
DATABASES = st.one_of(st.none(), st.frozensets(st.sampled_from(["sales", "hr"]), max_size=2))


class Told:
    """A source that says of each owner what hypothesis chose, or fails."""

    def __init__(self, permissions: dict[tuple[str, str], Access | None]) -> None:
        self._permissions = permissions

    async def access_of(self, scope: Scope) -> Access:
        """What may be seen now."""
        access = self._permissions[scope.tenant, scope.user]
        if access is None:
            raise PermissionsUnavailable("down")
        return access


def every_table(message: Message) -> list[str]:
    """All that is named beside an answer, whether it draws on it or not."""
    return list(message.details.tables_used or ())


class IndexOfEverything(ScriptedIndex):
    """Finds all of an owner's exchanges, whatever is asked for and whoever may see them."""

    def __init__(self, history: HistoryStore) -> None:
        super().__init__()
        self._history = history

    async def search(self, scope: Scope, query: RecallQuery) -> tuple[Candidate, ...]:
        """The exchanges as they were indexed: with all their tables, values and SQL."""
        page = await self._history.list(scope, PageRequest(order=Order.ASC, limit=1000))
        maker = EntryMaker(stems=str.split, tables_of=every_table)
        turns = groupby(sorted(page.items, key=turn_key), key=turn_key)
        made = (
            maker.entries_of(list(messages), TurnStatus.COMPLETE, is_latest=False)
            for _, messages in turns
        )
        self.candidates = candidates_of([one.entry for entries in made for one in entries])
        return await super().search(scope, query)


def services_with(stores: Stores, source: Told) -> Services:
    stores = replace(stores, recall=IndexOfEverything(stores.history))
    around = ServiceDependencies(
        clock=FixedClock(),
        ids=CountingIds(),
        counter_for=token_counter_for,
        sql=READER,
        permissions=source,
        follow_up_model=RepeatingModel(),
    )
    window = WindowPolicy(unit=WindowUnit.MESSAGES, size=4)
    policies = Policies(
        window=window,
        compaction=CompactionPolicy(trigger=4, keep=2),
        recall=RecallPolicy(scope=RecallScope.USER, k=3),
    )
    return build_services(stores, around, policies)


async def converse(
    services: Services, exchanges: list[Exchange]
) -> dict[tuple[tuple[str, str], int], UUID]:
    """Everything said and, where it is long enough, summarised."""
    sessions: dict[tuple[tuple[str, str], int], UUID] = {}
    for exchange in exchanges:
        scope = Scope(tenant=exchange.owner[0], user=exchange.owner[1])
        key = exchange.owner, exchange.session
        if key not in sessions:
            sessions[key] = uuid4()
            await services.sessions.start(scope, a_session(sessions[key]))
        messages = [
            a_message("user", exchange.question),
            a_message(
                "assistant",
                exchange.answer,
                details=exchange.details(),
                metadata={"value": exchange.answer},
            ),
        ]
        await services.messages.append(scope, sessions[key], messages)
    while await services.work.do_one():
        pass
    return sessions


def forms(context: Context) -> Iterator[str]:
    """Everything a model or a caller can get out of a context."""
    yield str(context)
    yield str(context.messages())
    yield str(context.to_json())
    yield str(context.variables())
    yield context.instructions()
    yield context.conversation_block(language="nl")


async def lists(services: Services, scope: Scope, session_id: UUID) -> str:
    """Everything a caller can list, on pages that part questions from answers."""
    shown: list[object] = [await services.messages.last(scope, session_id, count=3)]
    for page in (PageRequest(limit=1, order=Order.ASC), PageRequest(limit=3), PageRequest()):
        shown.append(await services.messages.list(scope, session_id, page))
        shown.append(await services.history.list(scope, page))
    shown.append(await services.sessions.list(scope, PageRequest()))
    shown.append(await services.sessions.get(scope, session_id))
    return str(shown)


def forbidden_in(exchange: Exchange, access: Access) -> set[str]:
    """The marks that must not appear."""
    match access.visibility_of(exchange.needs):
        case Visibility.ALL:
            return set()
        case Visibility.SHAPE:
            return {f"v{exchange.number}v"}
        case Visibility.NOTHING:
            return {f"v{exchange.number}v", f"q{exchange.number}q"}


@settings(max_examples=60)
@given(said=EXCHANGES, permissions=PERMISSIONS, databases=DATABASES)
def test_nothing_forbidden_is_given_to_models_or_callers(
    said: list[tuple[tuple[str, str], int, frozenset[str], str]],
    permissions: dict[tuple[str, str], Access | None],
    databases: frozenset[str] | None,
) -> None:
    numbers = count(100)
    exchanges = [
        Exchange(owner=owner, session=session, tables=tables, how=how, number=next(numbers))
        for owner, session, tables, how in said
    ]
    asyncio.run(check(exchanges, permissions, databases))


async def check(
    exchanges: list[Exchange],
    permissions: dict[tuple[str, str], Access | None],
    databases: frozenset[str] | None,
) -> None:
    services = services_with(in_memory_stores(FixedClock()), Told(permissions))
    sessions = await converse(services, exchanges)
    for (owner, _), session_id in sessions.items():
        scope = Scope(tenant=owner[0], user=owner[1])
        allowed = permissions[owner] or Access(tables={})
        own = [exchange for exchange in exchanges if exchange.owner == owner]
        others = {f"{m}{e.number}{m}" for e in exchanges if e.owner != owner for m in "qv"}

        context = await services.contexts.build(
            scope, session_id, "And what about it?", databases=databases
        )
        rewrite = await services.rewriting.in_session(scope, session_id, "What about that one?")
        recalled = await services.recall.search(scope, "What was it?", k=5)

        filters = allowed.within(databases)
        told = " ".join(forms(context))
        for exchange in own:
            assert not [mark for mark in forbidden_in(exchange, filters) if mark in told]
        listed = f"{await lists(services, scope, session_id)} {rewrite} {recalled}"
        for exchange in own:
            assert not [mark for mark in forbidden_in(exchange, allowed) if mark in listed]
        assert not [mark for mark in others if mark in told or mark in listed]
        shown = {name for name in TABLES if allowed.visibility_of([name])}
        assert not [name for name in set(TABLES) - shown if name in told or name in listed]
        warned = (UNAVAILABLE,) if permissions[owner] is None else ()
        assert context.warnings == warned
        assert recalled.warnings == (*warned, NO_EMBEDDER)


@settings(max_examples=30)
@given(said=EXCHANGES)
def test_with_every_permission_everything_is_given(
    said: list[tuple[tuple[str, str], int, frozenset[str], str]],
) -> None:
    """So that the test above does not pass because nothing ever is."""
    exchanges = [
        Exchange(owner=OWNERS[0], session=0, tables=tables, how=how, number=100 + place)
        for place, (_, _, tables, how) in enumerate(said)
    ]

    async def run() -> None:
        everything = Access(tables={"*": Visibility.ALL})
        permissions: dict[tuple[str, str], Access | None] = dict.fromkeys(OWNERS, everything)
        services = services_with(in_memory_stores(FixedClock()), Told(permissions))
        sessions = await converse(services, exchanges)
        for session_id in sessions.values():
            scope = Scope(tenant="acme", user="ann")
            history = str(await services.history.list(scope, PageRequest()))
            assert all(e.answer in history and e.question in history for e in exchanges)
            recalled = await services.recall.search(scope, "What was it?", k=len(exchanges))
            assert all(e.answer in str(recalled) for e in exchanges)
            context = await services.contexts.build(scope, session_id, "What is known so far?")
            assert len(context.recalled) == min(3, len(exchanges) - 2) or len(exchanges) < 3
            window = [message.content for message in context.window]
            last = [text for e in exchanges for text in (e.question, e.answer)][-4:]
            assert window == last

    asyncio.run(run())
