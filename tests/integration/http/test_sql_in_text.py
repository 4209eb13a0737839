"""Statements in the place of values: stored letter by letter, or refused, and never run."""

from typing import Final

import pytest

from recollect.engines.postgres.connection.database import Database
from support.http.callers import Caller, Json
from support.row_snapshots import tables_of_owners

STATEMENTS: Final = [
    "'; DROP TABLE recollect.messages; --",
    "' OR '1'='1",
    "\\'; DELETE FROM sessions; --",
    '"; TRUNCATE messages; --',
    "$$; DROP TABLE messages; $$",
    "1); DELETE FROM messages WHERE (1=1",
    "%s %(name)s $1 {} {0}",
    "'; SET LOCAL recollect.owner_id = '00000000-0000-0000-0000-000000000000'; --",
    "/* */ UNION SELECT * FROM api_keys --",
    "E'\\\\x00' || chr(0)",
]


@pytest.mark.parametrize("statement", STATEMENTS)
async def test_sql_in_every_field_is_stored_letter_by_letter(
    alice: Caller, database: Database, statement: str
) -> None:
    tables = await tables_of_owners(database)
    label: Json = {
        "name": statement,
        "metadata": {statement: {statement: [statement]}},
        "databases": [statement],
        "tags": [statement],
    }
    details: Json = {
        "sql_query": statement,
        "query_explanation": statement,
        "tables_used": [statement],
        "execution_result": {"columns": [statement], "row_count": 1},
        "citations": [statement],
        "model": statement,
    }

    session = await alice.start_session(**label)
    question = await alice.add(session, statement, metadata=label["metadata"])
    answer = await alice.add(session, statement, role="assistant", **details)

    found = (await alice.get(f"/api/v1/sessions/{session['session_id']}")).json()
    assert {name: found[name] for name in label} == label
    assert {name: answer[name] for name in details} == details
    assert question["content"] == answer["content"] == statement
    assert await alice.messages(session) == [answer, question]
    assert await tables_of_owners(database) == tables


@pytest.mark.parametrize("statement", STATEMENTS)
async def test_sql_in_keys_parameters_and_names_of_sessions_does_no_harm(
    alice: Caller, database: Database, statement: str
) -> None:
    tables = await tables_of_owners(database)
    session = await alice.start_session()
    path = f"/api/v1/sessions/{session['session_id']}"
    body = {"role": "user", "content": "Hello"}

    first = await alice.post(f"{path}/messages", body, {"Idempotency-Key": statement})
    again = await alice.post(f"{path}/messages", body, {"Idempotency-Key": statement})
    named = await alice.patch(path, {"name": statement, "tags": [statement]})
    refused = [
        await alice.get(f"{path}/messages", order=statement),
        await alice.get(f"{path}/messages", limit=statement),
        await alice.get(f"{path}/messages", cursor=statement),
        await alice.delete("/api/v1/history", keep_last=statement),
        await alice.post("/api/v1/sessions", {"session_id": statement}),
    ]

    assert [first.status_code, again.status_code] == [201, 200]
    assert (named.json()["name"], named.json()["tags"]) == (statement, [statement])
    assert {response.status_code for response in refused} <= {400, 422}
    assert await alice.messages(session) == [first.json()]
    assert await tables_of_owners(database) == tables
