"""Which parameters and columns of statements hold content, and how it is stored.

Stores give and get plain text: with a cipher, what they store is encrypted on its way to the
driver, and what they read is decrypted on its way back. Without one, a text that looks as if it
were encrypted is escaped, so that it is never taken for ciphertext.
See docs/decisions/0044-encryption-between-store-and-driver.md.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, Final, TypeAlias, cast
from uuid import UUID

import orjson
from asyncpg import Record

from recollect.concurrency import off_loop
from recollect.domain.privacy.encrypted import ENCRYPTED_PREFIX, ESCAPED_PREFIX, STORED_MARK
from recollect.errors import ContentUnreadable
from recollect.ports.privacy.encryption import OwnerCipher

_JSON_MEMBER: Final = "encrypted"
_JSON_START: Final = f'{{"{_JSON_MEMBER}":"'
_MARKED: Final = (STORED_MARK, _JSON_START + STORED_MARK)
_ENCRYPTED: Final = (ENCRYPTED_PREFIX, _JSON_START + ENCRYPTED_PREFIX)
Cipher: TypeAlias = OwnerCipher | None
"""None: content is stored plain."""
Store: TypeAlias = Callable[[Cipher, Any], Any]
"""Returns the stored form of a parameter."""


def stored_text(cipher: Cipher, text: str) -> str:
    """A text as it is stored."""
    if cipher is not None:
        return cipher.encrypt(text)
    return ESCAPED_PREFIX + text if text.startswith(_MARKED) else text


def stored_json(cipher: Cipher, text: str) -> str:
    """JSON text as it is stored; encrypted or escaped, an object that SQL can add members to."""
    stored = stored_text(cipher, text)
    return text if stored == text else orjson.dumps({_JSON_MEMBER: stored}).decode()


def stored_object(cipher: Cipher, text: str) -> str:
    """The same of a free object, which tells nothing if it is empty."""
    return text if text == "{}" else stored_json(cipher, text)


def keyed_id(cipher: Cipher, given: str | UUID) -> str:
    """A hash of content as it is stored: nobody without the key can look a guess up."""
    if cipher is None:
        return str(given)
    return str(cipher.keyed_id(given if isinstance(given, UUID) else UUID(given)))


def _each(store: Store) -> Store:
    def all_of(cipher: Cipher, values: Iterable[Any]) -> list[Any]:
        return [None if value is None else store(cipher, value) for value in values]

    return all_of


def _member_object(cipher: Cipher, value: Mapping[str, Any]) -> orjson.Fragment:
    """A free object inside of a JSON document."""
    return orjson.Fragment(stored_object(cipher, orjson.dumps(value).decode()))


def _either(cipher: Cipher, texts: Sequence[str]) -> list[str]:
    """Texts to be compared with stored ones, which may be plain or encrypted."""
    plain = [stored_text(None, text) for text in texts]
    return plain if cipher is None else [*plain, *map(cipher.encrypt, texts)]


def _members(**kinds: Store) -> Store:
    def of_object(cipher: Cipher, value: dict[str, Any]) -> dict[str, Any]:
        for name, one in kinds.items():
            if value.get(name) is not None:
                value[name] = one(cipher, value[name])
        return value

    return of_object


def _documents(**kinds: Store) -> Store:
    """Members of the objects in a list, which is JSON text."""
    of_object = _members(**kinds)

    def of_list(cipher: Cipher, text: str) -> str:
        return orjson.dumps([of_object(cipher, one) for one in orjson.loads(text)]).decode()

    return of_list


_MESSAGES: Final = {
    "contents": _each(stored_text),
    "metadata": _each(stored_object),
    "details": _each(stored_object),
}
_SESSION: Final = {"name": stored_text, "metadata": stored_object}
_SESSIONS: Final = _documents(
    name=stored_text, metadata=_member_object, summary=_members(text=stored_text)
)
_FACTS: Final = {
    "facts": _documents(
        content=stored_text, quote=stored_text, searched=stored_text, gist=keyed_id
    ),
    "changes": _documents(
        content=stored_text,
        statement=stored_text,
        reason=stored_text,
        statement_gist=keyed_id,
    ),
}
_COMPARED: Final = {"entries": _documents(texts=_either)}
CONTENT_PARAMETERS: Final[Mapping[str, Mapping[str, Store]]] = {
    "append_turns": {**_MESSAGES, "session_name": stored_text},
    "append_replies": _MESSAGES,
    "import_messages": _MESSAGES,
    "start_session": _SESSION,
    "change_session": _SESSION,
    "name_sessions": {"names": _each(stored_text)},
    "import_sessions": {"sessions": _SESSIONS},
    "import_summaries": {"sessions": _SESSIONS},
    "put_summary": {"text": stored_text},
    "put_profile_value": {"value": stored_json},
    "import_profile": {"values": _each(stored_json)},
    "commit_facts": _FACTS,
    "import_facts": _FACTS,
    "replace_entries": {"entries": _documents(text=stored_text)},
    "embed_entries": _COMPARED,
    "claim_entries": _COMPARED,
}
"""The parameters of each statement that hold content."""
CONTENT_COLUMNS: Final = frozenset(
    {
        *("content", "details", "metadata", "name", "question", "quote", "reason", "searched"),
        *("session_metadata", "statement", "summary", "text", "value"),
    }
)
"""What columns with content are called, in whichever statement."""


async def stored_parameters(
    name: str, parameters: Mapping[str, Any], cipher: Cipher
) -> Mapping[str, Any]:
    """The parameters of a statement as they are stored; long ones are worked on in a thread."""
    kinds = CONTENT_PARAMETERS[name]
    given = {key: parameters[key] for key in kinds if parameters[key] is not None}
    if cipher is None and not any(map(_has_mark, given.values())):
        return parameters

    def store() -> dict[str, Any]:
        return {key: kinds[key](cipher, value) for key, value in given.items()}

    characters = sum(map(_characters, given.values()))
    return {**parameters, **await off_loop(store, characters=characters)}


def _has_mark(value: str | Sequence[str | None]) -> bool:
    """Whether there is something to escape, perhaps; JSON text has the mark by the letter."""
    if isinstance(value, str):
        return STORED_MARK in value
    return any(one is not None and STORED_MARK in one for one in value)


def _characters(value: str | Sequence[str | None]) -> int:
    return len(value) if isinstance(value, str) else sum(len(one or "") for one in value)


def content_columns(rows: Sequence[Record]) -> tuple[str, ...]:
    """The columns of a statement's rows that may hold content."""
    return tuple(name for name in rows[0].keys() if name in CONTENT_COLUMNS)  # noqa: SIM118  # values come first


