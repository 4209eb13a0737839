"""Content of one owner that cannot be decrypted hinders nobody else, and can be erased."""

from collections.abc import AsyncIterator
from contextlib import suppress
from uuid import uuid4

import asyncpg
import pytest
import pytest_asyncio

from recollect.domain.identity.scope import Scope
from recollect.engines.postgres.connection.database import Database
from recollect.engines.postgres.engine import postgres_stores
from recollect.errors import ContentUnreadable, DatabaseUnavailable
from recollect.services.services import Services
from recollect.system import SystemClock
from support.encryption import encrypting
from support.erasures import erasing_services
from support.examples import a_message, a_scope, append, start_session
from support.servers.databases import own_database


@pytest_asyncio.fixture(scope="module")
async def encrypted_dsn(admin_dsn: str) -> AsyncIterator[str]:
    async with own_database(admin_dsn, "unreadable") as dsn:
        yield dsn


@pytest_asyncio.fixture
async def encrypted(encrypted_dsn: str) -> AsyncIterator[Database]:
    async with encrypting(encrypted_dsn) as database:
        yield database


@pytest_asyncio.fixture
async def services(encrypted: Database) -> AsyncIterator[Services]:
    services = erasing_services(postgres_stores(encrypted, SystemClock()))
    yield services
    await services.close()


async def fill(services: Services, database: Database, scope: Scope) -> None:
    """A turn that waits to be indexed, and a fact."""
    stores = postgres_stores(database, SystemClock())
    session = await start_session(stores, scope)
    said = [a_message(content="I live in Ghent."), a_message("assistant", "Noted.")]
    await append(stores, scope, session.session_id, *said)
    await services.facts.add(scope, "Has two cats.")


async def lose_key(dsn: str, database: Database, scope: Scope) -> None:
    administrator = await asyncpg.connect(dsn)
    await administrator.execute(
        "DELETE FROM recollect_keys.owner_keys WHERE owner_id = $1", scope.owner_id
    )
    await administrator.execute(
        "UPDATE recollect.facts SET model = NULL, vector = NULL WHERE owner_id = $1", scope.owner_id
    )
    await administrator.close()
    database.keys.forget(scope.owner_id)


async def test_the_background_work_of_others_goes_on_and_the_owner_can_be_erased(
    services: Services, encrypted: Database, encrypted_dsn: str
) -> None:
    lost, other = a_scope(), a_scope()
    for scope in (lost, other):
        await fill(services, encrypted, scope)
    await lose_key(encrypted_dsn, encrypted, lost)
    with pytest.raises(ContentUnreadable):
        await postgres_stores(encrypted, SystemClock()).facts.active(lost)

    assert services.indexing is not None
    assert services.turn_learning is not None
    assert services.fact_reembedding is not None
    assert await services.indexing.do_some() >= 1
    assert await services.turn_learning.do_some() >= 1
    assert await services.fact_reembedding.do_some() == 0
    assert await services.fact_pruning.prune() == 0

    receipt = await services.erasing.complete(await services.erasing.begin(lost))
    assert receipt["erased"]["database"]["messages"] == 2
    await fill(services, encrypted, lost)
    await services.erasing.complete(await services.erasing.begin(other))


async def test_a_key_of_a_transaction_that_was_undone_is_not_used_again(
    encrypted: Database, encrypted_dsn: str
) -> None:
    scope, now = a_scope(), SystemClock().now()
    session = {"session_id": uuid4(), "name": "a name", "metadata": "{}", "now": now}
    user = {"tenant_id": scope.tenant, "user_id": scope.user, "expires_at": None}
    with suppress(DatabaseUnavailable):
        async with encrypted.transaction(scope.owner_id) as transaction:
            await transaction.rows("start_session", **session, **user, databases=[], tags=[])
            raise DatabaseUnavailable("the connection is lost before the commit")
    stores = postgres_stores(encrypted, SystemClock())
    retried = await start_session(stores, scope)
    await append(stores, scope, retried.session_id, a_message(content="acknowledged"))
    async with encrypting(encrypted_dsn) as elsewhere:
        there = postgres_stores(elsewhere, SystemClock())
        messages = await there.messages.last(scope, retried.session_id, count=9)
    assert [message.content for message in messages or ()] == ["acknowledged"]
