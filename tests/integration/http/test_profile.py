"""A user's profile over HTTP: set, merged, read and deleted, in the version that is meant."""

import json
from urllib.parse import quote

import httpx
import pytest

from recollect.services.services import Services
from support.http.callers import Caller, Tenant

PROFILE = "/api/v1/profile"
UNITS = f"{PROFILE}/units"


async def put(caller: Caller, path: str, value: object, **headers: str) -> httpx.Response:
    return await caller.send("PUT", path, json={"value": value}, headers=headers)


async def test_a_value_is_set_merged_read_listed_and_deleted(alice: Caller) -> None:
    first = await put(alice, UNITS, {"length": {"long": "km"}, "mass": "kg"})
    assert first.status_code == 200, first.text
    patch = {"value": {"length": {"short": "cm"}, "mass": None}}
    second = await alice.send("PATCH", UNITS, json=patch)
    item = second.json()
    assert item["value"] == {"length": {"long": "km", "short": "cm"}, "mass": None}
    assert item["key"] == "units"
    assert item["created_at"] == first.json()["updated_at"] < item["updated_at"]
    assert second.headers["ETag"] == f'"{item["version"]}"'

    read = await alice.get(UNITS)
    assert (read.json(), read.headers["ETag"]) == (item, second.headers["ETag"])
    other = await put(alice, f"{PROFILE}/a", "text")
    assert (await alice.get(PROFILE)).json() == {"items": [other.json(), item]}

    assert (await alice.delete(UNITS)).status_code == 204
    missing = [await alice.get(UNITS), await alice.delete(UNITS)]
    assert [response.status_code for response in missing] == [404, 404]
    assert missing[0].json() == {
        "error": "Profile key not found",
        "detail": "no profile key of that name",
    }


async def test_numbers_come_back_as_they_were_written(alice: Caller) -> None:
    written = '{"value": [1, 1.0, 1e17, -0.0, 9007199254740993, 1' + "0" * 40 + ", 0.1]}"
    headers = {"Content-Type": "application/json"}
    stored = await alice.send("PUT", UNITS, content=written, headers=headers)
    assert stored.status_code == 200, stored.text
    numbers = json.loads(written)["value"]
    for response in (stored, await alice.get(UNITS)):
        assert repr(response.json()["value"]) == repr(numbers)
    (listed,) = (await alice.get(PROFILE)).json()["items"]
    assert repr(listed["value"]) == repr(numbers)


@pytest.mark.parametrize("key", ["reports/2024", "数据 é", "100%", "a?b#c", "x" * 200])
async def test_any_name_is_a_key(alice: Caller, key: str) -> None:
    path = f"{PROFILE}/{quote(key, safe='')}"
    assert (await put(alice, path, 1)).json()["key"] == key
    assert (await alice.get(path)).json()["key"] == key


@pytest.mark.parametrize(
    ("key", "body", "problem"),
    [
        ("x" * 201, '{"value": 1}', "key is longer than 200 characters"),
        ("%20", '{"value": 1}', "key must not be blank"),
        ("a%09b", '{"value": 1}', "key must not contain control characters"),
        ("units", '{"value": NaN}', "value must not contain NaN"),
        ("units", '{"value": 1e999}', "value must not contain NaN"),
        ("units", '{"value": ' + "[" * 33 + "]" * 33 + "}", "value is nested deeper"),
        ("units", json.dumps({"value": "x" * 65_535}), "value is larger than 64 KiB"),
        ("units", '{"value": "\\u0000"}', "value must not contain NUL"),
        ("units", "{}", "body.value: Field required"),
        ("units", '{"value": 1, "key": "units"}', "Extra inputs"),
    ],
)
async def test_what_cannot_be_stored_is_refused_with_the_reason(
    alice: Caller, key: str, body: str, problem: str
) -> None:
    for method in ("PUT", "PATCH"):
        headers = {"Content-Type": "application/json"}
        response = await alice.send(method, f"{PROFILE}/{key}", content=body, headers=headers)
        assert response.status_code == 422
        assert problem in response.json()["detail"]
    assert (await alice.get(PROFILE)).json() == {"items": []}


async def test_a_change_of_an_outdated_version_is_refused(alice: Caller) -> None:
    new = {"If-None-Match": "*"}
    first = await put(alice, UNITS, "km", **new)
    second = await put(alice, UNITS, "mi", **{"If-Match": first.headers["ETag"]})
    assert [first.status_code, second.status_code] == [200, 200]
    outdated = {"If-Match": first.headers["ETag"]}
    refused = [
        await put(alice, UNITS, "m", **outdated),
        await put(alice, UNITS, "m", **new),
        await alice.send("PATCH", UNITS, json={"value": {}}, headers=outdated),
        await alice.send("DELETE", UNITS, headers=outdated),
        await put(alice, f"{PROFILE}/other", "m", **outdated),
    ]
    assert [response.status_code for response in refused] == [412] * 5
    assert refused[0].json()["error"] == "Precondition Failed"
    assert "read it again" in refused[0].json()["detail"]
    assert (await alice.get(PROFILE)).json()["items"] == [second.json()]
    current = {"If-Match": second.headers["ETag"]}
    assert (await alice.send("DELETE", UNITS, headers=current)).status_code == 204


@pytest.mark.parametrize(
    "headers",
    [
        {"If-Match": "*"},
        {"If-Match": 'W/"1"'},
        {"If-Match": '"1", "2"'},
        {"If-Match": "9" * 30},
        {"If-None-Match": '"1"'},
        {"If-Match": '"1"', "If-None-Match": "*"},
    ],
)
async def test_conditions_that_are_not_understood_are_refused(
    alice: Caller, headers: dict[str, str]
) -> None:
    assert (await put(alice, UNITS, 1, **headers)).status_code == 422
    assert (await alice.get(PROFILE)).json() == {"items": []}


async def test_a_profile_is_deleted_only_if_that_is_confirmed(
    alice: Caller, tenant: Tenant, services: Services
) -> None:
    for key in "ab":
        await put(alice, f"{PROFILE}/{key}", key)
    for query in ({}, {"confirm": "false"}):
        response = await alice.send("DELETE", PROFILE, params=query)
        assert response.status_code == 400
        assert "confirm must be true" in response.json()["detail"]
    assert len((await alice.get(PROFILE)).json()["items"]) == 2
    cleared = await alice.send("DELETE", PROFILE, params={"confirm": "true"})
    assert (cleared.status_code, cleared.json()) == (200, {"deleted": 2})
    assert (await alice.get(PROFILE)).json() == {"items": []}
    (entry,) = await services.audit.entries(tenant.scope("alice"), limit=9)
    assert (entry.action, entry.count) == ("profile.cleared", 2)


async def test_a_service_key_works_on_the_profile_of_the_user_it_names(
    alice: Caller, operator: Caller
) -> None:
    stored = await put(operator, UNITS, "km")
    assert (await alice.get(UNITS)).json() == stored.json()
