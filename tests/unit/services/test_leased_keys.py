from collections import Counter
from dataclasses import replace
from uuid import UUID

import pytest

from conformance.contracts.api_keys import ApiKeyStoreContract
from recollect.domain.identity.accounts import ApiKey, KeyScope
from recollect.engines.in_memory import in_memory_stores
from recollect.ports import Stores
from recollect.ports.accounts import ApiKeyStore
from recollect.services import leased_keys
from recollect.services.leased_keys import LeasedKeys
from support.examples import a_tenant_scope, an_api_key, seconds_on

_SECONDS = 0.05


class _Counting:
    """A store that counts how often each key was looked for."""

    def __init__(self, store: ApiKeyStore) -> None:
        self.add, self.list = store.add, store.list
        self.revoke, self.delete = store.revoke, store.delete
        self._find = store.find
        self.looked_for: Counter[UUID] = Counter()

    async def find(self, owner_id: UUID, key_id: UUID) -> ApiKey | None:
        self.looked_for[key_id] += 1
        return await self._find(owner_id, key_id)


class _Timer:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def store() -> _Counting:
    return _Counting(in_memory_stores().api_keys)


class TestContract(ApiKeyStoreContract):
    @pytest.fixture
    def stores(self) -> Stores:
        stores = in_memory_stores()
        return replace(stores, api_keys=LeasedKeys(stores.api_keys, seconds=_SECONDS))


async def test_a_key_is_looked_for_once_a_lease(store: _Counting) -> None:
    timer, scope = _Timer(), a_tenant_scope()
    keys, key = LeasedKeys(store, timer=timer), an_api_key(scope)
    await keys.add(scope, key)
    for moment in (0.0, 0.3, 0.49):
        timer.now = 1000 + moment
        assert await keys.find(scope.owner_id, key.key_id) == key
    assert store.looked_for[key.key_id] == 1
    timer.now = 1000.5
    assert await keys.find(scope.owner_id, key.key_id) == key
    assert store.looked_for[key.key_id] == 2


async def test_what_is_no_key_now_is_looked_for_each_time(store: _Counting) -> None:
    scope = a_tenant_scope()
    keys, key = LeasedKeys(store, seconds=_SECONDS), an_api_key(scope)
    assert await keys.find(scope.owner_id, key.key_id) is None
    await keys.add(scope, key)
    assert await keys.find(scope.owner_id, key.key_id) == key
    await keys.revoke(scope, key.key_id, now=seconds_on(1))
    looked_for = store.looked_for[key.key_id]
    for number in (1, 2):
        found = await keys.find(scope.owner_id, key.key_id)
        assert found is not None
        assert found.is_revoked
        assert store.looked_for[key.key_id] == looked_for + number


@pytest.mark.parametrize("end", ["revoke", "delete"])
async def test_once_a_key_is_said_to_be_ended_no_process_trusts_it(
    store: _Counting, end: str
) -> None:
    scope = a_tenant_scope()
    key = an_api_key(scope)
    here, elsewhere = (LeasedKeys(store, seconds=_SECONDS) for _ in range(2))
    await here.add(scope, key)
    for keys in (here, elsewhere):
        assert await keys.find(scope.owner_id, key.key_id) == key
    ending = here.revoke if end == "revoke" else here.delete
    assert await ending(scope, key.key_id, now=seconds_on(1))
    for keys in (here, elsewhere):
        found = await keys.find(scope.owner_id, key.key_id)
        assert found is None or found.is_revoked


async def test_a_lookup_that_a_revocation_overtakes_is_trusted_no_longer_than_it(
    store: _Counting,
) -> None:
    """A lease counts from before the store was asked: its answer may be older than it arrives."""
    timer, scope = _Timer(), a_tenant_scope()
    key = an_api_key(scope)

    class Slow(_Counting):
        async def find(self, owner_id: UUID, key_id: UUID) -> ApiKey | None:
            found = await super().find(owner_id, key_id)
            timer.now += 0.4
            return found

    slow = Slow(store)  # type: ignore[arg-type]
    keys = LeasedKeys(slow, timer=timer)
    await keys.add(scope, key)
    await keys.find(scope.owner_id, key.key_id)
    timer.now += 0.2
    await keys.find(scope.owner_id, key.key_id)
    assert slow.looked_for[key.key_id] == 2


async def test_few_leases_are_kept(store: _Counting, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leased_keys, "_MOST_KEYS", 2)
    timer, scope = _Timer(), a_tenant_scope()
    keys = LeasedKeys(store, timer=timer)
    some = [an_api_key(scope) for _ in range(3)]
    for key in some:
        await keys.add(scope, key)
        await keys.find(scope.owner_id, key.key_id)
    for key in reversed(some):
        await keys.find(scope.owner_id, key.key_id)
    assert [store.looked_for[key.key_id] for key in some] == [2, 1, 1]


async def test_a_users_own_key_is_looked_for_each_time_and_ends_without_a_wait(
    store: _Counting,
) -> None:
    scope = a_tenant_scope()
    keys = LeasedKeys(store, seconds=3600)
    key = replace(an_api_key(scope), user="bob", scopes=frozenset({KeyScope.USER}))
    await keys.add(scope, key)
    looked_for = store.looked_for[key.key_id]
    for number in (1, 2):
        assert await keys.find(scope.owner_id, key.key_id) == key
        assert store.looked_for[key.key_id] == looked_for + number
    assert await keys.revoke(scope, key.key_id, now=seconds_on(1))
    assert await keys.delete(scope, key.key_id, now=seconds_on(2))
    assert await keys.find(scope.owner_id, key.key_id) is None
