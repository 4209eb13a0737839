"""Facts about a user over HTTP: listed, searched, changed, forgotten, restored and moved."""

import json
from uuid import uuid4

import httpx
import pytest

from recollect.services.services import Services
from support.http.callers import Caller, Json, Tenant
from support.tables import for_each

MEMORY = "/api/v1/memory"


async def add(caller: Caller, content: str, **more: str) -> Json:
    response = await caller.post(MEMORY, {"content": content, **more})
    assert response.status_code == 201, response.text
    fact: Json = response.json()
    return fact


async def contents(caller: Caller, **query: str) -> list[str]:
    response = await caller.send("GET", MEMORY, params=query)
    assert response.status_code == 200, response.text
    return [fact["content"] for fact in response.json()["items"]]


async def test_a_fact_is_added_read_changed_forgotten_and_restored(alice: Caller) -> None:
    added = await alice.post(MEMORY, {"content": "We report in euros.", "type": "procedure"})
    fact = added.json()
    assert (added.status_code, added.headers["ETag"]) == (201, '"1"')
    assert (fact["priority"], fact["source"], fact["status"]) == ("medium", "api", "active")
    path = f"{MEMORY}/{fact['fact_id']}"

    changed = await alice.send("PATCH", path, json={"content": "We report in dollars."})
    assert (changed.status_code, changed.headers["ETag"]) == (200, '"2"')
    assert (await alice.delete(path)).status_code == 204
    assert await contents(alice) == []
    restored = await alice.post(f"{path}/restore", {})
    assert (restored.status_code, restored.json()["version"]) == (200, 4)

    response = await alice.get(path)
    record = response.json()
    history = record.pop("history")
    assert (response.headers["ETag"], record) == ('"4"', restored.json())
    assert [line["kind"] for line in history] == ["created", "edited", "retracted", "restored"]
    assert [line["content"] for line in history][:2] == [
        "We report in euros.",
        "We report in dollars.",
    ]
    assert (await alice.get(MEMORY)).json() == {"items": [restored.json()], "next_cursor": None}


async def test_a_change_of_an_outdated_version_is_refused(alice: Caller) -> None:
    fact = await add(alice, "We report in euros.")
    path = f"{MEMORY}/{fact['fact_id']}"

    async def patch(tag: str) -> httpx.Response:
        body = {"priority": "critical" if tag == '"1"' else "low"}
        return await alice.send("PATCH", path, json=body, headers={"If-Match": tag})

    responses = [await patch(tag) for tag in ('"1"', '"1"', '"2"', "*")]
    assert [response.status_code for response in responses] == [200, 412, 200, 422]
    assert "read it again" in responses[1].json()["detail"]
    assert responses[2].json()["priority"] == "low"


async def test_what_is_known_already_conflicts_and_changes_nothing(alice: Caller) -> None:
    known, other = await add(alice, "I like Gent."), await add(alice, "I like Brugge.")
    forgotten = f"{MEMORY}/{known['fact_id']}"
    again = await alice.post(MEMORY, {"content": "i like gent!"})
    body = {"content": "I like Gent"}
    changed = await alice.send("PATCH", f"{MEMORY}/{other['fact_id']}", json=body)
    await alice.delete(forgotten)
    newer = await add(alice, "I like Gent.")
    restored = await alice.post(f"{forgotten}/restore", {})

    assert [one.status_code for one in (again, changed, restored)] == [409] * 3
    assert again.json() == {
        "error": "Conflict",
        "detail": f"the active fact {known['fact_id']} says the same; change or forget that one",
    }
    assert newer["fact_id"] in restored.json()["detail"]
    assert await contents(alice) == ["I like Gent.", "I like Brugge."]
    assert (await alice.get(forgotten)).json()["status"] == "retracted"


async def test_a_second_home_conflicts_with_the_first(alice: Caller) -> None:
    known = await add(alice, "I live in Gent.")
    second = await alice.post(MEMORY, {"content": "I live in Brugge."})

    assert (known["slot"], second.status_code) == ("home", 409)
    assert known["fact_id"] in second.json()["detail"]
    assert await contents(alice) == ["I live in Gent."]


async def test_facts_are_filtered_sorted_searched_and_listed_in_pages(alice: Caller) -> None:
    for content, priority in (("My dog is Rex.", "low"), ("My cat is Tom.", "critical")):
        await add(alice, content, type="entity", priority=priority)
    gone = await add(alice, "I like tea.", type="preference")
    await alice.delete(f"{MEMORY}/{gone['fact_id']}")

    assert await contents(alice, sort="priority") == ["My cat is Tom.", "My dog is Rex."]
    assert await contents(alice, order="asc", limit="1") == ["My dog is Rex."]
    assert await contents(alice, priority="low") == ["My dog is Rex."]
    assert await contents(alice, type="preference") == []
    assert await contents(alice, type="preference", status="any") == ["I like tea."]
    assert await contents(alice, status="retracted") == ["I like tea."]
    assert await contents(alice, q="CAT") == ["My cat is Tom."]
    first = (await alice.send("GET", MEMORY, params={"limit": "1"})).json()
    cursor = first["next_cursor"]
    assert await contents(alice, cursor=cursor, limit="1") == ["My dog is Rex."]
    found = await alice.send("GET", MEMORY, params={"search": "Who is Rex?", "limit": "1"})
    (item,) = found.json()["items"]
    assert (item["content"], "similarity" in item) == ("My dog is Rex.", True)


