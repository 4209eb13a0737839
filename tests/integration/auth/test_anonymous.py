"""Callers without credentials, where they are served: a session is all they have."""

from collections.abc import AsyncIterator
from uuid import uuid4

import pytest
import pytest_asyncio

from recollect.services.services import Services
from support.http.callers import Caller, Serve, Tenant, assert_unauthenticated
from support.http.jwt_tokens import SECRET, signed


@pytest_asyncio.fixture(scope="module")
async def server(serve: Serve) -> AsyncIterator[Caller]:
    async with serve(
        user_id_source="jwt_claim",
        jwt_secret=SECRET,
        allow_anonymous=True,
        tenant=f"tenant-{uuid4()}",
    ) as caller:
        yield caller


def in_session(server: Caller, session_id: str) -> Caller:
    return server.with_headers({"X-Session-ID": session_id})


async def test_a_question_begins_a_session_that_its_id_opens_again(server: Caller) -> None:
    first = await server.post("/chat", {"query": "Show me total sales by region for 2024"})
    session_id = first.headers["X-Session-ID"]
    second = await in_session(server, session_id).post("/chat", {"query": "What about 2023?"})

    assert (first.status_code, second.status_code) == (200, 200)
    assert second.json()["metadata"]["question"] == "Show me total sales by region for 2023"
    messages = await server.get(f"/api/v1/sessions/{session_id}/messages")
    assert len(messages.json()["items"]) == 4
    (session,) = (await in_session(server, session_id).get("/api/v1/sessions")).json()["items"]
    assert session["session_id"] == session_id


async def test_the_session_may_be_named_in_the_body_of_a_data_question(server: Caller) -> None:
    first = await server.post("/memoryChat", {"question": "Sales of 2024?"})
    session_id = first.json()["conversation_metadata"]["conversation_id"]
    body = {"question": "And of 2023?", "session_id": session_id}
    second = (await server.post("/memoryChat", body)).json()

    assert second["conversation_metadata"]["message_count"] == 4


async def test_each_anonymous_session_is_an_owner_of_its_own(server: Caller) -> None:
    first = await server.post("/chat", {"query": "My parrot is called Waldorf."})
    other = in_session(server, str(uuid4()))

    assert (await other.get("/api/v1/sessions")).json()["items"] == []
    found = await other.post("/api/v1/recall", {"query": "parrot"})
    assert found.json()["items"] == []
    path = f"/api/v1/sessions/{first.headers['X-Session-ID']}"
    as_alice = server.with_headers({"Authorization": f"Bearer {signed()}"})
    assert (await as_alice.get(path)).status_code == 404


@pytest.mark.parametrize("path", ["/api/v1/sessions", "/api/v1/history", "/api/v1/state"])
async def test_an_anonymous_caller_without_a_session_id_is_refused(
    server: Caller, path: str
) -> None:
    assert (await server.get(path)).status_code == 401


async def test_a_name_that_can_be_guessed_opens_nothing(server: Caller) -> None:
    assert (await in_session(server, "chat-1").get("/api/v1/sessions")).status_code == 401


async def test_credentials_may_not_name_such_an_owner(server: Caller, services: Services) -> None:
    session_id = uuid4()
    token = signed(sub=f"anon:{session_id}")
    named = server.with_headers({"Authorization": f"Bearer {token}"})
    assert (await named.get("/api/v1/sessions")).status_code == 403


async def test_credentials_that_are_wrong_do_not_make_anonymous(server: Caller) -> None:
    wrong = server.with_headers({"Authorization": "Bearer wrong", "X-Session-ID": str(uuid4())})
    await assert_unauthenticated(wrong)


async def test_nobody_is_served_without_credentials_unless_allowed(
    keyed: Caller, services: Services
) -> None:
    Tenant(server=keyed, services=services)
    await assert_unauthenticated(in_session(keyed, str(uuid4())))


async def test_an_anonymous_caller_cannot_start_or_use_another_session(server: Caller) -> None:
    mine, other = str(uuid4()), str(uuid4())
    caller = in_session(server, mine)
    question = {"role": "user", "content": "Hello?"}
    attempts = [
        await caller.post("/api/v1/sessions", {"session_id": other}),
        await caller.post("/api/v1/sessions", {}),
        await caller.post("/api/v1/history", question),
        await caller.post("/memoryChat", {"question": "Hello?", "session_id": other}),
    ]

    assert [response.status_code for response in attempts] == [403] * 4
    assert (await caller.get("/api/v1/sessions")).json()["items"] == []
    assert (await caller.post("/api/v1/sessions", {"session_id": mine})).status_code == 201
    added = await server.post(f"/api/v1/sessions/{mine}/messages", question)
    assert added.status_code == 201


async def test_a_retry_must_name_its_session(server: Caller) -> None:
    key = {"Idempotency-Key": str(uuid4())}
    assert (await server.post("/chat", {"query": "Hello?"}, key)).status_code == 401
    mine = in_session(server, str(uuid4()))
    first, again = [await mine.post("/chat", {"query": "Hello?"}, key) for _ in range(2)]
    assert (first.status_code, again.headers["Idempotency-Replayed"]) == (200, "true")


async def test_models_can_be_listed_and_read_without_credentials(server: Caller) -> None:
    listed = (await server.get("/v1/models")).json()["data"]
    assert (await server.get(f"/v1/models/{listed[0]['id']}")).status_code == 200


async def test_a_completion_is_remembered_in_the_session_it_names(server: Caller) -> None:
    session_id = str(uuid4())
    body = {"model": "m", "messages": [{"role": "user", "content": "My parrot is Waldorf."}]}
    named = await in_session(server, session_id).post("/v1/chat/completions", body)
    unnamed = await server.post("/v1/chat/completions", body)

    assert (named.headers["X-Memory"], unnamed.headers["X-Memory"]) == ("full", "off")
    stored = await server.get(f"/api/v1/sessions/{session_id}/messages")
    assert len(stored.json()["items"]) == 2
