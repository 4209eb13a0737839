"""What is answered, stored and told when something is away, slow, cut or gone."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from uuid import UUID, uuid4

import httpx
import pytest

from recollect.domain.identity.scope import Scope
from recollect.engines.postgres.connection.database import Database
from recollect.engines.postgres.engine import open_embedded, postgres_stores
from recollect.ports import Stores
from recollect.services.chat.degradation import REPLY_NOT_STORED, TOO_LONG
from recollect.system import SystemClock
from support.doubles.chat_endpoint import Reply
from support.doubles.chat_endpoint import serving as listening
from support.http.callers import Caller, Json
from support.servers.http_servers import free_port
from support.servers.openai_proxy import NumberingDouble, Stage, proxy_server, streamed_text
from support.timeouts import PATIENCE

PATH = "/v1/chat/completions"
SESSION = "6fa459ea-ee8a-4ca4-894e-db77e160355e"


def question(text: str, *, stream: bool = False) -> Json:
    return {"model": "m", "messages": [{"role": "user", "content": text}], "stream": stream}


async def ada(stage: Stage) -> Caller:
    return (await stage.tenant.user("ada")).with_headers({"X-Session-ID": SESSION})


@asynccontextmanager
async def failing_server(
    home: Path, client: httpx.AsyncClient
) -> AsyncIterator[tuple[Caller, NumberingDouble, Database, Scope]]:
    """A server of the local user with connections of its own, which a test may close."""
    tenant = f"local-{uuid4()}"
    double = NumberingDouble()
    async with (
        open_embedded(home, max_connections=4) as database,
        listening(double),
        proxy_server(
            postgres_stores(database, SystemClock()),
            endpoint_url=double.url,
            user_id_source=None,
            tenant=tenant,
        ) as (_, url),
    ):
        caller = Caller(client=client, url=url, headers={"X-Session-ID": SESSION})
        yield caller, double, database, Scope(tenant=tenant, user="local")


async def contents(stores: Stores, scope: Scope) -> list[str]:
    messages = await stores.messages.last(scope, UUID(SESSION), count=10)
    return [message.content for message in messages or ()]


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
async def test_a_message_too_long_for_a_context_is_passed_on_and_remembered(
    stage: Stage,
    stream: bool,  # noqa: FBT001  # pytest gives it by name
) -> None:
    caller = await ada(stage)
    await caller.post(PATH, question("I have a dog."))
    letter = f"Summarise: {'terms and conditions ' * 2_000}"

    answered = await caller.post(PATH, question(letter, stream=stream))

    assert answered.status_code == 200
    assert answered.headers["X-Memory-Warning"] == TOO_LONG
    assert stage.double.requests[-1].body["messages"] == [{"role": "user", "content": letter}]
    stored = await caller.get(f"/api/v1/sessions/{SESSION}/messages")
    assert letter.strip() in [one["content"].strip() for one in stored.json()["items"]]


@pytest.mark.parametrize("stream", [False, True])
async def test_without_a_database_the_question_is_answered_with_a_warning(
    shared_home: Path,
    client: httpx.AsyncClient,
    stores: Stores,
    caplog: pytest.LogCaptureFixture,
    *,
    stream: bool,
) -> None:
    async with failing_server(shared_home, client) as (caller, double, database, scope):
        await caller.post(PATH, question("One?"))
        await database.aclose()
        response = await caller.post(PATH, question("Two?", stream=stream))
        assert response.status_code == 200
        said = streamed_text(response.content) if stream else response.json()["choices"]
        assert "Answer 2." in str(said)
        assert "not remembered" in response.headers["X-Memory-Warning"]
        assert response.headers["X-Memory"] == "off"
        assert double.last_messages == [{"role": "user", "content": "Two?"}]
        assert await contents(stores, scope) == ["One?", "Answer 1."]
        assert "memory.failed" in caplog.messages
        assert "Two?" not in caplog.text


async def test_a_database_that_leaves_during_the_answer_costs_the_reply_and_nothing_else(
    shared_home: Path, client: httpx.AsyncClient, stores: Stores
) -> None:
    async with failing_server(shared_home, client) as (caller, double, database, scope):
        double.will(Reply(answer="one two three", waits_after=1))
        asking = asyncio.create_task(caller.post(PATH, question("Count!", stream=True)))
        while not double.requests:  # noqa: ASYNC110  # the double tells it by its list alone
            await asyncio.sleep(0.01)
        await database.aclose()
        double.gate.set()
        response = await asking
        assert streamed_text(response.content) == "one two three"
        assert "X-Memory-Warning" not in response.headers
        *_, warning, end = response.text.strip().split("\n\n")
        assert warning == f": x-memory-warning: {REPLY_NOT_STORED}"
        assert end == "data: [DONE]"
        assert await contents(stores, scope) == ["Count!"]


async def test_a_whole_answer_that_cannot_be_stored_says_so(
    shared_home: Path, client: httpx.AsyncClient, stores: Stores
) -> None:
    async with failing_server(shared_home, client) as (caller, double, database, scope):
        double.will(Reply(answer="Late.", delay=0.2))
        asking = asyncio.create_task(caller.post(PATH, question("Hello?")))
        while not double.requests:  # noqa: ASYNC110  # as above
            await asyncio.sleep(0.01)
        await database.aclose()
        response = await asking
        assert response.json()["choices"][0]["message"]["content"] == "Late."
        assert "reply is not remembered" in response.headers["X-Memory-Warning"]
        assert await contents(stores, scope) == ["Hello?"]


async def test_without_a_database_api_keys_are_refused(
    shared_home: Path, client: httpx.AsyncClient
) -> None:
    async with failing_server(shared_home, client) as (caller, double, database, _):
        await database.aclose()
        key = "rec_" + "A" * 86  # one that would have to be looked up
        response = await caller.with_headers({"Authorization": f"Bearer {key}"}).post(
            PATH, question("Hello?")
        )
        assert response.status_code in {401, 503}
        assert response.json()["error"]["type"] in {"authentication_error", "server_error"}
        assert double.requests == []


@pytest.mark.parametrize("stream", [False, True])
async def test_an_unreachable_endpoint_is_an_error_in_openais_form_and_fails_the_turn(
    stores: Stores, client: httpx.AsyncClient, *, stream: bool
) -> None:
    nowhere = f"http://127.0.0.1:{free_port()}/v1"
    tenant = f"local-{uuid4()}"
    async with proxy_server(stores, endpoint_url=nowhere, user_id_source=None, tenant=tenant) as (
        services,
        url,
    ):
        caller = Caller(client=client, url=url, headers={"X-Session-ID": SESSION})
        response = await caller.post(PATH, question("Hello?", stream=stream))
        assert response.status_code == 503
        assert response.json()["error"]["type"] == "server_error"
        scope = Scope(tenant=tenant, user="local")
        assert await services.messages.turn_status(scope, UUID(SESSION), 1) == "failed"
        assert (await caller.get("/v1/models")).status_code == 503


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("reply", [Reply(delay=30), Reply(answer="one two", waits_after=1)])
async def test_the_whole_answer_must_come_within_the_time_limit(
    stores: Stores, client: httpx.AsyncClient, reply: Reply, *, stream: bool
) -> None:
    """However often the endpoint shows that it is still there."""
    double = NumberingDouble()
    double.will(reply if stream else Reply(delay=30))
    tenant = f"local-{uuid4()}"
    async with (
        listening(double),
        proxy_server(
            stores,
            endpoint_url=double.url,
            user_id_source=None,
            tenant=tenant,
            answer_timeout=0.3,
        ) as (services, url),
    ):
        caller = Caller(client=client, url=url, headers={"X-Session-ID": SESSION})
        response = await caller.post(PATH, question("Hello?", stream=stream))
        has_begun = stream and reply.waits_after is not None
        assert response.status_code == (200 if has_begun else 503)
        last = response.text.strip().splitlines()[-1].removeprefix("data: ")
        error = json.loads(last)["error"]
        assert error["message"] == "there was no whole answer within 0.3 seconds"
        assert error["type"] == "server_error"
        scope = Scope(tenant=tenant, user="local")
        assert await services.messages.turn_status(scope, UUID(SESSION), 1) == "failed"


async def test_an_answer_that_is_cut_short_is_not_stored(
    stage: Stage, double: NumberingDouble
) -> None:
    caller = await ada(stage)
    double.will(Reply(answer="one two three", hangs_up_after=2))
    response = await caller.post(PATH, question("Count!", stream=True))
    assert streamed_text(response.content) == "one two "
    assert json.loads(response.text.strip().splitlines()[-1].removeprefix("data: "))["error"]
    double.will(Reply(body=b'data: {"choices":[{"index":0,"delta":{"content":"one"}}]}\n\n'))
    await caller.post(PATH, question("Count, then!", stream=True))
    assert await stage.statuses("ada", SESSION) == ["failed", "failed"]
    assert await stage.stored_texts("ada", SESSION) == [
        ("user", "Count!"),
        ("user", "Count, then!"),
    ]


@pytest.mark.parametrize("body", [b'{"choices":[{"message":{"content":" "}}]}', b"{}"])
async def test_an_answer_that_says_nothing_is_passed_on_and_not_stored(
    stage: Stage, double: NumberingDouble, body: bytes
) -> None:
    double.will(Reply(body=body))
    response = await (await ada(stage)).post(PATH, question("Hello?"))
    assert (response.status_code, response.content) == (200, body)
    assert await stage.statuses("ada", SESSION) == ["failed"]


async def test_a_client_that_leaves_ends_the_endpoints_work_and_fails_the_turn(
    stage: Stage, double: NumberingDouble
) -> None:
    caller = await ada(stage)
    double.gate.clear()
    double.will(Reply(answer="one two three", waits_after=1))
    async with httpx.AsyncClient(timeout=PATIENCE, trust_env=False) as leaving:
        opened = leaving.stream(
            "POST",
            caller.url + PATH,
            json=question("Count!", stream=True),
            headers=dict(caller.headers),
        )
        async with opened as response:
            await anext(response.aiter_bytes())
    async with asyncio.timeout(PATIENCE):
        while not double.listeners_gone:  # noqa: ASYNC110  # as above
            await asyncio.sleep(0.01)
        while await stage.statuses("ada", SESSION) != ["failed"]:  # noqa: ASYNC110  # as above
            await asyncio.sleep(0.01)
    assert await stage.stored_texts("ada", SESSION) == [("user", "Count!")]
    await caller.post(PATH, question("Count!"))
    assert len(await stage.stored_texts("ada", SESSION)) == 2, "tried again, and not stored twice"


async def test_two_questions_at_once_are_both_kept_and_both_answered(
    stage: Stage, double: NumberingDouble
) -> None:
    caller = await ada(stage)
    double.will(Reply(answer="to the first", delay=0.1), Reply(answer="to the second"))
    asked = (question("First?"), question("Second?", stream=True))
    responses = await asyncio.gather(*(caller.post(PATH, body) for body in asked))
    assert all(response.status_code == 200 for response in responses)
    messages = await stage.stored_texts("ada", SESSION)
    assert sorted(messages) == sorted(
        [
            ("user", "First?"),
            ("user", "Second?"),
            ("assistant", "to the first"),
            ("assistant", "to the second"),
        ]
    )
    assert await stage.statuses("ada", SESSION) == ["complete", "complete"]


async def test_a_session_deleted_during_the_answer_costs_only_the_memory(
    stage: Stage, double: NumberingDouble
) -> None:
    caller = await ada(stage)
    double.will(Reply(answer="Late.", delay=0.3))
    asking = asyncio.create_task(caller.post(PATH, question("Hello?")))
    while not double.requests:  # noqa: ASYNC110  # as above
        await asyncio.sleep(0.01)
    assert (await caller.delete(f"/api/v1/sessions/{SESSION}")).status_code == 204
    response = await asking
    assert response.status_code == 200
    assert "deleted meanwhile" in response.headers["X-Memory-Warning"]
    assert await stage.sessions("ada") == []
