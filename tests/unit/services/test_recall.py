"""Recall checks what it is asked, finds what it may tell, and does without what it cannot get."""

import asyncio
import logging
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from uuid import UUID, uuid4

import pytest

from recollect.domain.conversation.message import AnswerDetails, Visibility
from recollect.domain.conversation.session import TurnStatus
from recollect.domain.identity.permissions import EVERYTHING, Access
from recollect.domain.identity.scope import Scope
from recollect.domain.language import PlainWords
from recollect.domain.recall.entry import (
    EMBEDDER_FAILED,
    Candidate,
    EntriesSeen,
    EntriesState,
    Entry,
    RecallFilter,
    RecallPolicy,
    RecallQuery,
    RecallScope,
    Recollection,
)
from recollect.domain.recall.entry_maker import EntryMaker
from recollect.domain.recall.query import AlreadyInContext
from recollect.domain.vectors import Vector
from recollect.engines.in_memory import in_memory_stores
from recollect.errors import (
    DatabaseUnavailable,
    InvalidInput,
    PermissionsUnavailable,
    SessionNotFound,
    VectorStoreUnavailable,
)
from recollect.ports import Stores
from recollect.ports.accounts import PermissionSource
from recollect.ports.models import Embedder
from recollect.ports.recall import RecallIndex
from recollect.services.access import UNAVAILABLE, Permissions
from recollect.services.conversations.last_access import LastAccess
from recollect.services.recall.recall import (
    FAILED,
    NO_EMBEDDER,
    NO_INDEX,
    OFF,
    VECTORS_FAILED,
    Recall,
    VisibleEntries,
)
from recollect.sql_reading import SqlglotReader
from recollect.testing import FIRST_MOMENT, FixedClock, WordEmbedder
from support.examples import a_message, a_scope, append, start_session
from support.logs import logged
from support.recall.scripted_index import ScriptedIndex, an_entry
from support.recall.search_comparison import Scores
from support.tables import for_each

QUERY = "What were the sales?"
SCOPE = a_scope()
HERE = AlreadyInContext(session_id=uuid4())


def recall_on(
    index: RecallIndex | None,
    *,
    embedder: Embedder | None = None,
    stores: Stores | None = None,
    source: PermissionSource | None = None,
    **more: object,
) -> Recall:
    stores = stores or in_memory_stores(FixedClock())
    permissions = Permissions(sql=SqlglotReader(), history=stores.history, source=source)
    return Recall(
        index=index,
        sessions=stores.sessions,
        permissions=permissions,
        seen_entries=VisibleEntries(permissions=permissions, history=stores.history),
        clock=FixedClock(),
        last_access=LastAccess(store=stores.sessions, clock=FixedClock()),
        stems=PlainWords(),
        embedder=embedder,
        **more,  # type: ignore[arg-type]  # by name
    )


def entries(count: int, *, tables: tuple[str, ...] = ()) -> list[Entry]:
    names = ("apples", "bolts", "cars", "dogs", "eggs", "figs", "guns", "hats", "inks", "jars")
    return [
        an_entry(f"Question: How many {names[n % 10]} of kind {n * 37} are sold?", tables=tables)
        for n in range(count)
    ]


@for_each("query", ["", " \n", "a\0b", "\ud800", "x" * 10_001])
async def test_an_invalid_query_is_refused(query: str) -> None:
    with pytest.raises(InvalidInput, match="query"):
        await recall_on(ScriptedIndex()).search(SCOPE, query)


@for_each("k", [0, -1, 101])
async def test_a_count_that_makes_no_sense_is_refused(k: int) -> None:
    with pytest.raises(InvalidInput, match="k must lie between 1 and 100"):
        await recall_on(ScriptedIndex()).search(SCOPE, QUERY, k=k)


@for_each(
    "filters",
    [
        RecallFilter(since=FIRST_MOMENT, until=FIRST_MOMENT),
        RecallFilter(since=FIRST_MOMENT + timedelta(seconds=1), until=FIRST_MOMENT),
        RecallFilter(since=datetime(2026, 1, 1)),  # noqa: DTZ001  # that is what is refused
        RecallFilter(until=datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=5)))),
        RecallFilter(tables=frozenset()),
        RecallFilter(tables=frozenset({" "})),
        RecallFilter(databases=frozenset({"x" * 501})),
        RecallFilter(databases=frozenset(map(str, range(101)))),
        RecallFilter(speaker="\0"),
    ],
    ids=range(9),  # the text of a set differs from process to process
)
async def test_a_filter_that_nothing_can_pass_is_refused(filters: RecallFilter) -> None:
    index = ScriptedIndex(an_entry())

    with pytest.raises(InvalidInput):
        await recall_on(index).search(SCOPE, QUERY, filters=filters)

    assert index.queries == []


