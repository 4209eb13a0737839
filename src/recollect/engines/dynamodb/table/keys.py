"""The keys of the table's items: who owns them, and where they sort among the owner's.

Everything of an owner has the owner's id as `userId`. Items of a session sort beside each other,
its messages by number and then the session itself, so that one query read backwards returns a
session with its last messages. Everything else begins with '@', which no session id does.
"""

import hashlib
from collections.abc import Mapping
from typing import Final
from uuid import UUID

from recollect.engines.dynamodb.table.items import Attribute, Item

PARTITION: Final = "userId"
SORT: Final = "sessionKey"
LAST_ACCESSED_INDEX: Final = "lastAccessed-index"
BY_TIME_INDEX: Final = "byTime-index"
BY_TIME: Final = "byTime"
WORK_INDEX: Final = "work-index"
WORK_QUEUE: Final = "workQueue"
WORK_DUE: Final = "workDue"
SHARDS: Final = 4
"""Parts of each queue: one part takes 1,000 writes a second."""
LAST: Final = "\U0010ffff"
"""Sorts after everything."""
OWNER: Final = "@owner"
STATE: Final = "@state"
CHAIN: Final = "@audit"
ENTRIES: Final = "@entries"
FACTS: Final = "@facts"
PROFILE: Final = "@profile"
ARCHIVES_PREFIX: Final = "@archive#"
"""What notes of archives begin with; the archive's address follows."""
TENANT_SETTINGS: Final = "@settings"
DATA_KEY: Final = "@datakey"
"""The key of an owner's content, in the table of keys."""


def keys_table(name: str) -> str:
    """What the table of data keys is called, beside the one that they encrypt."""
    return f"{name}-keys"


def key_of(owner_id: UUID, sort: str) -> Item:
    """The whole key of an item."""
    return {PARTITION: str(owner_id), SORT: sort}


def name_of(item: Mapping[str, Attribute | None]) -> tuple[str, str]:
    """The partition and sort key of an item."""
    return str(item[PARTITION]), str(item[SORT])


def owner_of(item: Mapping[str, Attribute | None]) -> UUID:
    """The owner of an item."""
    return UUID(str(item[PARTITION]))


def session_key(session_id: UUID) -> str:
    """A session; it sorts after its messages."""
    return f"{session_id}#session"


def messages_prefix(session_id: UUID, incarnation: str | None = None) -> str:
    """What the messages of a session begin with.

    A session that is started again under the same id is another incarnation: a late deletion of
    the one before never meets its messages.
    """
    prefix = f"{session_id}#message#"
    return prefix if incarnation is None else f"{prefix}{incarnation}#"


def message_key(session_id: UUID, incarnation: str, sequence: int, part: int = 0) -> str:
    """A message, or a further part of one that is too large for an item."""
    name = f"{messages_prefix(session_id, incarnation)}{sequence:012d}"
    return f"{name}#{part:04d}" if part else name


def known_session_key(session_id: UUID) -> str:
    """That a session exists: one small item, so that all sessions of an owner can be found."""
    return f"@session#{session_id}"


def message_id_key(message_id: UUID) -> str:
    """Where the message of an id is."""
    return f"@message#{message_id}"


def purge_key(session_id: UUID, incarnation: str, number: int) -> str:
    """What is deleted for readers already, and still has to be deleted from the table."""
    return f"@purge#{session_id}#{incarnation}#{number}"


def job_key(job_id: UUID) -> str:
    """A job."""
    return f"@job#{job_id}"


def entry_prefix(session_id: UUID, incarnation: str) -> str:
    """What the recall entries of a session begin with."""
    return f"@entry#{session_id}#{incarnation}#"


def entry_key(session_id: UUID, incarnation: str, sequence: int) -> str:
    """A recall entry, by the number of its first message."""
    return f"{entry_prefix(session_id, incarnation)}{sequence:012d}"


def audit_key(number: int) -> str:
    """An entry of the audit log."""
    return f"@audit#{number:012d}"


def api_key_key(key_id: UUID) -> str:
    """An API key."""
    return f"@key#{key_id}"


def fact_key(fact_id: UUID) -> str:
    """A fact."""
    return f"@fact#{fact_id}"


def fact_history_key(fact_id: UUID) -> str:
    """The history of a fact."""
    return f"@facthistory#{fact_id}"


def erasure_key(erasure_id: UUID) -> str:
    """An erasure."""
    return f"@erasure#{erasure_id}"


def queue_of(kind: str, owner_id: UUID) -> str:
    """The part of a queue that work for an owner waits in."""
    digest = hashlib.sha256(owner_id.bytes).digest()
    return f"{kind}#{digest[0] % SHARDS}"


def queues_of(kind: str) -> tuple[str, ...]:
    """All parts of a queue."""
    return tuple(f"{kind}#{shard}" for shard in range(SHARDS))
