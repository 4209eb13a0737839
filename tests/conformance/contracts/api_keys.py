"""What `recollect.ports.accounts.ApiKeyStore` promises."""

import asyncio
from dataclasses import replace
from uuid import uuid4

from recollect.domain.identity.accounts import ApiKey, KeyScope, hash_secret
from recollect.domain.identity.audit import AuditAction
from recollect.domain.identity.scope import Scope
from recollect.ports import Stores
from support.examples import a_tenant_scope, an_api_key, seconds_on


class ApiKeyStoreContract:
    """Keeping, finding, listing and revoking keys."""

    async def test_a_key_is_found_as_it_was_added(self, stores: Stores) -> None:
        scope = a_tenant_scope()
        service = an_api_key(scope, name="Ünïcode 🔑")
        user = ApiKey(
            key_id=uuid4(),
            tenant=scope.tenant,
            user="alice",
            scopes=frozenset({KeyScope.USER}),
            name="alice's",
            secret_hash=hash_secret(b"another"),
            created_at=seconds_on(1),
        )
        for key in (service, user):
            await stores.api_keys.add(scope, key)
            assert await stores.api_keys.find(scope.owner_id, key.key_id) == key

    async def test_finding_needs_both_the_owner_and_the_id(self, stores: Stores) -> None:
        scope, other = a_tenant_scope(), a_tenant_scope()
        user_scope = Scope(tenant=scope.tenant, user="alice")
        key = an_api_key(scope)
        await stores.api_keys.add(scope, key)
        assert await stores.api_keys.find(scope.owner_id, uuid4()) is None
        assert await stores.api_keys.find(other.owner_id, key.key_id) is None
        assert await stores.api_keys.find(user_scope.owner_id, key.key_id) is None
        assert await stores.api_keys.find(uuid4(), key.key_id) is None

    async def test_keys_are_listed_oldest_first(self, stores: Stores) -> None:
        scope = a_tenant_scope()
        keys = [an_api_key(scope, created_at=seconds_on(n)) for n in (3, 1, 2, 1)]
        for key in keys:
            await stores.api_keys.add(scope, key)
        expected = sorted(keys, key=lambda key: (key.created_at, key.key_id))
        assert await stores.api_keys.list(scope) == tuple(expected)

    async def test_a_tenant_without_keys_lists_none(self, stores: Stores) -> None:
        assert await stores.api_keys.list(a_tenant_scope()) == ()

    async def test_a_revoked_key_is_still_found_and_listed_as_revoked(self, stores: Stores) -> None:
        scope = a_tenant_scope()
        key, other = an_api_key(scope), an_api_key(scope, created_at=seconds_on(1))
        await stores.api_keys.add(scope, key)
        await stores.api_keys.add(scope, other)
        assert await stores.api_keys.revoke(scope, key.key_id, now=seconds_on(5)) is True
        revoked = replace(key, revoked_at=seconds_on(5))
        assert await stores.api_keys.find(scope.owner_id, key.key_id) == revoked
        assert await stores.api_keys.list(scope) == (revoked, other)

    async def test_a_key_is_revoked_once(self, stores: Stores) -> None:
        scope = a_tenant_scope()
        key = an_api_key(scope)
        await stores.api_keys.add(scope, key)
        for moment in (5, 6):
            assert await stores.api_keys.revoke(scope, key.key_id, now=seconds_on(moment)) is True
        found = await stores.api_keys.find(scope.owner_id, key.key_id)
        assert found is not None
        assert found.revoked_at == seconds_on(5)
        entries = await stores.audit.entries(scope, limit=10)
        assert [entry.action for entry in entries] == [
            AuditAction.API_KEY_REVOKED,
            AuditAction.API_KEY_CREATED,
        ]

    async def test_many_revocations_at_once_are_audited_once(self, stores: Stores) -> None:
        scope = a_tenant_scope()
        key = an_api_key(scope)
        await stores.api_keys.add(scope, key)
        revoked = await asyncio.gather(
            *(stores.api_keys.revoke(scope, key.key_id, now=seconds_on(n)) for n in range(5))
        )
        assert all(revoked)
        assert len(await stores.audit.entries(scope, limit=10)) == 2

    async def test_an_unknown_key_cannot_be_revoked(self, stores: Stores) -> None:
        scope = a_tenant_scope()
        assert await stores.api_keys.revoke(scope, uuid4(), now=seconds_on(0)) is False
        assert await stores.audit.entries(scope, limit=10) == ()

    async def test_a_key_of_another_tenant_is_as_good_as_absent(self, stores: Stores) -> None:
        scope, other = a_tenant_scope(), a_tenant_scope()
        key = an_api_key(scope)
        await stores.api_keys.add(scope, key)
        assert await stores.api_keys.list(other) == ()
        assert await stores.api_keys.revoke(other, key.key_id, now=seconds_on(1)) is False
        assert await stores.api_keys.find(scope.owner_id, key.key_id) == key
        assert await stores.audit.entries(other, limit=10) == ()
