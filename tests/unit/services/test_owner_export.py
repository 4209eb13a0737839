"""What an export leaves out, and what it does while its owner goes on talking."""

import json
from uuid import UUID

import pytest

from recollect.composition import build_services
from recollect.domain.conversation.message import AnswerDetails, Visibility
from recollect.domain.identity.audit import AuditAction, AuditPolicy
from recollect.domain.identity.permissions import WITHHELD, Access
from recollect.domain.identity.scope import Scope
from recollect.domain.policy import Policies
from recollect.domain.transfer.document import ExportFormat, Part
from recollect.engines.in_memory import in_memory_stores
from recollect.errors import TooManyExports
from recollect.models.tokens import token_counter_for
from recollect.ports import Stores
from recollect.ports.metrics import OPERATIONS
from recollect.services.services import ServiceDependencies, Services
from recollect.sql_reading import SqlglotReader
from recollect.testing import CountingIds, FixedClock
from support.examples import (
    a_message,
    a_scope,
    a_session,
    a_summary,
    append,
    put_summary,
    start_conversation,
)
from support.permissions import ByHand
from support.recall.scripted_index import index_messages
from support.recorded_telemetry import RecordedTelemetry
from support.transfers import exported, files_in, imported, transfer_services

SALARIES = AnswerDetails(sql_query="SELECT pay FROM hr.salaries")


def services_with(stores: Stores, source: ByHand) -> Services:
    needs = ServiceDependencies(
        clock=FixedClock(),
        ids=CountingIds(),
        counter_for=token_counter_for,
        sql=SqlglotReader(),
        permissions=source,
    )
    return build_services(stores, needs)


async def test_what_the_owner_may_not_see_now_is_withheld() -> None:
    stores, scope = in_memory_stores(FixedClock()), a_scope()
    services = services_with(stores, ByHand(Access(tables={"sales.*": Visibility.ALL})))
    session, _ = await stores.sessions.start(scope, a_session(), now=FixedClock().now())
    hidden = await append(
        stores,
        scope,
        session.session_id,
        a_message("user", "What does Kim earn?"),
        a_message("assistant", "Kim earns EUR 4711.", details=SALARIES),
    )
    shown = await append(
        stores, scope, session.session_id, a_message("user", "Tea?"), a_message("assistant", "Yes.")
    )
    await put_summary(
        stores,
        scope,
        session.session_id,
        a_summary("Kim earns EUR 4711.", through=2, tables=("hr.salaries",)),
        replaces=0,
    )
    await index_messages(stores, scope, shown)

    document = await exported(services, scope)

    assert "EUR 4711" not in json.dumps(document)
    assert "Kim" not in json.dumps(document)
    (exported_session,) = document["sessions"]
    assert (exported_session["name"], exported_session["summary"]) == (None, None)
    messages = exported_session["messages"]
    assert [message["visibility"] for message in messages] == ["nothing"] * 2 + ["all"] * 2
    assert [message["content"] for message in messages] == [WITHHELD] * 2 + ["Tea?", "Yes."]
    assert [message["message_id"] for message in messages[:2]] == [
        str(message.message_id) for message in hidden
    ]
    report = await imported(services, a_scope(), document)
    assert (report.withheld, report.messages.added) == (2, 2)


async def test_while_permissions_are_unavailable_nothing_with_tables_leaks() -> None:
    stores, scope = in_memory_stores(FixedClock()), a_scope()
    services = services_with(stores, ByHand())
    session, _ = await stores.sessions.start(scope, a_session(), now=FixedClock().now())
    answer = a_message("assistant", "Kim earns EUR 4711.", details=SALARIES)
    await append(stores, scope, session.session_id, a_message("user", "Pay?"), answer)
    assert "EUR 4711" not in json.dumps(await exported(services, scope))


