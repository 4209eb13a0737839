"""Every operation leaves an entry, whichever way it comes in, and no entry has any content."""

from uuid import UUID, uuid4

import asyncpg

from recollect.domain.identity.audit import AuditAction, AuditEntry
from recollect.memory import Memory
from support.http.callers import Caller, Json
from support.servers.openai_proxy import Stage

PLANTED = ("quagga", "narwhal", "okapi", "axolotl", "pangolin")
"""Words of messages, names, facts and queries, none of which may be in the log."""
ELSEWHERE = {
    AuditAction.SESSION_EXPIRED,  # by retention: contracts.expiry
    AuditAction.FACT_LEARNT,  # by background work: tests/unit/services/test_audit_trail.py
    AuditAction.FACT_PRUNED,
    AuditAction.ENCRYPTION_KEY_ROTATED,  # tests/integration/privacy/test_encryption.py
    AuditAction.CONTENT_ENCRYPTED,
    AuditAction.MEMORY_EXPORT_STARTED,
    AuditAction.MEMORY_EXPORTED,  # tests/unit/services/test_owner_export.py
    AuditAction.MEMORY_IMPORTED,
    AuditAction.MEMORY_ERASED,  # by background work: contracts.erasure
    AuditAction.USER_READ,  # on the command line: tests/integration/cli/test_commands.py
}


async def entries_of(stage: Stage, user: str | None) -> list[AuditEntry]:
    """What was recorded of a user, or of the tenant itself, oldest first."""
    trail = stage.services.audit_trail
    assert trail is not None
    await trail.settle()
    scope = stage.tenant.scope(user or "nobody")
    links = await stage.services.audit.chains.links(
        stage.tenant.tenant_scope,
        scope.owner_id if user else stage.tenant.tenant_scope.owner_id,
        after=0,
        limit=200,
    )
    return [link.entry for link in links]


async def talk(alice: Caller, operator: Caller) -> None:
    """Do everything that can be done over HTTP, but for deletions."""
    session = await alice.start_session(name="narwhal")
    await alice.start_session(session_id=session["session_id"])
    path = f"/api/v1/sessions/{session['session_id']}"
    await alice.add(session, "Is a quagga striped?")
    await alice.add(session, "Half of the quagga is.", role="assistant")
    await alice.add(session, "And a zebra?")
    for method, where, body in (
        ("GET", "/api/v1/sessions", None),
        ("GET", path, None),
        ("PATCH", path, {"name": "axolotl"}),
        ("GET", f"{path}/messages", None),
        ("GET", f"{path}/turns/1", None),
        ("PATCH", f"{path}/turns/2", {"status": "failed"}),
        ("GET", "/api/v1/history", None),
        ("GET", "/api/v1/history/count", None),
        ("POST", f"{path}/context", {"question": "okapi or quagga?"}),
        ("POST", "/api/v1/rewrite", {"question": "okapi?", "session_id": session["session_id"]}),
        ("POST", "/api/v1/recall", {"query": "okapi quagga"}),
        ("PUT", "/api/v1/profile/colour", {"value": "pangolin"}),
        ("PATCH", "/api/v1/profile/colour", {"value": {"axolotl": 1}}),
        ("GET", "/api/v1/profile/colour", None),
        ("GET", "/api/v1/profile", None),
        ("GET", "/api/v1/state", None),
        ("POST", "/api/v1/memory/import", {"facts": [{"content": "Likes axolotl stew."}]}),
        ("GET", "/api/v1/memory", None),
        ("GET", "/api/v1/memory?search=axolotl", None),
        ("GET", "/api/v1/memory/stats", None),
        ("GET", "/api/v1/memory/export", None),
    ):
        response = await alice.send(method, where, json=body)
        assert response.is_success, (method, where, response.text)
    await operator.send("PUT", "/api/v1/state", json={"mode": "busy"})


async def test_every_operation_over_http_is_recorded_and_no_content(
    stage: Stage, admin_dsn: str
) -> None:
    user = f"tapir-{uuid4()}"
    alice = await stage.tenant.user(user)
    operator = (await stage.tenant.service()).with_headers({"X-Memory-User": user})
    await talk(alice, operator)
    fact: Json = (await alice.post("/api/v1/memory", {"content": "Owns a pangolin."})).json()
    await alice.get(f"/api/v1/memory/{fact['fact_id']}")
    await alice.patch(f"/api/v1/memory/{fact['fact_id']}", {"priority": "low"})
    await alice.delete(f"/api/v1/memory/{fact['fact_id']}", erase="true")
    await alice.delete("/api/v1/memory", confirm="true")
    await alice.delete("/api/v1/profile/colour")
    await alice.send("PUT", "/api/v1/profile/size", json={"value": 1})
    await alice.delete("/api/v1/profile", confirm="true")
    await operator.delete("/api/v1/state")
    messages = (await alice.get("/api/v1/history")).json()["items"]
    await alice.delete(f"/api/v1/history/{messages[0]['message_id']}")
    path = f"/api/v1/sessions/{messages[0]['session_id']}"
    await alice.delete("/api/v1/history", keep_last=1)
    await alice.delete(f"{path}/messages")
    await alice.delete("/api/v1/history")
    await alice.delete(path)
    admin = await stage.tenant.admin()
    assert (await admin.get("/api/v1/admin/audit")).status_code == 200
    settings = f"/api/v1/admin/tenants/{stage.tenant.name}/settings"
    assert (await admin.get(settings)).status_code == 200
    assert (await admin.patch(settings, {"facts": True})).status_code == 200
    await stage.services.api_keys.list(stage.tenant.tenant_scope)
    keys = await stage.services.api_keys.store.list(stage.tenant.tenant_scope)
    await stage.services.api_keys.revoke(stage.tenant.tenant_scope, keys[0].key_id)

    entries = await entries_of(stage, user)
    of_tenant = await entries_of(stage, None)

    seen = {AuditAction(entry.action) for entry in (*entries, *of_tenant)}
    assert seen | ELSEWHERE == {*AuditAction}
    assert {entry.interface for entry in entries} == {"http"}
    assert all(entry.actor.startswith("key:") for entry in entries)
    assert all(entry.transaction_id for entry in entries)
    assert all(entry.at.tzinfo for entry in entries)
    by_action = {entry.action: entry for entry in entries}
    assert by_action["message.counted"].count == 3
    assert by_action["context.read"].count >= 2
    assert set(by_action["context.read"].items) >= {
        UUID(message["message_id"]) for message in messages[-2:]
    }
    assert by_action["profile.changed"].target == "size"
    assert (by_action["fact.imported"].count, by_action["fact.exported"].count) == (1, 1)
    assert by_action["fact.changed"].items == (UUID(fact["fact_id"]),)
    dumped = await dump(admin_dsn, stage.tenant.name)
    for word in (*PLANTED, user):
        assert word not in dumped, word
    report = await stage.services.audit.verify(stage.tenant.tenant_scope)
    assert (report.broken, report.chains) == (None, 2)


