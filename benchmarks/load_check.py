"""What was acknowledged, beside what is stored."""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from uuid import UUID

from lean_http import LeanClient
from load_traffic import Ledger
from recollect.domain.conversation.message import Role
from recollect.domain.conversation.paging import Order, PageRequest
from recollect.domain.identity.scope import Scope
from recollect.errors import SessionNotFound
from recollect.memory import Memory
from recollect.settings import load_settings

_LOOKED_AT: Final = 200
"""Expired sessions that are asked for."""
_PAGE: Final = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """What the counts say."""

    acknowledged: int
    missing: int
    """Answers that are not stored, though their responses said so."""
    undeleted: int
    """Answers that are there, though their session was deleted before."""
    deleted_sessions: int

    def lines(self) -> Iterator[str]:
        """What is printed."""
        yield f"acknowledged answers: {self.acknowledged:,}; missing: {self.missing:,}"
        if self.deleted_sessions:
            yield f"deleted sessions: {self.deleted_sessions:,}; answers left: {self.undeleted:,}"


async def check_stored(home: Path, ledger: Ledger) -> Check:
    """Read every session again, and compare."""
    async with Memory.open(load_settings(home=home, embedding_model="none")) as memory:
        missing = 0
        for (user, session_id), answers in ledger.answers.items():
            stored = await _stored(memory, user, session_id)
            missing += len(answers - stored - ledger.deleted_messages)
        undeleted = 0
        for (user, session_id), answers in ledger.deleted.items():
            undeleted += len(answers & await _stored(memory, user, session_id))
    return Check(
        acknowledged=ledger.count,
        missing=missing,
        undeleted=undeleted,
        deleted_sessions=len(ledger.deleted),
    )


async def _stored(memory: Memory, user: str, session_id: str) -> set[str]:
    """The answers in a session; none where there is no session."""
    scope = Scope(tenant=load_settings().tenant, user=user)
    answers: set[str] = set()
    cursor: str | None = None
    while True:
        page = PageRequest(limit=_PAGE, order=Order.ASC, cursor=cursor)
        try:
            listed = await memory.services.messages.list(scope, UUID(session_id), page)
        except SessionNotFound:
            return answers
        answers |= {one.content for one in listed.items if one.role is Role.ASSISTANT}
        cursor = listed.next_cursor
        if cursor is None:
            return answers


async def count_unexpired(client: LeanClient, ledger: Ledger, *, seconds: float) -> tuple[int, int]:
    """How many sessions must have expired by now, and how many of them are still read."""
    limit = time.time() - seconds
    expired = [key for key, asked in ledger.brief.items() if asked < limit][:_LOOKED_AT]
    found = 0
    for user, session_id in expired:
        reply = await client.send(f"GET /api/v1/sessions/{session_id}", user=user)
        found += reply.is_success
    return len(expired), found
