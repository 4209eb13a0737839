"""What `recollect.ports.conversations.MessageStore` promises of new messages."""

import asyncio
from dataclasses import replace
from uuid import uuid4

import pytest

from conformance.contracts.json_types import assert_same_json
from recollect.domain.conversation.message import AnswerDetails, Role
from recollect.domain.conversation.session import (
    MAX_SESSION_NAME_LENGTH,
    NewSession,
    SessionChanges,
)
from recollect.errors import MessageNotFound
from recollect.ports import Stores
from support.examples import (
    EVERY_KIND_OF_JSON,
    a_message,
    a_scope,
    a_summary,
    append,
    messages_of,
    put_summary,
    seconds_on,
    start_conversation,
    start_session,
)


class MessageAppendingContract:
    """Order, times, names and contents of what is stored."""

    async def test_messages_are_numbered_from_one_in_the_order_given(self, stores: Stores) -> None:
        scope = a_scope()
        session = await start_session(stores, scope)
        first = await append(stores, scope, session.session_id, *messages_of("user", "assistant"))
        second = await append(stores, scope, session.session_id, *messages_of("system", "user"))
        assert [message.sequence for message in first + second] == [1, 2, 3, 4]
        assert [message.role for message in first] == [Role.USER, Role.ASSISTANT]
        assert [message.content for message in first] == ["user 1", "assistant 2"]
        assert {message.session_id for message in first + second} == {session.session_id}
        assert await stores.messages.last(scope, session.session_id, count=9) == first + second

    async def test_a_reply_may_tell_its_session_as_it_is_then(self, stores: Stores) -> None:
        scope = a_scope()
        session = await start_session(stores, scope)
        (question,) = await append(stores, scope, session.session_id, a_message("user"))
        for summary in (None, a_summary(through=2, tables=("sales",))):
            if summary is not None:
                assert await put_summary(stores, scope, session.session_id, summary, replaces=0)
            appended = await stores.messages.append(
                scope,
                session.session_id,
                [a_message("assistant")],
                reply_to=question.message_id,
                now=seconds_on(5),
            )
            assert appended is not None
            stored = await stores.sessions.get(scope, session.session_id)
            assert stored is not None
            assert appended.session is None or appended.session == stored

    async def test_a_message_comes_back_as_it_went_in(self, stores: Stores) -> None:
        scope = a_scope()
        session = await start_session(stores, scope)
        text = "  '; DROP TABLE messages; -- \r\n\ttab, 👩‍👩‍👧, \u202eright to left\u202c \x01 "
        new = a_message("assistant", text, metadata=EVERY_KIND_OF_JSON)
        appended = await append(stores, scope, session.session_id, new)
        stored = await stores.messages.last(scope, session.session_id, count=1)
        assert stored == appended
        assert (stored[0].message_id, stored[0].content) == (new.message_id, text)
        assert_same_json(stored[0].metadata, EVERY_KIND_OF_JSON)

    async def test_an_answers_details_come_back_with_their_types(self, stores: Stores) -> None:
        scope = a_scope()
        session = await start_session(stores, scope)
        details = AnswerDetails(
            sql_query="SELECT 'a' || \"b\" FROM t",
            query_explanation="",
            tables_used=("dwh.sales", "dwh.régions"),
            execution_result=EVERY_KIND_OF_JSON,
            tokens=2**40,
            execution_time_ms=12.0,
            citations=({"title": "Q4", "page": 3}, "plain text", None),
            model="llama3.2:3b",
        )
        await append(
            stores, scope, session.session_id, a_message("assistant", "North", details=details)
        )
        stored = await stores.messages.last(scope, session.session_id, count=1)
        assert stored is not None
        assert_same_json(stored[0].details.to_json(), details.to_json())
        assert stored[0].details == details

    async def test_tables_without_a_database_get_the_only_one_of_their_session(
        self, stores: Stores
    ) -> None:
        scope = a_scope()
        new = NewSession(session_id=uuid4(), databases=("d\"w\\h'",))
        await stores.sessions.start(scope, new, now=seconds_on(0))
        details = AnswerDetails(sql_query="SELECT 1", execution_result=EVERY_KIND_OF_JSON)
        messages = [
            a_message("assistant", "Read", details=details),
            a_message("assistant", "Named", details=AnswerDetails(tables_used=("t",))),
            a_message("assistant", "Placed", details=replace(details, database="crm")),
            a_message("assistant", "Unread", details=AnswerDetails(model="m")),
            a_message("assistant", "Plain"),
        ]
        appended = await append(stores, scope, new.session_id, *messages)
        databases = [message.details.database for message in appended]
        assert databases == ["d\"w\\h'", "d\"w\\h'", "crm", None, None]
        await stores.sessions.change(
            scope, new.session_id, SessionChanges(databases=("hr",)), now=seconds_on(1)
        )
        stored = await stores.messages.last(scope, new.session_id, count=9)
        assert stored == appended
        assert_same_json(stored[0].details.execution_result, EVERY_KIND_OF_JSON)

    async def test_tables_stay_without_a_database_where_the_session_has_none_or_several(
        self, stores: Stores
    ) -> None:
        scope = a_scope()
        for databases in ((), ("dwh", "crm")):
            new = NewSession(session_id=uuid4(), databases=databases)
            await stores.sessions.start(scope, new, now=seconds_on(0))
            answer = a_message("assistant", details=AnswerDetails(tables_used=("t",)))
            appended = await append(stores, scope, new.session_id, answer)
            assert appended[0].details == answer.details
            assert await stores.messages.last(scope, new.session_id, count=1) == appended

    async def test_a_message_without_details_has_none(self, stores: Stores) -> None:
        scope = a_scope()
        session_id, _ = await start_conversation(stores, scope)
        stored = await stores.messages.last(scope, session_id, count=2)
        assert stored is not None
        assert [message.details for message in stored] == [AnswerDetails()] * 2
        assert [message.metadata for message in stored] == [{}, {}]

    async def test_a_session_counts_its_messages_and_turns(self, stores: Stores) -> None:
        scope = a_scope()
        roles = ("system", "user", "assistant", "assistant", "user")
        session_id, _ = await start_conversation(stores, scope, roles, now=seconds_on(7))
        session = await stores.sessions.get(scope, session_id)
        assert session is not None
        assert (session.message_count, session.turn_count) == (5, 2)
        assert session.updated_at == session.last_accessed_at == seconds_on(7)

    async def test_time_never_runs_backwards_within_a_session(self, stores: Stores) -> None:
        scope = a_scope()
        session = await start_session(stores, scope, now=seconds_on(10))
        for now, expected in ((5, 10), (20, 20), (15, 20), (21, 21)):
            (message,) = await append(
                stores, scope, session.session_id, a_message(), now=seconds_on(now)
            )
            assert message.created_at == seconds_on(expected)
            stored = await stores.sessions.get(scope, session.session_id)
            assert stored is not None
            assert stored.updated_at == stored.last_accessed_at == seconds_on(expected)

    async def test_many_writers_at_once_share_and_skip_no_number(self, stores: Stores) -> None:
        scope = a_scope()
        session = await start_session(stores, scope)

        async def write(writer: int) -> None:
            for number in range(5):
                text = f"{writer}/{number}"
                await append(stores, scope, session.session_id, a_message("user", text))

        await asyncio.gather(*(write(writer) for writer in range(20)))
        stored = await stores.messages.last(scope, session.session_id, count=1000)
        assert stored is not None
        assert [message.sequence for message in stored] == list(range(1, 101))
        assert [message.turn_number for message in stored] == list(range(1, 101))
        assert len({message.content for message in stored}) == 100
        assert [message.created_at for message in stored] == sorted(m.created_at for m in stored)
        for writer in range(20):
            own = [m.content for m in stored if m.content.startswith(f"{writer}/")]
            assert own == [f"{writer}/{number}" for number in range(5)]

    async def test_a_batch_stays_together_among_other_writers(self, stores: Stores) -> None:
        scope = a_scope()
        session = await start_session(stores, scope)
        batches = await asyncio.gather(
            *(
                append(stores, scope, session.session_id, *messages_of("user", "assistant"))
                for _ in range(10)
            )
        )
        for question, answer in batches:
            assert answer.sequence == question.sequence + 1
            assert answer.turn_number == question.turn_number
        stored = await stores.sessions.get(scope, session.session_id)
        assert stored is not None
        assert (stored.message_count, stored.turn_count) == (20, 10)

    async def test_the_first_question_names_a_session_without_a_name(self, stores: Stores) -> None:
        scope = a_scope()
        session_id, _ = await start_conversation(stores, scope, ("system", "assistant"))
        unnamed = await stores.sessions.get(scope, session_id)
        assert unnamed is not None
        assert unnamed.name is None
        question = a_message("user", "  Sales\n by   region? ")
        await append(stores, scope, session_id, question, a_message("user", "And profit?"))
        await append(stores, scope, session_id, a_message("user", "And cost?"))
        named = await stores.sessions.get(scope, session_id)
        assert named is not None
        assert named.name == "Sales by region?"

    async def test_a_long_question_is_cut_to_name_a_session(self, stores: Stores) -> None:
        scope = a_scope()
        session = await start_session(stores, scope)
        await append(stores, scope, session.session_id, a_message("user", "é" * 501))
        named = await stores.sessions.get(scope, session.session_id)
        assert named is not None
        assert named.name == "é" * MAX_SESSION_NAME_LENGTH

    async def test_a_session_with_a_name_keeps_it(self, stores: Stores) -> None:
        scope = a_scope()
        session = await start_session(stores, scope, name="Mine")
        await append(stores, scope, session.session_id, a_message("user", "Sales?"))
        named = await stores.sessions.get(scope, session.session_id)
        assert named is not None
        assert named.name == "Mine"

    async def test_appending_to_an_unknown_session_is_none(self, stores: Stores) -> None:
        scope = a_scope()
        appended = await stores.messages.append(
            scope, uuid4(), messages_of("user"), now=seconds_on(0)
        )
        assert appended is None
        assert await stores.history.count(scope) == 0

    async def test_an_append_that_fails_changes_nothing(self, stores: Stores) -> None:
        scope = a_scope()
        session_id, messages = await start_conversation(stores, scope)
        before = await stores.sessions.get(scope, session_id)
        with pytest.raises(MessageNotFound):
            await append(
                stores,
                scope,
                session_id,
                *messages_of("user", "assistant"),
                reply_to=uuid4(),
                now=seconds_on(5),
            )
        assert await stores.sessions.get(scope, session_id) == before
        assert await stores.messages.last(scope, session_id, count=9) == messages
        (following,) = await append(stores, scope, session_id, a_message())
        assert (following.sequence, following.turn_number) == (3, 2)
