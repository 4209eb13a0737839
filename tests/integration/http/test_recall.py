"""`POST /api/v1/recall` and what a context takes from it, over real HTTP: what is asked for."""

from uuid import uuid4

import pytest

from support.http.callers import Caller, Json, Tenant


async def test_a_new_user_has_nothing_to_recall(alice: Caller) -> None:
    response = await alice.post("/api/v1/recall", {"query": "sales by region"})

    assert response.status_code == 200
    assert set(response.json()) == {"items", "warnings"}
    assert response.json()["items"] == []


@pytest.mark.parametrize("scope", ["session", "user", None])
async def test_recall_in_a_session_of_another_user_is_not_found(
    alice: Caller, tenant: Tenant, scope: str | None
) -> None:
    session = await alice.start_session()
    bob = await tenant.user("bob")
    body = {"query": "sales", "scope": scope, "session_id": session["session_id"]}

    assert (await alice.post("/api/v1/recall", body)).status_code == 200
    assert (await bob.post("/api/v1/recall", body)).status_code == 404


async def test_recall_with_an_invalid_session_id_is_refused(alice: Caller) -> None:
    response = await alice.post("/api/v1/recall", {"query": "sales", "session_id": "abc"})

    assert response.status_code == 400
    assert response.json()["error"] == "Invalid session_id format"


BAD: list[Json] = [
    {},
    {"query": ""},
    {"query": " \n"},
    {"query": "x\0"},
    {"query": "x" * 10_001},
    {"query": 7},
    {"query": "sales", "k": 0},
    {"query": "sales", "k": 101},
    {"query": "sales", "k": "3"},
    {"query": "sales", "k": 2.5},
    {"query": "sales", "scope": "tenant"},
    {"query": "sales", "scope": "session"},
    {"query": "sales", "since": "yesterday"},
    {"query": "sales", "since": "2026-01-01T00:00:00"},
    {"query": "sales", "since": "2026-02-01T00:00:00Z", "until": "2026-01-01T00:00:00Z"},
    {"query": "sales", "until": "0001-01-01T00:00:00+14:00"},
    {"query": "sales", "tables": []},
    {"query": "sales", "tables": "shop.sales"},
    {"query": "sales", "tables": [""]},
    {"query": "sales", "tables": [" "]},
    {"query": "sales", "databases": ["x" * 501]},
    {"query": "sales", "databases": ["x"] * 101},
    {"query": "sales", "speaker": "\0"},
    {"query": "sales", "user": "bob"},
]


@pytest.mark.parametrize("body", BAD, ids=lambda body: str(body)[:60])
async def test_an_invalid_recall_query_or_filter_is_refused(alice: Caller, body: Json) -> None:
    response = await alice.post("/api/v1/recall", body)

    assert response.status_code == 422
    assert response.json().keys() == {"error", "detail"}


@pytest.mark.parametrize(
    "wish",
    [
        {"recall_k": -1},
        {"recall_k": 101},
        {"recall_k": "3"},
        {"recall_scope": "tenant"},
        {"recall_scope": 1},
    ],
    ids=str,
)
async def test_a_context_with_invalid_recall_options_is_refused(alice: Caller, wish: Json) -> None:
    session = await alice.start_session()
    body = {"question": "Why?", **wish}

    response = await alice.post(f"/api/v1/sessions/{session['session_id']}/context", body)

    assert response.status_code == 422


@pytest.mark.parametrize(
    "wish", [{"recall_k": 0}, {"recall_k": 100, "recall_scope": "session"}, {"recall_k": None}]
)
async def test_a_context_tells_that_nothing_was_recalled(alice: Caller, wish: Json) -> None:
    session = await alice.start_session()
    body = {"question": f"What is {uuid4()}?", **wish}

    response = await alice.post(f"/api/v1/sessions/{session['session_id']}/context", body)

    assert response.status_code == 200
    told = response.json()
    assert (told["recalled"], told["sources"]["recalled"], told["warnings"]) == ([], [], [])
