"""A user's mode: set by whoever runs the program, enforced on every question."""

from uuid import uuid4

import pytest

from recollect.services.services import Services
from support.http.callers import Caller, Tenant

STATE = "/api/v1/state"
ACTIVE = {"mode": "active", "updated_at": None}


async def set_mode(operator: Caller, mode: str) -> None:
    response = await operator.send("PUT", STATE, json={"mode": mode})
    assert response.status_code == 200, response.text
    assert response.json()["mode"] == mode
    assert response.json()["updated_at"].endswith("Z")


async def test_a_state_is_set_read_and_deleted(alice: Caller, operator: Caller) -> None:
    assert (await alice.get(STATE)).json() == ACTIVE
    await set_mode(operator, "on-holiday")
    for caller in (alice, operator):
        assert (await caller.get(STATE)).json()["mode"] == "on-holiday"
    deleted = await operator.delete(STATE)
    assert (deleted.status_code, deleted.json()) == (200, ACTIVE)
    assert (await alice.get(STATE)).json() == ACTIVE


@pytest.mark.parametrize(("path", "field"), [("/chat", "query"), ("/memoryChat", "question")])
async def test_a_halted_user_is_refused_and_nothing_is_stored(
    alice: Caller, operator: Caller, path: str, field: str
) -> None:
    await set_mode(operator, "halted")
    response = await alice.post(path, {field: "Hello?"})
    assert response.status_code == 423
    assert response.json()["error"] == "Locked"
    assert (await alice.get("/api/v1/sessions")).json()["items"] == []
    await set_mode(operator, "active")
    assert (await alice.post(path, {field: "Hello?"})).status_code == 200


@pytest.mark.parametrize("mode", ["halted", "Halted", "HALTED"])
async def test_a_conversation_stands_still_while_its_user_is_halted(
    alice: Caller, operator: Caller, mode: str
) -> None:
    asked = {"question": "Hello?", "session_id": str(uuid4())}
    assert (await alice.post("/memoryChat", asked)).status_code == 200
    await set_mode(operator, mode)
    assert (await alice.post("/memoryChat", asked)).status_code == 423
    await set_mode(operator, "on-holiday")
    assert (await alice.post("/memoryChat", asked)).status_code == 200
    messages = f"/api/v1/sessions/{asked['session_id']}/messages"
    assert len((await alice.get(messages)).json()["items"]) == 4


async def test_a_halted_user_cannot_end_their_own_halt(alice: Caller, operator: Caller) -> None:
    await set_mode(operator, "halted")
    lifted = await alice.send("PUT", STATE, json={"mode": "active"})
    deleted = await alice.delete(STATE)
    assert [lifted.status_code, deleted.status_code] == [403, 403]
    assert (await alice.get(STATE)).json()["mode"] == "halted"


async def test_a_state_belongs_to_one_user(operator: Caller, tenant: Tenant) -> None:
    await set_mode(operator, "halted")
    bob = await tenant.user("bob")
    assert (await bob.get(STATE)).json() == ACTIVE


@pytest.mark.parametrize("mode", ["In de pauze (tot 14:00)", "x" * 64, "-x", "数据库", "Ärger"])
async def test_any_short_text_is_a_mode(operator: Caller, mode: str) -> None:
    await set_mode(operator, mode)


@pytest.mark.parametrize("mode", ["halted", " halted\t", "Halted", "HALTED"])
async def test_halted_is_enforced_however_it_is_written(
    alice: Caller, operator: Caller, mode: str
) -> None:
    response = await operator.send("PUT", STATE, json={"mode": mode})
    assert response.json()["mode"] == mode.strip()
    assert (await alice.post("/chat", {"query": "Hello?"})).status_code == 423


@pytest.mark.parametrize(
    "mode", ["", " ", "x" * 65, 7, None, "a\0b", "a\nb", "a\u2028b", "\x1b[0m"]
)
async def test_a_mode_that_cannot_be_shown_on_one_line_is_refused(
    alice: Caller, operator: Caller, mode: object
) -> None:
    response = await operator.send("PUT", STATE, json={"mode": mode})
    assert response.status_code == 422
    assert (await alice.get(STATE)).json() == ACTIVE


async def test_changes_are_in_the_audit_log(
    operator: Caller, tenant: Tenant, services: Services
) -> None:
    await set_mode(operator, "halted")
    await operator.delete(STATE)
    entries = await services.audit.entries(tenant.scope("alice"), limit=9)
    assert [(entry.action, entry.target) for entry in entries] == [
        ("state.deleted", "halted"),
        ("state.changed", "halted"),
    ]
    assert all(entry.actor.startswith("key:") and entry.transaction_id for entry in entries)


async def test_the_local_user_may_set_a_state(local: Caller) -> None:
    await set_mode(local, "busy")
    assert (await local.delete(STATE)).json() == ACTIVE
