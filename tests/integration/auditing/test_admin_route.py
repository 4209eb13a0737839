"""`GET /api/v1/admin/audit`: for administrators of a tenant, of that tenant, and nothing else."""

import pytest

from recollect.domain.identity.accounts import KeyScope
from recollect.services.services import Services
from support.http.callers import Caller, Json, Tenant
from support.servers.openai_proxy import Stage

PATH = "/api/v1/admin/audit"


async def settled(services: Services) -> None:
    assert services.audit_trail is not None
    await services.audit_trail.settle()


async def listed(caller: Caller, **params: str | int) -> list[Json]:
    response = await caller.get(PATH, **params)
    assert response.status_code == 200, response.text
    items: list[Json] = response.json()["items"]
    return items


async def test_an_administrator_reads_what_was_done_in_the_tenant_and_no_memory(
    stage: Stage,
) -> None:
    for user in ("alice", "bob"):
        caller = await stage.tenant.user(user)
        session = await caller.start_session()
        await caller.add(session, "quagga")
    await settled(stage.services)
    admin = await stage.tenant.admin()

    entries = await listed(admin)
    told = {(entry["user"], entry["action"]) for entry in entries}
    assert told == {
        *((user, action) for user in ("alice", "bob") for action in ("session.created",)),
        *(("alice", "message.written"), ("bob", "message.written")),
        (None, "api_key.created"),
    }
    assert "quagga" not in str(entries)
    assert [entry["at"] for entry in entries] == sorted(
        (entry["at"] for entry in entries), reverse=True
    )
    of_bob = await listed(admin, user="bob")
    assert [(entry["number"], entry["user"]) for entry in of_bob] == [(2, "bob"), (1, "bob")]
    (created,) = await listed(admin, user="bob", action="session.created")
    until = await listed(admin, user="bob", until=of_bob[0]["at"])
    assert until == [created]
    assert await listed(admin, user="bob", since=of_bob[0]["at"]) == of_bob[:1]
    assert await listed(admin, user="nobody") == []
    for path in ("/api/v1/sessions", "/api/v1/history", "/api/v1/memory", "/api/v1/state"):
        named = admin.with_headers({"X-Memory-User": "alice"})
        assert [(await one.get(path)).status_code for one in (admin, named)] == [403, 403]


async def test_pages_go_on_where_the_last_one_ended_and_reading_is_recorded(stage: Stage) -> None:
    alice = await stage.tenant.user("alice")
    session = await alice.start_session()
    for n in range(5):
        await alice.add(session, f"Number {n}")
    await settled(stage.services)
    admin = await stage.tenant.admin()
    numbers: list[int] = []
    query: dict[str, str | int] = {"user": "alice", "limit": 4, "order": "asc"}
    while True:
        page = (await admin.get(PATH, **query)).json()
        numbers += [entry["number"] for entry in page["items"]]
        if page["next_cursor"] is None:
            break
        query["cursor"] = page["next_cursor"]
    assert numbers == [1, 2, 3, 4, 5, 6]
    await settled(stage.services)
    reads = await listed(admin, action="audit.read")
    assert [entry["count"] for entry in reads] == [2, 4]
    assert {(entry["user"], entry["interface"]) for entry in reads} == {(None, "http")}


async def test_nobody_but_an_administrator_of_the_tenant_gets_anything(stage: Stage) -> None:
    alice, service = await stage.tenant.user("alice"), await stage.tenant.service()
    await alice.start_session()
    await settled(stage.services)
    for caller in (alice, service, service.with_headers({"X-Memory-User": "alice"})):
        refused = await caller.get(PATH)
        assert refused.status_code == 403
        assert "admin key" in refused.json()["detail"]
    assert (await stage.tenant.server.get(PATH)).status_code == 401
    assert (await stage.tenant.holding("rec_nonsense").get(PATH)).status_code == 401
    other = Tenant(server=stage.tenant.server, services=stage.services)
    stranger = await other.admin()
    assert await listed(stranger, user="alice") == []
    assert {entry["action"] for entry in await listed(stranger)} <= {
        "api_key.created",
        "audit.read",
    }
    both = stage.tenant.holding(await stage.tenant.key(KeyScope.USER, KeyScope.ADMIN, user="eve"))
    assert (await both.get(PATH)).status_code == 200
    assert (await both.get("/api/v1/sessions")).json()["items"] == []


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ({"user": "\u200b"}, 422),
        ({"user": ""}, 422),
        ({"action": "message.eaten"}, 422),
        ({"since": "yesterday"}, 422),
        ({"since": "2026-01-01T00:00:00"}, 422),  # without a time zone
        ({"limit": 0}, 422),
        ({"cursor": "abc"}, 400),
        ({"content": "x"}, 422),
    ],
    ids=str,
)
async def test_bad_filters_are_refused(
    stage: Stage, query: dict[str, str | int], status: int
) -> None:
    admin = await stage.tenant.admin()
    assert (await admin.get(PATH, **query)).status_code == status