@for_each(
    ("query", "status"),
    [
        ({"type": "rumour"}, 422),
        ({"status": "gone"}, 422),
        ({"sort": "beauty"}, 422),
        ({"q": "x" * 201}, 422),
        ({"search": " "}, 422),
        ({"search": "x", "sort": "created"}, 422),
        ({"search": "x", "offset": "1"}, 422),
        ({"search": "x", "status": "any"}, 422),
        ({"cursor": "x"}, 400),
        ({"limit": "0"}, 422),
        ({"typ": "fact"}, 422),
    ],
)
async def test_queries_that_are_not_understood_are_refused(
    alice: Caller, query: dict[str, str], status: int
) -> None:
    response = await alice.send("GET", MEMORY, params=query)
    assert (response.status_code, set(response.json())) == (status, {"error", "detail"})


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"content": ""},
        {"content": " "},
        {"content": "x" * 501},
        {"content": "My password is hunter2!x"},
        {"content": "x", "type": "rumour"},
        {"content": "x", "status": "pruned"},
    ],
)
async def test_what_is_no_fact_is_refused(alice: Caller, body: Json) -> None:
    response = await alice.post(MEMORY, body)
    assert response.status_code == 422
    assert "hunter2" not in response.text
    assert await contents(alice, status="any") == []


async def test_an_erased_fact_is_gone_for_good_and_all_are_only_if_that_is_confirmed(
    alice: Caller, tenant: Tenant, services: Services
) -> None:
    facts = [await add(alice, f"Number {n}.") for n in range(3)]
    path = f"{MEMORY}/{facts[0]['fact_id']}"
    assert (await alice.send("DELETE", path, params={"erase": "true"})).status_code == 204
    restored = await alice.post(f"{path}/restore", {})
    missing = [await alice.get(path), await alice.delete(path), restored]
    assert [response.status_code for response in missing] == [404] * 3
    assert missing[0].json()["error"] == "Fact not found"
    assert (await alice.get(f"{MEMORY}/abc")).status_code == 400

    for query in ({}, {"confirm": "false"}):
        refused = await alice.send("DELETE", MEMORY, params=query)
        assert refused.status_code == 400
        assert "confirm must be true" in refused.json()["detail"]
    assert len(await contents(alice)) == 2
    cleared = await alice.send("DELETE", MEMORY, params={"confirm": "true"})
    assert cleared.json() == {"deleted": 2}
    entries = await services.audit.entries(tenant.scope("alice"), limit=9)
    owner_id = str(tenant.scope("alice").owner_id)
    told = [(entry.action, entry.target, entry.count) for entry in entries]
    assert told == [
        ("facts.cleared", owner_id, 2),
        ("fact.deleted", facts[0]["fact_id"], 1),
    ]


async def test_facts_are_counted(alice: Caller) -> None:
    await add(alice, "My dog is Rex.", type="entity")
    gone = await add(alice, "I like tea.")
    await alice.delete(f"{MEMORY}/{gone['fact_id']}")
    stats = (await alice.get(f"{MEMORY}/stats")).json()
    assert sum(stats.pop("by_week").values()) == 2
    assert stats == {
        "total": 2,
        "by_type": {"entity": 1},
        "by_priority": {"medium": 1},
        "by_status": {"active": 1, "retracted": 1},
    }


async def test_an_export_is_streamed_and_imported_once(alice: Caller, tenant: Tenant) -> None:
    bob = await tenant.user("bob")
    body = {"facts": [{"content": f"Number {n} is " + "x" * 400} for n in range(450)]}
    assert (await alice.post(f"{MEMORY}/import", body)).json() == {
        "added": 450,
        "skipped": 0,
        "conflicting": 0,
    }
    first = (await alice.get(MEMORY)).json()["items"][0]
    await alice.delete(f"{MEMORY}/{first['fact_id']}")

    request = alice.client.build_request("GET", alice.url + MEMORY + "/export")
    request.headers.update(alice.headers)
    response = await alice.client.send(request, stream=True)
    pieces = [piece async for piece in response.aiter_raw()]
    exported = json.loads(b"".join(pieces))
    assert (len(pieces) > 1, "content-length" in response.headers) == (True, False)
    assert len(exported["facts"]) == 450
    assert sum(len(fact["history"]) for fact in exported["facts"]) == 451

    reports = [(await bob.post(f"{MEMORY}/import", exported)).json() for _ in range(2)]
    assert [(one["added"], one["skipped"]) for one in reports] == [(450, 0), (0, 450)]
    stats = (await bob.get(f"{MEMORY}/stats")).json()
    assert stats["by_status"] == {"active": 449, "retracted": 1}


async def test_an_import_with_one_bad_fact_stores_none(alice: Caller) -> None:
    facts: list[Json] = [{"content": f"Number {n}."} for n in range(300)]
    response = await alice.post(f"{MEMORY}/import", {"facts": [*facts, {"type": "fact"}]})
    assert (response.status_code, response.json()["error"]) == (422, "Invalid facts[300].content")
    many = await alice.post(f"{MEMORY}/import", {"facts": [{}] * 10_001})
    assert (many.status_code, "at most 10,000" in many.text) == (422, True)
    unknown = await alice.post(f"{MEMORY}/import", {"facts": [], "version": 1})
    assert unknown.status_code == 422
    assert await contents(alice, status="any") == []


async def test_an_empty_memory_exports_no_facts(alice: Caller) -> None:
    response = await alice.get(f"{MEMORY}/export")
    assert (response.json(), response.headers["Content-Type"]) == (
        {"facts": []},
        "application/json",
    )


async def test_a_service_key_works_on_the_facts_of_the_user_it_names(
    alice: Caller, operator: Caller
) -> None:
    fact = await add(operator, f"My number is {uuid4()}.")
    assert (await alice.get(f"{MEMORY}/{fact['fact_id']}")).json()["content"] == fact["content"]
