"""Which parameters and columns of statements hold content, and their encrypted form.

Stores give and get plain text: what they store is encrypted on its way to the driver, and what they
read is decrypted on its way back. See docs/decisions/0044-encryption-between-store-and-driver.md.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, Final, TypeAlias, cast
from uuid import UUID

import orjson
from asyncpg import Record

from recollect.concurrency import off_loop
from recollect.domain.privacy.encrypted import ENCRYPTED_PREFIX
from recollect.ports.encryption import OwnerCipher

_JSON_MEMBER: Final = "encrypted"
_JSON_PREFIX: Final = f'{{"{_JSON_MEMBER}":"{ENCRYPTED_PREFIX}'
_PREFIXES: Final = (ENCRYPTED_PREFIX, _JSON_PREFIX)
_EMPTY: Final = (None, "{}")
Encrypt: TypeAlias = Callable[[OwnerCipher, Any], Any]


def encrypted_text(cipher: OwnerCipher, text: str) -> str:
    """A text as it is stored."""
    return cipher.encrypt(text)


def encrypted_json(cipher: OwnerCipher, text: str) -> str:
    """JSON text as it is stored: an object that SQL can add members to."""
    return f'{{"{_JSON_MEMBER}":"{cipher.encrypt(text)}"}}'


def encrypted_object(cipher: OwnerCipher, text: str) -> str:
    """The same of a free object, which tells nothing if it is empty."""
    return text if text in _EMPTY else encrypted_json(cipher, text)


def keyed_id(cipher: OwnerCipher, given: str | UUID) -> str:
    """A hash of content as it is stored: nobody without the key can look a guess up."""
    return str(cipher.keyed_id(given if isinstance(given, UUID) else UUID(given)))


def _each(encrypt: Encrypt) -> Encrypt:
    def all_of(cipher: OwnerCipher, values: Iterable[Any]) -> list[Any]:
        return [None if value is None else encrypt(cipher, value) for value in values]

    return all_of


def _member_object(cipher: OwnerCipher, value: Mapping[str, Any]) -> Any:  # noqa: ANN401  # JSON
    """A free object inside of a JSON document."""
    if not value:
        return value
    return {_JSON_MEMBER: cipher.encrypt(orjson.dumps(value).decode())}


def _either(cipher: OwnerCipher, texts: Sequence[str]) -> list[str]:
    """Texts to be compared with stored ones, which may be plain or encrypted."""
    return [*texts, *map(cipher.encrypt, texts)]


def _members(**encrypt: Encrypt) -> Encrypt:
    def of_object(cipher: OwnerCipher, value: dict[str, Any]) -> dict[str, Any]:
        for name, one in encrypt.items():
            if value.get(name) is not None:
                value[name] = one(cipher, value[name])
        return value

    return of_object


def _documents(**encrypt: Encrypt) -> Encrypt:
    """Members of the objects in a list, which is JSON text."""
    of_object = _members(**encrypt)

    def of_list(cipher: OwnerCipher, text: str) -> str:
        return orjson.dumps([of_object(cipher, one) for one in orjson.loads(text)]).decode()

    return of_list


_MESSAGES: Final = {
    "contents": _each(encrypted_text),
    "metadata": _each(encrypted_object),
    "details": _each(encrypted_object),
}
_SESSION: Final = {"name": encrypted_text, "metadata": encrypted_object}
_SESSIONS: Final = _documents(
    name=encrypted_text, metadata=_member_object, summary=_members(text=encrypted_text)
)
_FACTS: Final = {
    "facts": _documents(
        content=encrypted_text, quote=encrypted_text, searched=encrypted_text, gist=keyed_id
    ),
    "changes": _documents(
        content=encrypted_text,
        statement=encrypted_text,
        reason=encrypted_text,
        statement_gist=keyed_id,
    ),
}
_COMPARED: Final = {"entries": _documents(texts=_either)}
ENCRYPTED_PARAMETERS: Final[Mapping[str, Mapping[str, Encrypt]]] = {
    "append_turns": {**_MESSAGES, "session_name": encrypted_text},
    "append_replies": _MESSAGES,
    "import_messages": _MESSAGES,
    "start_session": _SESSION,
    "change_session": _SESSION,
    "name_sessions": {"names": _each(encrypted_text)},
    "import_sessions": {"sessions": _SESSIONS},
    "import_summaries": {"sessions": _SESSIONS},
    "put_summary": {"text": encrypted_text},
    "put_profile_value": {"value": encrypted_json},
    "import_profile": {"values": _each(encrypted_json)},
    "commit_facts": _FACTS,
    "import_facts": _FACTS,
    "replace_entries": {"entries": _documents(text=encrypted_text)},
    "embed_entries": _COMPARED,
    "claim_entries": _COMPARED,
}
"""What is encrypted of each statement's parameters."""
CONTENT_COLUMNS: Final = frozenset(
    {
        *("content", "details", "metadata", "name", "question", "quote", "reason", "searched"),
        *("session_metadata", "statement", "summary", "text", "value"),
    }
)
"""What columns with content are called, in whichever statement."""


