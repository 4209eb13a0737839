"""POST /chat and /memoryChat on a server without a model, which answers from memory."""

import json
from uuid import uuid4

import pytest

from support.http.callers import Caller, Tenant
from support.tables import for_each

ZEPPELIN = "What did the zeppelin cost?"


async def test_without_a_model_earlier_exchanges_are_quoted_with_their_source(
    alice: Caller,
) -> None:
    session = await alice.start_session()
    await alice.add(session, ZEPPELIN)
    reply = await alice.add(session, "Three million.", role="assistant")
    headers = {"X-Session-ID": session["session_id"]}

    response = await alice.post("/chat", {"query": "How much was the zeppelin?"}, headers)

    assert response.status_code == 200
    body = response.json()
    assert "No language model is set" in body["answer"]
    assert "Three million." in body["answer"]
    assert [citation["message_id"] for citation in body["citations"]] == [reply["message_id"]]
    assert body["metadata"]["messages_in_context"] == 2
    stored = (await alice.messages(session, limit=1))[0]
    assert stored["content"] == body["answer"]
    assert stored["citations"] == body["citations"]


async def test_a_retry_with_the_same_key_is_not_answered_twice(alice: Caller) -> None:
    headers = {"Idempotency-Key": "turn-1"}
    first = await alice.post("/chat", {"query": ZEPPELIN}, headers)
    again = await alice.post("/chat", {"query": ZEPPELIN}, headers)
    assert again.headers["X-Session-ID"] == first.headers["X-Session-ID"]
    assert again.json()["answer"] == first.json()["answer"]
    assert len(await alice.history()) == 2
    other = await alice.post("/chat", {"query": "Something else?"}, headers)
    assert other.status_code == 409
    assert len(await alice.history()) == 2


@for_each(
    ("path", "body"),
    [
        ("/chat", {}),
        ("/chat", {"query": ""}),
        ("/chat", {"query": "   "}),
        ("/chat", {"query": "a\0b"}),
        ("/chat", {"query": "\ud800"}),
        ("/chat", {"query": 7}),
        ("/chat", {"query": "Hi?", "stream": "yes"}),
        ("/chat", {"query": "Hi?", "session": "x"}),
        ("/memoryChat", {"question": None}),
        ("/memoryChat", {"question": "Hi?", "mode": "wild"}),
        ("/memoryChat", {"question": "Hi?", "use_memory": "no"}),
        ("/memoryChat", {"question": "Hi?", "max_history_messages": -1}),
        ("/memoryChat", {"question": "Hi?", "llm_temperature": "hot"}),
        ("/memoryChat", {"question": "Hi?", "vdp_database_names": {"a": 1}}),
        ("/memoryChat", {"question": "Hi?", "custom_instructions": "a\0b"}),
        ("/memoryChat", {"question": "Hi?", "llm_model": " "}),
        ("/memoryChat", {"question": "Hi?", "session_name": " "}),
        ("/memoryChat", {"question": "Hi?", "vdp_database_names": ["x" * 300]}),
    ],
)
async def test_an_invalid_question_is_refused_and_stores_nothing(
    alice: Caller, path: str, body: dict[str, object]
) -> None:
    session_id = str(uuid4())
    response = await alice.send(
        "POST",
        path,
        content=json.dumps(body).encode(),
        headers={"X-Session-ID": session_id, "Content-Type": "application/json"},
    )
    assert response.status_code == 422, response.text
    assert set(response.json()) == {"error", "detail"}
    assert response.headers["X-Session-ID"] == session_id
    assert (await alice.get("/api/v1/sessions")).json()["items"] == []


async def test_data_questions_are_answered_without_a_data_platform_too(alice: Caller) -> None:
    asked = {"question": ZEPPELIN, "session_name": "Airships", "newer": 1}
    response = await alice.post("/memoryChat", asked)
    body = response.json()
    assert response.status_code == 200
    assert body["warnings"] == [
        "Fields that are unknown here were ignored, for no AI SDK answers: newer."
    ]
    assert (body["sql_query"], body["tables_used"], body["execution_result"]) == ("", [], {})
    assert body["conversation_metadata"]["session_name"] == "Airships"
    assert body["conversation_metadata"]["turn_count"] == 1
    assert body["conversation_metadata"]["conversation_id"] == response.headers["X-Session-ID"]


async def test_there_is_nothing_to_pass_through_to_without_a_data_platform(alice: Caller) -> None:
    response = await alice.post("/answerQuestion", {"question": ZEPPELIN})
    assert response.status_code == 501
    assert "MEMORY_DENODO_URL" in response.json()["detail"]


async def test_openwebuis_chat_id_names_the_session_where_no_other_id_does(tenant: Tenant) -> None:
    user, chat_id = str(uuid4()), str(uuid4())
    front_end = (await tenant.service()).with_headers({"X-OpenWebUI-User-Id": user})
    for headers, session in (
        ({"X-OpenWebUI-Chat-Id": chat_id}, chat_id),
        ({"X-OpenWebUI-Chat-Id": chat_id, "X-Session-ID": ""}, chat_id),
        ({"X-OpenWebUI-Chat-Id": "channel:1", "X-Session-ID": chat_id}, chat_id),
    ):
        response = await front_end.post("/chat", {"query": "Hoe hoog?"}, headers)
        assert response.status_code == 200, response.text
        assert response.headers["X-Session-ID"] == session
    (stored,) = (await front_end.get("/api/v1/sessions")).json()["items"]
    assert stored["message_count"] == 6
    metadata = stored["metadata"]
    assert metadata["created_via"] == "openwebui"
    assert metadata["openwebui_conversation_id"] == chat_id


@pytest.mark.parametrize("streams", [False, True])
async def test_a_temporary_chat_of_openwebui_is_answered_and_not_kept(
    tenant: Tenant, *, streams: bool
) -> None:
    headers = {"X-OpenWebUI-User-Id": str(uuid4()), "X-OpenWebUI-Chat-Id": "temporary:abc"}
    front_end = (await tenant.service()).with_headers(headers)
    response = await front_end.post("/chat", {"query": "Hoe hoog?", "stream": streams})
    assert response.status_code == 200, response.text
    assert "X-Session-ID" not in response.headers
    assert (await front_end.get("/api/v1/sessions")).json()["items"] == []
