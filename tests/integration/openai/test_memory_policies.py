"""How much memory a request, or a key, may use: the stricter of the two decides."""

import pytest

from recollect.domain.identity.accounts import KeyScope
from recollect.domain.identity.scope import MemoryPolicy, TenantScope, stricter
from recollect.domain.policy import Policies
from recollect.ports import Stores
from support.http.callers import Caller, Json, Tenant
from support.servers.openai_proxy import NumberingDouble, Stage, proxy_server

PATH = "/v1/chat/completions"
SESSION = "6fa459ea-ee8a-4ca4-894e-db77e160355e"


def question(text: str) -> Json:
    return {"model": "m", "messages": [{"role": "user", "content": text}]}


async def caller_with(stage: Stage, policy: MemoryPolicy) -> Caller:
    _, key = await stage.services.api_keys.create(
        TenantScope(tenant=stage.tenant.name, actor="test"),
        name="a key",
        scopes=[KeyScope.USER],
        user="ada",
        memory=policy,
    )
    return stage.tenant.holding(key).with_headers({"X-Session-ID": SESSION})


@pytest.mark.parametrize("of_key", MemoryPolicy)
@pytest.mark.parametrize("of_request", MemoryPolicy)
async def test_the_stricter_of_two_memory_policies_applies(
    stage: Stage, double: NumberingDouble, of_key: MemoryPolicy, of_request: MemoryPolicy
) -> None:
    before = await caller_with(stage, MemoryPolicy.FULL)
    await before.post(PATH, question("My name is Ada."))
    caller = await caller_with(stage, of_key)
    response = await caller.post(PATH, question("My name?"), {"X-Memory": str(of_request)})
    expected = stricter(of_key, of_request)
    assert response.headers["X-Memory"] == str(expected)
    is_used = expected is not MemoryPolicy.OFF
    assert len(double.last_messages) == (3 if is_used else 1)
    is_stored = expected is MemoryPolicy.FULL
    assert len(await stage.messages("ada", SESSION)) == (4 if is_stored else 2)


async def test_reading_needs_no_session_to_be_there(stage: Stage, double: NumberingDouble) -> None:
    caller = await caller_with(stage, MemoryPolicy.READ)
    response = await caller.post(PATH, question("Hello?"))
    assert (response.status_code, response.headers["X-Memory"]) == (200, "read")
    assert double.last_messages == [{"role": "user", "content": "Hello?"}]
    assert await stage.sessions("ada") == []


async def test_switched_off_memory_is_reported_in_a_warning_header(
    stores: Stores, stage: Stage
) -> None:
    off = Policies(is_enabled=False)
    async with proxy_server(stores, endpoint_url=None, policies=off) as (services, url):
        server = Caller(client=stage.tenant.server.client, url=url)
        tenant = Tenant(server=server, services=services)
        caller = (await tenant.service()).with_headers({"X-Memory-User": "ada"})
        answered = await caller.post(PATH, question("Hello?"), {"X-Session-ID": SESSION})
        declined = await caller.post(PATH, question("Hello?"), {"X-Memory": "off"})
    told = "Memory is switched off on this server; nothing is remembered."
    assert (answered.headers["X-Memory"], answered.headers["X-Memory-Warning"]) == ("off", told)
    assert "X-Memory-Warning" not in declined.headers


async def test_a_retry_with_the_same_idempotency_key_does_not_store_its_question_twice(
    stage: Stage,
) -> None:
    caller = await caller_with(stage, MemoryPolicy.FULL)
    for key in ("first", "second", "second"):
        answered = await caller.post(PATH, question("Hello?"), {"Idempotency-Key": key})
        assert answered.status_code == 200
    assert await stage.stored_texts("ada", SESSION) == [
        ("user", "Hello?"),
        ("assistant", "Answer 1."),
        ("user", "Hello?"),
        ("assistant", "Answer 3."),
    ]
    refused = await caller.post(PATH, question("Else?"), {"Idempotency-Key": "second"})
    assert (refused.status_code, "error" in refused.json()) == (409, True)
