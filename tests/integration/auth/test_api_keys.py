from base64 import urlsafe_b64decode, urlsafe_b64encode
from typing import Final
from uuid import uuid4

import asyncpg
import pytest

from recollect.domain.identity.accounts import KEY_PREFIX, KeyScope, KeyText
from recollect.domain.identity.scope import TenantScope
from recollect.services.services import Services
from support.http.callers import (
    Caller,
    Tenant,
    assert_forbidden,
    assert_unauthenticated,
    is_same_owner,
)

GARBAGE: Final = [
    "rec_",
    "rec_x",
    "rec_" + "a" * 85,
    "rec_" + "a" * 86,
    "rec_" + "a" * 10_000,
    "rec_!!!!",
    "rec_\u00fc",
    "REC_" + "a" * 86,
    "sk-1234567890",
    "a.b.c",
]


async def test_a_users_key_opens_that_users_memory(tenant: Tenant) -> None:
    alice, again = await tenant.user("alice"), await tenant.user("alice")

    assert await is_same_owner(alice, again)


async def test_two_users_of_a_tenant_have_two_memories(tenant: Tenant) -> None:
    assert not await is_same_owner(await tenant.user("alice"), await tenant.user("bob"))


async def test_the_same_user_of_two_tenants_is_two_users(
    tenant: Tenant, other_tenant: Tenant
) -> None:
    assert not await is_same_owner(await tenant.user("alice"), await other_tenant.user("alice"))


async def test_a_key_of_one_tenant_does_not_reach_another(
    tenant: Tenant, other_tenant: Tenant
) -> None:
    session = await (await tenant.user("alice")).start_session()
    service = (await other_tenant.service()).with_headers({"X-Memory-User": "alice"})

    assert (await service.get(f"/api/v1/sessions/{session['session_id']}")).status_code == 404
    assert (await service.get("/api/v1/sessions")).json()["items"] == []


async def test_a_request_without_a_key_is_refused(keyed: Caller) -> None:
    await assert_unauthenticated(keyed)
    assert "send your credentials" in (await keyed.get("/api/v1/sessions")).text


@pytest.mark.parametrize("text", GARBAGE, ids=lambda text: text[:20])
async def test_an_authorization_header_without_a_valid_key_is_refused_as_such(
    tenant: Tenant, text: str
) -> None:
    caller = tenant.holding(text)

    await assert_unauthenticated(caller)
    assert "the API key is not valid" in (await caller.get("/api/v1/sessions")).text


@pytest.mark.parametrize(
    "header", ["{key}", "Basic {key}", "Token {key}", "Bearer", "Bearer x {key}"]
)
async def test_a_key_in_another_form_is_refused(keyed: Caller, tenant: Tenant, header: str) -> None:
    key = await tenant.key(KeyScope.USER, user="alice")

    await assert_unauthenticated(keyed.with_headers({"Authorization": header.format(key=key)}))


@pytest.mark.parametrize("scheme", ["bearer", "BEARER", "Bearer "])
async def test_the_word_bearer_may_be_written_in_any_case(
    keyed: Caller, tenant: Tenant, scheme: str
) -> None:
    key = await tenant.key(KeyScope.USER, user="alice")
    caller = keyed.with_headers({"authorization": f"{scheme} {key}"})

    assert (await caller.get("/api/v1/sessions")).status_code == 200


async def test_the_wrong_secret_of_a_real_key_is_refused(tenant: Tenant) -> None:
    packed = bytearray(_unpacked(await tenant.key(KeyScope.USER, user="alice")))
    packed[-1] ^= 1

    await assert_unauthenticated(tenant.holding(_packed(bytes(packed))))


async def test_a_key_does_not_work_under_another_owner_or_id(
    tenant: Tenant, other_tenant: Tenant
) -> None:
    key = KeyText.parse(await tenant.key(KeyScope.SERVICE))
    other = TenantScope(tenant=other_tenant.name)
    assert key is not None
    forged = [
        KeyText(owner_id=other.owner_id, key_id=key.key_id, secret=key.secret),
        KeyText(owner_id=key.owner_id, key_id=uuid4(), secret=key.secret),
        KeyText(owner_id=tenant.scope("alice").owner_id, key_id=key.key_id, secret=key.secret),
    ]

    for text in forged:
        caller = tenant.holding(str(text)).with_headers({"X-Memory-User": "alice"})
        await assert_unauthenticated(caller)


async def test_a_revoked_key_opens_nothing_from_that_moment_on(
    tenant: Tenant, services: Services
) -> None:
    scope = TenantScope(tenant=tenant.name, actor="test")
    key, text = await services.api_keys.create(
        scope, name="a key", scopes=[KeyScope.USER], user="alice"
    )
    caller = tenant.holding(text)
    assert (await caller.get("/api/v1/sessions")).status_code == 200

    await services.api_keys.revoke(scope, key.key_id)

    await assert_unauthenticated(caller)


async def test_an_administrators_key_opens_nobodys_memory(tenant: Tenant) -> None:
    admin = await tenant.admin()

    await assert_forbidden(admin)
    await assert_forbidden(admin.with_headers({"X-Memory-User": "alice"}))


async def test_a_key_is_stored_hashed(tenant: Tenant, admin_dsn: str) -> None:
    text = await tenant.key(KeyScope.SERVICE)
    secret = _unpacked(text)[-32:]

    connection = await asyncpg.connect(admin_dsn)
    try:
        rows = await connection.fetch(
            "SELECT key::text AS whole FROM recollect.api_keys AS key WHERE tenant_id = $1",
            tenant.name,
        )
    finally:
        await connection.close()

    assert len(rows) == 1
    assert secret.hex() not in rows[0]["whole"]
    assert text not in rows[0]["whole"]


def _unpacked(text: str) -> bytes:
    body = text.removeprefix(KEY_PREFIX)
    return urlsafe_b64decode(body + "=" * (-len(body) % 4))


def _packed(content: bytes) -> str:
    return KEY_PREFIX + urlsafe_b64encode(content).rstrip(b"=").decode()
