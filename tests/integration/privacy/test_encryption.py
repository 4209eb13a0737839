"""Encrypted content in PostgreSQL: unreadable without its keys, and with them as usable as ever."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager
from datetime import timedelta
from pathlib import Path
from uuid import UUID, uuid4

import asyncpg
import pytest
import pytest_asyncio
from typer.testing import CliRunner

from recollect.archives.compressed import CompressedArchive
from recollect.archives.encrypted import EncryptedObjects
from recollect.archives.folder import FolderObjects
from recollect.domain.conversation.paging import PageRequest
from recollect.domain.conversation.session import SessionChanges
from recollect.domain.facts.query import FactFilter
from recollect.domain.identity.audit import AuditAction
from recollect.domain.identity.scope import Interface, Scope, TenantScope
from recollect.domain.privacy.encrypted import ENCRYPTED_PREFIX, ESCAPED_PREFIX
from recollect.domain.profile.profile import ProfileChange
from recollect.domain.recall.entry import RecallQuery
from recollect.domain.transfer.document import ExportFormat
from recollect.engines.owner_keys import OwnerKeys
from recollect.engines.postgres.connection.database import Database
from recollect.engines.postgres.encryption import TABLES, PostgresCiphers
from recollect.engines.postgres.engine import open_external, postgres_stores
from recollect.errors import ConfigurationError, ContentUnreadable, MasterKeyMissing
from recollect.interfaces.cli.doctor.storage import check_encryption
from recollect.interfaces.cli.main import app
from recollect.ports import Stores
from recollect.services.privacy.encrypting import Counted
from recollect.services.services import Services
from recollect.settings import load_settings
from recollect.system import SystemClock
from recollect.testing import FixedClock
from support.archives import archive_of, archiving_services, files_in, talk, texts_of
from support.encryption import FIRST_KEY, FRESH_SECONDS, SECOND_KEY, encrypting, encryption_of
from support.erasures import dump, erasing_services, fill_everything
from support.examples import a_message, a_scope, append, start_session
from support.servers.databases import own_database

OPERATOR = TenantScope(tenant="operators", actor="operator", interface=Interface.CLI)
KEYS_OF = "SELECT wrapped, master_key_id FROM recollect_keys.owner_keys WHERE owner_id = $1"


@pytest_asyncio.fixture(scope="module")
async def encrypted_dsn(admin_dsn: str) -> AsyncIterator[str]:
    async with own_database(admin_dsn, "encrypted") as dsn:
        yield dsn


@pytest_asyncio.fixture
async def encrypted(encrypted_dsn: str) -> AsyncIterator[Database]:
    async with encrypting(encrypted_dsn) as database:
        yield database


@pytest.fixture
def stores(encrypted: Database) -> Stores:
    return postgres_stores(encrypted, SystemClock())


@pytest_asyncio.fixture
async def services(stores: Stores) -> AsyncIterator[Services]:
    services = erasing_services(stores)
    yield services
    await services.close()


@pytest_asyncio.fixture
async def administrator(encrypted_dsn: str) -> AsyncIterator[asyncpg.Connection]:
    connection = await asyncpg.connect(encrypted_dsn)
    yield connection
    await connection.close()


def without_tags(rows: list[str]) -> str:
    """Rows as text, without the one column of free text that stays plain."""
    return "\n".join(json.dumps({**json.loads(row), "tags": None}) for row in rows)


async def stored_of(administrator: asyncpg.Connection, scope: Scope) -> str:
    tables = await dump(administrator)
    own = [row for rows in tables.values() for row in rows if str(scope.owner_id) in row]
    return without_tags([row for row in own if json.loads(row).get("user_id") != scope.user])


async def test_no_table_has_a_word_of_what_is_stored_and_all_of_it_can_be_used(
    services: Services, stores: Stores, administrator: asyncpg.Connection
) -> None:
    scope, marker = a_scope(), f"marker{uuid4().hex}"
    session_id = await fill_everything(services, stores, scope, marker)
    stored = await stored_of(administrator, scope)
    assert "recollect-encrypted:1:" in stored
    assert marker not in stored

    session = await services.sessions.get(scope, session_id)
    assert (session.name, session.metadata) == (f"about {marker}", {marker: marker})
    assert marker in (session.summary or "")
    messages = await services.messages.last(scope, session_id, count=9)
    assert all(marker in message.content for message in messages)
    (item,) = await stores.profiles.list(scope)
    assert item.value == {marker: 1e17}
    page = PageRequest(limit=9)
    (fact,) = (await stores.facts.list(scope, page, filters=FactFilter(text=marker))).items
    assert marker in fact.content
    assert not (await stores.facts.list(scope, page, filters=FactFilter(text="nowhere"))).items
    recalled = await services.recall.search(scope, f"Who lives in {marker}?", k=1)
    assert marker in recalled.items[0].text
    pieces = [piece async for piece in services.owner_export.pieces(scope, ExportFormat.JSON)]
    assert b"".join(pieces).decode().count(marker) > 10


async def test_a_write_to_nobody_leaves_no_key(
    stores: Stores, administrator: asyncpg.Connection
) -> None:
    scope, now = a_scope(), SystemClock().now()
    said = await stores.messages.append(scope, uuid4(), [a_message(content="to nobody")], now=now)
    changes = SessionChanges(name="a name")
    assert (said, await stores.sessions.change(scope, uuid4(), changes, now=now)) == (None, None)
    assert not await administrator.fetch(KEYS_OF, scope.owner_id)
    await start_session(stores, scope)
    assert await administrator.fetch(KEYS_OF, scope.owner_id)


async def test_sql_knows_what_is_encrypted_by_the_prefix_of_the_cipher(
    administrator: asyncpg.Connection,
) -> None:
    texts = [f"{ENCRYPTED_PREFIX}abc", f"{ESCAPED_PREFIX}abc", "abc"]
    told = [await administrator.fetchval("SELECT recollect.is_encrypted($1)", one) for one in texts]
    assert told == [True, False, False]


async def test_two_owners_have_two_keys_and_cannot_read_each_others_rows(
    stores: Stores, administrator: asyncpg.Connection
) -> None:
    ann, bob = a_scope(), a_scope()
    for scope in (ann, bob):
        session = await start_session(stores, scope)
        await append(stores, scope, session.session_id, a_message(content="the same words"))
    contents = [
        await administrator.fetchval(
            "SELECT content FROM recollect.messages WHERE owner_id = $1", one.owner_id
        )
        for one in (ann, bob)
    ]
    assert contents[0] != contents[1]
    await administrator.execute(
        "UPDATE recollect.messages SET content = $2 WHERE owner_id = $1", bob.owner_id, contents[0]
    )
    with pytest.raises(ContentUnreadable):
        await stores.history.list(bob, PageRequest(limit=1))


async def test_what_was_stored_plain_is_used_beside_and_encrypted_later(admin_dsn: str) -> None:
    scope, marker = a_scope(), f"marker{uuid4().hex}"
    async with own_database(admin_dsn, "switched") as dsn:
        async with open_external(dsn, max_connections=2) as database:
            plain = postgres_stores(database, SystemClock())
            before_it = erasing_services(plain)
            session_id = await fill_everything(before_it, plain, scope, marker)
            await before_it.close()
            question = a_message(content="a question from before")
            (asked,) = await append(plain, scope, session_id, question)
        async with encrypting(dsn) as database:
            stores = postgres_stores(database, SystemClock())
            services = erasing_services(stores)
            assert await append(stores, scope, session_id, question) == (asked,), "a retry"
            by_words = RecallQuery(terms={marker: 1.0}, model=None, vector=None, count=9)
            assert stores.recall is not None
            before = {one.entry for one in await stores.recall.search(scope, by_words)}
            assert len(before) > 2

            assert (await encryption_of(services).encrypt(OPERATOR)).changed == 18
            (entry,) = await stores.audit.entries(TenantScope(tenant=scope.tenant), limit=9)
            assert (entry.action, entry.count) == (AuditAction.CONTENT_ENCRYPTED, 18)
            administrator = await asyncpg.connect(dsn)
            assert marker not in await stored_of(administrator, scope)
            await administrator.close()
            told: list[Counted] = []
            status = await encryption_of(services).status(progress=told.append)
            assert (status.plain, status.tables["messages"].encrypted) == (0, 9)
            assert told[-1].rows == sum(one.encrypted for one in status.tables.values())
            assert [one.rows for one in told] == sorted(one.rows for one in told)
            again = await encryption_of(services).encrypt(OPERATOR)
            assert again.changed == 0, "nothing is left to do"
            administrator = await asyncpg.connect(dsn)
            await administrator.execute("UPDATE recollect.facts SET searched = 'left plain'")
            assert (await encryption_of(services).status()).plain == 1, "of one column alone"
            gists = "SELECT gist FROM recollect.facts"
            keyed = await administrator.fetchval(gists)
            assert (await encryption_of(services).encrypt(OPERATOR)).changed == 1
            assert await administrator.fetchval(gists) == keyed, "not keyed twice"
            await administrator.close()
            database.keys.forget(scope.owner_id)
            after = {one.entry for one in await stores.recall.search(scope, by_words)}
            assert after == before, "words are found by their keyed numbers"
            assert (await services.sessions.get(scope, session_id)).name == f"about {marker}"
            (fact, *_) = await stores.facts.active(scope)
            assert marker in fact.fact.content
            await services.close()


async def test_keys_are_rewrapped_by_a_new_master_key_and_the_old_one_can_go(
    admin_dsn: str,
) -> None:
    scope = a_scope()
    async with own_database(admin_dsn, "rotated") as dsn:
        async with encrypting(dsn, old=FIRST_KEY) as database:
            session_id = await say(database, scope, "before the rotation")
        with pytest.raises(ConfigurationError, match="'old', which is not in"):
            await opened(encrypting(dsn, new=SECOND_KEY))
        async with encrypting(dsn, new=SECOND_KEY, old=FIRST_KEY) as database:
            stores = postgres_stores(database, SystemClock())
            encryption = encryption_of(erasing_services(stores))
            assert (await encryption.status()).keys == {"old": 1}
            assert (await encryption.rotate(OPERATOR)).changed == 1
            assert (await encryption.rotate(OPERATOR)).changed == 0
            (entry,) = await stores.audit.entries(TenantScope(tenant=scope.tenant), limit=9)
            assert (entry.action, entry.target) == (AuditAction.ENCRYPTION_KEY_ROTATED, "new")
            assert (entry.count, entry.actor, entry.interface) == (1, "operator", Interface.CLI)
            assert (await encryption.status()).keys == {"new": 1}
        async with encrypting(dsn, new=SECOND_KEY) as database:
            assert await heard(database, scope, session_id) == ["before the rotation"]
        with pytest.raises(ConfigurationError, match=r"'new' .* is not the one"):
            await opened(encrypting(dsn, new=FIRST_KEY))
        with pytest.raises(ConfigurationError, match="MEMORY_ENCRYPTION_KEY is not set"):
            await opened(open_external(dsn, max_connections=1))


async def opened(manager: AbstractAsyncContextManager[Database]) -> None:
    async with manager:
        pytest.fail("it opened")


async def say(database: Database, scope: Scope, text: str) -> UUID:
    stores = postgres_stores(database, SystemClock())
    session = await start_session(stores, scope)
    await append(stores, scope, session.session_id, a_message(content=text))
    return session.session_id


async def heard(database: Database, scope: Scope, session_id: UUID) -> list[str]:
    messages = await postgres_stores(database, SystemClock()).messages.last(
        scope, session_id, count=9
    )
    return [message.content for message in messages or ()]


async def test_an_erasure_destroys_the_key_so_that_restored_rows_are_unreadable(
    services: Services, encrypted: Database, administrator: asyncpg.Connection
) -> None:
    scope, other = a_scope(), a_scope()
    session_id = await say(encrypted, scope, "my secret")
    others_id = await say(encrypted, other, "their secret")
    copy = await administrator.fetchval(
        "SELECT content FROM recollect.messages WHERE owner_id = $1", scope.owner_id
    )
    receipt = await services.erasing.complete(await services.erasing.begin(scope))
    assert receipt["erased"]["encryption"] == {"data_keys": 1}
    assert receipt["verification"]["remaining"]["encryption"] == {"data_keys": 0}
    assert not await administrator.fetch(KEYS_OF, scope.owner_id)

    session_id = await say(encrypted, scope, "back again, with another key")
    await administrator.execute(
        "UPDATE recollect.messages SET content = $2 WHERE owner_id = $1", scope.owner_id, copy
    )
    with pytest.raises(ContentUnreadable, match="another key"):
        await heard(encrypted, scope, session_id)
    await administrator.execute(
        "DELETE FROM recollect_keys.owner_keys WHERE owner_id = $1", scope.owner_id
    )
    encrypted.keys.forget(scope.owner_id)
    with pytest.raises(ContentUnreadable, match="the key of its owner is not there"):
        await heard(encrypted, scope, session_id)
    assert await heard(encrypted, other, others_id) == ["their secret"]


async def test_no_process_writes_with_a_key_that_another_has_destroyed(
    services: Services, encrypted: Database, encrypted_dsn: str
) -> None:
    scope = a_scope()
    async with encrypting(encrypted_dsn) as elsewhere:
        await say(elsewhere, scope, "the key is cached there")
        await say(elsewhere, scope, "the key is cached there")
        await services.erasing.complete(await services.erasing.begin(scope))
        session_id = await say(encrypted, scope, "written here")
        there = postgres_stores(elsewhere, SystemClock())
        await append(there, scope, session_id, a_message("assistant", "written there"))
    assert await heard(encrypted, scope, session_id) == ["written here", "written there"]


async def test_sessions_are_archived_encrypted_and_restored(
    encrypted: Database, tmp_path: Path
) -> None:
    clock, scope, session_id = FixedClock(), a_scope(), uuid4()
    objects = EncryptedObjects(FolderObjects(tmp_path), PostgresCiphers(encrypted))
    services = archiving_services(
        CompressedArchive(objects), clock=clock, stores=postgres_stores(encrypted, clock)
    )
    await talk(services, scope, session_id, "a secret question", "a secret answer")
    clock.move(timedelta(days=2))
    while not files_in(tmp_path):
        assert await services.retention.clean_up()
    (file,) = files_in(tmp_path)
    assert file.read_bytes().startswith(b"recollect-encrypted:1")
    restored = await archive_of(services).restore(scope)
    assert (restored.messages.added, restored.broken) == (2, [])
    assert await texts_of(services, scope, session_id) == ["a secret question", "a secret answer"]

    keyless = CompressedArchive(EncryptedObjects(FolderObjects(tmp_path), None))
    elsewhere = archiving_services(keyless, clock=clock)
    verified = await archive_of(elsewhere).verify(scope)
    assert "the key of its owner is not there" in verified.broken[0].problem
    await services.close()
    await elsewhere.close()


async def test_a_server_with_the_old_master_key_alone_finds_out_that_keys_were_rotated(
    admin_dsn: str,
) -> None:
    async with (
        own_database(admin_dsn, "outdated") as dsn,
        encrypting(dsn, old=FIRST_KEY) as outdated,
    ):
        await say(outdated, a_scope(), "before the rotation")
        check_keys = postgres_stores(outdated, SystemClock()).check_keys
        assert check_keys is not None
        await check_keys()
        async with encrypting(dsn, new=SECOND_KEY, old=FIRST_KEY) as database:
            stores = postgres_stores(database, SystemClock())
            await encryption_of(erasing_services(stores)).rotate(OPERATOR)
        with pytest.raises(ConfigurationError, match="'new', which is not in"):
            await check_keys()


async def test_a_server_without_a_key_stores_nothing_plain_once_others_encrypt(
    admin_dsn: str,
) -> None:
    scope, others = a_scope(), a_scope()
    without = OwnerKeys(fresh_seconds=FRESH_SECONDS)
    async with (
        own_database(admin_dsn, "unaware") as dsn,
        open_external(dsn, max_connections=2, keys=without) as unaware,
    ):
        session_id = await say(unaware, scope, "from before")
        stores = postgres_stores(unaware, SystemClock())
        assert stores.check_keys is not None
        await stores.check_keys()
        async with encrypting(dsn) as database:
            await say(database, others, "encrypted")
        await asyncio.sleep(FRESH_SECONDS)
        for work in (
            append(stores, scope, session_id, a_message(content="plain")),
            start_session(stores, a_scope(), name="plain"),
            stores.profiles.change(
                scope, ProfileChange.of("role", "plain"), now=SystemClock().now()
            ),
        ):
            with pytest.raises(MasterKeyMissing, match="no MEMORY_ENCRYPTION_KEY"):
                await work
        with pytest.raises(ConfigurationError, match="MEMORY_ENCRYPTION_KEY is not set"):
            await stores.check_keys()
        assert await heard(unaware, scope, session_id) == ["from before"]
        administrator = await asyncpg.connect(dsn)
        assert '"plain"' not in await stored_of(administrator, scope)
        await administrator.close()


async def test_the_command_encrypts_counts_and_rotates_and_the_doctor_knows_a_wrong_key(
    admin_dsn: str,
) -> None:
    async with own_database(admin_dsn, "commands") as dsn:
        async with open_external(dsn, max_connections=1) as database:
            await say(database, a_scope(), "stored plain")
        first, second = [(await command("new-key", "--id", name)).strip() for name in "ab"]
        assert json.loads(await command("encrypt", "--json", dsn=dsn, key=first))["rows"] == 2
        status = json.loads(await command("status", "--json", dsn=dsn, key=first))
        assert status["tables"]["messages"] == {"encrypted": 1, "plain": 0}
        rotated = await command("rotate", dsn=dsn, key=f"{second},{first}")
        assert "1 keys are wrapped by the current master key now" in rotated
        for key, status in ((second, "ok"), (first, "failed"), (None, "failed")):
            settings = load_settings(db_connection_string=dsn, encryption_key=key)
            (finding,) = await asyncio.to_thread(list, check_encryption(settings))
            assert (finding.status, "MEMORY_ENCRYPTION_KEY" in finding.found) == (
                *(status, status == "failed"),
            )


async def command(*words: str, dsn: str = "", key: str | None = None) -> str:
    """What the command prints; it runs in a thread, because it has an event loop of its own."""
    env = {"MEMORY_DB_CONNECTION_STRING": dsn or None, "MEMORY_ENCRYPTION_KEY": key}
    result = await asyncio.to_thread(CliRunner().invoke, app, ["encryption", *words], env=env)
    assert result.exit_code == 0, result.output
    return result.stdout


PLAIN = {
    *("owners.tenant_id", "owners.user_id", "states.mode", "profile_values.key", "jobs.kind"),
    *("jobs.payload", "schema_revision.revision", "sessions.databases", "sessions.tags"),
    *("turns.status", "messages.role", "summaries.tables", "summaries.method"),
    *("recall_entries.model", "recall_entries.speaker", "recall_entries.tables"),
    *("recall_entries.kept_in", "recall_models.model", "recall_removals.kept_in"),
    "archive_notes.archive",
    *("facts.type", "facts.priority", "facts.status", "facts.source", "facts.slot"),
    *("facts.language", "facts.tables", "facts.model", "fact_models.model"),
    *("fact_changes.kind", "fact_changes.actor", "fact_changes.status"),
}
"""What docs/how-to/encryption.md says is not encrypted, beside keys, erasures and the audit log."""


async def test_every_column_with_text_is_encrypted_or_known_to_be_plain(
    administrator: asyncpg.Connection,
) -> None:
    """Whoever adds a column with text encrypts it, or says here and in the docs that it is not."""
    rows = await administrator.fetch(
        "SELECT table_name || '.' || column_name AS name FROM information_schema.columns "
        "WHERE table_schema = 'recollect' AND table_name NOT LIKE 'audit%' "
        "AND table_name NOT IN ('api_keys', 'erasures', 'tenant_settings') "
        "AND (data_type IN ('text', 'json', 'jsonb') OR udt_name = '_text')"
    )
    encrypted = {
        f"{table.name}.{column}" for table in TABLES for column in (*table.texts_of, *table.json_of)
    }
    assert {row["name"] for row in rows} == PLAIN | encrypted