def is_stored_encrypted(value: object) -> bool:
    """Whether a column's value is encrypted, as text or as JSON."""
    return isinstance(value, str) and value.startswith(_ENCRYPTED)


def marked_values(rows: Sequence[Record], columns: Sequence[str]) -> list[str]:
    """What is not to be read as it is, because it is encrypted or escaped.

    Every read asks this, also where nothing is encrypted: a window of ten messages takes 6 µs.
    """
    return [
        value
        for row in rows
        for name in columns
        if (value := row[name]) is not None and value.startswith(_MARKED)
    ]


async def plain_rows(
    rows: Sequence[Record], columns: Sequence[str], cipher: Cipher
) -> list[Record]:
    """Rows with plain text; many are decrypted in a thread."""
    characters = sum(len(row[name] or "") for row in rows for name in columns)
    return await off_loop(partial(_plain_rows, rows, columns, cipher), characters=characters)


def _plain_rows(rows: Sequence[Record], columns: Sequence[str], cipher: Cipher) -> list[Record]:
    return [_plain_row(row, columns, cipher) for row in rows]


def _plain_row(row: Record, columns: Sequence[str], cipher: Cipher) -> Record:
    changed = {
        name: plain_value(cipher, row[name])
        for name in columns
        if row[name] is not None and row[name].startswith(_MARKED)
    }
    # A mapping of columns by their names, as the driver's own rows are.
    return cast("Record", {**row, **changed}) if changed else row


def plain_value(cipher: Cipher, stored: str) -> str:
    """The text, or the JSON text, that a column's value stands for."""
    if not stored.startswith(_MARKED):
        return stored
    if not stored.startswith(_JSON_START):
        return _plain_text(cipher, stored)
    members = orjson.loads(stored)
    text = _plain_text(cipher, members.pop(_JSON_MEMBER))
    if not members:
        return text
    # What SQL has added, such as the database of a session.
    return orjson.dumps({**orjson.loads(text), **members}).decode()


def _plain_text(cipher: Cipher, stored: str) -> str:
    if stored.startswith(ESCAPED_PREFIX):
        return stored.removeprefix(ESCAPED_PREFIX)
    if cipher is None:
        raise ContentUnreadable("it is encrypted, and there is no key")
    return cipher.decrypt(stored)
