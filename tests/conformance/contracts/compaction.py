"""What `recollect.ports.jobs.SummaryStore` promises."""

import asyncio
from dataclasses import replace
from uuid import UUID, uuid4

import pytest

from recollect.domain.context.compaction import Summary, Uncompacted
from recollect.domain.conversation.paging import PageRequest
from recollect.domain.conversation.session import SessionChanges
from recollect.domain.identity.scope import Scope
from recollect.ports import Stores
from support.examples import (
    a_scope,
    a_session,
    a_summary,
    put_summary,
    seconds_on,
    start_conversation,
    start_session,
    summary_of,
)

WAYS_TO_DELETE = ("message", "history message", "session's messages", "history", "old messages")


class SummaryStoreContract:
    """One summary for each session, true to the messages that are there."""

    async def test_a_summary_is_found_as_it_was_put(self, stores: Stores) -> None:
        scope = a_scope()
        session_id, _ = await start_conversation(stores, scope, ["user"] * 4)
        assert await summary_of(stores, scope, session_id) is None
        summary = Summary(
            text="Over naïve 数据库 and 🧠:\n'quotes' \"too\" \\",
            first_sequence=1,
            last_sequence=3,
            tables=("sales.orders", "crm.klanten", 'odd "name",{}'),
            method="extractive",
            created_at=seconds_on(7.123456),
        )
        assert await put_summary(stores, scope, session_id, summary, replaces=0) is True
        assert await summary_of(stores, scope, session_id) == summary

    async def test_every_method_that_returns_a_session_includes_its_summary(
        self, stores: Stores
    ) -> None:
        scope = a_scope()
        tables = ("crm.people", "sales.orders")
        session_id, _ = await _summarized(stores, scope, text="They met.", tables=tables)
        session = await stores.sessions.get(scope, session_id)
        assert session is not None
        assert (session.summary, session.is_summarized) == ("They met.", True)
        assert session.summary_tables == tables
        assert (await stores.sessions.list(scope, PageRequest())).items == (session,)
        again, _ = await stores.sessions.start(scope, a_session(session_id), now=seconds_on(9))
        assert again == session
        changes = SessionChanges(name="Renamed")
        changed = await stores.sessions.change(scope, session_id, changes, now=seconds_on(9))
        assert changed is not None
        assert (changed.summary, changed.summary_tables) == ("They met.", tables)
        window = await stores.messages.window(scope, session_id, count=1, covers_all=False)
        assert window is not None
        assert window.session.summary_tables == tables

    async def test_a_summary_changes_neither_the_messages_nor_the_rest_of_the_session(
        self, stores: Stores
    ) -> None:
        scope = a_scope()
        session_id, messages = await start_conversation(stores, scope, ["user", "assistant"] * 3)
        before = await stores.sessions.get(scope, session_id)
        assert before is not None
        summary = a_summary(through=4)
        assert await put_summary(stores, scope, session_id, summary, replaces=0)
        assert await stores.messages.last(scope, session_id, count=9) == messages
        after = await stores.sessions.get(scope, session_id)
        assert after == replace(before, summary=summary.text)
        assert await stores.audit.entries(scope, limit=9) == ()

    async def test_a_later_summary_takes_the_place_of_the_one_before(self, stores: Stores) -> None:
        scope = a_scope()
        session_id, _ = await _summarized(stores, scope, through=4)
        later = a_summary("They asked again.", through=6, tables=("sales",))
        assert await put_summary(stores, scope, session_id, later, replaces=4) is True
        assert await summary_of(stores, scope, session_id) == later

    @pytest.mark.parametrize("replaces", [0, 3, 5, 6])
    async def test_a_summary_that_comes_too_late_changes_nothing(
        self, stores: Stores, replaces: int
    ) -> None:
        scope = a_scope()
        session_id, kept = await _summarized(stores, scope, through=4)
        late = a_summary("too late", through=6)
        assert await put_summary(stores, scope, session_id, late, replaces=replaces) is False
        assert await summary_of(stores, scope, session_id) == kept

    async def test_of_workers_that_summarise_one_range_at_once_one_succeeds(
        self, stores: Stores
    ) -> None:
        scope = a_scope()
        session_id, _ = await start_conversation(stores, scope, ["user"] * 6)
        for replaces, through in ((0, 3), (3, 5)):
            summaries = [a_summary(f"by worker {n}", through=through) for n in range(5)]
            were_kept = await asyncio.gather(
                *(
                    put_summary(stores, scope, session_id, summary, replaces=replaces)
                    for summary in summaries
                )
            )
            assert sum(were_kept) == 1
            kept = summaries[were_kept.index(True)]
            assert await summary_of(stores, scope, session_id) == kept

    async def test_the_next_summary_is_made_of_the_oldest_messages_after_the_last(
        self, stores: Stores
    ) -> None:
        scope = a_scope()
        session_id, messages = await start_conversation(stores, scope, ["user", "assistant"] * 4)
        for limit in (1, 5, 8, 100):
            expected = Uncompacted(summary=None, messages=messages[:limit], last_sequence=8)
            found = await stores.summaries.uncompacted(scope, session_id, limit=limit)
            assert found == expected
        summary = a_summary(through=3)
        assert await put_summary(stores, scope, session_id, summary, replaces=0)
        for limit in (1, 5, 100):
            expected = Uncompacted(
                summary=summary, messages=messages[3 : 3 + limit], last_sequence=8
            )
            found = await stores.summaries.uncompacted(scope, session_id, limit=limit)
            assert found == expected

    async def test_messages_of_pending_and_failed_turns_count_as_uncompacted(
        self, stores: Stores
    ) -> None:
        scope = a_scope()
        session_id, messages = await start_conversation(stores, scope, ["user", "system", "user"])
        await stores.messages.fail_turn(scope, session_id, 1)
        found = await stores.summaries.uncompacted(scope, session_id, limit=9)
        assert found == Uncompacted(summary=None, messages=messages, last_sequence=3)

    async def test_an_empty_session_has_nothing_to_compact(self, stores: Stores) -> None:
        scope = a_scope()
        session = await start_session(stores, scope)
        found = await stores.summaries.uncompacted(scope, session.session_id, limit=9)
        assert found == Uncompacted(summary=None, messages=(), last_sequence=0)

    async def test_the_last_sequence_is_that_of_the_newest_message_not_deleted(
        self, stores: Stores
    ) -> None:
        scope = a_scope()
        session_id, messages = await start_conversation(stores, scope, ["user"] * 3)
        await stores.messages.delete(scope, session_id, messages[2].message_id, now=seconds_on(1))
        found = await stores.summaries.uncompacted(scope, session_id, limit=1)
        assert found == Uncompacted(summary=None, messages=messages[:1], last_sequence=2)

    @pytest.mark.parametrize("way", WAYS_TO_DELETE)
    async def test_deleting_a_summarised_message_deletes_the_summary(
        self, stores: Stores, way: str
    ) -> None:
        scope = a_scope()
        session_id, _ = await _summarized(stores, scope, through=4)
        await _delete(stores, scope, session_id, way, sequence=4)
        assert await summary_of(stores, scope, session_id) is None
        session = await stores.sessions.get(scope, session_id)
        assert session is not None
        assert not session.is_summarized
        window = await stores.messages.window(scope, session_id, count=1, covers_all=True)
        assert window is not None
        assert window.summary is None
        left = await stores.messages.last(scope, session_id, count=9)
        assert window.messages == left, "all that is left is without a summary now"
        found = await stores.summaries.uncompacted(scope, session_id, limit=9)
        assert found is not None
        assert (found.summary, found.messages) == (None, left)
        again = a_summary("again", through=6)
        assert await put_summary(stores, scope, session_id, again, replaces=4) is False
        assert await put_summary(stores, scope, session_id, again, replaces=0) is True

    @pytest.mark.parametrize("way", ["message", "history message"])
    async def test_a_summary_stays_when_a_message_after_it_goes(
        self, stores: Stores, way: str
    ) -> None:
        scope = a_scope()
        session_id, summary = await _summarized(stores, scope, through=4)
        await _delete(stores, scope, session_id, way, sequence=5)
        assert await summary_of(stores, scope, session_id) == summary
        later = a_summary(through=6)
        assert await put_summary(stores, scope, session_id, later, replaces=4) is True

    async def test_a_trim_keeps_the_summaries_of_sessions_it_does_not_reach(
        self, stores: Stores
    ) -> None:
        scope = a_scope()
        await start_conversation(stores, scope, now=seconds_on(0))
        session_id, messages = await start_conversation(stores, scope, now=seconds_on(1))
        summary = a_summary(through=1)
        assert await put_summary(stores, scope, session_id, summary, replaces=0)
        await stores.history.trim(scope, keep_last=len(messages), now=seconds_on(2))
        assert await summary_of(stores, scope, session_id) == summary

    async def test_clearing_one_session_keeps_the_summaries_of_others(self, stores: Stores) -> None:
        scope = a_scope()
        session_id, summary = await _summarized(stores, scope)
        other_id, _ = await _summarized(stores, scope)
        await stores.messages.clear(scope, other_id, now=seconds_on(1))
        assert await summary_of(stores, scope, session_id) == summary

    async def test_a_session_started_again_after_its_deletion_has_no_summary(
        self, stores: Stores
    ) -> None:
        scope = a_scope()
        session_id, _ = await _summarized(stores, scope)
        await stores.sessions.delete(scope, session_id, now=seconds_on(1))
        assert await summary_of(stores, scope, session_id) is None
        session, _ = await stores.sessions.start(scope, a_session(session_id), now=seconds_on(2))
        assert not session.is_summarized
        found = await stores.summaries.uncompacted(scope, session_id, limit=9)
        assert found == Uncompacted(summary=None, messages=(), last_sequence=0)

    async def test_without_a_session_there_is_no_summary(self, stores: Stores) -> None:
        scope, unknown = a_scope(), uuid4()
        assert await summary_of(stores, scope, unknown) is None
        assert await stores.summaries.uncompacted(scope, unknown, limit=9) is None
        summary = a_summary(through=1)
        assert await put_summary(stores, scope, unknown, summary, replaces=0) is False

    @pytest.mark.parametrize("stranger_is", ["another user", "another tenant"])
    async def test_a_stranger_neither_reads_nor_replaces_a_summary(
        self, stores: Stores, stranger_is: str
    ) -> None:
        owner = a_scope()
        is_neighbour = stranger_is == "another user"
        stranger = a_scope(owner.tenant, user="mallory") if is_neighbour else a_scope()
        session_id, summary = await _summarized(stores, owner, through=4)
        assert await summary_of(stores, stranger, session_id) is None
        assert await stores.summaries.uncompacted(stranger, session_id, limit=9) is None
        stolen = a_summary("stolen", through=6)
        for replaces in (0, 4):
            assert not await put_summary(stores, stranger, session_id, stolen, replaces=replaces)
        assert await summary_of(stores, owner, session_id) == summary

    async def test_a_summary_is_not_stored_if_one_of_its_messages_was_deleted_meanwhile(
        self, stores: Stores
    ) -> None:
        scope = a_scope()
        session_id, messages = await start_conversation(stores, scope, ["user"] * 4)
        gone = messages[1].message_id
        assert await stores.messages.delete(scope, session_id, gone, now=seconds_on(9))
        summary = a_summary(through=3)
        assert not await stores.summaries.put(scope, session_id, summary, replaces=0, added=3)
        assert await summary_of(stores, scope, session_id) is None


async def _summarized(
    stores: Stores,
    scope: Scope,
    *,
    text: str = "They asked.",
    through: int = 4,
    tables: tuple[str, ...] = (),
) -> tuple[UUID, Summary]:
    """A session of six messages with a summary; its id, and the summary."""
    session_id, _ = await start_conversation(stores, scope, ["user", "assistant"] * 3)
    summary = a_summary(text, through=through, tables=tables)
    assert await put_summary(stores, scope, session_id, summary, replaces=0)
    return session_id, summary


async def _delete(
    stores: Stores, scope: Scope, session_id: UUID, way: str, *, sequence: int
) -> None:
    """Delete the message of that number, and with some ways others too."""
    messages = await stores.messages.last(scope, session_id, count=9)
    assert messages is not None
    message_id, now = messages[sequence - 1].message_id, seconds_on(9)
    match way:
        case "message":
            await stores.messages.delete(scope, session_id, message_id, now=now)
        case "history message":
            await stores.history.delete(scope, message_id, now=now)
        case "session's messages":
            await stores.messages.clear(scope, session_id, now=now)
        case "history":
            await stores.history.clear(scope, now=now)
        case _:
            await stores.history.trim(scope, keep_last=len(messages) - sequence, now=now)
