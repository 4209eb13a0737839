"""Memories to be erased: small ones with something in every table, large ones, and their dumps."""

from typing import Final
from uuid import UUID, uuid4

import asyncpg

from recollect.composition import build_services
from recollect.domain.context.compaction import CompactionPolicy, Summary
from recollect.domain.conversation.session import NewSession
from recollect.domain.identity.scope import Scope
from recollect.domain.policy import Policies
from recollect.domain.profile.profile import ProfileChange
from recollect.models.facts.tagger import FactTagger
from recollect.models.tokens import token_counter_for
from recollect.ports import Stores
from recollect.ports.recall import VectorStore
from recollect.services.services import ServiceDependencies, Services
from recollect.system import RandomIds, SystemClock
from recollect.testing import WordEmbedder
from support.examples import a_message, put_summary

Dump = dict[str, list[str]]
_TABLES: Final = """
SELECT relname FROM pg_class
WHERE relnamespace = 'recollect'::regnamespace AND relkind IN ('r', 'p')
ORDER BY relname
"""
_LOAD: Final = """
WITH owner AS (
    INSERT INTO recollect.owners VALUES ($1, $2, $3, now()) ON CONFLICT DO NOTHING
), session AS (
    INSERT INTO recollect.sessions (
        owner_id, session_id, metadata, databases, tags, created_at, updated_at, last_accessed_at,
        message_count, turn_count, last_sequence, last_turn, current_turn
    )
    SELECT
        $1, gen_random_uuid(), '{}', '{}', '{}', now(), now(), now(), 2 * $5::integer,
        $5::integer, 2 * $5::integer, $5::integer, $5::integer
    FROM generate_series(1, $4::integer)
    RETURNING owner_id, session_id
), turn AS (
    INSERT INTO recollect.turns (
        owner_id, session_id, turn_number, status, started_at, completed_at, index_due
    )
    SELECT owner_id, session_id, number, 'complete', now(), now(), NULL
    FROM session CROSS JOIN generate_series(1, $5::integer) AS number
    RETURNING owner_id, session_id, turn_number
)
INSERT INTO recollect.messages (
    owner_id, session_id, sequence, message_id, turn_number, role, content, metadata, created_at
)
SELECT
    owner_id, session_id, 2 * turn_number - 1 + place, gen_random_uuid(), turn_number,
    CASE place WHEN 0 THEN 'user' ELSE 'assistant' END,
    'message of turn ' || turn_number || ' about ' || $3, '{}', now()
FROM turn CROSS JOIN generate_series(0, 1) AS place
"""


def erasing_services(
    stores: Stores, *, vectors: VectorStore | None = None, receipt_key: bytes | None = None
) -> Services:
    """The use cases with an embedder and a model of facts."""
    needs = ServiceDependencies(
        clock=SystemClock(),
        ids=RandomIds(),
        counter_for=token_counter_for,
        embedder=WordEmbedder(dimensions=8),
        fact_extractor=FactTagger(),
        vectors=vectors,
        receipt_key=receipt_key,
    )
    policies = Policies(compaction=CompactionPolicy(trigger=4, keep=2))
    return build_services(stores, needs, policies)


async def fill_everything(services: Services, stores: Stores, scope: Scope, marker: str) -> UUID:
    """Let an owner have rows in every table, with the marker in every text; a session's id."""
    new = NewSession(
        session_id=uuid4(), name=f"about {marker}", metadata={marker: marker}, tags=(marker,)
    )
    session, _ = await services.sessions.start(scope, new)
    for number in range(4):
        question = a_message(content=f"I live in {marker} and this is question {number}?")
        answer = a_message("assistant", f"That is answer {number} about {marker}, as you said.")
        await services.messages.append(scope, session.session_id, [question, answer])
    await put_summary(stores, scope, session.session_id, _summary(marker), replaces=0)
    await stores.profiles.change(
        scope, ProfileChange.of("home", {marker: 1e17}), now=SystemClock().now()
    )
    await stores.states.put(scope, "busy", now=SystemClock().now())
    await services.facts.add(scope, f"Lives in {marker}.")
    assert services.indexing is not None
    while await services.indexing.do_session(scope, session.session_id):
        pass
    return session.session_id


def _summary(marker: str) -> Summary:
    return Summary(
        text=f"They live in {marker}.",
        first_sequence=1,
        last_sequence=2,
        tables=(),
        method="by hand",
        created_at=SystemClock().now(),
    )


async def dump(administrator: asyncpg.Connection) -> Dump:
    """Every row of every table as text."""
    tables = [row["relname"] for row in await administrator.fetch(_TABLES)]
    return {
        table: [
            row["whole"]
            for row in await administrator.fetch(
                f"SELECT row_to_json(t)::text AS whole FROM recollect.{table} AS t ORDER BY 1"  # noqa: S608  # from the catalogue
            )
        ]
        for table in tables
    }


async def load(dsn: str, scope: Scope, *, sessions: int, turns: int) -> None:
    """Give an owner many messages at once."""
    connection = await asyncpg.connect(dsn)
    await connection.execute(_LOAD, scope.owner_id, scope.tenant, scope.user, sessions, turns)
    await connection.close()
