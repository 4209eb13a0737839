from datetime import datetime
from uuid import UUID, uuid4

import pytest

from support.examples import EVERY_KIND_OF_JSON
from support.http.callers import Caller, Json

FIELDS = {
    "session_id",
    "name",
    "metadata",
    "databases",
    "tags",
    "created_at",
    "updated_at",
    "last_accessed_at",
    "expires_at",
    "message_count",
    "turn_count",
    "is_summarized",
    "summary",
}


async def test_a_new_session_is_created_with_everything_given(alice: Caller) -> None:
    body: Json = {
        "session_id": str(uuid4()),
        "name": "Sales by region",
        "metadata": {"language": "en", "created_via": "api"},
        "databases": ["sales", "crm"],
        "tags": ["quarterly"],
    }

    response = await alice.post("/api/v1/sessions", body)

    assert response.status_code == 201
    session = response.json()
    assert set(session) == FIELDS
    assert {name: session[name] for name in body} == body
    assert session["message_count"] == session["turn_count"] == 0
    assert session["is_summarized"] is False
    assert session["summary"] is session["expires_at"] is None


@pytest.mark.parametrize(
    "body", [{}, {"session_id": None}, {"session_id": ""}, {"session_id": " "}]
)
async def test_a_missing_or_blank_id_makes_a_new_session(alice: Caller, body: Json) -> None:
    first = await alice.post("/api/v1/sessions", body)
    second = await alice.post("/api/v1/sessions", body)

    assert first.status_code == second.status_code == 201
    assert UUID(first.json()["session_id"]) != UUID(second.json()["session_id"])


async def test_a_known_id_resumes_the_session_as_it_is(alice: Caller) -> None:
    started = await alice.start_session(name="Sales", metadata={"a": 1}, tags=["x"])

    response = await alice.post(
        "/api/v1/sessions",
        {"session_id": started["session_id"], "name": "Other", "metadata": {}, "tags": []},
    )

    assert response.status_code == 200
    assert response.json() == started


async def test_an_upper_case_id_means_the_same_session(alice: Caller) -> None:
    session_id = str(uuid4())
    created = await alice.post("/api/v1/sessions", {"session_id": session_id.upper()})
    resumed = await alice.post("/api/v1/sessions", {"session_id": session_id})
    found = await alice.get(f"/api/v1/sessions/{session_id.upper()}")

    assert (created.status_code, resumed.status_code, found.status_code) == (201, 200, 200)
    assert created.json()["session_id"] == session_id
    assert found.json() == created.json() == resumed.json()


async def test_times_are_in_utc_and_end_in_z(alice: Caller) -> None:
    session = await alice.start_session()
    message = await alice.add(session, "Hello")

    times = [session[name] for name in ("created_at", "updated_at", "last_accessed_at")]
    for time in [*times, message["created_at"]]:
        assert time.endswith("Z")
        assert datetime.fromisoformat(time).tzinfo is not None


async def test_metadata_comes_back_as_it_was_sent(alice: Caller) -> None:
    session = await alice.start_session(metadata=EVERY_KIND_OF_JSON)

    found = (await alice.get(f"/api/v1/sessions/{session['session_id']}")).json()

    assert found["metadata"] == session["metadata"] == EVERY_KIND_OF_JSON
    assert repr(found["metadata"]["list"]) == repr(EVERY_KIND_OF_JSON["list"])


async def test_labels_lose_their_doubles_and_outer_blanks_and_keep_their_order(
    alice: Caller,
) -> None:
    session = await alice.start_session(tags=["b", " a ", "b"], databases=["z", "y", "z "])

    assert session["tags"] == ["b", "a"]
    assert session["databases"] == ["z", "y"]


async def test_a_session_is_named_by_its_first_question(alice: Caller) -> None:
    session = await alice.start_session()
    assert session["name"] is None

    await alice.add(session, "You answer in German.", role="system")
    await alice.add(session, "Show me\n  total sales " + "x" * 600)
    await alice.add(session, "And for 2023?")

    name = (await alice.get(f"/api/v1/sessions/{session['session_id']}")).json()["name"]
    assert name.startswith("Show me total sales xxx")
    assert len(name) == 500


async def test_a_given_name_is_not_replaced_by_the_first_question(alice: Caller) -> None:
    session = await alice.start_session(name="Mine")
    await alice.add(session, "Show me total sales")

    assert (await alice.get(f"/api/v1/sessions/{session['session_id']}")).json()["name"] == "Mine"


async def test_a_session_counts_its_messages_and_turns(alice: Caller) -> None:
    session = await alice.start_session()
    await alice.add(session, "You are brief.", role="system")
    await alice.add(session, "Sales?")
    await alice.add(session, "2.5M", role="assistant")
    await alice.add(session, "And 2023?")

    found = (await alice.get(f"/api/v1/sessions/{session['session_id']}")).json()

    assert (found["message_count"], found["turn_count"]) == (4, 2)


async def test_sessions_are_listed_by_their_last_change(alice: Caller) -> None:
    sessions = [await alice.start_session(name=f"session {n}") for n in range(3)]
    await alice.add(sessions[0], "Hello again")

    newest_first = (await alice.get("/api/v1/sessions")).json()
    oldest_first = (await alice.get("/api/v1/sessions", order="asc")).json()

    assert [item["name"] for item in newest_first["items"]] == [
        "session 0",
        "session 2",
        "session 1",
    ]
    assert oldest_first["items"] == newest_first["items"][::-1]
    assert newest_first["next_cursor"] is oldest_first["next_cursor"] is None


async def test_a_deleted_session_is_gone_with_its_messages(alice: Caller) -> None:
    session = await alice.start_session()
    await alice.add(session, "Hello")
    path = f"/api/v1/sessions/{session['session_id']}"

    response = await alice.delete(path)

    assert (response.status_code, response.content) == (204, b"")
    assert (await alice.get(path)).status_code == 404
    assert (await alice.get(f"{path}/messages")).status_code == 404
    assert (await alice.delete(path)).status_code == 404
    assert await alice.history() == []


async def test_the_one_local_user_needs_no_credentials(local: Caller) -> None:
    session = await local.start_session(name="Local")
    await local.add(session, "Hello")

    assert [message["content"] for message in await local.messages(session)] == ["Hello"]


async def test_nobody_in_between_keeps_what_is_answered(alice: Caller) -> None:
    for path in ("/api/v1/sessions", "/api/v1/history/count", "/api/v1/nothing"):
        assert (await alice.get(path)).headers["Cache-Control"] == "no-store"
