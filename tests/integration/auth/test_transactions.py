from uuid import UUID

import pytest

from recollect.domain.identity.scope import Scope
from recollect.services.services import Services
from support.http.callers import Caller, Tenant

HEADER = "X-Transaction-ID"


@pytest.mark.parametrize("given", ["a", "tx-1", "A.b_c:d-1", "x" * 128, "0" * 32])
async def test_a_valid_transaction_id_of_the_caller_is_returned(keyed: Caller, given: str) -> None:
    response = await keyed.with_headers({HEADER: given}).get("/healthz")

    assert response.headers.get_list(HEADER) == [given]


@pytest.mark.parametrize(
    "given", ["", "a b", "x" * 129, "ü", "a\tb", '"', "<script>", "a;b", "{}", "\\n"]
)
async def test_an_invalid_transaction_id_is_replaced_by_a_new_one(
    keyed: Caller, given: str
) -> None:
    responses = [await keyed.with_headers({HEADER: given}).get("/healthz") for _ in range(2)]

    first, second = (UUID(response.headers[HEADER]) for response in responses)
    assert first != second


async def test_a_request_without_a_transaction_id_gets_a_new_one(keyed: Caller) -> None:
    given = (await keyed.get("/healthz")).headers[HEADER]

    assert str(UUID(given)) == given


@pytest.mark.parametrize("path", ["/api/v1/sessions", "/nowhere", "/api/v1/sessions/x"])
async def test_error_responses_have_a_transaction_id_too(keyed: Caller, path: str) -> None:
    response = await keyed.with_headers({HEADER: "tx-1"}).get(path)

    assert response.status_code >= 400
    assert response.headers[HEADER] == "tx-1"


async def test_the_refusal_of_a_large_body_has_the_callers_transaction_id(keyed: Caller) -> None:
    response = await keyed.with_headers({HEADER: "tx-1"}).send(
        "POST", "/api/v1/sessions", content=b"x" * 9_000_000
    )

    assert response.status_code == 422
    assert response.headers[HEADER] == "tx-1"


async def test_deletions_are_audited_with_transaction_id_and_key(
    tenant: Tenant, services: Services
) -> None:
    alice = await tenant.user("alice")
    session = await alice.start_session()

    await alice.with_headers({HEADER: "tx-7"}).delete(f"/api/v1/sessions/{session['session_id']}")

    scope: Scope = tenant.scope("alice")
    (entry,) = await services.audit.entries(scope, limit=10)
    assert entry.transaction_id == "tx-7"
    assert entry.actor.startswith("key:")
    assert entry.target == session["session_id"]
