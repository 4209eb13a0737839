"""What every store promises about turns that wait to be indexed."""

from uuid import UUID

from recollect.domain.conversation.session import TurnStatus
from recollect.domain.identity.scope import Scope
from recollect.ports import Stores
from recollect.ports.jobs import DueTurn, IndexingStore, TurnQueue
from support.examples import (
    a_message,
    a_scope,
    append,
    messages_of,
    seconds_on,
    start_conversation,
    start_session,
)


class IndexingContract:
    """A change is due until that very change is done. A fixture `stores` names the engine."""

    async def test_a_turn_is_due_with_all_its_messages(self, stores: Stores) -> None:
        scope = a_scope()
        session_id, said = await start_conversation(stores, scope, ("user", "assistant", "user"))
        answered, asked = await due(stores, scope, session_id)
        assert answered.messages == said[:2]
        assert (answered.status, answered.is_latest) == (TurnStatus.COMPLETE, False)
        assert asked.messages == said[2:]
        assert (asked.status, asked.is_latest) == (TurnStatus.PENDING, True)

    async def test_an_indexed_turn_is_no_longer_due(self, stores: Stores) -> None:
        scope = a_scope()
        session_id, _ = await start_conversation(stores, scope)
        turns = await due(stores, scope, session_id)
        await indexing_of(stores).done(scope, session_id, turns)
        assert await due(stores, scope, session_id) == ()

    async def test_a_turn_that_gains_a_message_while_it_is_indexed_stays_due(
        self, stores: Stores
    ) -> None:
        scope = a_scope()
        session_id, said = await start_conversation(stores, scope, ("user",))
        read = await due(stores, scope, session_id)
        await append(stores, scope, session_id, a_message("assistant", "Nine."))
        await indexing_of(stores).done(scope, session_id, read)
        (turn,) = await due(stores, scope, session_id)
        assert turn.messages[:1] == said
        assert [message.content for message in turn.messages[1:]] == ["Nine."]

    async def test_a_late_reply_makes_its_turn_due_again(self, stores: Stores) -> None:
        scope = a_scope()
        session_id, said = await start_conversation(
            stores, scope, ("user", "assistant", "user", "assistant")
        )
        await finish(stores, scope, session_id)
        again = a_message("assistant", "Or rather ten.")
        await append(stores, scope, session_id, again, reply_to=said[0].message_id)
        (turn,) = await due(stores, scope, session_id)
        assert (turn.turn_number, len(turn.messages)) == (1, 3)

    async def test_a_failed_turn_is_due_for_indexing(self, stores: Stores) -> None:
        scope = a_scope()
        session_id, _ = await start_conversation(stores, scope, ("user",))
        await finish(stores, scope, session_id)
        await stores.messages.fail_turn(scope, session_id, 1)
        (turn,) = await due(stores, scope, session_id)
        assert turn.status is TurnStatus.FAILED

    async def test_a_question_passed_over_for_a_newer_one_comes_along(self, stores: Stores) -> None:
        scope = a_scope()
        session_id, _ = await start_conversation(stores, scope, ("user",))
        await finish(stores, scope, session_id)
        await append(stores, scope, session_id, *messages_of("user", "assistant"))
        first, second = await due(stores, scope, session_id)
        assert (first.turn_number, first.status) == (1, TurnStatus.PENDING)
        assert not first.is_latest
        assert second.turn_number == 2
        await indexing_of(stores).done(scope, session_id, [first, second])
        assert await due(stores, scope, session_id) == ()

    async def test_a_turn_that_loses_a_message_while_it_is_indexed_stays_due(
        self, stores: Stores
    ) -> None:
        scope = a_scope()
        session_id, said = await start_conversation(
            stores, scope, ("user", "assistant", "assistant")
        )
        read = await due(stores, scope, session_id)
        await stores.messages.delete(scope, session_id, said[1].message_id, now=seconds_on(1))
        await indexing_of(stores).done(scope, session_id, read)
        (turn,) = await due(stores, scope, session_id)
        assert turn.messages == (said[0], said[2])

    async def test_what_is_handed_on_waits_to_be_learnt_from_alone(self, stores: Stores) -> None:
        scope = a_scope()
        session_id, said = await start_conversation(stores, scope)
        assert await to_learn(stores, scope, session_id) == ()
        await hand_on(stores, scope, session_id)
        assert await due(stores, scope, session_id) == ()
        (turn,) = await to_learn(stores, scope, session_id)
        assert turn.messages == said
        assert (scope, session_id) in await sessions_of(learning_of(stores))
        assert (scope, session_id) not in await sessions_of(indexing_of(stores))
        await learning_of(stores).done(scope, session_id, [turn])
        assert await to_learn(stores, scope, session_id) == ()
        assert await due(stores, scope, session_id) == ()

    async def test_a_turn_that_changes_while_it_is_learnt_from_is_indexed_again(
        self, stores: Stores
    ) -> None:
        scope = a_scope()
        session_id, _ = await start_conversation(stores, scope, ("user",))
        await hand_on(stores, scope, session_id)
        read = await to_learn(stores, scope, session_id)
        await append(stores, scope, session_id, a_message("assistant", "Nine."))
        await learning_of(stores).done(scope, session_id, read)
        assert await to_learn(stores, scope, session_id) == ()
        (turn,) = await due(stores, scope, session_id)
        assert len(turn.messages) == 2

    async def test_a_turn_that_changes_while_it_is_indexed_is_not_handed_on(
        self, stores: Stores
    ) -> None:
        scope = a_scope()
        session_id, _ = await start_conversation(stores, scope, ("user",))
        read = await due(stores, scope, session_id)
        await append(stores, scope, session_id, a_message("assistant", "Nine."))
        await indexing_of(stores).hand_on(scope, session_id, read)
        assert await to_learn(stores, scope, session_id) == ()
        assert len(await due(stores, scope, session_id)) == 1

    async def test_a_passed_over_question_to_index_is_not_finished_by_who_learns(
        self, stores: Stores
    ) -> None:
        scope = a_scope()
        session_id, _ = await start_conversation(stores, scope, ("user", "user", "assistant"))
        first, second = await due(stores, scope, session_id)
        await indexing_of(stores).hand_on(scope, session_id, [second])
        read = await to_learn(stores, scope, session_id)
        assert [turn.turn_number for turn in read] == [1, 2]
        await learning_of(stores).done(scope, session_id, read)
        assert first in await due(stores, scope, session_id)

    async def test_the_oldest_due_turns_are_returned_first(self, stores: Stores) -> None:
        scope = a_scope()
        session_id, _ = await start_conversation(stores, scope, ("user", "assistant") * 3)
        found = await indexing_of(stores).due(scope, session_id, limit=2)
        assert [turn.turn_number for turn in found] == [1, 2]

    async def test_turns_of_other_owners_and_cleared_sessions_are_not_due(
        self, stores: Stores
    ) -> None:
        scope = a_scope()
        session_id, _ = await start_conversation(stores, scope)
        assert await due(stores, a_scope(), session_id) == ()
        stranger = a_scope(scope.tenant, "bob")
        turns = await due(stores, scope, session_id)
        await indexing_of(stores).done(stranger, session_id, turns)
        assert await due(stores, scope, session_id) == turns
        await stores.messages.clear(scope, session_id, now=seconds_on(1))
        assert await due(stores, scope, session_id) == ()
        empty = await start_session(stores, scope)
        assert await due(stores, scope, empty.session_id) == ()


