"""Erasures over HTTP: by a user of their own memory, by a service of a user or a tenant."""

from collections.abc import AsyncIterator
from uuid import UUID, uuid4

import httpx
import pytest
import pytest_asyncio

from recollect.domain.identity.scope import TenantScope
from recollect.interfaces.http.app import create_app
from recollect.memory import Memory
from recollect.services.services import Services
from recollect.settings import load_settings
from support.http.callers import Caller, Json, Tenant
from support.servers.http_servers import serving

ERASE = "/api/v1/privacy/erase"
TENANT = "/api/v1/privacy/tenant/erase"
CONFIRMED = {"confirm": True}


@pytest_asyncio.fixture
async def allowing(
    memory: Memory, services: Services, client: httpx.AsyncClient
) -> AsyncIterator[Tenant]:
    """A tenant on a server whose users may erase their memory."""
    settings = load_settings(user_id_source="api_key", allow_data_deletion=True)
    async with serving(create_app(memory, settings)) as url:
        yield Tenant(server=Caller(client=client, url=url), services=services)


async def completed(tenant: Tenant, user: str, erasure: Json) -> None:
    """Do what a worker does, for this erasure alone."""
    erasing = tenant.services.erasing
    known = await erasing.get(tenant.scope(user), UUID(erasure["erasure_id"]))
    await erasing.complete(known)


async def talk(caller: Caller, *, text: str = "Where are my keys, please?") -> Json:
    """A session with an exchange, a fact and a value."""
    session = await caller.start_session()
    await caller.add(session, text)
    await caller.add(session, "In the drawer.", role="assistant")
    await caller.post("/api/v1/memory", {"content": "Loses keys."})
    await caller.send("PUT", "/api/v1/profile/place", json={"value": "drawer"})
    return session


async def test_it_is_off_unless_the_operator_allows_it(alice: Caller, tenant: Tenant) -> None:
    service = await tenant.service()
    for caller, path in ((alice, ERASE), (service, TENANT)):
        refused = await caller.post(path, CONFIRMED)
        assert refused.status_code == 403
        assert "MEMORY_ALLOW_DATA_DELETION" in refused.json()["detail"]


async def test_every_route_refuses_whoever_may_not_use_it(
    allowing: Tenant, services: Services
) -> None:
    """401 without a valid key, 403 with one of another scope, 404 for what is somebody else's."""
    alice, service = await allowing.user("alice"), await allowing.service()
    foreign = Tenant(server=allowing.server, services=services)
    session = await talk(alice)
    begun = (await service.post(TENANT, CONFIRMED)).json()["erasure_id"]
    mine = (await alice.post(ERASE, CONFIRMED)).json()["erasure_id"]
    routes = {
        ("POST", ERASE): CONFIRMED,
        ("GET", f"{ERASE}/{mine}"): None,
        ("POST", TENANT): CONFIRMED,
        ("GET", f"{TENANT}/{begun}"): None,
        ("GET", "/api/v1/privacy/export"): None,
    }
    strangers = (
        (allowing.server, 401, "privacy"),
        (allowing.holding("rec_nonsense"), 401, "privacy"),
        (await allowing.admin(), 403, "privacy"),
        (alice, 403, "tenant"),
        (await foreign.user("alice"), 404, f"{ERASE}/"),
        (await foreign.service(), 404, f"{TENANT}/"),
    )
    for caller, status, part in strangers:
        for (method, path), body in routes.items():
            if part in path:
                refused = await caller.send(method, path, json=body)
                assert refused.status_code == status, f"{method} {path}: {refused.text}"
    theirs = {"confirm": True, "session_id": session["session_id"]}
    assert (await (await foreign.user("alice")).post(ERASE, theirs)).status_code == 404
    assert (await alice.get("/api/v1/privacy/export")).status_code == 403, "exports are off"


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({}, 400),
        ({"confirm": False}, 400),
        ({"confirm": "true"}, 422),
        ({"confirm": True, "user": "bob"}, 422),
        ({"confirm": True, "session_id": "abc"}, 400),
        ({"confirm": True, "session_id": str(uuid4())}, 404),
        ({"confirm": True, "before": "yesterday"}, 422),
        ({"confirm": True, "before": "2026-01-01T00:00:00"}, 422),
        ({"confirm": True, "before": "2999-01-01T00:00:00Z"}, 422),
    ],
)
async def test_what_is_not_confirmed_or_makes_no_sense_changes_nothing(
    allowing: Tenant, body: Json, status: int
) -> None:
    alice = await allowing.user("alice")
    session = await talk(alice)
    response = await alice.post(ERASE, body)
    assert response.status_code == status, response.text
    assert len(await alice.messages(session)) == 2
    assert (await alice.post("/api/v1/sessions", {})).status_code == 201


