"""Opaque tokens: their keyed hash is the user, they themselves are kept nowhere."""

from collections.abc import AsyncIterator
from uuid import uuid4

import asyncpg
import pytest
import pytest_asyncio

from recollect.services.services import Services
from support.http.callers import (
    Caller,
    Serve,
    Tenant,
    assert_forbidden,
    assert_unauthenticated,
    is_same_owner,
)

TENANT = f"tenant-{uuid4()}"


@pytest_asyncio.fixture(scope="module")
async def server(serve: Serve) -> AsyncIterator[Caller]:
    async with serve(
        user_id_source="bearer_token", bearer_hash_secret="a secret of some length", tenant=TENANT
    ) as caller:
        yield caller


def holding(server: Caller, token: str) -> Caller:
    return server.with_headers({"Authorization": f"Bearer {token}"})


async def test_the_same_token_is_the_same_owner(server: Caller) -> None:
    token = f"token-{uuid4()}"

    assert await is_same_owner(holding(server, token), holding(server, token))


async def test_another_token_is_another_owner(server: Caller) -> None:
    token = f"token-{uuid4()}"

    assert not await is_same_owner(holding(server, token), holding(server, token + "x"))
    assert not await is_same_owner(holding(server, token), holding(server, token.upper()))


async def test_tokens_that_end_in_an_accented_letter_are_kept_apart(server: Caller) -> None:
    token = f"token-{uuid4()}"

    assert not await is_same_owner(holding(server, token + "à"), holding(server, token + "Å"))


async def test_under_another_secret_the_same_token_is_another_owner(
    server: Caller, serve: Serve
) -> None:
    token = f"token-{uuid4()}"
    async with serve(
        user_id_source="bearer_token",
        bearer_hash_secret="another one as long",
        tenant=TENANT,
    ) as other:
        assert not await is_same_owner(holding(server, token), holding(other, token))


@pytest.mark.parametrize("token", ["ü", "a b", "x" * 5000, "'; DROP TABLE messages; --"])
async def test_a_token_may_be_any_text(server: Caller, token: str) -> None:
    assert await is_same_owner(holding(server, token), holding(server, token))


@pytest.mark.parametrize("header", ["", "Bearer", "Basic abc", "abc"])
async def test_a_request_without_a_bearer_token_is_refused(server: Caller, header: str) -> None:
    await assert_unauthenticated(server.with_headers({"Authorization": header}))


async def test_a_token_may_not_name_another_user(server: Caller) -> None:
    caller = holding(server, f"token-{uuid4()}")

    await assert_forbidden(caller.with_headers({"X-Memory-User": "bob"}))


async def test_what_looks_like_an_api_key_is_never_taken_for_an_opaque_token(
    server: Caller, services: Services
) -> None:
    await assert_unauthenticated(holding(server, "rec_" + "a" * 86))
    alice = await Tenant(server=server, services=services).user("alice")
    assert (await alice.get("/api/v1/sessions")).status_code == 200


async def test_the_token_is_stored_nowhere(server: Caller, admin_dsn: str) -> None:
    token = f"token-{uuid4()}"
    caller = holding(server, token)
    session = await caller.start_session()
    message = await caller.add(session, "Hello")
    await caller.delete(f"/api/v1/history/{message['message_id']}")

    connection = await asyncpg.connect(admin_dsn)
    try:
        found = {
            table: await connection.fetchval(
                f"SELECT count(*) FROM recollect.{table} AS t WHERE strpos(t::text, $1) > 0",  # noqa: S608  # from the catalogue
                token,
            )
            for table in await _tables(connection)
        }
        users = await connection.fetchval(
            "SELECT count(*) FROM recollect.owners WHERE tenant_id = $1 AND user_id ~ $2",
            TENANT,
            "^bearer:[0-9a-f]{64}$",
        )
    finally:
        await connection.close()

    assert len(found) > 5
    assert not any(found.values())
    assert users >= 1


async def _tables(connection: asyncpg.Connection) -> list[str]:
    rows = await connection.fetch("SELECT tablename FROM pg_tables WHERE schemaname = 'recollect'")
    return [row["tablename"] for row in rows]
