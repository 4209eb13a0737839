"""The ways to do the same work: by hand, through the service, over HTTP."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final, Protocol, Self
from uuid import uuid4

import asyncpg
import orjson

from dataset import ANSWER, DETAILS, QUESTION, StoredSession, sql
from lean_http import LeanClient
from recollect.domain.conversation.message import AnswerDetails, NewMessage, Role
from recollect.services.services import Services

LAST: Final = 10
"""Messages that one read asks for."""


class Way(Protocol):
    """One way to read the last messages of a session and to write an exchange to it."""

    async def read(self, session: StoredSession) -> None:
        """Read the last messages."""

    async def write(self, session: StoredSession) -> None:
        """Store a question and its answer."""


@dataclass(frozen=True, slots=True)
class ByHand:
    """One plain statement each, as a role that row-level security does not bind."""

    pool: asyncpg.Pool

    @classmethod
    @asynccontextmanager
    async def with_usual_pool(cls, dsn: str) -> AsyncIterator[Self]:
        """On a pool as `asyncpg.create_pool` makes it when nothing is asked for."""
        async with asyncpg.create_pool(dsn) as pool:
            yield cls(pool)

    @classmethod
    @asynccontextmanager
    async def with_bare_pool(cls, dsn: str, *, size: int) -> AsyncIterator[Self]:
        """On a pool as large as the service's and, like it, without the reset query."""
        async with asyncpg.create_pool(dsn, max_size=size, reset=_keep_as_it_is) as pool:
            yield cls(pool)

    async def read(self, session: StoredSession) -> None:
        """Read the last messages."""
        owner_id, session_id = session.scope.owner_id, session.session_id
        await self.pool.fetch(sql("read_last"), owner_id, session_id, LAST)

    async def write(self, session: StoredSession) -> None:
        """Store a question and its answer."""
        await self.pool.fetchrow(
            sql("write_exchange"),
            session.scope.owner_id,
            session.session_id,
            datetime.now(UTC),
            uuid4(),
            QUESTION,
            uuid4(),
            ANSWER,
            orjson.dumps(DETAILS).decode(),
        )


async def _keep_as_it_is(connection: asyncpg.Connection) -> None:
    """Reset nothing when a connection comes back."""


@dataclass(frozen=True, slots=True)
class ThroughService:
    """The use cases that every interface calls."""

    services: Services

    async def read(self, session: StoredSession) -> None:
        """Read the last messages."""
        await self.services.messages.last(session.scope, session.session_id, count=LAST)

    async def write(self, session: StoredSession) -> None:
        """Store a question and its answer."""
        ids = self.services.ids
        details = AnswerDetails(
            sql_query=str(DETAILS["sql_query"]),
            tables_used=tuple(DETAILS["tables_used"]),
            model=str(DETAILS["model"]),
        )
        exchange = [
            NewMessage(message_id=ids.new_id(), role=Role.USER, content=QUESTION),
            NewMessage(
                message_id=ids.new_id(), role=Role.ASSISTANT, content=ANSWER, details=details
            ),
        ]
        await self.services.messages.append(session.scope, session.session_id, exchange)


@dataclass(slots=True)
class OverHttp:
    """The real server, as a service that names the user; each client keeps its connection."""

    client: LeanClient

    async def read(self, session: StoredSession) -> None:
        """Read the last messages."""
        request = f"GET {_path(session)}/messages?limit={LAST}"
        await self.client.ask(request, user=session.scope.user)

    async def write(self, session: StoredSession) -> None:
        """Store a question and its answer."""
        body = orjson.dumps({"question": QUESTION, "answer": ANSWER, **DETAILS})
        request = f"POST {_path(session)}/exchanges"
        await self.client.ask(request, user=session.scope.user, body=body)


def _path(session: StoredSession) -> str:
    return f"/api/v1/sessions/{session.session_id}"
