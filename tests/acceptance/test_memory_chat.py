"""The first seed's two-step example, over HTTP, against three versions of the AI SDK."""

from collections.abc import AsyncIterator
from uuid import uuid4

import pytest
import pytest_asyncio

from recollect.ports import Stores
from support.doubles.denodo_sdk import ALICE, REGIONS, SQL, DenodoDouble, denodo_double
from support.http.callers import Caller, Json
from support.servers.answering_server import answering_server

pytestmark = pytest.mark.slow(seconds=0.2)

FIRST = "Show me total sales by region for 2024"
SECOND = "What about 2023?"
STANDALONE = "Show me total sales by region for 2023"
FIELDS = {
    *("answer", "sql_query", "query_explanation", "tokens", "execution_result"),
    *("related_questions", "tables_used", "raw_graph", "sql_execution_time"),
    *("vector_store_search_time", "llm_time", "total_execution_time"),
    *("conversation_metadata", "memory_context_used", "memory_retrieval_time", "warnings"),
}
METADATA = {
    *("conversation_id", "session_name", "message_count", "turn_count"),
    *("created_at", "updated_at", "expires_at", "is_summarized"),
}
CONTEXT_USED = {
    *("history_messages_count", "similar_queries_count", "context_tokens", "context_truncated"),
    "standalone_question",
}


@pytest_asyncio.fixture(params=["0.10", "1.2", "1.4"])
async def denodo(request: pytest.FixtureRequest) -> AsyncIterator[DenodoDouble]:
    async with denodo_double(request.param) as double:
        yield double


@pytest_asyncio.fixture
async def alice(stores: Stores, denodo: DenodoDouble) -> AsyncIterator[Caller]:
    async with answering_server(stores, denodo_url=denodo.url, preset="data-questions") as caller:
        yield caller.with_headers({"Authorization": ALICE})


async def ask(caller: Caller, **body: object) -> Json:
    response = await caller.post("/memoryChat", body)
    assert response.status_code == 200, response.text
    answered: Json = response.json()
    return answered


def expected_answer(year: str) -> str:
    lines = "\n".join(f"- {region}: ${amount}M" for region, amount in REGIONS[year].items())
    return f"The total sales by region for {year} are:\n{lines}"


async def test_the_follow_up_reaches_the_data_as_a_question_of_its_own(
    alice: Caller, denodo: DenodoDouble
) -> None:
    options = {
        "vdp_database_names": "banking_db",
        "llm_provider": "OpenAI",
        "llm_model": "gpt-4o",
        "disclaimer": False,
        "plot": None,
    }
    first = await ask(alice, question=FIRST, **options)
    conversation = first["conversation_metadata"]["conversation_id"]
    second = await ask(alice, question=SECOND, session_id=conversation, **options)

    databases = ["banking_db"] if denodo.version == "1.4" else "banking_db"
    assert denodo.bodies[0] == {
        "question": FIRST,
        "vdp_database_names": databases,
        "llm_provider": "OpenAI",
        "llm_model": "gpt-4o",
        "disclaimer": False,
    }
    sent = dict(denodo.bodies[1])
    history = sent.pop("custom_instructions")
    assert sent == {**denodo.bodies[0], "question": STANDALONE}
    for part in (FIRST, SQL.format(year="2024"), "banking_db.regions, banking_db.sales"):
        assert part in history
    assert None not in sent.values()
    assert denodo.authorizations[-1] == ALICE

    for year, answered in (("2024", first), ("2023", second)):
        assert set(answered) >= FIELDS
        assert answered["answer"] == expected_answer(year)
        assert answered["sql_query"] == SQL.format(year=year)
        assert answered["tables_used"] == ["banking_db.regions", "banking_db.sales"]
        assert answered["tokens"]["total_tokens"] == 1000
        assert answered["execution_result"]
        assert answered["sql_execution_time"] == 0.25
        assert answered["warnings"] == []


async def test_the_conversation_is_counted_right(alice: Caller) -> None:
    first = await ask(alice, question=FIRST)
    conversation = first["conversation_metadata"]["conversation_id"]
    second = await ask(alice, question=SECOND, session_id=conversation)

    before, after = (answered["conversation_metadata"] for answered in (first, second))
    assert set(before) == METADATA
    assert [part["turn_count"] for part in (before, after)] == [1, 2]
    assert [part["message_count"] for part in (before, after)] == [2, 4]
    assert after["session_name"] == FIRST
    assert after["is_summarized"] is False
    assert before["created_at"] == after["created_at"]
    assert before["created_at"] < before["expires_at"], "kept for seven days"
    assert (await alice.get(f"/api/v1/sessions/{conversation}")).json()["databases"] == []

    used = [answered["memory_context_used"] for answered in (first, second)]
    assert set(used[0]) == CONTEXT_USED
    assert [part["history_messages_count"] for part in used] == [0, 2]
    assert used[0]["context_tokens"] == 0 < used[1]["context_tokens"]
    assert used[1]["standalone_question"] == STANDALONE
    assert all(answered["memory_retrieval_time"] > 0 for answered in (first, second))