async def encrypt_parameters(
    name: str, parameters: Mapping[str, Any], cipher: OwnerCipher
) -> dict[str, Any]:
    """The parameters of a statement as they are stored; long ones are encrypted in a thread."""
    kinds = ENCRYPTED_PARAMETERS[name]
    given = {key: parameters[key] for key in kinds if parameters[key] is not None}

    def encrypt() -> dict[str, Any]:
        return {key: kinds[key](cipher, value) for key, value in given.items()}

    characters = sum(map(_characters, given.values()))
    return {**parameters, **await off_loop(encrypt, characters=characters)}


def _characters(value: str | Sequence[str | None]) -> int:
    return len(value) if isinstance(value, str) else sum(len(one or "") for one in value)


def content_columns(rows: Sequence[Record]) -> tuple[str, ...]:
    """The columns of a statement's rows that may hold content."""
    return tuple(name for name in rows[0].keys() if name in CONTENT_COLUMNS)  # noqa: SIM118  # values come first


def is_stored_encrypted(value: object) -> bool:
    """Whether a column's value is encrypted, as text or as JSON."""
    return isinstance(value, str) and value.startswith(_PREFIXES)


def has_encrypted(rows: Sequence[Record], columns: Sequence[str]) -> bool:
    """Whether a row holds something that is to be decrypted.

    Every read asks this, also where nothing is encrypted: a window of ten messages takes 6 µs.
    """
    for row in rows:
        for name in columns:
            value = row[name]
            if value is not None and value.startswith(_PREFIXES):
                return True
    return False


async def decrypt_rows(
    rows: Sequence[Record], columns: Sequence[str], cipher: OwnerCipher
) -> list[Record]:
    """Rows with plain text, as far as it was encrypted; many are decrypted in a thread."""
    characters = sum(len(row[name] or "") for row in rows for name in columns)
    decrypt = partial(_decrypted_rows, rows, columns, cipher)
    return await off_loop(decrypt, characters=characters)


def _decrypted_rows(
    rows: Sequence[Record], columns: Sequence[str], cipher: OwnerCipher
) -> list[Record]:
    return [_decrypted_row(row, columns, cipher) for row in rows]


def _decrypted_row(row: Record, columns: Sequence[str], cipher: OwnerCipher) -> Record:
    changed = {
        name: decrypted(cipher, row[name]) for name in columns if is_stored_encrypted(row[name])
    }
    # A mapping of columns by their names, as the driver's own rows are.
    return cast("Record", {**row, **changed}) if changed else row


def decrypted(cipher: OwnerCipher, stored: str) -> str:
    """The text, or the JSON text, that a column's value stands for."""
    if not stored.startswith(_JSON_PREFIX):
        return cipher.decrypt(stored)
    members = orjson.loads(stored)
    text = cipher.decrypt(members.pop(_JSON_MEMBER))
    if not members:
        return text
    # What SQL has added, such as the database of a session.
    return orjson.dumps({**orjson.loads(text), **members}).decode()
