"""Values for tests, made of random owners and ids: no two tests ever meet."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID, uuid4

from recollect.domain.context.compaction import CompactionPolicy, Summary
from recollect.domain.conversation.message import (
    NO_DETAILS,
    AnswerDetails,
    Message,
    NewMessage,
    Role,
)
from recollect.domain.conversation.session import NewSession, Session
from recollect.domain.identity.accounts import ApiKey, KeyScope, hash_secret
from recollect.domain.identity.scope import Scope, TenantScope
from recollect.domain.language import guess_language
from recollect.domain.summary.facts import Fact, facts_of
from recollect.domain.summary.sentences import split_sentences
from recollect.domain.text import JsonObject
from recollect.ports import Stores
from recollect.testing import FIRST_MOMENT

EVERY_KIND_OF_JSON: Final[JsonObject] = {
    "text": "quotes ' \" and \\ backslash",
    "empty": "",
    "unicode": "naïve, 数据库, العربية",
    "emoji": "👩‍👩‍👧 🧠",
    "integer": 9_007_199_254_740_993,
    "whole large float": 1e17,
    "negative": -1,
    "fraction": 0.1,
    "whole float": 1.0,
    "small float": 1e-300,
    "large float": 1e300,
    "true": True,
    "zero": 0,
    "null": None,
    "list": [1, "1", 1.0, None, [], {}],
    "nested": {"a": {"b": [{"c": None}]}},
    "": "an empty key",
}


def a_scope(tenant: str | None = None, user: str = "alice") -> Scope:
    """An owner nobody has used before, unless the tenant is given."""
    return Scope(
        tenant=tenant or f"tenant-{uuid4()}", user=user, actor="tester", transaction_id="tx-1"
    )


def a_tenant_scope(tenant: str | None = None) -> TenantScope:
    """A tenant nobody has used before, unless it is given."""
    return TenantScope(tenant=tenant or f"tenant-{uuid4()}", actor="tester", transaction_id="tx-1")


def a_session(session_id: UUID | None = None, *, name: str | None = None) -> NewSession:
    """A session about to be started."""
    return NewSession(session_id=session_id or uuid4(), name=name)


def a_message(
    role: str = "user",
    content: str = "What were the sales of 2024?",
    *,
    message_id: UUID | None = None,
    metadata: JsonObject | None = None,
    details: AnswerDetails = NO_DETAILS,
    created_at: datetime | None = None,
) -> NewMessage:
    """A message about to be stored."""
    return NewMessage(
        message_id=message_id or uuid4(),
        role=Role(role),
        content=content,
        metadata=metadata or {},
        details=details,
        created_at=created_at,
    )


def messages_of(*roles: str) -> list[NewMessage]:
    """One message for each of the roles, numbered in their texts."""
    return [a_message(role, f"{role} {number}") for number, role in enumerate(roles, start=1)]


def an_api_key(
    scope: TenantScope, *, name: str = "a key", created_at: datetime = FIRST_MOMENT
) -> ApiKey:
    """A service key of the tenant, as it is stored."""
    return ApiKey(
        key_id=uuid4(),
        tenant=scope.tenant,
        user=None,
        scopes=frozenset({KeyScope.SERVICE, KeyScope.ADMIN}),
        name=name,
        secret_hash=hash_secret(b"secret"),
        created_at=created_at,
    )


def a_summary(
    text: str = "They asked for the sales of 2024.",
    *,
    through: int,
    tables: tuple[str, ...] = (),
) -> Summary:
    """A summary of a session's messages from the first one on."""
    return Summary(
        text=text,
        first_sequence=1,
        last_sequence=through,
        tables=tables,
        method="by hand",
        created_at=FIRST_MOMENT,
    )


def seconds_on(seconds: float) -> datetime:
    """A moment so many seconds after the first one."""
    return FIRST_MOMENT + timedelta(seconds=seconds)


async def start_session(
    stores: Stores,
    scope: Scope,
    *,
    name: str | None = None,
    now: datetime = FIRST_MOMENT,
    expires_at: datetime | None = None,
) -> Session:
    """Start a session with nothing in it."""
    session, _ = await stores.sessions.start(
        scope, a_session(name=name), now=now, expires_at=expires_at
    )
    return session


async def append(
    stores: Stores,
    scope: Scope,
    session_id: UUID,
    *messages: NewMessage,
    reply_to: UUID | None = None,
    now: datetime = FIRST_MOMENT,
    compaction: CompactionPolicy | None = None,
) -> tuple[Message, ...]:
    """Store messages in a session that is known to exist."""
    appended = await stores.messages.append(
        scope, session_id, messages, reply_to=reply_to, now=now, compaction=compaction
    )
    assert appended is not None, "the session should exist"  # for tests
    return appended.messages


async def start_conversation(
    stores: Stores,
    scope: Scope,
    roles: Sequence[str] = ("user", "assistant"),
    *,
    now: datetime = FIRST_MOMENT,
) -> tuple[UUID, tuple[Message, ...]]:
    """Start a session with a message for each of the roles; its id, and the messages."""
    session = await start_session(stores, scope, now=now)
    stored = await append(stores, scope, session.session_id, *messages_of(*roles), now=now)
    return session.session_id, stored


async def summary_of(stores: Stores, scope: Scope, session_id: UUID) -> Summary | None:
    """Return the summary that is stored for a session, or None."""
    uncompacted = await stores.summaries.uncompacted(scope, session_id, limit=1)
    return uncompacted and uncompacted.summary


async def put_summary(
    stores: Stores, scope: Scope, session_id: UUID, summary: Summary, *, replaces: int
) -> bool:
    """Keep a summary of the messages that are there now."""
    uncompacted = await stores.summaries.uncompacted(scope, session_id, limit=1000)
    messages = uncompacted.messages if uncompacted else ()
    added = sum(replaces < message.sequence <= summary.last_sequence for message in messages)
    return await stores.summaries.put(scope, session_id, summary, replaces=replaces, added=added)


def facts_in(text: str) -> frozenset[Fact]:
    """Return the names, figures and wishes of a text."""
    language = guess_language(text)
    sentences = split_sentences(text)
    return frozenset(fact for one in sentences for fact in facts_of(one, language=language))
