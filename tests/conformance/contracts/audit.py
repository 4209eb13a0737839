"""What `recollect.ports.privacy.audit.AuditLog` promises, and what other stores write into it."""

from uuid import UUID, uuid4

from recollect.domain.conversation.session import SessionChanges
from recollect.domain.identity.audit import AuditAction, AuditEntry
from recollect.domain.identity.scope import Scope, TenantScope
from recollect.ports import Stores
from support.examples import (
    a_scope,
    a_tenant_scope,
    an_api_key,
    seconds_on,
    start_conversation,
    start_session,
)


class AuditLogContract:
    """Every deletion and every key leaves a line, never with what was said."""

    async def test_deleting_a_session_is_audited_with_its_message_count(
        self, stores: Stores
    ) -> None:
        scope = a_scope()
        session_id, _ = await start_conversation(stores, scope)
        await stores.sessions.delete(scope, session_id, now=seconds_on(5))
        expected = _entry(AuditAction.SESSION_DELETED, session_id, count=2, seconds=5)
        assert await stores.audit.entries(scope, limit=10) == (expected,)

    async def test_deleting_a_message_is_audited_with_its_id(self, stores: Stores) -> None:
        scope = a_scope()
        session_id, (question, reply) = await start_conversation(stores, scope)
        await stores.messages.delete(scope, session_id, question.message_id, now=seconds_on(5))
        await stores.history.delete(scope, reply.message_id, now=seconds_on(6))
        assert await stores.audit.entries(scope, limit=10) == (
            _entry(AuditAction.MESSAGE_DELETED, reply.message_id, count=1, seconds=6),
            _entry(AuditAction.MESSAGE_DELETED, question.message_id, count=1, seconds=5),
        )

    async def test_clearing_a_session_is_audited_even_if_it_was_empty(self, stores: Stores) -> None:
        scope = a_scope()
        session_id, _ = await start_conversation(stores, scope)
        await stores.messages.clear(scope, session_id, now=seconds_on(5))
        await stores.messages.clear(scope, session_id, now=seconds_on(6))
        assert await stores.audit.entries(scope, limit=10) == (
            _entry(AuditAction.MESSAGES_CLEARED, session_id, count=0, seconds=6),
            _entry(AuditAction.MESSAGES_CLEARED, session_id, count=2, seconds=5),
        )

    async def test_clearing_the_history_is_audited_even_if_it_was_empty(
        self, stores: Stores
    ) -> None:
        scope = a_scope(user="Zoë")
        await start_conversation(stores, scope)
        await stores.history.clear(scope, now=seconds_on(5))
        await stores.history.clear(scope, now=seconds_on(6))
        assert await stores.audit.entries(scope, limit=10) == (
            _entry(AuditAction.HISTORY_CLEARED, scope.owner_id, count=0, seconds=6),
            _entry(AuditAction.HISTORY_CLEARED, scope.owner_id, count=2, seconds=5),
        )

    async def test_trimming_the_history_is_audited_with_the_number_of_deleted_messages(
        self, stores: Stores
    ) -> None:
        scope = a_scope()
        await start_conversation(stores, scope, ["user"] * 3)
        await stores.history.trim(scope, keep_last=1, now=seconds_on(5))
        expected = _entry(AuditAction.HISTORY_TRIMMED, scope.owner_id, count=2, seconds=5)
        assert await stores.audit.entries(scope, limit=10) == (expected,)

    async def test_creating_and_revoking_keys_is_audited_for_their_tenant(
        self, stores: Stores
    ) -> None:
        scope = a_tenant_scope()
        key = an_api_key(scope, created_at=seconds_on(1))
        await stores.api_keys.add(scope, key)
        await stores.api_keys.revoke(scope, key.key_id, now=seconds_on(5))
        assert await stores.audit.entries(scope, limit=10) == (
            _entry(AuditAction.API_KEY_REVOKED, key.key_id, count=1, seconds=5),
            _entry(AuditAction.API_KEY_CREATED, key.key_id, count=1, seconds=1),
        )
        assert await stores.audit.entries(a_scope(scope.tenant), limit=10) == ()

    async def test_deleting_something_that_does_not_exist_is_not_audited(
        self, stores: Stores
    ) -> None:
        scope = a_scope()
        session = await start_session(stores, scope)
        await stores.sessions.delete(scope, uuid4(), now=seconds_on(1))
        await stores.messages.delete(scope, session.session_id, uuid4(), now=seconds_on(1))
        await stores.messages.clear(scope, uuid4(), now=seconds_on(1))
        await stores.history.delete(scope, uuid4(), now=seconds_on(1))
        assert await stores.audit.entries(scope, limit=10) == ()

    async def test_appending_messages_and_changing_sessions_is_not_audited(
        self, stores: Stores
    ) -> None:
        scope = a_scope()
        session_id, _ = await start_conversation(stores, scope)
        changes = SessionChanges(name="Renamed")
        await stores.sessions.change(scope, session_id, changes, now=seconds_on(1))
        await stores.messages.fail_turn(scope, session_id, 1)
        assert await stores.audit.entries(scope, limit=10) == ()

    async def test_each_audit_entry_names_its_actor_and_transaction_id(
        self, stores: Stores
    ) -> None:
        owner = a_scope()
        session_id, messages = await start_conversation(stores, owner)
        admin = Scope(
            tenant=owner.tenant, user=owner.user, actor="admin key 7", transaction_id="tx-9"
        )
        nobody = Scope(tenant=owner.tenant, user=owner.user)
        await stores.messages.delete(nobody, session_id, messages[0].message_id, now=seconds_on(1))
        await stores.sessions.delete(admin, session_id, now=seconds_on(2))
        entries = await stores.audit.entries(owner, limit=10)
        told = [(entry.actor, entry.transaction_id) for entry in entries]
        assert told == [("admin key 7", "tx-9"), ("", "")]

    async def test_the_newest_lines_come_first_and_no_more_than_asked(self, stores: Stores) -> None:
        scope = a_scope()
        _, messages = await start_conversation(stores, scope, ["user"] * 4)
        for second, message in enumerate(messages):
            await stores.history.delete(scope, message.message_id, now=seconds_on(second))
        newest_first = [str(message.message_id) for message in reversed(messages)]
        for limit in (1, 3, 4, 100):
            entries = await stores.audit.entries(scope, limit=limit)
            assert [entry.target for entry in entries] == newest_first[:limit]

    async def test_the_log_of_one_owner_is_not_anothers(self, stores: Stores) -> None:
        scope = a_scope()
        await stores.history.clear(scope, now=seconds_on(1))
        others: list[Scope | TenantScope] = [
            a_scope(scope.tenant, user="bob"),
            a_scope(user=scope.user),
            a_tenant_scope(scope.tenant),
        ]
        for other in others:
            assert await stores.audit.entries(other, limit=10) == ()


def _entry(action: AuditAction, target: UUID | str, *, count: int, seconds: float) -> AuditEntry:
    return AuditEntry(
        action=action,
        target=str(target),
        count=count,
        actor="tester",
        transaction_id="tx-1",
        at=seconds_on(seconds),
    )
