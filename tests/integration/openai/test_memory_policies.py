"""How much memory a request, or a key, may use: the stricter of the two decides."""

import pytest

from recollect.domain.api_key import KeyScope
from recollect.domain.memory_policy import MemoryPolicy, stricter
from recollect.domain.scope import TenantScope
from support.callers import Caller, Json
from support.proxying import NumberingDouble, Stage

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
async def test_the_stricter_policy_decides_what_is_used_and_what_is_stored(
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
