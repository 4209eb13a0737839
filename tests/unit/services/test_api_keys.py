from dataclasses import replace
from datetime import timedelta
from uuid import uuid4

import pytest

from recollect.domain.identity.accounts import KeyScope, KeyText
from recollect.engines.in_memory import in_memory_stores
from recollect.errors import ApiKeyNotFound, InvalidInput, Unauthenticated
from recollect.services.access import ApiKeys
from recollect.testing import FIRST_MOMENT, CountingIds, FixedClock
from support.examples import a_tenant_scope


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock()


@pytest.fixture
def api_keys(clock: FixedClock) -> ApiKeys:
    return ApiKeys(store=in_memory_stores().api_keys, clock=clock, ids=CountingIds())


async def test_a_created_key_is_recognised_by_its_text(api_keys: ApiKeys) -> None:
    scope = a_tenant_scope()
    key, text = await api_keys.create(scope, name="backend", scopes=[KeyScope.SERVICE])
    assert (key.tenant, key.user, key.created_at) == (scope.tenant, None, FIRST_MOMENT)
    assert key.scopes == {KeyScope.SERVICE}
    assert await api_keys.recognise(text) == key


async def test_no_key_is_made_for_a_user_whose_name_could_be_taken_for_another(
    api_keys: ApiKeys,
) -> None:
    scope = a_tenant_scope()
    for name in (" alice", "alice\u00a0", "alice\n", "al\u200bice"):
        with pytest.raises(InvalidInput, match=r"^user "):
            await api_keys.create(scope, name="laptop", scopes=[KeyScope.USER], user=name)
    assert await api_keys.list(scope) == ()


@pytest.mark.parametrize("text", ["", "rec_", "Basic YTpi", "rec_" + "A" * 86])
async def test_a_text_that_is_no_key_is_refused(api_keys: ApiKeys, text: str) -> None:
    with pytest.raises(Unauthenticated):
        await api_keys.recognise(text)


async def test_a_key_with_another_secret_owner_or_id_is_refused(api_keys: ApiKeys) -> None:
    _, text = await api_keys.create(a_tenant_scope(), name="backend", scopes=[KeyScope.SERVICE])
    parsed = KeyText.parse(text)
    assert parsed is not None
    for forged in (
        replace(parsed, secret=bytes(32)),
        replace(parsed, owner_id=uuid4()),
        replace(parsed, key_id=uuid4()),
    ):
        with pytest.raises(Unauthenticated):
            await api_keys.recognise(str(forged))


async def test_a_revoked_key_is_refused_at_once(api_keys: ApiKeys, clock: FixedClock) -> None:
    scope = a_tenant_scope()
    key, text = await api_keys.create(scope, name="backend", scopes=[KeyScope.SERVICE])
    clock.move(timedelta(days=1))
    await api_keys.revoke(scope, key.key_id)
    with pytest.raises(Unauthenticated):
        await api_keys.recognise(text)
    assert await api_keys.list(scope) == (replace(key, revoked_at=clock.now()),)
    await api_keys.revoke(scope, key.key_id)


async def test_a_key_of_another_tenant_cannot_be_revoked(api_keys: ApiKeys) -> None:
    key, text = await api_keys.create(a_tenant_scope(), name="backend", scopes=[KeyScope.SERVICE])
    with pytest.raises(ApiKeyNotFound):
        await api_keys.revoke(a_tenant_scope(), key.key_id)
    assert await api_keys.recognise(text) == key


async def test_keys_are_listed_oldest_first(api_keys: ApiKeys, clock: FixedClock) -> None:
    scope = a_tenant_scope()
    for name in ("first", "second"):
        await api_keys.create(scope, name=name, scopes=[KeyScope.SERVICE])
        clock.move(timedelta(seconds=1))
    assert [key.name for key in await api_keys.list(scope)] == ["first", "second"]


async def test_an_invalid_key_is_refused_and_not_stored(api_keys: ApiKeys) -> None:
    scope = a_tenant_scope()
    for scopes, user in (([], None), ([KeyScope.USER], None), ([KeyScope.SERVICE], "alice")):
        with pytest.raises(InvalidInput):
            await api_keys.create(scope, name="x", scopes=scopes, user=user)
    assert await api_keys.list(scope) == ()
