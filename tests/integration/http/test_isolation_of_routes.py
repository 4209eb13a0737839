"""What belongs to somebody else answers 404 on every route, and does not change.

The routes come from the application's own OpenAPI document: a new one is tested from its first day.
"""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from uuid import UUID, uuid4

import httpx
import pytest
import pytest_asyncio

from recollect.domain.identity.scope import Scope
from recollect.engines.postgres.connection.database import Database
from recollect.ports import Stores
from recollect.services.services import Services
from support.http.callers import Caller, Json, Tenant
from support.http.openapi_operations import Operation, operations
from support.recall.scripted_index import index_messages
from support.row_snapshots import rows_of

SECRET = "kiwi-7f3a"  # in everything that the owner says
OPERATIONS = operations()
STARTING = {  # with the id of a session that is not there, one of one's own
    "POST /api/v1/sessions/{session_id}/messages",
    "POST /api/v1/sessions/{session_id}/messages:batch",
    "POST /api/v1/sessions/{session_id}/exchanges",
}
SETTING = {"PUT /api/v1/profile/{key}", "PATCH /api/v1/profile/{key}"}  # a key of one's own
OF_PRIVACY = {  # off by default; see test_privacy.py and test_erasures.py
    "GET /api/v1/privacy/export",
    "POST /api/v1/privacy/erase",
}
OF_TENANTS = {  # see test_erasures.py
    "POST /api/v1/privacy/tenant/erase",
    "GET /api/v1/privacy/tenant/erase/{erasure_id}",
}
OF_ADMINS = {  # see tests/integration/auditing and test_tenants.py
    "GET /api/v1/admin/audit",
    "GET /api/v1/admin/tenants",
    *(f"{method} /api/v1/admin/tenants/{{tenant}}/settings" for method in ("GET", "PUT")),
    *(f"{method} /api/v1/admin/tenants/{{tenant}}/settings" for method in ("PATCH", "DELETE")),
}
OF_ONE_THING = [
    one for one in OPERATIONS if one.names_something and str(one) not in OF_TENANTS | OF_ADMINS
]
NOT_CHOSEN = ("{fact_id}", "{erasure_id}")
OF_CHOSEN_IDS = [one for one in OF_ONE_THING if not any(name in one.path for name in NOT_CHOSEN)]
FINDING = [operation for operation in OF_ONE_THING if str(operation) not in STARTING | SETTING]
OF_EVERYTHING_ONE_HAS: dict[str, Json] = {
    "GET /api/v1/sessions": {"items": [], "next_cursor": None},
    "GET /api/v1/history": {"items": [], "next_cursor": None},
    "GET /api/v1/history/count": {"count": 0},
    "DELETE /api/v1/history": {"deleted": 0},
    "GET /api/v1/profile": {"items": []},
    "GET /api/v1/memory": {"items": [], "next_cursor": None},
    "GET /api/v1/memory/stats": {
        "total": 0,
        **{f"by_{name}": {} for name in ("type", "priority", "status", "week")},
    },
    "GET /api/v1/memory/export": {"facts": []},
    "GET /api/v1/state": {"mode": "active", "updated_at": None},
}
CONFIRMED = {"DELETE /api/v1/profile": {"deleted": 0}, "DELETE /api/v1/memory": {"deleted": 0}}
OF_NOBODY = {"GET /healthz", "GET /readyz"}
OF_THE_ENDPOINT = {"GET /v1/models", "GET /v1/models/{model_id}"}
ADDING = {"POST /api/v1/memory", "POST /api/v1/memory/import"}
CREATING = {"POST /api/v1/sessions", "POST /api/v1/history", *ADDING}
NAMING_IN_A_HEADER = {"POST /v1/chat/completions"}
ASKING = {"POST /chat": "query", "POST /memoryChat": "question"}
OF_OPERATORS = {"PUT /api/v1/state", "DELETE /api/v1/state"}  # see test_states.py
NAMING_IN_THE_BODY = {"POST /api/v1/rewrite", "POST /api/v1/recall"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Owned:
    """An owner's memory, and how it is read."""

    caller: Caller
    session_id: str
    message_id: str
    turn_number: int
    key: str
    fact_id: str
    erasure_id: str

    async def read(self) -> list[bytes]:
        """All of it, as it is served."""
        session = f"/api/v1/sessions/{self.session_id}"
        paths = [
            session,
            f"{session}/messages",
            f"{session}/turns/{self.turn_number}",
            "/api/v1/sessions",
            "/api/v1/history",
            "/api/v1/history/count",
            "/api/v1/profile",
            f"/api/v1/memory/{self.fact_id}",
            "/api/v1/memory?status=any",
            f"/api/v1/privacy/erase/{self.erasure_id}",
        ]
        responses = [await self.caller.get(path) for path in paths]
        assert all(response.status_code == 200 for response in responses)
        return [response.content for response in responses]

    @property
    def ids(self) -> dict[str, object]:
        """What a path may ask for."""
        return {
            "session_id": self.session_id,
            "message_id": self.message_id,
            "turn_number": self.turn_number,
            "key": self.key,
            "fact_id": self.fact_id,
            "erasure_id": self.erasure_id,
            "tenant": "acme",
        }


@pytest.fixture(scope="module")
def tenant(anonymous: Caller, services: Services) -> Tenant:
    """Alice's tenant, the same for all tests: none of them may change what is hers."""
    return Tenant(server=anonymous, services=services)


@pytest_asyncio.fixture(scope="module")
async def memory_of_alice(
    tenant: Tenant, stores: Stores, services: Services, database: Database
) -> AsyncIterator[Owned]:
    """Alice's memory; after all tests it is served as before."""
    alice = await tenant.user("alice")
    session = await alice.start_session(name=SECRET, metadata={SECRET: SECRET}, tags=[SECRET])
    await alice.add(session, f"What is {SECRET}?")
    await alice.add(session, f"{SECRET} is a fruit", role="assistant", model=SECRET)
    messages = await stores.messages.last(
        tenant.scope("alice"), UUID(session["session_id"]), count=2
    )
    await index_messages(stores, tenant.scope("alice"), messages or ())
    pending = await alice.add(session, f"And green {SECRET}?")
    fact = await alice.post("/api/v1/memory", {"content": f"My fruit is the {SECRET}."})
    found = Owned(
        caller=alice,
        session_id=session["session_id"],
        message_id=pending["message_id"],
        turn_number=pending["turn_number"],
        key="fruit",
        fact_id=fact.json()["fact_id"],
        erasure_id=await erasure_of(alice, services, tenant.scope("alice")),
    )
    value = {"value": {SECRET: SECRET}}
    assert (await alice.send("PUT", "/api/v1/profile/fruit", json=value)).is_success
    async with database.owned_by(tenant.scope("alice").owner_id) as connection:
        # A read is noted once a minute, and these tests may take longer.
        later = "UPDATE sessions SET last_accessed_at = last_accessed_at + interval '1 day'"
        await connection.execute(later)
    served = await found.read()
    yield found
    assert await found.read() == served


@pytest_asyncio.fixture
async def owned(tenant: Tenant, memory_of_alice: Owned, database: Database) -> AsyncIterator[Owned]:
    """Alice's memory; after the test it must be stored as before, byte for byte."""
    stored = await rows_of(database, tenant.scope("alice").owner_id)
    yield memory_of_alice
    assert await rows_of(database, tenant.scope("alice").owner_id) == stored


async def erasure_of(caller: Caller, services: Services, scope: Scope) -> str:
    """The id of an erasure that is done."""
    session = await caller.start_session()
    begun = await services.erasing.begin(scope, session_id=UUID(session["session_id"]))
    await services.erasing.complete(begun)
    return str(begun.erasure_id)


@pytest_asyncio.fixture(
    params=["user of the same tenant", "same user of another tenant", "service"]
)
async def stranger(request: pytest.FixtureRequest, tenant: Tenant, other_tenant: Tenant) -> Caller:
    """Somebody with valid credentials who is not Alice."""
    match request.param:
        case "user of the same tenant":
            return await tenant.user(f"bob-{uuid4()}")
        case "same user of another tenant":
            return await other_tenant.user("alice")
        case _:
            service = await other_tenant.service()
            return service.with_headers({"X-Memory-User": "alice"})


async def attempt(stranger: Caller, operation: Operation, owned: Owned) -> httpx.Response:
    return await stranger.send(
        operation.method, operation.path_with(owned.ids), json=operation.example
    )


def test_every_route_is_tested_one_way_or_another() -> None:
    known = {*OF_EVERYTHING_ONE_HAS, *CONFIRMED, *OF_NOBODY, *CREATING, *NAMING_IN_THE_BODY}
    known |= {*OF_TENANTS, *OF_PRIVACY, *ASKING, *OF_OPERATORS, *OF_ADMINS}
    known |= {*NAMING_IN_A_HEADER, *OF_THE_ENDPOINT}

    assert known | set(map(str, OF_ONE_THING)) == {str(operation) for operation in OPERATIONS}
    assert len(OF_ONE_THING) >= 11


@pytest.mark.parametrize("operation", FINDING, ids=str)
async def test_a_stranger_gets_not_found_and_changes_nothing(
    operation: Operation, stranger: Caller, owned: Owned
) -> None:
    response = await attempt(stranger, operation, owned)

    assert response.status_code == 404
    assert set(response.json()) == {"error", "detail"}
    assert SECRET not in response.text


@pytest.mark.parametrize("operation", FINDING, ids=str)
async def test_a_stranger_gets_the_same_response_for_existing_and_missing_resources(
    operation: Operation, stranger: Caller, owned: Owned
) -> None:
    absent = Owned(
        caller=owned.caller,
        session_id="00000000-0000-4000-8000-000000000000",
        message_id="00000000-0000-4000-8000-000000000001",
        turn_number=7,
        key="vegetable",
        fact_id="00000000-0000-4000-8000-000000000002",
        erasure_id="00000000-0000-4000-8000-000000000003",
    )

    foreign = await attempt(stranger, operation, owned)
    nowhere = await attempt(stranger, operation, absent)

    def without_ids(text: str, of: Owned) -> str:
        # The longest first: a UUID may begin as the number of the turn.
        for name, value in sorted(of.ids.items(), key=lambda one: -len(str(one[1]))):
            text = text.replace(f" {value}", f" {name}")
        return text

    assert without_ids(foreign.text, owned) == without_ids(nowhere.text, absent)


@pytest.mark.parametrize("operation", OF_CHOSEN_IDS, ids=str)
async def test_a_stranger_with_sessions_and_messages_of_the_same_ids_reaches_only_those(
    operation: Operation, stranger: Caller, owned: Owned
) -> None:
    twin = await stranger.start_session(session_id=owned.session_id)
    for n in range(owned.turn_number - 1):
        await stranger.add(twin, f"mine {n}")
    await stranger.add(twin, "mine", message_id=owned.message_id)
    await stranger.send("PUT", f"/api/v1/profile/{owned.key}", json={"value": "mine"})

    response = await attempt(stranger, operation, owned)

    assert response.is_success
    assert SECRET not in response.text


@pytest.mark.parametrize("policy", ["read", "full"])
async def test_a_stranger_who_names_a_foreign_session_in_a_header_has_one_of_their_own(
    stranger: Caller, owned: Owned, policy: str
) -> None:
    body = {"messages": [{"role": "user", "content": "What did I say?"}]}
    named = {"X-Session-ID": owned.session_id, "X-Memory": policy}
    response = await stranger.post("/v1/chat/completions", body, named)

    assert response.is_success
    assert SECRET not in response.text


@pytest.mark.parametrize(("operation", "nothing"), OF_EVERYTHING_ONE_HAS.items())
async def test_a_stranger_has_nothing_to_see_or_to_delete(
    operation: str, nothing: Json, stranger: Caller, owned: Owned
) -> None:
    method, path = operation.split()

    response = await stranger.send(method, path)

    assert (response.status_code, response.json()) == (200, nothing)


@pytest.mark.parametrize(("operation", "nothing"), CONFIRMED.items())
async def test_a_stranger_has_nothing_to_delete_at_once(
    operation: str, nothing: Json, stranger: Caller, owned: Owned
) -> None:
    method, path = operation.split()

    response = await stranger.send(method, path, params={"confirm": "true"})

    assert (response.status_code, response.json()) == (200, nothing)


@pytest.mark.parametrize("path", sorted(ADDING))
async def test_a_fact_that_a_stranger_adds_is_one_of_their_own(
    path: str, stranger: Caller, owned: Owned
) -> None:
    fact = (await owned.caller.get(f"/api/v1/memory/{owned.fact_id}")).json()
    body: Json = {"content": fact["content"]}
    body = {"facts": [fact]} if path.endswith("import") else body

    assert (await stranger.post(path.split()[1], body)).is_success

    (mine,) = (await stranger.get("/api/v1/memory")).json()["items"]
    assert mine["fact_id"] != owned.fact_id


@pytest.mark.parametrize("path", sorted(SETTING))
async def test_a_value_for_a_foreign_key_is_one_of_ones_own(
    path: str, stranger: Caller, owned: Owned
) -> None:
    (operation,) = (operation for operation in OPERATIONS if str(operation) == path)

    response = await attempt(stranger, operation, owned)

    assert response.status_code == 200
    assert operation.example is not None
    assert response.json()["value"] == operation.example["value"]


async def test_starting_a_session_of_a_foreign_id_makes_an_empty_one_of_ones_own(
    stranger: Caller, owned: Owned
) -> None:
    response = await stranger.post("/api/v1/sessions", {"session_id": owned.session_id})

    assert response.status_code == 201
    assert response.json()["message_count"] == 0
    assert SECRET not in response.text


@pytest.mark.parametrize("path", sorted(STARTING))
async def test_messages_for_a_foreign_session_start_one_of_ones_own(
    path: str, stranger: Caller, owned: Owned
) -> None:
    (operation,) = (operation for operation in OPERATIONS if str(operation) == path)

    response = await attempt(stranger, operation, owned)

    assert response.status_code == 201
    assert SECRET not in response.text
    session = (await stranger.get(f"/api/v1/sessions/{owned.session_id}")).json()
    assert session["message_count"] == len(await stranger.history())


async def test_a_message_without_a_session_goes_to_ones_own(stranger: Caller, owned: Owned) -> None:
    response = await stranger.post("/api/v1/history", {"role": "user", "content": "Hello"})

    assert response.status_code == 201
    assert [message["content"] for message in await stranger.history()] == ["Hello"]
    assert "Hello" not in str(await owned.read())


async def test_a_reply_to_a_foreign_message_is_not_found(stranger: Caller, owned: Owned) -> None:
    session = await stranger.start_session()
    body = {"role": "assistant", "content": "Hello", "reply_to": owned.message_id}

    response = await stranger.post(f"/api/v1/sessions/{session['session_id']}/messages", body)

    assert response.status_code == 404
    assert await stranger.messages(session) == []


@pytest.mark.parametrize(("operation", "field"), ASKING.items())
async def test_a_question_in_a_foreign_session_is_asked_in_one_of_ones_own(
    operation: str, field: str, stranger: Caller, owned: Owned
) -> None:
    body = {field: "What is the fruit?"}
    if operation == "POST /memoryChat":
        body["session_id"] = owned.session_id

    response = await stranger.post(
        operation.split()[1], body, headers={"X-Session-ID": owned.session_id}
    )

    assert response.status_code == 200
    assert SECRET not in response.text
    session = await stranger.get(f"/api/v1/sessions/{owned.session_id}")
    assert session.json()["message_count"] == 2


async def test_a_question_is_not_rewritten_with_messages_of_another_owner(
    stranger: Caller, owned: Owned
) -> None:
    body = {"question": "What about it?", "session_id": owned.session_id}

    response = await stranger.post("/api/v1/rewrite", body)

    assert response.status_code == 404
    assert SECRET not in response.text
    assert (await owned.caller.post("/api/v1/rewrite", body)).status_code == 200


async def test_a_stranger_recalls_no_messages_of_others(stranger: Caller, owned: Owned) -> None:
    everywhere: Json = {"query": SECRET, "k": 100}
    there = {**everywhere, "session_id": owned.session_id}

    found = await stranger.post("/api/v1/recall", everywhere)
    refused = await stranger.post("/api/v1/recall", there)

    assert (found.status_code, found.json()["items"]) == (200, [])
    assert refused.status_code == 404
    assert SECRET not in found.text + refused.text
    for body in (everywhere, there):
        (item,) = (await owned.caller.post("/api/v1/recall", body)).json()["items"]
        assert item["session_id"] == owned.session_id
        assert SECRET in item["text"]


@pytest.mark.parametrize("path", ["/api/v1/sessions", "/api/v1/history"])
async def test_another_owners_cursor_shows_only_the_callers_own_items(
    path: str, stranger: Caller, tenant: Tenant
) -> None:
    owner = await tenant.user(f"carol-{uuid4()}")
    for _ in range(2):
        await owner.add(await owner.start_session(), "Hello")
    cursor = (await owner.get(path, limit=1)).json()["next_cursor"]
    assert cursor is not None

    response = await stranger.get(path, cursor=cursor)

    assert response.json() == {"items": [], "next_cursor": None}


@pytest.mark.parametrize("operation", OPERATIONS, ids=str)
async def test_every_route_refuses_callers_without_credentials(
    operation: Operation, anonymous: Caller, owned: Owned
) -> None:
    response = await attempt(anonymous, operation, owned)

    assert response.status_code == (200 if str(operation) in OF_NOBODY else 401)
    assert SECRET not in response.text
