"""Rows of the database as values of the domain, and back."""

from typing import Final

import orjson
from asyncpg import Record

from recollect.domain.api_key import ApiKey, KeyScope
from recollect.domain.audit import AuditAction, AuditEntry
from recollect.domain.message import NO_DETAILS, AnswerDetails, Message, Role
from recollect.domain.session import Session
from recollect.domain.text import JsonObject

_ROLES: Final = {str(role): role for role in Role}  # a third of the time of Role(…)


def to_json(value: JsonObject) -> str:
    """JSON text as PostgreSQL takes it."""
    return orjson.dumps(value, default=dict).decode()


def session_from(row: Record) -> Session:
    """A row of `sessions`."""
    return Session(
        session_id=row["session_id"],
        name=row["name"],
        metadata=orjson.loads(row["metadata"]),
        databases=tuple(row["databases"]),
        tags=tuple(row["tags"]),
        created_at=row["created_at"],
        updated_at=row["updated_at"],
        last_accessed_at=row["last_accessed_at"],
        expires_at=row["expires_at"],
        message_count=row["message_count"],
        turn_count=row["turn_count"],
        summary=row["summary"],
    )


def message_from(row: Record) -> Message:
    """A row of `messages`."""
    details = row["details"]
    return Message(
        message_id=row["message_id"],
        session_id=row["session_id"],
        sequence=row["sequence"],
        turn_number=row["turn_number"],
        role=_ROLES[row["role"]],
        content=row["content"],
        metadata=orjson.loads(row["metadata"]),
        details=NO_DETAILS if details is None else AnswerDetails.stored(orjson.loads(details)),
        created_at=row["created_at"],
    )


def api_key_from(row: Record) -> ApiKey:
    """A row of `api_keys`."""
    return ApiKey(
        key_id=row["key_id"],
        tenant=row["tenant_id"],
        user=row["user_id"],
        scopes=frozenset(KeyScope(scope) for scope in row["scopes"]),
        name=row["name"],
        secret_hash=row["secret_hash"],
        created_at=row["created_at"],
        revoked_at=row["revoked_at"],
    )


def audit_entry_from(row: Record) -> AuditEntry:
    """A row of `audit`."""
    return AuditEntry(
        action=AuditAction(row["action"]),
        target=row["target"],
        count=row["count"],
        actor=row["actor"],
        transaction_id=row["transaction_id"],
        at=row["at"],
    )
