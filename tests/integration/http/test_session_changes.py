from uuid import uuid4

import pytest

from support.http.callers import Caller, Json

BODY: Json = {"name": "Before", "metadata": {"a": 1}, "databases": ["db"], "tags": ["t"]}


@pytest.mark.parametrize(
    "changes",
    [
        {"name": "After"},
        {"metadata": {"b": [2]}},
        {"metadata": {}},
        {"databases": ["other", "more"]},
        {"databases": []},
        {"tags": []},
        {"name": "After", "metadata": {}, "databases": [], "tags": ["x"]},
    ],
)
async def test_a_patch_replaces_only_the_fields_it_names(alice: Caller, changes: Json) -> None:
    session = await alice.start_session(**BODY)
    path = f"/api/v1/sessions/{session['session_id']}"

    response = await alice.patch(path, changes)

    assert response.status_code == 200
    changed = response.json()
    assert {name: changed[name] for name in BODY} == {**BODY, **changes}
    assert changed["created_at"] == session["created_at"]
    assert changed["updated_at"] > session["updated_at"]
    assert (await alice.get(path)).json() == changed


@pytest.mark.parametrize(
    "changes",
    [{}, {"name": None}, {"name": None, "metadata": None, "databases": None, "tags": None}],
)
async def test_fields_missing_or_null_in_a_patch_stay_unchanged(
    alice: Caller, changes: Json
) -> None:
    session = await alice.start_session(**BODY)

    response = await alice.patch(f"/api/v1/sessions/{session['session_id']}", changes)

    assert response.status_code == 200
    assert {name: response.json()[name] for name in BODY} == BODY


async def test_a_changed_session_comes_first_in_the_list(alice: Caller) -> None:
    first = await alice.start_session(name="first")
    await alice.start_session(name="second")

    await alice.patch(f"/api/v1/sessions/{first['session_id']}", {"tags": ["seen"]})

    listed = (await alice.get("/api/v1/sessions")).json()["items"]
    assert [item["name"] for item in listed] == ["first", "second"]


async def test_a_name_loses_its_outer_blanks(alice: Caller) -> None:
    session = await alice.start_session(name="  Sales ")
    assert session["name"] == "Sales"

    changed = await alice.patch(f"/api/v1/sessions/{session['session_id']}", {"name": " 2024 "})
    assert changed.json()["name"] == "2024"


async def test_an_unknown_session_cannot_be_changed(alice: Caller) -> None:
    response = await alice.patch(f"/api/v1/sessions/{uuid4()}", {"name": "After"})

    assert response.status_code == 404
    assert response.json()["error"] == "Session not found"
