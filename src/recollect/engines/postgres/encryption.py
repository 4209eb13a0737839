"""What is encrypted in PostgreSQL: counted, encrypted later, and its keys rewrapped."""

from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, TypeAlias
from uuid import UUID

import orjson

from recollect.concurrency import off_loop
from recollect.domain.identity.scope import SYSTEM_TENANT
from recollect.engines.owner_keys import check_keys
from recollect.engines.postgres.connection.content import (
    is_stored_encrypted,
    keyed_id,
    plain_value,
    stored_json,
    stored_object,
    stored_text,
)
from recollect.engines.postgres.connection.database import Database, PostgresStore, Transaction
from recollect.engines.postgres.connection.owner_keys import wrapped_key
from recollect.errors import ErasureUnderWay, Unavailable
from recollect.ports.privacy.encryption import (
    KeyWrapper,
    OwnerCipher,
    RowCounts,
    WrappedKey,
)

_FIRST: Final = UUID(int=0)
_PAGE: Final = 200
_TRIES: Final = 5
"""How often a page is read again whose rows others change all the time."""
_MAX_COUNT: Final = 32_767  # the largest smallint
Row: TypeAlias = Mapping[str, Any]
Encrypted: TypeAlias = dict[str, Any]


def _json_value(cipher: OwnerCipher, text: str) -> orjson.Fragment:
    return orjson.Fragment(stored_json(cipher, text))


def _json_object(cipher: OwnerCipher, text: str) -> orjson.Fragment:
    return orjson.Fragment(stored_object(cipher, text))


@dataclass(frozen=True, slots=True, kw_only=True)
class EncryptedTable:
    """A table with content: how its rows are paged through, and which columns are encrypted."""

    name: str
    page: str
    """The statement that reads a page."""
    update: str
    """The statement that stores encrypted rows."""
    start: Mapping[str, tuple[str, Any]]
    """The parameters of a page that say after which row it starts: the column, and its least."""
    texts_of: tuple[str, ...] = ()
    json_of: tuple[str, ...] = ()
    hashes: tuple[str, ...] = ()
    """Columns with hashes of content, which are keyed."""
    encrypt_json: Callable[[OwnerCipher, str], orjson.Fragment] = _json_object

    def after(self, row: Row | None) -> dict[str, Any]:
        """The parameters of the page after a row, or of the first."""
        return {
            parameter: least if row is None else row[column]
            for parameter, (column, least) in self.start.items()
        }

    @property
    def _first(self) -> str:
        return (*self.texts_of, *self.json_of)[0]

    def contents(self, row: Row) -> Iterator[str]:
        """All content of a row; a free object that is empty tells nothing."""
        for name in (*self.texts_of, *self.json_of):
            is_free = name in self.json_of and self.encrypt_json is _json_object
            if row[name] is not None and not (is_free and row[name] == "{}"):
                yield row[name]

    def has_plain(self, row: Row) -> bool:
        """Whether a row has content that is not encrypted."""
        return not all(map(is_stored_encrypted, self.contents(row)))

    def encrypted(self, row: Row, cipher: OwnerCipher) -> Encrypted:
        """The row as it is to be stored."""
        columns = dict(row)
        for names, store, kept in (
            (self.texts_of, stored_text, str),
            (self.json_of, self.encrypt_json, orjson.Fragment),
        ):
            for name in names:
                if is_stored_encrypted(row[name]):
                    columns[name] = kept(row[name])
                elif row[name] is not None:
                    columns[name] = store(cipher, plain_value(None, row[name]))
        # Of a row whose first text is encrypted they are keyed already.
        for name in () if is_stored_encrypted(row[self._first]) else self.hashes:
            if row[name] is not None:
                columns[name] = keyed_id(cipher, row[name])
        return columns


@dataclass(frozen=True, slots=True, kw_only=True)
class _EntryTable(EncryptedTable):
    """Recall entries, whose words are keyed, too."""

    def encrypted(self, row: Row, cipher: OwnerCipher) -> Encrypted:
        """The row as it is to be stored; words that have one number now are counted together."""
        counts: dict[int, int] = {}
        for term, count in zip(row["terms"], row["counts"], strict=True):
            number = cipher.keyed_number(term)
            counts[number] = min(counts.get(number, 0) + count, _MAX_COUNT)
        columns = EncryptedTable.encrypted(self, row, cipher)
        return columns | {"terms": list(counts), "counts": list(counts.values())}


_AFTER_SESSION: Final = {"after_session": ("session_id", _FIRST)}
_AFTER_PLACE: Final = {**_AFTER_SESSION, "after_sequence": ("sequence", 0)}
MESSAGES: Final = EncryptedTable(
    name="messages",
    page="page_of_messages",
    update="encrypt_messages",
    start=_AFTER_PLACE,
    texts_of=("content",),
    json_of=("metadata", "details"),
)
TABLES: Final = (
    EncryptedTable(
        name="sessions",
        page="page_of_sessions",
        update="encrypt_sessions",
        start=_AFTER_SESSION,
        texts_of=("name",),
        json_of=("metadata",),
    ),
    MESSAGES,
    EncryptedTable(
        name="summaries",
        page="page_of_summaries",
        update="encrypt_summaries",
        start=_AFTER_SESSION,
        texts_of=("text",),
    ),
    EncryptedTable(
        name="profile_values",
        page="page_of_profile_values",
        update="encrypt_profile_values",
        start={"after_key": ("key", "")},
        json_of=("value",),
        encrypt_json=_json_value,
    ),
    _EntryTable(
        name="recall_entries",
        page="page_of_recall_entries",
        update="encrypt_recall_entries",
        start=_AFTER_PLACE,
        texts_of=("text",),
    ),
    EncryptedTable(
        name="facts",
        page="page_of_facts",
        update="encrypt_facts",
        start={"after_fact": ("fact_id", _FIRST)},
        texts_of=("content", "quote", "searched"),
        hashes=("gist",),
    ),
    EncryptedTable(
        name="fact_changes",
        page="page_of_fact_changes",
        update="encrypt_fact_changes",
        start={"after_fact": ("fact_id", _FIRST), "after_version": ("version", 0)},
        texts_of=("content", "statement", "reason"),
        hashes=("statement_gist",),
    ),
)
"""All tables with content."""