def indexing_of(stores: Stores) -> IndexingStore:
    """The engine's store of what is due."""
    assert stores.indexing is not None, "the engine indexes nothing"
    return stores.indexing


def learning_of(stores: Stores) -> TurnQueue:
    """The engine's queue of what is to be learnt from."""
    assert stores.learning is not None, "the engine hands on nothing"
    return stores.learning


async def sessions_of(queue: TurnQueue) -> tuple[tuple[Scope, UUID], ...]:
    """The sessions in a queue."""
    return await queue.sessions(limit=10_000)


async def to_learn(stores: Stores, scope: Scope, session_id: UUID) -> tuple[DueTurn, ...]:
    """All turns of a session that wait to be learnt from."""
    return await learning_of(stores).due(scope, session_id, limit=100)


async def hand_on(stores: Stores, scope: Scope, session_id: UUID) -> None:
    """Say that all of a session is indexed, and is to be learnt from."""
    turns = await due(stores, scope, session_id)
    await indexing_of(stores).hand_on(scope, session_id, turns)


async def due(stores: Stores, scope: Scope, session_id: UUID) -> tuple[DueTurn, ...]:
    """All turns of a session that are due."""
    return await indexing_of(stores).due(scope, session_id, limit=100)


async def finish(stores: Stores, scope: Scope, session_id: UUID) -> None:
    """Say that all of a session is indexed."""
    await indexing_of(stores).done(scope, session_id, await due(stores, scope, session_id))