async def test_no_message_comes_without_its_session() -> None:
    stores, scope = in_memory_stores(FixedClock()), a_scope()
    services = services_with(stores, ByHand(Access(tables=None)))
    for number in (1, 3, 4):
        await _talk(stores, scope, number)
    written: dict[Part, int] = {}
    file = b""
    async for piece in services.owner_export.pieces(
        scope, ExportFormat.ZIP, progress=written.update
    ):
        file += piece
        if written.get(Part.SESSIONS) == 3 and not written[Part.MESSAGES]:
            await _talk(stores, scope, 2)
            await stores.sessions.delete(scope, UUID(int=4), now=FixedClock().now())
    files = files_in(file)
    assert [session["session_id"] for session in files["sessions.jsonl"]] == [
        str(UUID(int=number)) for number in (1, 3, 4)
    ]
    assert [message["session_id"] for message in files["messages.jsonl"]] == [
        str(UUID(int=number)) for number in (1, 3)
    ]


async def _talk(stores: Stores, scope: Scope, number: int) -> None:
    session = a_session(UUID(int=number))
    await stores.sessions.start(scope, session, now=FixedClock().now())
    await append(stores, scope, session.session_id, a_message())


async def test_an_export_and_an_import_are_in_the_audit_log() -> None:
    stores, scope = in_memory_stores(), a_scope()
    policies = Policies(audit=AuditPolicy(is_on=True))
    telemetry = RecordedTelemetry()
    services = transfer_services(stores, policies=policies, telemetry=telemetry)
    await start_conversation(stores, scope)

    other = a_scope()
    document = await exported(services, scope)
    await imported(services, other, document)

    assert services.audit_trail is not None
    await services.audit_trail.settle()
    (entry,) = await stores.audit.entries(other, limit=9)
    assert (entry.action, entry.count) == (AuditAction.MEMORY_IMPORTED, 3)
    ended, *_, started = await stores.audit.entries(scope, limit=9)
    assert started.action == AuditAction.MEMORY_EXPORT_STARTED
    conversation, audit = 1 + 2, len(document["audit"])
    assert (ended.action, ended.count) == (AuditAction.MEMORY_EXPORTED, conversation + audit)
    counted = {AuditAction.MEMORY_EXPORTED: 1, AuditAction.MEMORY_IMPORTED: 1}
    assert {action: telemetry.value(OPERATIONS, action, "ok") for action in counted} == counted


async def test_what_an_abandoned_export_has_written_is_in_the_audit_log() -> None:
    stores, scope = in_memory_stores(), a_scope()
    services = transfer_services(stores, policies=Policies(audit=AuditPolicy(is_on=True)))
    await start_conversation(stores, scope)

    pieces = services.owner_export.pieces(scope, ExportFormat.JSON)
    async for piece in pieces:
        if b"messages" in piece:
            break
    await pieces.aclose()

    assert services.audit_trail is not None
    await services.audit_trail.settle()
    ended, *_ = await stores.audit.entries(scope, limit=9)
    assert (ended.action, ended.count) == (AuditAction.MEMORY_EXPORTED, 2)


async def test_an_owner_opens_two_exports_at_once_and_a_closed_one_leaves_its_place() -> None:
    stores, scope = in_memory_stores(FixedClock()), a_scope()
    services = transfer_services(stores)
    await start_conversation(stores, scope)
    pieces = [services.owner_export.pieces(scope, ExportFormat.JSON) for _ in range(2)]
    for one in pieces:
        assert await anext(one)
    with pytest.raises(TooManyExports, match="try again later"):
        await exported(services, scope)
    assert await exported(services, a_scope()), "others are not kept from theirs"
    await pieces[0].aclose()
    assert await exported(services, scope)
    assert await exported(services, scope), "one that was read to its end leaves its place, too"
    await pieces[1].aclose()


async def test_a_process_has_twenty_exports_open_at_most() -> None:
    services = transfer_services(in_memory_stores(FixedClock()))
    pieces = [services.owner_export.pieces(a_scope(), ExportFormat.ZIP) for _ in range(20)]
    for one in pieces:
        assert await anext(one)
    with pytest.raises(TooManyExports):
        await exported(services, a_scope())
    for one in pieces:
        await one.aclose()
    assert await exported(services, a_scope())