async def test_names_and_times_of_filters_are_normalised_for_the_index() -> None:
    index = ScriptedIndex()
    since = datetime(2026, 1, 1, 2, tzinfo=timezone(timedelta(hours=2)))

    await recall_on(index).search(
        SCOPE,
        QUERY,
        filters=RecallFilter(
            since=since, tables=frozenset({" Shop.Sales "}), databases=frozenset({"SHOP"})
        ),
    )

    filters = index.queries[0].filters
    assert filters.since == datetime(2026, 1, 1, tzinfo=UTC)
    assert filters.tables == {"shop.sales"}
    assert filters.databases == {"shop"}


async def test_an_unknown_session_or_one_of_another_user_is_not_searched() -> None:
    stores = in_memory_stores(FixedClock())
    session = await start_session(stores, a_scope())
    index = ScriptedIndex(an_entry(session_id=session.session_id))
    recall = recall_on(index, stores=stores)

    for session_id in (session.session_id, UUID(int=1)):
        with pytest.raises(SessionNotFound):
            await recall.search(SCOPE, QUERY, filters=RecallFilter(session_id=session_id))

    assert index.queries == []


async def test_the_best_come_first_with_scores_that_can_be_compared() -> None:
    said = entries(10)
    recall = recall_on(ScriptedIndex(*said), embedder=WordEmbedder())

    found = await recall.search(SCOPE, QUERY, k=4)

    assert [item.text for item in found.items] == [entry.text for entry in said[:4]]
    scores = [item.score for item in found.items]
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= score <= 1 for score in scores)
    assert found.items[0].message_ids == said[0].message_ids
    assert found.warnings == ()


async def test_without_an_embedder_words_are_compared_and_the_answer_says_so() -> None:
    index = ScriptedIndex(an_entry())

    found = await recall_on(index).search(SCOPE, QUERY)

    assert (index.queries[0].model, index.queries[0].vector) == (None, None)
    assert index.queries[0].terms
    assert len(found.items) == 1
    assert found.warnings == (NO_EMBEDDER,)


async def test_an_embedder_that_fails_leaves_the_words(caplog: pytest.LogCaptureFixture) -> None:
    embedder = WordEmbedder()
    embedder.is_available = False
    index = ScriptedIndex(an_entry())

    with caplog.at_level(logging.WARNING):
        found = await recall_on(index, embedder=embedder).search(SCOPE, QUERY)

    assert index.queries[0].vector is None
    assert len(found.items) == 1
    assert found.warnings == (EMBEDDER_FAILED,)
    assert logged(caplog, "recall") == ["recall.not_embedded"]


class StuckEmbedder(WordEmbedder):
    """Never comes to an end."""

    async def embed_question(self, question: str) -> Vector:
        await asyncio.Event().wait()
        return await super().embed_question(question)


async def test_an_embedder_that_takes_too_long_is_not_waited_for() -> None:
    index = ScriptedIndex(an_entry())

    found = await recall_on(index, embedder=StuckEmbedder(), embedding_seconds=0.01).search(
        SCOPE, QUERY
    )

    assert len(found.items) == 1
    assert found.warnings == (EMBEDDER_FAILED,)


class Grants:
    """Lets everybody see the same tables, or cannot tell."""

    def __init__(self, **tables: Visibility) -> None:
        self._access = Access(tables={f"shop.{name}": seen for name, seen in tables.items()})
        self.is_available = True

    async def access_of(self, scope: Scope) -> Access:
        if not self.is_available:
            raise PermissionsUnavailable("the catalogue is away")
        return self._access


async def said_about(stores: Stores, scope: Scope, table: str | None, count: int) -> list[Entry]:
    """So many stored exchanges whose answers draw on a table, as they are indexed."""
    session = await start_session(stores, scope)
    found: list[Entry] = []
    for number in range(1, count + 1):
        sql = f"SELECT SUM(amount) FROM {table} WHERE shop = {number * 37}" if table else None  # noqa: S608  # never run
        stored = await append(
            stores,
            scope,
            session.session_id,
            a_message(content=f"What did shop {number * 37} sell, by {table or 'hearsay'}?"),
            a_message(
                "assistant",
                f"It sold {number * 41} pieces.",
                details=AnswerDetails(sql_query=sql, tables_used=table and (table,)),
            ),
        )
        made = EntryMaker(stems=str.split).entries_of(stored, TurnStatus.COMPLETE, is_latest=False)
        found += [one.entry for one in made]
    return found


