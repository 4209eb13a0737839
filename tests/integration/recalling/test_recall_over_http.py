"""What is said over HTTP is found over HTTP, once the server's own worker has indexed it."""

import asyncio
from uuid import uuid4

from support.http.callers import Caller, Json, Tenant
from support.timeouts import PATIENCE

SALES = (
    "Show me total sales by region for 2024",
    "North 2.5M, South 1.8M",
    "SELECT region, SUM(amount) FROM shop.sales WHERE year = 2024 GROUP BY region",
    "shop.sales",
)
STAFF = (
    "How many people work in Utrecht?",
    "There are 42 of them.",
    "SELECT COUNT(*) FROM hr.people WHERE city = 'Utrecht'",
    "hr.people",
)
PENGUINS = ("Why do penguins not fly?", "Their wings became flippers.", None, None)


async def say(
    caller: Caller, session: Json, *exchanges: tuple[str, str, str | None, str | None]
) -> None:
    for question, answer, sql, table in exchanges:
        await caller.add(session, question)
        details = {"sql_query": sql, "tables_used": [table]} if sql else {}
        await caller.add(session, answer, role="assistant", **details)


async def recalled(caller: Caller, query: str, *, count: int = 1, **wishes: object) -> list[Json]:
    """What is found, once there is so much of it."""
    async with asyncio.timeout(PATIENCE):
        while True:
            response = await caller.post("/api/v1/recall", {"query": query, **wishes})
            assert response.status_code == 200, response.text
            items: list[Json] = response.json()["items"]
            if len(items) >= count:
                assert response.json()["warnings"] == []
                return items
            await asyncio.sleep(0.1)


async def indexed(caller: Caller, *exchanges: tuple[str, str, str | None, str | None]) -> Json:
    """A session with these exchanges, all of which can be found."""
    session = await caller.start_session()
    await say(caller, session, *exchanges)
    await recalled(caller, "anything", count=len(exchanges), k=50, session_id=session["session_id"])
    return session


async def test_an_exchange_is_found_by_words_and_by_meaning(alice: Caller) -> None:
    session = await indexed(alice, SALES, STAFF, PENGUINS)
    said = await alice.messages(session, order="asc")

    by_words = await recalled(alice, "sales by region", k=1)
    by_meaning = await recalled(alice, "number of employees", k=1)

    (found,) = by_words
    assert found["session_id"] == session["session_id"]
    assert found["message_ids"] == [message["message_id"] for message in said[:2]]
    assert found["text"].startswith("Question: Show me total sales by region for 2024 SQL: ")
    assert found["tables"] == ["shop.sales"]
    assert found["created_at"] == said[0]["created_at"]
    assert 0 < found["score"] <= 1
    assert found["lexical"] > 0
    assert "Utrecht" in by_meaning[0]["text"]
    assert by_meaning[0]["semantic"] > 0


async def test_a_search_can_be_filtered(alice: Caller) -> None:
    first = await indexed(alice, SALES, PENGUINS)
    second = await indexed(alice, STAFF)
    of_second = (await alice.messages(second, order="asc"))[0]["created_at"]

    async def texts(**wishes: object) -> set[str]:
        body = {"query": "how many sales, people and penguins", "k": 10, **wishes}
        response = await alice.post("/api/v1/recall", body)
        assert response.status_code == 200, response.text
        return {item["text"].split()[1] for item in response.json()["items"]}

    assert await texts() == {"Show", "Why", "How"}
    assert await texts(session_id=first["session_id"]) == {"Show", "Why"}
    assert await texts(scope="session", session_id=second["session_id"]) == {"How"}
    assert await texts(scope="user", session_id=second["session_id"]) == {"Show", "Why", "How"}
    assert await texts(since=of_second) == {"How"}
    assert await texts(until=of_second) == {"Show", "Why"}
    assert await texts(tables=["SHOP.sales"]) == {"Show"}
    assert await texts(databases=["hr"]) == {"How", "Why"}


async def test_messages_of_another_user_are_not_found(alice: Caller, tenant: Tenant) -> None:
    await indexed(alice, SALES)
    bob = await tenant.user("bob")
    other_alice = await Tenant(server=tenant.server, services=tenant.services).user("alice")
    await indexed(bob, PENGUINS)

    for stranger, count in ((bob, 1), (other_alice, 0)):
        response = await stranger.post("/api/v1/recall", {"query": SALES[0], "k": 100})
        assert len(response.json()["items"]) == count
        assert "sales" not in response.text


async def test_deleted_messages_are_no_longer_found(alice: Caller) -> None:
    session = await indexed(alice, SALES, PENGUINS)
    question = (await alice.messages(session, order="asc"))[0]

    path = f"/api/v1/sessions/{session['session_id']}"
    await alice.delete(f"{path}/messages/{question['message_id']}")
    left = (await alice.post("/api/v1/recall", {"query": SALES[0]})).json()["items"]
    assert all("Show me total sales" not in item["text"] for item in left)

    await alice.delete(path)
    assert (await alice.post("/api/v1/recall", {"query": "penguins"})).json()["items"] == []


async def test_a_context_recalls_an_exchange_of_another_session(alice: Caller) -> None:
    earlier = await indexed(alice, SALES, PENGUINS)
    session = await alice.start_session()
    await say(alice, session, ("Hello", "Hi, how can I help?", None, None))
    path = f"/api/v1/sessions/{session['session_id']}/context"

    response = await alice.post(path, {"question": "Which region had the highest total sales?"})

    context = response.json()
    found = context["recalled"][0]
    assert found["session_id"] == earlier["session_id"]
    assert "Show me total sales" in found["text"]
    assert set(found["message_ids"]) <= set(context["sources"]["recalled"])
    last = context["messages"][-1]
    assert last["role"] == "user"
    assert "Show me total sales" in last["content"]
    assert last["content"].endswith("Which region had the highest total sales?")
    assert context["warnings"] == []
    without = await alice.post(path, {"question": "Which region sold most?", "recall_k": 0})
    assert without.json()["recalled"] == []


async def test_a_context_does_not_repeat_its_own_window(alice: Caller) -> None:
    session = await indexed(alice, SALES, STAFF)

    response = await alice.post(
        f"/api/v1/sessions/{session['session_id']}/context",
        {"question": "Show me total sales by region for 2024", "recall_k": 10},
    )

    assert len(response.json()["window"]) == 4
    assert response.json()["recalled"] == []


async def test_a_follow_up_recalls_by_its_standalone_question(alice: Caller) -> None:
    of_2023 = (f"Show me total sales by region for 2023 of {uuid4().hex}", "North 2.2M", None, None)
    await indexed(alice, of_2023, PENGUINS, STAFF)
    session = await alice.start_session()
    await say(alice, session, SALES)

    response = await alice.post(
        f"/api/v1/sessions/{session['session_id']}/context", {"question": "What about 2023?"}
    )

    context = response.json()
    assert context["question"] == "What about 2023?"
    assert context["standalone_question"] == "Show me total sales by region for 2023"
    assert "North 2.2M" in context["recalled"][0]["text"]