async def test_the_stored_answer_has_the_sql_query_and_not_the_disclaimer(alice: Caller) -> None:
    answered = await ask(alice, question=FIRST, session_name="Sales", vdp_database_names=["bank"])
    assert "DISCLAIMER" in answered["answer"]

    session = (await alice.get("/api/v1/sessions")).json()["items"][0]
    reply, question = await alice.messages(session)
    assert (session["name"], session["databases"]) == ("Sales", ["bank"])
    assert question["content"] == FIRST
    assert reply["content"] == expected_answer("2024")
    assert reply["sql_query"] == SQL.format(year="2024")
    assert reply["tables_used"] == ["banking_db.regions", "banking_db.sales"]
    assert reply["execution_result"] == {"columns": ["region_name", "total_sales"], "row_count": 4}
    assert reply["tokens"] == answered["tokens"]
    assert reply["tokens"]["total_tokens"] == 1000
    assert reply["execution_time_ms"] == 250


async def test_unknown_request_fields_are_passed_on_with_a_warning(
    alice: Caller, denodo: DenodoDouble
) -> None:
    details = "a pie chart " * 10_000
    answered = await ask(alice, question=FIRST, plot_details=details, newer={"deep": [1, None]})

    assert denodo.bodies[-1]["plot_details"] == details
    assert denodo.bodies[-1]["newer"] == {"deep": [1, None]}
    assert answered["warnings"] == [
        "Fields that are unknown here were passed on as they are: newer."
    ]


async def test_a_retry_says_that_it_is_a_replay(alice: Caller, denodo: DenodoDouble) -> None:
    key = {"Idempotency-Key": str(uuid4())}
    first = await alice.post("/memoryChat", {"question": FIRST}, key)
    again = await alice.post("/memoryChat", {"question": FIRST, "newer": 1}, key)

    assert "Idempotency-Replayed" not in first.headers
    assert again.headers["Idempotency-Replayed"] == "true"
    assert again.json()["answer"] == expected_answer("2024")
    assert again.json()["tokens"] == first.json()["tokens"]
    assert len(again.json()["warnings"]) == 1
    assert "the stored answer is repeated" in again.json()["warnings"][0]
    assert again.json()["memory_context_used"] == {
        "history_messages_count": 0,
        "similar_queries_count": 0,
        "context_tokens": 0,
        "context_truncated": False,
        "standalone_question": FIRST,
    }
    assert len(denodo.bodies) == 1


async def test_the_conversation_keeps_the_databases_that_its_questions_name(alice: Caller) -> None:
    first = await ask(alice, question=FIRST, vdp_database_names="bank", vdp_tag_names=["money"])
    conversation = first["conversation_metadata"]["conversation_id"]
    for databases in ("hr, bank", None):
        await ask(alice, question=SECOND, session_id=conversation, vdp_database_names=databases)
    session = (await alice.get(f"/api/v1/sessions/{conversation}")).json()
    assert (session["databases"], session["tags"]) == (["bank", "hr"], ["money"])


async def test_a_call_without_memory_reads_and_stores_nothing(
    alice: Caller, denodo: DenodoDouble
) -> None:
    first = await ask(alice, question=FIRST)
    conversation = first["conversation_metadata"]["conversation_id"]
    plain = await ask(alice, question=SECOND, session_id=conversation, use_memory=False)

    assert denodo.bodies[1] == {"question": SECOND}
    assert set(plain) >= FIELDS
    assert plain["conversation_metadata"] == dict.fromkeys(METADATA)
    assert plain["memory_context_used"]["history_messages_count"] == 0
    assert len(await alice.history()) == 2


async def test_credentials_that_denodo_refuses_are_refused(
    alice: Caller, denodo: DenodoDouble
) -> None:
    session_id = str(uuid4())
    stranger = alice.with_headers({"Authorization": "Bearer nobodys"})
    response = await stranger.post("/memoryChat", {"question": FIRST, "session_id": session_id})
    assert response.status_code == 401
    assert response.headers["X-Session-ID"] == session_id
    turn = await alice.get(f"/api/v1/sessions/{session_id}/turns/1")
    assert turn.json()["status"] == "failed"


async def test_a_question_passes_through_unchanged(alice: Caller, denodo: DenodoDouble) -> None:
    body = {"question": FIRST, "plot": False, "disclaimer": True}
    response = await alice.post("/answerQuestion", body)
    direct = await alice.client.post(
        f"{denodo.url}/answerQuestion", json=body, headers={"Authorization": ALICE}
    )
    assert (response.status_code, response.content) == (200, direct.content)
    assert denodo.bodies == [body, body]
    refused = await alice.post("/answerQuestion", {"question": 7})
    assert refused.status_code == 422
    assert refused.json()["detail"][0]["loc"] == ["body", "question"]
    assert await alice.history() == []