@pytest.mark.parametrize("hidden", [0, 60, 100, 450])
async def test_hidden_entries_do_not_take_the_place_of_visible_ones(hidden: int) -> None:
    stores, scope = in_memory_stores(FixedClock()), a_scope()
    forbidden = await said_about(stores, scope, "shop.secret", hidden)
    allowed = await said_about(stores, scope, "shop.sales", 2)
    of_no_table = await said_about(stores, scope, None, 8)
    index = ScriptedIndex(*forbidden, *allowed, *of_no_table)
    recall = recall_on(index, stores=stores, source=Grants(sales=Visibility.ALL))

    found = await recall.search(scope, QUERY, k=10)

    expected = {entry.text for entry in [*allowed, *of_no_table]}
    assert {item.text for item in found.items} == expected


async def test_of_a_restricted_table_the_question_and_the_shape_of_its_sql_are_returned() -> None:
    stores, scope = in_memory_stores(FixedClock()), a_scope()
    (entry,) = await said_about(stores, scope, "shop.sales", 1)
    recall = recall_on(ScriptedIndex(entry), stores=stores, source=Grants(sales=Visibility.SHAPE))

    (item,) = (await recall.search(scope, QUERY)).items

    assert item.text.startswith("Question: What did shop 37 sell, by shop.sales? SQL: SELECT SUM(")
    assert "= 37" in entry.text
    assert "= 37" not in item.text
    assert "41" not in item.text
    assert item.message_ids == entry.message_ids


async def test_entries_with_tables_are_hidden_while_permissions_are_unavailable() -> None:
    stores, scope = in_memory_stores(FixedClock()), a_scope()
    entries_of_tables = await said_about(stores, scope, "shop.sales", 3)
    (of_no_table,) = await said_about(stores, scope, None, 1)
    source = Grants(sales=Visibility.ALL)
    source.is_available = False
    index = ScriptedIndex(*entries_of_tables, of_no_table)

    found = await recall_on(index, stores=stores, source=source).search(scope, QUERY)

    assert [item.text for item in found.items] == [of_no_table.text]
    assert UNAVAILABLE in found.warnings


async def test_with_permissions_an_entry_whose_messages_are_deleted_is_not_returned() -> None:
    stores, scope = in_memory_stores(FixedClock()), a_scope()
    (entry,) = await said_about(stores, scope, "shop.sales", 1)
    await stores.history.clear(scope, now=FIRST_MOMENT)
    recall = recall_on(ScriptedIndex(entry), stores=stores, source=Grants(sales=Visibility.ALL))

    assert (await recall.search(scope, QUERY)).items == ()


async def test_a_search_where_nothing_is_indexed_returns_a_warning() -> None:
    index = ScriptedIndex(an_entry())

    off = await recall_on(index, is_indexed=False).search(SCOPE, QUERY)
    none = await recall_on(None).search(SCOPE, QUERY)

    assert off == Recollection(warnings=(OFF,))
    assert none == Recollection(warnings=(NO_INDEX,))
    assert index.queries == []


async def test_a_context_does_not_recall_turns_whose_messages_it_already_has() -> None:
    shown, parted, elsewhere = uuid4(), uuid4(), uuid4()
    index = ScriptedIndex(
        an_entry("Question: in the window", session_id=HERE.session_id, message_ids=(shown,)),
        an_entry(
            "Question: parted", session_id=HERE.session_id, turn_number=7, message_ids=(parted,)
        ),
        an_entry("Question: elsewhere", turn_number=7, message_ids=(elsewhere,)),
    )
    known = replace(HERE, messages=frozenset({shown}), turns=frozenset({7}))

    found = await recall_on(index, embedder=WordEmbedder()).for_context(
        SCOPE, QUERY, policy=RecallPolicy(), known=known, access=EVERYTHING
    )

    assert [item.message_ids for item in found.items] == [(elsewhere,)]
    assert index.queries[0].filters.without == {shown}


@for_each(
    ("scores", "is_told"),
    [
        (Scores(lexical=0.1, semantic=0.0), True),
        (Scores(lexical=0.0, semantic=0.31), True),
        (Scores(lexical=0.0, semantic=0.24), False),
        (Scores(lexical=0.0, semantic=None), False),
    ],
)
async def test_a_context_recalls_only_entries_related_to_its_question(
    scores: Scores, *, is_told: bool
) -> None:
    index = ScriptedIndex()
    index.candidates = (Candidate(an_entry(), (scores.lexical,), (scores.semantic,)),)
    recall = recall_on(index, embedder=WordEmbedder())

    for_context = await recall.for_context(
        SCOPE, QUERY, policy=RecallPolicy(), known=HERE, access=EVERYTHING
    )
    for_caller = await recall.search(SCOPE, QUERY)

    assert len(for_context.items) == is_told
    assert len(for_caller.items) == 1


