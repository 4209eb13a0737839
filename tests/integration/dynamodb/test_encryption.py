"""Encrypted content in DynamoDB: unreadable without its keys, and with them as usable as ever."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import cast
from uuid import UUID, uuid4

import pytest
import pytest_asyncio
from typer.testing import CliRunner

from recollect.domain.conversation.paging import PageRequest
from recollect.domain.identity.audit import AuditAction
from recollect.domain.identity.scope import Interface, Scope, TenantScope
from recollect.domain.privacy.encrypted import ENCRYPTED_PREFIX
from recollect.domain.profile.profile import ProfileChange
from recollect.domain.recall.entry import RecallQuery
from recollect.domain.transfer.document import ExportFormat
from recollect.engines.dynamodb.engine import dynamo_stores
from recollect.engines.dynamodb.table.content import content_of
from recollect.engines.dynamodb.table.data_keys import check_data_keys, memory_table
from recollect.engines.dynamodb.table.items import Item
from recollect.engines.dynamodb.table.keys import OWNER, SORT, keys_table, owner_of
from recollect.engines.dynamodb.table.table import Table
from recollect.engines.owner_keys import OwnerKeys
from recollect.errors import ConfigurationError, ContentUnreadable, MasterKeyMissing
from recollect.interfaces.cli.doctor.storage import check_encryption
from recollect.interfaces.cli.main import app
from recollect.ports import Stores
from recollect.services.services import Services
from recollect.settings import load_settings
from recollect.system import SystemClock
from support.doubles.dynamodb import DynamoDouble, a_double
from support.dynamodb import a_client
from support.encryption import FIRST_KEY, FRESH_SECONDS, SECOND_KEY, encryption_of, owner_keys
from support.erasures import erasing_services, fill_everything
from support.examples import a_message, a_scope, append, start_session

OPERATOR = TenantScope(tenant="operators", actor="operator", interface=Interface.CLI)
KEYS = keys_table("double")


@pytest.fixture
def encrypted() -> Table:
    return a_double(keys=owner_keys())


@pytest_asyncio.fixture
async def services(encrypted: Table) -> AsyncIterator[Services]:
    services = erasing_services(stores_of(encrypted))
    yield services
    await services.close()


def stores_of(table: Table) -> Stores:
    return dynamo_stores(table, SystemClock())


def double_of(table: Table) -> DynamoDouble:
    return cast("DynamoDouble", table.client)


def in_another_process(table: Table, keys: OwnerKeys) -> Table:
    """The same table, with a cache of keys of its own."""
    return memory_table(table.client, table.name, keys)


def items_of(table: Table, scope: Scope, name: str = "double") -> list[Item]:
    return [one for one in double_of(table).dump(name) if owner_of(one) == scope.owner_id]


async def say(table: Table, scope: Scope, text: str) -> UUID:
    session = await start_session(stores_of(table), scope)
    await append(stores_of(table), scope, session.session_id, a_message(content=text))
    return session.session_id


async def heard(table: Table, scope: Scope, session_id: UUID) -> list[str]:
    messages = await stores_of(table).messages.last(scope, session_id, count=9)
    return [message.content for message in messages or ()]


PLAIN = {
    *("userId", "sessionKey", "tenant", "user", "sessionId", "messageId", "factId", "jobId"),
    *("place", "incarnation", "role", "kind", "mode", "model", "workQueue", "workDue", "byTime"),
    *("createdAt", "updatedAt", "lastAccessed", "timestamp", "accessedAt", "expiresAt"),
    *("databases", "tags", "summaryDetails", "conversation", "sequences"),
    *("action", "actor", "at", "interface", "items", "target", "transactionId"),
}
"""The texts that docs/how-to/encryption.md says are plain, beside erasures and settings."""


async def test_no_item_has_a_word_of_what_is_stored_and_all_of_it_can_be_used(
    services: Services, encrypted: Table
) -> None:
    scope, marker, stores = a_scope(), f"marker{uuid4().hex}", stores_of(encrypted)
    session_id = await fill_everything(services, stores, scope, marker)
    items = items_of(encrypted, scope)
    assert {content_of(str(one[SORT]))[0] for one in items} >= {"sessions", "facts", "profiles"}
    texts = {name: value for one in items for name, value in one.items() if isinstance(value, str)}
    assert texts.keys() <= PLAIN, "whoever adds a text encrypts it, or says that it is plain"
    # Tags are plain. The binary values are ciphertext, hashes and vectors.
    stored = repr([{**one, "tags": None} for one in items if one[SORT] != OWNER])
    assert marker not in stored

    session = await services.sessions.get(scope, session_id)
    assert (session.name, session.metadata) == (f"about {marker}", {marker: marker})
    assert marker in (session.summary or "")
    assert all(marker in text for text in await heard(encrypted, scope, session_id))
    (item,) = await stores.profiles.list(scope)
    assert item.value == {marker: 1e17}
    recalled = await services.recall.search(scope, f"Who lives in {marker}?", k=1)
    assert marker in recalled.items[0].text
    pieces = [piece async for piece in services.owner_export.pieces(scope, ExportFormat.JSON)]
    assert b"".join(pieces).decode().count(marker) > 10


async def test_content_is_read_by_its_owner_in_its_place_alone(encrypted: Table) -> None:
    ann, bob = a_scope(), a_scope()
    sessions = [await say(encrypted, one, "the same words") for one in (ann, bob)]
    await append(stores_of(encrypted), ann, sessions[0], a_message(content="other words"))
    first, second = sorted(
        (one for one in items_of(encrypted, ann) if "content" in one), key=lambda one: one[SORT]
    )
    (of_bob,) = [one for one in items_of(encrypted, bob) if "content" in one]
    for changed, other in ((of_bob, first), (first, second)):
        double_of(encrypted).restore([{**changed, "content": other["content"]}])
    for scope, session_id in zip((ann, bob), sessions, strict=True):
        with pytest.raises(ContentUnreadable, match="another key"):
            await heard(encrypted, scope, session_id)


async def test_what_was_stored_plain_is_used_beside_and_encrypted_later() -> None:
    scope, marker, plain = a_scope(), f"marker{uuid4().hex}", a_double()
    services = erasing_services(stores_of(plain))
    session_id = await fill_everything(services, stores_of(plain), scope, marker)
    await services.close()
    pasted = a_message(content=f"{ENCRYPTED_PREFIX}abc is my code")
    (asked,) = await append(stores_of(plain), scope, session_id, pasted)

    table = in_another_process(plain, owner_keys())
    stores = stores_of(table)
    services = erasing_services(stores)
    assert await append(stores, scope, session_id, pasted) == (asked,), "a retry"
    by_words = RecallQuery(terms={marker: 1.0}, model=None, vector=None, count=9)
    assert stores.recall is not None
    before = {one.entry for one in await stores.recall.search(scope, by_words)}
    assert len(before) > 2
    assert (await encryption_of(services).status()).plain == 17

    assert (await encryption_of(services).encrypt(OPERATOR)).changed == 17
    (entry,) = await stores.audit.entries(TenantScope(tenant=scope.tenant), limit=1)
    assert (entry.action, entry.count) == (AuditAction.CONTENT_ENCRYPTED, 17)
    stored = repr([{**one, "tags": None} for one in items_of(table, scope)])
    assert marker not in stored
    status = await encryption_of(services).status()
    assert (status.plain, status.tables["messages"].encrypted) == (0, 9)
    assert (await encryption_of(services).encrypt(OPERATOR)).changed == 0
    stores.recall.forget(scope.owner_id)  # type: ignore[attr-defined]  # a cache
    assert {one.entry for one in await stores.recall.search(scope, by_words)} == before
    assert (await services.sessions.get(scope, session_id)).name == f"about {marker}"
    assert (await heard(table, scope, session_id))[-1] == pasted.content
    await services.close()


async def test_a_server_without_a_key_stores_nothing_plain_once_others_encrypt() -> None:
    scope, plain = a_scope(), a_double(keys=OwnerKeys(fresh_seconds=FRESH_SECONDS))
    session_id = await say(plain, scope, "from before")
    await say(in_another_process(plain, owner_keys()), a_scope(), "encrypted")
    await asyncio.sleep(FRESH_SECONDS)
    stores = stores_of(plain)
    for work in (
        append(stores, scope, session_id, a_message(content="plain")),
        start_session(stores, a_scope(), name="plain"),
        stores.profiles.change(scope, ProfileChange.of("role", "plain"), now=SystemClock().now()),
    ):
        with pytest.raises(MasterKeyMissing, match="no MEMORY_ENCRYPTION_KEY"):
            await work
    assert await heard(plain, scope, session_id) == ["from before"]
    assert "'plain'" not in repr(double_of(plain).dump("double"))


async def test_keys_are_rewrapped_by_a_new_master_key_and_the_old_one_can_go() -> None:
    table, scopes = a_double(keys=owner_keys(old=FIRST_KEY)), [a_scope() for _ in range(3)]
    said = {one: await say(table, one, "before the rotation") for one in scopes}
    for keys, problem in (
        (owner_keys(new=SECOND_KEY), "'old', which is not in"),
        (owner_keys(old=SECOND_KEY), "'old' .* is not the one"),
        (OwnerKeys(), "MEMORY_ENCRYPTION_KEY is not set"),
    ):
        with pytest.raises(ConfigurationError, match=problem):
            await check_data_keys(in_another_process(table, keys))
    both = in_another_process(table, owner_keys(new=SECOND_KEY, old=FIRST_KEY))
    await check_data_keys(both)
    stores = stores_of(both)
    encryption = encryption_of(erasing_services(stores))
    assert (await encryption.status()).keys == {"old": 3}
    assert (await encryption.rotate(OPERATOR)).changed == 3
    assert (await encryption.rotate(OPERATOR)).changed == 0
    (entry,) = await stores.audit.entries(TenantScope(tenant=scopes[0].tenant), limit=9)
    assert (entry.action, entry.target) == (AuditAction.ENCRYPTION_KEY_ROTATED, "new")
    assert (await encryption.status()).keys == {"new": 3}
    check_keys = stores_of(table).check_keys
    assert check_keys is not None
    with pytest.raises(ConfigurationError, match="'new', which is not in"):
        await check_keys()
    new = in_another_process(table, owner_keys(new=SECOND_KEY))
    await check_data_keys(new)
    for scope, session_id in said.items():
        assert await heard(new, scope, session_id) == ["before the rotation"]


async def test_an_erasure_destroys_the_key_so_that_restored_items_are_unreadable(
    services: Services, encrypted: Table
) -> None:
    scope, other = a_scope(), a_scope()
    session_id = await say(encrypted, scope, "my secret")
    others_id = await say(encrypted, other, "their secret")
    elsewhere = in_another_process(encrypted, owner_keys())
    assert await heard(elsewhere, scope, session_id) == ["my secret"], "the key is cached there"
    backup = items_of(encrypted, scope)

    receipt = await services.erasing.complete(await services.erasing.begin(scope))
    assert receipt["erased"]["encryption"] == {"data_keys": 1}
    assert receipt["verification"]["remaining"]["encryption"] == {"data_keys": 0}
    assert not items_of(encrypted, scope, KEYS)
    double_of(encrypted).restore(backup)
    with pytest.raises(ContentUnreadable, match="the key of its owner is not there"):
        await heard(encrypted, scope, session_id)

    again = await say(encrypted, scope, "back with another key")
    await append(stores_of(elsewhere), scope, again, a_message("assistant", "written there"))
    assert await heard(encrypted, scope, again) == ["back with another key", "written there"]
    with pytest.raises(ContentUnreadable, match="another key"):
        await heard(encrypted, scope, session_id)
    assert await heard(encrypted, other, others_id) == ["their secret"]


async def test_the_background_work_of_others_goes_on_and_an_unreadable_owner_can_be_erased(
    services: Services, encrypted: Table
) -> None:
    lost, other, stores = a_scope(), a_scope(), stores_of(encrypted)
    for scope in (lost, other):
        session = await start_session(stores, scope)
        said = [a_message(content="I live in Ghent."), a_message("assistant", "Noted.")]
        await append(stores, scope, session.session_id, *said)
        await services.facts.add(scope, "Has two cats.")
    await Table(encrypted.client, KEYS).delete_all(items_of(encrypted, lost, KEYS))
    encrypted.content.keys.forget(lost.owner_id)
    with pytest.raises(ContentUnreadable):
        await stores.facts.active(lost)
    with pytest.raises(ContentUnreadable):
        await stores.sessions.list(lost, PageRequest(limit=1))

    assert services.indexing is not None
    assert services.turn_learning is not None
    assert services.fact_reembedding is not None
    assert services.reindexing is not None
    assert await services.indexing.do_some() >= 1
    assert await services.turn_learning.do_some() >= 1
    assert await services.fact_reembedding.do_some() == 0
    assert await services.reindexing.waiting() == 0
    assert await services.fact_pruning.prune() == 0
    assert await stores.turns.fail_abandoned(started_by=SystemClock().now()) == 0

    receipt = await services.erasing.complete(await services.erasing.begin(lost))
    erased = receipt["erased"]["database"]
    assert (erased["messages"], erased["facts"], erased["fact_changes"]) == (2, 1, 1)
    await say(encrypted, lost, "back again")


async def test_the_commands_create_both_tables_encrypt_count_and_rotate(
    dynamodb_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = f"memory-{uuid4()}"
    for setting, value in (
        *(("ENGINE", "dynamodb"), ("DYNAMODB_TABLE", name)),
        *(("DYNAMODB_ENDPOINT_URL", dynamodb_url), ("DYNAMODB_REGION", "us-east-1")),
    ):
        monkeypatch.setenv(f"MEMORY_{setting}", value)
    await command("dynamodb", "create", "--recovery")
    async with a_client(dynamodb_url) as client:
        await say(Table(client, name), a_scope(), "stored plain")
        recovery = [
            await client.call("DescribeContinuousBackups", {"TableName": one})
            for one in (name, keys_table(name))
        ]
    assert [
        "ENABLED" in repr(one["ContinuousBackupsDescription"]["PointInTimeRecoveryDescription"])
        for one in recovery
    ] == [True, False]
    first, second = [(await command("encryption", "new-key", "--id", one)).strip() for one in "ab"]
    monkeypatch.setenv("MEMORY_ENCRYPTION_KEY", first)
    encrypted = json.loads(await command("encryption", "encrypt", "--json"))
    assert encrypted == {"rows": 2, "owners": 1}
    status = json.loads(await command("encryption", "status", "--json"))
    assert status["tables"]["messages"] == {"encrypted": 1, "plain": 0}
    monkeypatch.setenv("MEMORY_ENCRYPTION_KEY", f"{second},{first}")
    assert "1 keys are wrapped" in await command("encryption", "rotate")
    for key, expected in ((second, "ok"), (first, "failed"), (None, "failed")):
        (finding,) = await asyncio.to_thread(
            list, check_encryption(load_settings(encryption_key=key))
        )
        assert finding.status == expected
    await command("dynamodb", "delete", "--yes")


async def command(*words: str) -> str:
    """What a command prints; it runs in a thread, because it has an event loop of its own."""
    done = await asyncio.to_thread(CliRunner().invoke, app, [*words])
    assert done.exit_code == 0, done.output
    return done.stdout
