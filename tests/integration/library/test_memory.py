from uuid import uuid4

import pytest

from recollect import InvalidInput, Memory, NotFound
from recollect.domain.conversation.session import TurnStatus


@pytest.fixture
def user() -> str:
    return f"user-{uuid4()}"


async def test_a_conversation_is_resumed_by_any_string(memory: Memory, user: str) -> None:
    first = await memory.session("chat-1", user=user)
    await first.add("user", "Show me total sales by region for 2024")
    again = await memory.session("chat-1", user=user)
    assert again.id == first.id
    assert [message.content for message in await again.last()] == [
        "Show me total sales by region for 2024"
    ]
    assert (await again.info()).metadata == {"external_id": "chat-1"}


async def test_a_uuid_is_taken_as_it_is(memory: Memory, user: str) -> None:
    chosen = uuid4()
    session = await memory.session(str(chosen).upper(), user=user)
    assert session.id == chosen
    assert (await session.info()).metadata == {}


@pytest.mark.parametrize("missing", [None, "", "  "])
async def test_without_an_id_a_new_session_starts(
    memory: Memory, user: str, missing: str | None
) -> None:
    first = await memory.session(missing, user=user)
    second = await memory.session(missing, user=user)
    assert first.id != second.id


async def test_the_same_string_is_another_session_for_another_user(
    memory: Memory, user: str
) -> None:
    mine = await memory.session("chat-1", user=user)
    theirs = await memory.session("chat-1", user=f"{user}-2")
    elsewhere = await memory.session("chat-1", user=user, tenant="elsewhere")
    assert len({mine.id, theirs.id, elsewhere.id}) == 3


async def test_an_answer_keeps_its_details(memory: Memory, user: str) -> None:
    session = await memory.session(user=user)
    await session.add_exchange("How much?", "2.5M", sql_query="SELECT 1", tables_used=("sales",))
    question, answer = await session.last()
    assert question.turn_number == answer.turn_number == 1
    assert answer.details.sql_query == "SELECT 1"
    assert answer.details.tables_used == ("sales",)


async def test_a_retry_stores_nothing_twice(memory: Memory, user: str) -> None:
    session = await memory.session(user=user)
    first = await session.add("user", "Once", idempotency_key="k")
    second = await session.add("user", "Once", idempotency_key="k")
    assert first == second
    assert (await session.info()).message_count == 1


async def test_a_failed_turn_is_kept_as_failed(memory: Memory, user: str) -> None:
    session = await memory.session(user=user)
    question = await session.add("user", "Will anybody answer?")
    assert question.turn_number is not None
    await session.fail(question.turn_number)
    scope = session._scope
    status = await memory.services.messages.turn_status(scope, session.id, question.turn_number)
    assert status is TurnStatus.FAILED


async def test_history_goes_across_sessions(memory: Memory, user: str) -> None:
    for name in ("one", "two", "three"):
        session = await memory.session(name, user=user)
        await session.add("user", f"said in {name}")
    history = memory.history(user)
    page = await history.list(limit=2)
    assert [message.content for message in page.items] == ["said in three", "said in two"]
    rest = await history.list(cursor=page.next_cursor)
    assert [message.content for message in rest.items] == ["said in one"]
    assert await history.count() == 3
    assert [message.content for message in await history.last(2)] == [
        "said in two",
        "said in three",
    ]
    await history.delete(rest.items[0].message_id)
    assert await history.trim(keep_last=1) == 1
    assert await history.clear() == 1
    assert len((await memory.sessions(user=user)).items) == 3


async def test_a_session_can_be_renamed_cleared_and_deleted(memory: Memory, user: str) -> None:
    session = await memory.session(user=user, name="First", metadata={"language": "nl"})
    message = await session.add("user", "Hallo")
    changed = await session.change(name="Second", tags=("a", "b"))
    assert (changed.name, changed.tags, changed.metadata) == (
        "Second",
        ("a", "b"),
        {"language": "nl"},
    )
    await session.delete_message(message.message_id)
    await session.add("user", "Nog eens")
    assert await session.clear() == 1
    assert (await session.messages()).items == ()
    await session.delete()
    with pytest.raises(NotFound):
        await session.info()
    with pytest.raises(NotFound):
        await session.add("user", "Too late")


async def test_bad_input_is_refused_in_plain_words(memory: Memory, user: str) -> None:
    session = await memory.session(user=user)
    with pytest.raises(InvalidInput, match="role must be one of: user, assistant, system"):
        await session.add("robot", "Hello")
    with pytest.raises(InvalidInput, match="order must be asc or desc"):
        await session.messages(order="sideways")
    with pytest.raises(InvalidInput, match="user must not be blank"):
        await memory.session(user=" ")
    assert (await session.info()).message_count == 0


async def test_a_memory_for_tests_obeys_at_once_and_learns_as_it_catches_up() -> None:
    async with Memory.in_memory() as memory:
        session = await memory.session("chat", user="alice")
        await session.add_exchange("Remember that I work at Globex.", "Noted.")
        commanded = await memory.facts("alice").list()
        await session.add_exchange("I'm allergic to peanuts.", "I will keep that in mind.")
        await memory.catch_up()
        learnt = await memory.facts("alice").list()
        elsewhere = await memory.session("another", user="alice")
        context = await elsewhere.context("Where do I work?")

    assert [fact.content for fact in commanded.items] == ["I work at Globex."]
    assert "I'm allergic to peanuts." in [fact.content for fact in learnt.items]
    assert [fact.content for fact in context.facts] == ["I work at Globex."]


async def test_a_memory_for_tests_needs_no_database() -> None:
    async with Memory.in_memory() as memory:
        session = await memory.session("chat-1", user="alice")
        await session.add("user", "Hello")
        assert await memory.is_ready()
        assert await memory.history("alice").count() == 1


async def test_facts_are_kept_apart_by_user_and_refused_names_say_which_there_are(
    memory: Memory,
) -> None:
    user = f"user-{uuid4()}"
    facts = memory.facts(user=user)
    fact = await facts.add("My dog is Rex.", type="entity", priority="low")
    assert (await facts.list(type="entity", q="REX")).items == (fact,)
    assert (await memory.facts(user, tenant="other").list(status="any")).items == ()
    for refused in (facts.add("x", type="rumour"), facts.list(status="gone"), facts.get("abc")):
        with pytest.raises(InvalidInput, match="must be"):
            await refused
    exported = [item["content"] async for item in facts.export()]
    assert exported == ["My dog is Rex."]


def test_the_public_names_are_sorted_and_few() -> None:
    import recollect  # noqa: PLC0415  # what a user sees

    assert recollect.__all__ == sorted(recollect.__all__)
    assert len(recollect.__all__) <= 23
    assert all(getattr(recollect, name).__doc__ for name in recollect.__all__)