@pytest.mark.parametrize(
    ("scope", "within"), [(RecallScope.USER, None), (RecallScope.SESSION, HERE.session_id)]
)
async def test_a_context_looks_in_its_session_or_in_all(
    scope: RecallScope, within: UUID | None
) -> None:
    index = ScriptedIndex()

    await recall_on(index).for_context(
        SCOPE, QUERY, policy=RecallPolicy(scope=scope, k=2), known=HERE, access=EVERYTHING
    )

    assert index.queries[0].filters.session_id == within


@for_each(
    ("seconds", "is_told"),
    [(0.0, True), (0.9, True), (1.0, False), (-1.0, False)],
)
async def test_the_index_is_told_the_state_of_entries_that_a_context_has_just_seen(
    seconds: float, *, is_told: bool
) -> None:
    index, state = ScriptedIndex(an_entry()), EntriesState(7, 0, frozenset())
    at = FIRST_MOMENT - timedelta(seconds=seconds)

    await recall_on(index).for_context(
        SCOPE,
        QUERY,
        policy=RecallPolicy(),
        known=HERE,
        access=EVERYTHING,
        seen=EntriesSeen(at=at, state=state, has_speakers=False),
    )

    assert index.queries[0].state == (state if is_told else None)


@for_each(("has_speakers", "weight"), [(True, 0.3), (False, 1.0)])
async def test_speakers_are_only_asked_for_where_entries_name_some(
    weight: float, *, has_speakers: bool
) -> None:
    index = ScriptedIndex(an_entry())
    index.known_speakers = ("Ann",)
    state = EntriesState(7, 0, frozenset())

    await recall_on(index).for_context(
        SCOPE,
        "Ann sales",
        policy=RecallPolicy(),
        known=HERE,
        access=EVERYTHING,
        seen=EntriesSeen(at=FIRST_MOMENT, state=state, has_speakers=has_speakers),
    )

    assert index.queries[0].terms["ann"] == weight


async def test_without_the_vector_store_search_uses_words_and_warns() -> None:
    class WordsAlone(ScriptedIndex):
        async def search(self, scope: Scope, query: RecallQuery) -> tuple[Candidate, ...]:
            if query.vector is not None:
                raise VectorStoreUnavailable("OpenSearch cannot be reached")
            return await super().search(scope, query)

    (entry,) = entries(1)
    recall = recall_on(WordsAlone(entry), embedder=WordEmbedder())
    found = await recall.search(SCOPE, QUERY)
    assert [item.text for item in found.items] == [entry.text]
    assert found.warnings == (VECTORS_FAILED,)


async def test_a_store_that_is_asked_for_words_and_fails_is_an_error() -> None:
    index = ScriptedIndex()
    index.failure = VectorStoreUnavailable("why was it asked?")
    with pytest.raises(VectorStoreUnavailable):
        await recall_on(index).search(SCOPE, QUERY)


@pytest.mark.parametrize("failure", [DatabaseUnavailable("gone"), RuntimeError("a mistake")])
async def test_a_context_never_fails_for_want_of_recall(
    failure: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    index = ScriptedIndex(an_entry())
    index.failure = failure

    with caplog.at_level(logging.WARNING):
        found = await recall_on(index).for_context(
            SCOPE, QUERY, policy=RecallPolicy(), known=HERE, access=EVERYTHING
        )

    assert found == Recollection(warnings=(FAILED,))
    assert logged(caplog, "recall") == ["recall.failed"]


async def test_a_search_says_when_the_database_does_not_answer() -> None:
    index = ScriptedIndex()
    index.failure = DatabaseUnavailable("gone")

    with pytest.raises(DatabaseUnavailable):
        await recall_on(index).search(SCOPE, QUERY)


async def test_a_long_question_of_a_context_is_looked_for_by_its_start() -> None:
    embedder = WordEmbedder()

    found = await recall_on(ScriptedIndex(an_entry()), embedder=embedder).for_context(
        SCOPE, "sales " * 10_000, policy=RecallPolicy(), known=HERE, access=EVERYTHING
    )

    assert found.warnings == ()
    assert [len(text) for text in embedder.embedded] == [10_000]
