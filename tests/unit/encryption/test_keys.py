"""Master keys as operators set them, and the bounded cache of the keys that they unwrap."""

from base64 import b64encode
from uuid import UUID, uuid4

import pytest

from recollect.domain.privacy.encrypted import parse_master_keys
from recollect.engines.owner_keys import OwnerKeys, StoredKey
from recollect.errors import (
    ConfigurationError,
    ContentUnreadable,
    ErasureUnderWay,
    InvalidInput,
)
from recollect.ports.privacy.encryption import WrappedKey
from recollect.settings import load_settings
from support.encryption import FIRST_KEY, SECOND_KEY, master_keys
from support.tables import for_each

FIRST, SECOND = (b64encode(key).decode() for key in (FIRST_KEY, SECOND_KEY))


def test_a_key_without_an_id_is_called_by_its_fingerprint() -> None:
    ((key_id, key),) = parse_master_keys(FIRST).items()
    assert key == FIRST_KEY
    assert len(key_id) == 8
    assert parse_master_keys(f" {FIRST} ") == {key_id: key}


def test_several_keys_have_ids_and_the_first_is_current() -> None:
    keys = parse_master_keys(f"2026-b:{SECOND}, 2026-a:{FIRST}")
    assert list(keys.items()) == [("2026-b", SECOND_KEY), ("2026-a", FIRST_KEY)]


@for_each(
    ("text", "problem"),
    [
        ("", "number 1 has 0 bytes"),
        ("short", "number 1 is no base64"),
        (b64encode(b"x" * 16).decode(), "number 1 has 16 bytes"),
        (f"a:{FIRST},a:{SECOND}", "number 2 has the id of one before it"),
        (f"{FIRST},", "number 2 has 0 bytes"),
        (f"a b:{FIRST}", "number 1 has an id"),
        (f":{FIRST}", "number 1 has an id"),
    ],
)
def test_malformed_keys_are_refused_and_never_shown(text: str, problem: str) -> None:
    with pytest.raises(InvalidInput, match=problem) as refused:
        parse_master_keys(text)
    assert FIRST not in str(refused.value)
    with pytest.raises(ConfigurationError) as stopped:
        load_settings(encryption_key=text)
    assert "MEMORY_ENCRYPTION_KEY" in str(stopped.value)
    assert FIRST not in str(stopped.value)


class KeyTable:
    """Stored keys, and how often one was looked for."""

    def __init__(self) -> None:
        self.rows: dict[UUID, StoredKey] = {}
        self.looked = 0

    async def find(self, owner_id: UUID) -> StoredKey | None:
        self.looked += 1
        return self.rows.get(owner_id)

    async def create(self, owner_id: UUID, new: WrappedKey) -> StoredKey:
        return self.rows.setdefault(owner_id, StoredKey(new))


async def test_a_key_is_created_once_cached_and_looked_for_again_before_a_later_write() -> None:
    table, keys, owner = KeyTable(), OwnerKeys(master_keys(), fresh_seconds=0.05), uuid4()
    assert await keys.find(owner, table) is None
    created, is_new = await keys.find_or_create(owner, table)
    assert is_new
    found, is_new = await keys.find_or_create(owner, table)
    assert not is_new
    assert found.cipher.encrypt("a") == created.cipher.encrypt("a")
    looked = table.looked
    for _ in range(3):
        assert await keys.find(owner, table) is found
    assert table.looked == looked
    keys.fresh_seconds = 0
    await keys.find_or_create(owner, table)
    assert table.looked == looked + 1


async def test_no_more_keys_are_cached_than_the_bound_and_a_forgotten_one_is_gone() -> None:
    table, keys = KeyTable(), OwnerKeys(master_keys(), max_owners=2)
    owners = [uuid4() for _ in range(3)]
    for owner in owners:
        await keys.find_or_create(owner, table)
        await keys.find(owner, table)
    keys.forget(owners[2])
    before = table.looked
    for owner in owners:
        await keys.find(owner, table)
    assert table.looked == before + 2


async def test_a_destroyed_key_refuses_writes() -> None:
    table, keys, owner = KeyTable(), OwnerKeys(master_keys()), uuid4()
    table.rows[owner] = StoredKey(None)
    with pytest.raises(ErasureUnderWay):
        await keys.find_or_create(owner, table)


async def test_a_key_rotated_to_a_master_key_that_this_process_lacks_is_unavailable() -> None:
    """Others are served, and a restart with both keys helps; users learn no names of keys."""
    table, keys, owner = KeyTable(), OwnerKeys(master_keys(old=FIRST_KEY)), uuid4()
    table.rows[owner] = StoredKey(master_keys(new=SECOND_KEY).create(owner))
    with pytest.raises(ContentUnreadable) as raised:
        await keys.find(owner, table)
    assert "new" not in str(raised.value)