async def pages(
    database: Database, owner_id: UUID, table: EncryptedTable, *, as_stored: bool = False
) -> AsyncIterator[list[Any]]:
    """All rows of an owner page by page, with plain text, or as they are stored."""
    last: Row | None = None
    while True:
        async with database.transaction(owner_id) as transaction:
            read = transaction.stored_rows if as_stored else transaction.rows
            rows = await read(table.page, **table.after(last), limit=_PAGE)
        if not rows:
            return
        yield rows
        last = rows[-1]


class PostgresCiphers:
    """Implements `recollect.ports.privacy.encryption.OwnerCiphers` with the keys of a database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @property
    def is_on(self) -> bool:
        """Whether content is encrypted when it is stored."""
        return self._database.keys.is_on

    async def find(self, owner_id: UUID) -> OwnerCipher | None:
        """Return the owner's cipher, or None."""
        key = await self._database.data_key(owner_id)
        return None if key is None else key.cipher

    async def find_or_create(self, owner_id: UUID) -> OwnerCipher:
        """Return the cipher that the owner's content is to be encrypted with now."""
        key = await self._database.data_key(owner_id, for_writing=True)
        assert key is not None  # noqa: S101  # only asked where encryption is on
        return key.cipher


class PostgresKeyCheck(PostgresStore):
    """Compares the keys in the database with the master keys that are set, if any are."""

    async def check(self) -> None:
        """See `Stores.check_keys`."""
        rows = await self._database.run_for_all("sample_owner_keys", at=self._clock.now())
        samples = [(row["owner_id"], wrapped_key(row)) for row in rows]
        check_keys(self._database.keys.wrapper, samples)


class PostgresEncryptionStore(PostgresStore):
    """Reads and rewraps `recollect_keys.owner_keys`, and encrypts plain rows of all tables."""

    async def key_counts(self) -> Mapping[str, int]:
        rows = await self._database.run_for_all("count_keys_by_master", at=self._clock.now())
        return {row["master_key_id"]: row["number"] for row in rows}

    @property
    def master_key_id(self) -> str:
        return self._wrapper.current_id

    async def rewrap_some(self, *, limit: int) -> Mapping[str, int]:
        wrapper, current = self._wrapper, self.master_key_id
        async with self._database.work_in_transaction(now=self._clock.now()) as work:
            rows = await work("keys_to_rewrap", current=current, limit=limit)
            wrapped = [
                wrapper.rewrap(owner_id, WrappedKey(key_id, bytes(key))).wrapped
                for owner_id, key, key_id, _ in rows
            ]
            owner_ids = [row["owner_id"] for row in rows]
            await work("rewrap_keys", current=current, owner_ids=owner_ids, wrapped=wrapped)
        return Counter(row["tenant_id"] or SYSTEM_TENANT for row in rows)

    @property
    def _wrapper(self) -> KeyWrapper:
        wrapper = self._database.keys.wrapper
        assert wrapper is not None  # noqa: S101  # there is no such store without one
        return wrapper

    async def count_rows(self, owner_id: UUID) -> AsyncIterator[tuple[str, RowCounts]]:
        for table in TABLES:
            yield table.name, RowCounts()
            async for rows in pages(self._database, owner_id, table, as_stored=True):
                has_plain = [table.has_plain(row) for row in rows if any(table.contents(row))]
                plain = sum(has_plain)
                yield table.name, RowCounts(encrypted=len(has_plain) - plain, plain=plain)

    async def encrypt_rows(self, owner_id: UUID) -> AsyncIterator[int]:
        try:
            for table in TABLES:
                async for count in self._encrypt_table(owner_id, table):
                    yield count
            await self._database.run("complete_owner_key", owner_id=owner_id)
            self.forget(owner_id)
        except ErasureUnderWay:
            return

    def forget(self, owner_id: UUID) -> None:
        """See `OwnerCache.forget`."""
        self._database.keys.forget(owner_id)

    async def _encrypt_table(self, owner_id: UUID, table: EncryptedTable) -> AsyncIterator[int]:
        last: Row | None = None
        while True:
            for _ in range(_TRIES):
                async with self._database.transaction(owner_id) as transaction:
                    after = table.after(last)
                    rows = await transaction.stored_rows(table.page, **after, limit=_PAGE)
                    plain = [row for row in rows if table.has_plain(row)]
                    if plain:
                        await _store(transaction, table, plain)
                if not plain:
                    break
                yield len(plain)
            else:  # complete is only what nothing plain is left of
                raise Unavailable(f"rows of {table.name} change too fast; encrypt again")
            if not rows:
                return
            last = rows[-1]


async def _store(transaction: Transaction, table: EncryptedTable, plain: list[Any]) -> None:
    encrypt = partial(_as_json, table, plain, await transaction.cipher())
    characters = sum(len(text) for row in plain for text in table.contents(row))
    rows = await off_loop(encrypt, characters=characters)
    await transaction.stored_rows(table.update, rows=rows)


def _as_json(table: EncryptedTable, rows: list[Any], cipher: OwnerCipher) -> str:
    return orjson.dumps([table.encrypted(row, cipher) for row in rows], default=str).decode()