async def test_reads_and_writes_have_the_ids_and_the_number_of_what_they_were_about(
    stage: Stage,
) -> None:
    alice = (await stage.tenant.user("alice")).with_headers({"X-Transaction-ID": "tx-42"})
    session = await alice.start_session()
    question = await alice.add(session, "How much?")
    reply = await alice.add(session, "2.5M", role="assistant")
    await alice.messages(session)
    assert (await alice.get(f"/api/v1/sessions/{uuid4()}")).status_code == 404
    body = {"role": "user", "content": "Again.", "message_id": str(uuid4())}
    path = f"/api/v1/sessions/{session['session_id']}/messages"
    for _ in range(2):
        assert (await alice.post(path, body)).is_success

    told = [
        (entry.action, entry.target, [*map(str, entry.items)], entry.count)
        for entry in await entries_of(stage, "alice")
    ]
    session_id, ids = session["session_id"], [question["message_id"], reply["message_id"]]
    assert told == [
        ("session.created", "", [session_id], 1),
        ("message.written", session_id, ids[:1], 1),
        ("message.written", session_id, ids[1:], 1),
        ("message.read", session_id, ids[::-1], 2),
        ("message.written", session_id, [body["message_id"]], 1),
        ("message.read", session_id, [body["message_id"]], 1),  # a retry found it
    ]
    assert {one.transaction_id for one in await entries_of(stage, "alice")} == {"tx-42"}


async def test_chats_are_recorded_with_what_was_read_and_written(stage: Stage) -> None:
    alice = await stage.tenant.user("alice")
    session = str(uuid4())
    for question in ("quagga?", "narwhal?"):
        body = {"question": question, "session_id": session}
        assert (await alice.post("/memoryChat", body)).status_code == 200
    entries = await entries_of(stage, "alice")
    told = sorted((entry.action, entry.count) for entry in entries if entry.target == session)
    assert told == [
        *(("context.read", 0), ("context.read", 2)),
        *[("message.written", 1)] * 4,  # storing a reply tells the session's name
    ]
    (created,) = (entry for entry in entries if entry.target != session)
    assert (created.action, created.items) == ("session.created", (UUID(session),))


async def test_the_openai_proxy_is_recorded_as_such(stage: Stage) -> None:
    service = (await stage.tenant.service()).with_headers(
        {"X-Memory-User": "alice", "X-Session-ID": str(uuid4())}
    )
    messages: list[Json] = []
    for text in ("quagga?", "narwhal?"):
        messages.append({"role": "user", "content": text})
        body = {"model": "m", "messages": messages}
        response = await service.post("/v1/chat/completions", body)
        assert response.status_code == 200, response.text
        answer = response.json()["choices"][0]["message"]
        messages.append({"role": "assistant", "content": answer["content"]})
    entries = await entries_of(stage, "alice")
    assert {entry.interface for entry in entries} == {"openai"}
    written = [entry for entry in entries if entry.action == "message.written"]
    assert [entry.count for entry in written] == [1, 1, 1, 1]
    assert len({item for entry in written for item in entry.items}) == 4
    assert "context.read" in {entry.action for entry in entries}


async def test_the_library_is_recorded_as_such(stage: Stage) -> None:
    memory = Memory(stage.services)
    session = await memory.session(user="alice", tenant=stage.tenant.name)
    await session.add_exchange("quagga?", "narwhal")
    await session.last()
    await memory.facts("alice", tenant=stage.tenant.name).add("Likes okapi.")
    told = [
        (entry.action, entry.interface, entry.actor, entry.count)
        for entry in await entries_of(stage, "alice")
    ]
    assert told == [
        ("session.created", "library", "library", 1),
        ("message.written", "library", "library", 2),
        ("message.read", "library", "library", 2),
        ("fact.created", "library", "library", 1),
    ]


async def dump(admin_dsn: str, tenant: str) -> str:
    """All that is stored of a tenant's log, as text."""
    connection = await asyncpg.connect(admin_dsn)
    try:
        rows = await connection.fetch(
            "SELECT entry::text AS whole FROM recollect.audit AS entry WHERE tenant_id = $1", tenant
        )
    finally:
        await connection.close()
    assert rows
    return "\n".join(row["whole"] for row in rows)