async def test_a_user_erases_everything_of_theirs_and_starts_anew(allowing: Tenant) -> None:
    alice, bob = await allowing.user("alice"), await allowing.user("bob")
    session, others = await talk(alice), await talk(bob)
    response = await alice.post(ERASE, CONFIRMED)
    assert response.status_code == 202, response.text
    begun = response.json()
    assert (begun["what"], begun["state"], begun["receipt"]) == ("everything", "under_way", None)
    assert begun["expected_messages"] == 2
    assert (await alice.post(ERASE, CONFIRMED)).json()["erasure_id"] == begun["erasure_id"]

    assert await alice.history() == []
    assert (await alice.get("/api/v1/memory")).json()["items"] == []
    assert (await alice.get("/api/v1/profile")).json()["items"] == []
    path = f"/api/v1/sessions/{session['session_id']}"
    message, named = {"role": "user", "content": "Hello?"}, {"X-Session-ID": session["session_id"]}
    for method, url, body in (
        ("POST", "/api/v1/sessions", {}),
        ("POST", f"{path}/messages", message),
        ("POST", "/api/v1/history", message),
        ("POST", "/api/v1/memory", {"content": "Likes tea."}),
        ("PUT", "/api/v1/profile/place", {"value": 1}),
        ("PATCH", path, {"name": "renamed"}),
        ("POST", "/chat", {"query": "Hello?"}),
        ("POST", "/v1/chat/completions", {"messages": [message]}),
        ("POST", ERASE, {"confirm": True, "session_id": session["session_id"]}),
    ):
        refused = await alice.send(method, url, json=body, headers=named)
        assert refused.status_code == 409, f"{method} {url}: {refused.text}"
        assert "being erased" in refused.text

    await completed(allowing, "alice", begun)
    where = f"{ERASE}/{begun['erasure_id']}"
    done = (await alice.get(where)).json()
    assert (done["state"], done["erased_messages"]) == ("done", 2)
    receipt = done["receipt"]
    assert (receipt["user"], receipt["tenant"]) == ("alice", allowing.name)
    assert receipt["requested_by"].startswith("key:")
    assert await allowing.services.erasing.check(receipt) == receipt
    assert (await bob.get(where)).status_code == 404
    assert len(await bob.messages(others)) == 2
    assert await alice.history() == []
    again = await alice.start_session(session_id=session["session_id"])
    assert again["message_count"] == 0


async def test_a_service_erases_a_user_whom_it_names(allowing: Tenant) -> None:
    service = (await allowing.service()).with_headers({"X-Memory-User": "carol"})
    await talk(service)
    begun = (await service.post(ERASE, CONFIRMED)).json()
    await completed(allowing, "carol", begun)
    assert (await service.get(f"{ERASE}/{begun['erasure_id']}")).json()["state"] == "done"
    other = service.with_headers({"X-Memory-User": "dave"})
    assert (await other.get(f"{ERASE}/{begun['erasure_id']}")).status_code == 404


async def test_one_session_or_what_is_older_goes_and_the_rest_stays(allowing: Tenant) -> None:
    alice = await allowing.user("alice")
    gone, kept = await talk(alice), await alice.start_session()
    old = "2024-05-01T09:30:00Z"
    await alice.add(kept, "An old question?", created_at=old)
    await alice.add(kept, "A new question?")
    session = {"confirm": True, "session_id": gone["session_id"]}
    begun = (await alice.post(ERASE, session)).json()
    assert (await alice.get(f"/api/v1/sessions/{gone['session_id']}")).status_code == 404
    said = {"role": "user", "content": "Hello?"}
    refused = await alice.post(f"/api/v1/sessions/{gone['session_id']}/messages", said)
    assert refused.status_code == 409
    await completed(allowing, "alice", begun)
    older = (await alice.post(ERASE, {"confirm": True, "before": "2025-01-01T00:00:00Z"})).json()
    await completed(allowing, "alice", older)
    assert [one["content"] for one in await alice.history()] == ["A new question?"]
    receipt = (await alice.get(f"{ERASE}/{older['erasure_id']}")).json()["receipt"]
    assert (receipt["what"], receipt["before"]) == ("before", "2025-01-01T00:00:00Z")


async def test_a_whole_tenant_is_erased_with_a_service_key_of_it_alone(
    allowing: Tenant, services: Services
) -> None:
    alice, service = await allowing.user("alice"), await allowing.service()
    outsider = Tenant(server=allowing.server, services=services)
    stranger, foreign = await outsider.user("alice"), await outsider.service()
    await talk(alice)
    theirs = await talk(stranger)
    assert (await alice.post(TENANT, CONFIRMED)).status_code == 403
    assert (await service.post(TENANT, {})).status_code == 400
    begun = (await service.post(TENANT, CONFIRMED)).json()
    where = f"{TENANT}/{begun['erasure_id']}"
    assert (await alice.get(where)).status_code == 403
    scope = TenantScope(tenant=allowing.name)
    known = await services.erasing.get(scope, UUID(begun["erasure_id"]))
    await services.erasing.complete(known)
    done = (await service.get(where)).json()
    assert (done["state"], done["receipt"]["tenant"]) == ("done", allowing.name)
    assert done["erased"]["tenant"] == {"users": 1}
    assert (await foreign.get(where)).status_code == 404
    assert (await alice.get(where)).status_code == 401, "the user's key is gone, too"
    assert await service.with_headers({"X-Memory-User": "alice"}).history() == []
    assert len(await stranger.messages(theirs)) == 2
