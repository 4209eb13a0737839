"""A user with any number of messages, stored by SQL: by turns and sessions, with recall entries."""

import itertools
import random
from typing import Final
from uuid import uuid4

import asyncpg

from recollect.domain.identity.scope import Scope
from talk import answer, conversation

_SESSION: Final = 25
"""Turns of a short session; the longest one has half of all."""
_AT_ONCE: Final = 50_000
_TEXTS: Final = 1_000
_OWNER: Final = "INSERT INTO owners VALUES ($1, $2, $3, now())"
_SESSIONS: Final = """
INSERT INTO sessions (
    owner_id, session_id, metadata, databases, tags, created_at, updated_at, last_accessed_at,
    message_count, turn_count, last_sequence, last_turn, current_turn
)
SELECT $1, id, '{}', '{}', '{}', now(), now(), now(), 2 * size, size, 2 * size, size, size
FROM unnest($2::uuid[], $3::bigint[]) AS one (id, size)
"""
_TURNS: Final = """
WITH turn AS (
    INSERT INTO turns (
        owner_id, session_id, turn_number, status, started_at, completed_at, index_due
    )
    SELECT $1, id, number, 'complete', now(), now(), NULL
    FROM unnest($2::uuid[], $3::bigint[]) AS one (id, number)
    RETURNING session_id, turn_number
), message AS (
    INSERT INTO messages (
        owner_id, session_id, sequence, message_id, turn_number, role, content, metadata, created_at
    )
    SELECT
        $1, session_id, 2 * turn_number - 1 + place, gen_random_uuid(), turn_number,
        CASE place WHEN 0 THEN 'user' ELSE 'assistant' END,
        (CASE place WHEN 0 THEN $4::text[] ELSE $5::text[] END)[1 + turn_number % $6], '{}', now()
    FROM turn CROSS JOIN generate_series(0, 1) AS place
    RETURNING session_id, turn_number, sequence, message_id
)
INSERT INTO recall_entries (
    owner_id, session_id, sequence, last_sequence, turn_number, said_at, number, length, tables,
    message_ids, text, terms, counts
)
SELECT
    $1, session_id, min(sequence), max(sequence), turn_number, now(),
    $7 + row_number() OVER (), 20, '{}', array_agg(message_id),
    ($4::text[])[1 + turn_number % $6] || E'\\n' || ($5::text[])[1 + turn_number % $6],
    ARRAY[turn_number % 50, 50 + turn_number % 997], '{1,1}'
FROM message GROUP BY session_id, turn_number
"""


async def load(dsn: str, scope: Scope, *, messages: int) -> None:
    """Store so many messages, half of them in one session, with an entry of two words a turn."""
    sizes = [messages // 4, *([_SESSION] * (messages // 4 // _SESSION))]
    sessions = [(uuid4(), size) for size in sizes]
    chance = random.Random(1)  # noqa: S311  # the same on every run, no secrets
    questions = list(itertools.islice(conversation(chance), _TEXTS))
    answers = [answer(chance) for _ in range(_TEXTS)]
    connection = await asyncpg.connect(dsn, server_settings={"search_path": "recollect, public"})
    try:
        await connection.execute(_OWNER, scope.owner_id, scope.tenant, scope.user)
        ids, numbers = zip(*sessions, strict=True)
        await connection.execute(_SESSIONS, scope.owner_id, list(ids), list(numbers))
        turns = ((id_, number) for id_, size in sessions for number in range(1, size + 1))
        stored = 0
        while some := list(itertools.islice(turns, _AT_ONCE)):
            ids, numbers = zip(*some, strict=True)
            texts = (questions, answers, _TEXTS, stored)
            await connection.execute(_TURNS, scope.owner_id, list(ids), list(numbers), *texts)
            stored += len(some)
        await connection.execute("ANALYZE")
    finally:
        await connection.close()
