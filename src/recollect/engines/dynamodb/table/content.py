"""Which attributes of items hold content, and how content is stored.

Stores give and get plain text: with the owner's data key, what they store is encrypted on its way
to DynamoDB, and what they read is decrypted on its way back. An encrypted attribute is binary, a
plain one is a text: nobody can paste a text that is taken for ciphertext, and items from before
encryption was on live beside others.
See docs/decisions/0048-dynamodb.md.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import partial
from typing import Final, Protocol, TypeAlias
from uuid import UUID

from recollect.concurrency import off_loop
from recollect.engines.dynamodb.table.items import Attribute, Item
from recollect.engines.dynamodb.table.keys import PROFILE, SORT, owner_of
from recollect.engines.owner_keys import KeyStore, OwnerKeys
from recollect.errors import ContentUnreadable
from recollect.ports.privacy.encryption import OwnerCipher

NewItem: TypeAlias = Mapping[str, Attribute | None]
_FORM: Final = b"\1"
"""The first byte of what is encrypted, for forms to come."""
_SESSION: Final = ("sessions", ("name", "metadata", "summary"))
_MESSAGE: Final = ("messages", ("content", "metadata", "details", "part"))
_OTHERS: Final = {
    PROFILE: ("profiles", ("values",)),
    "@entry": ("recall_entries", ("entry",)),
    "@fact": ("facts", ("fact",)),
    "@facthistory": ("fact_histories", ("changes",)),
}
_NOTHING: Final[tuple[None, tuple[str, ...]]] = (None, ())
CONTENT_KINDS: Final = (_SESSION[0], _MESSAGE[0], *(kind for kind, _ in _OTHERS.values()))
"""What items with content are, as `recollect encryption status` calls them."""


def content_of(sort: str) -> tuple[str | None, tuple[str, ...]]:
    """What kind of content the item of a sort key has, and in which attributes."""
    if not sort.startswith("@"):
        return _SESSION if sort.endswith("#session") else _MESSAGE
    return _OTHERS.get(sort.partition("#")[0], _NOTHING)


def plain_content(item: NewItem) -> dict[str, str]:
    """The content of an item that is not encrypted, by attribute."""
    names = content_of(str(item[SORT]))[1]
    return {name: value for name in names if isinstance(value := item.get(name), str)}


def encrypted_content(item: NewItem) -> dict[str, bytes]:
    """The content of an item as it is stored that is encrypted, by attribute."""
    names = content_of(str(item[SORT]))[1]
    return {name: value for name in names if isinstance(value := item.get(name), bytes)}


def encrypted_attributes(cipher: OwnerCipher, item: NewItem) -> dict[str, bytes]:
    """The plain content of an item as it is stored, by attribute.

    It is bound to its place: copied into another item or attribute, it cannot be decrypted.
    """
    return {
        name: _FORM + cipher.encrypt_bytes(text.encode(), context=_place(item, name))
        for name, text in plain_content(item).items()
    }


def _place(item: NewItem, name: str) -> bytes:
    return f"{item[SORT]!s}#{name}".encode()


class ItemContent(Protocol):
    """What a table does with the content of its items."""

    async def stored(self, items: Sequence[NewItem]) -> Sequence[NewItem]:
        """Return new items as they are stored."""

    async def read(self, items: Sequence[Item]) -> Sequence[Item]:
        """Return stored items as stores work on them."""


class KeyItemStore(KeyStore, Protocol):
    """Where the data keys of a table's owners are."""

    async def has_any(self) -> bool:
        """Return whether any owner has a key."""


class KeyedContent:
    """Implements `ItemContent` with the data keys of owners; without a master key, in plain text.

    What cannot be decrypted is never returned as if it were text.
    """

    def __init__(self, keys: OwnerKeys, store: KeyItemStore | None = None) -> None:
        self.keys = keys
        self._store = store

    async def stored(self, items: Sequence[NewItem]) -> Sequence[NewItem]:
        """Encrypt content; an owner's first key is created."""
        if not self.keys.is_on:
            await self._refuse_plain(items)
            return items
        ciphers = {owner: await self.cipher(owner) for owner in _owners(items, has=plain_content)}
        if not ciphers:
            return items
        characters = sum(len(text) for item in items for text in plain_content(item).values())
        return await off_loop(partial(_encrypted, items, ciphers), characters=characters)

    async def _refuse_plain(self, items: Sequence[NewItem]) -> None:
        """Refuse content once others encrypt what they store."""
        if self._store is not None and any(map(plain_content, items)):
            await self.keys.look_for_keys(self._store.has_any)
            self.keys.refuse_plain()

    async def read(self, items: Sequence[Item]) -> Sequence[Item]:
        """Decrypt content; what is plain stays as it is."""
        owners = _owners(items, has=encrypted_content)
        if not owners:
            return items
        try:
            return await self._decrypted(items, owners)
        except ContentUnreadable:
            # An owner who was erased and is back has another key than the one that is cached.
            for owner in owners:
                self.keys.forget(owner)
            return await self._decrypted(items, owners)

    async def _decrypted(self, items: Sequence[Item], owners: Collection[UUID]) -> Sequence[Item]:
        ciphers = {owner: await self._existing(owner) for owner in owners}
        characters = sum(len(data) for item in items for data in encrypted_content(item).values())
        return await off_loop(partial(_decrypted, items, ciphers), characters=characters)

    async def cipher(self, owner_id: UUID) -> OwnerCipher:
        """The cipher that the owner's content is to be encrypted with now."""
        assert self._store is not None  # noqa: S101  # only asked where encryption is on
        return (await self.keys.find_or_create(owner_id, self._store))[0].cipher

    async def find(self, owner_id: UUID) -> OwnerCipher | None:
        """The owner's cipher, for reading; None without a key."""
        if self._store is None:
            return None
        key = await self.keys.find(owner_id, self._store)
        return None if key is None else key.cipher

    async def _existing(self, owner_id: UUID) -> OwnerCipher:
        cipher = await self.find(owner_id)
        if cipher is None:
            problem = (
                "the key of its owner is not there"
                if self.keys.is_on
                else "MEMORY_ENCRYPTION_KEY is not set"
            )
            raise ContentUnreadable(f"it is encrypted, and {problem}")
        return cipher


class AsStored:
    """Implements `ItemContent` for who works on content as it is stored, perhaps encrypted."""

    async def stored(self, items: Sequence[NewItem]) -> Sequence[NewItem]:
        """Change nothing."""
        return items

    async def read(self, items: Sequence[Item]) -> Sequence[Item]:
        """Change nothing."""
        return items


class Sealed:
    """Implements `ItemContent` for who needs no content: it is left out, encrypted or not.

    So the work for all owners goes on where the content of one cannot be read.
    """

    async def stored(self, items: Sequence[NewItem]) -> Sequence[NewItem]:
        """Refuse to store an item whose content was left out."""
        assert not any(content_of(str(item[SORT]))[0] for item in items)  # noqa: S101  # a mistake
        return items

    async def read(self, items: Sequence[Item]) -> Sequence[Item]:
        """Leave content out."""
        return [
            {name: value for name, value in item.items() if name not in hidden}
            for item in items
            for hidden in [content_of(str(item[SORT]))[1]]
        ]


def _owners(
    items: Iterable[NewItem], *, has: Callable[[NewItem], Mapping[str, object]]
) -> set[UUID]:
    return {owner_of(item) for item in items if has(item)}


def _encrypted(items: Sequence[NewItem], ciphers: Mapping[UUID, OwnerCipher]) -> list[NewItem]:
    return [
        {**item, **encrypted_attributes(ciphers[owner_of(item)], item)}
        if plain_content(item)
        else item
        for item in items
    ]


def _decrypted(items: Sequence[Item], ciphers: Mapping[UUID, OwnerCipher]) -> list[Item]:
    return [
        {**item, **_texts(ciphers[owner_of(item)], item, found)} if found else item
        for item in items
        for found in [encrypted_content(item)]
    ]


def _texts(cipher: OwnerCipher, item: Item, encrypted: Mapping[str, bytes]) -> dict[str, str]:
    return {
        name: cipher.decrypt_bytes(data.removeprefix(_FORM), context=_place(item, name)).decode()
        for name, data in encrypted.items()
    }
