"""Settings of a tenant over HTTP: for its administrators, and no others."""

import pytest

from recollect.services.services import Services
from support.http.callers import Caller, Json, Tenant

LIST = "/api/v1/admin/tenants"


def path_of(tenant: Tenant) -> str:
    return f"{LIST}/{tenant.name}/settings"


def given(body: Json) -> Json:
    """The settings that are set."""
    return {name: value for name, value in body["settings"].items() if value is not None}


async def test_settings_are_set_changed_and_unset_with_what_counts_beside_them(
    tenant: Tenant,
) -> None:
    admin, path = await tenant.admin(), path_of(tenant)

    fresh = await admin.get(path)
    assert (fresh.status_code, fresh.headers["ETag"]) == (200, '"0"')
    assert given(fresh.json()) == {}
    assert fresh.json()["effective"]["store_results"] == "summary"

    body = {"retention": "fixed:7", "store_results": "none", "facts": False}
    put = await admin.send("PUT", path, json=body, headers={"If-Match": '"0"'})
    assert (put.status_code, put.headers["ETag"]) == (200, '"1"')
    assert given(put.json()) == body
    assert put.json()["effective"] == {
        **fresh.json()["effective"],
        **body,
        "learn_facts": False,
    }

    patch = await admin.patch(path, {"facts": None, "mask_pii": "off"})
    assert given(patch.json()) == {
        "retention": "fixed:7",
        "store_results": "none",
        "mask_pii": "off",
    }
    assert (await admin.get(LIST)).json() == {"items": [patch.json()], "next_cursor": None}
    assert given((await admin.send("PUT", path, json={"facts": True})).json()) == {"facts": True}

    deleted = await admin.delete(path)
    assert (deleted.status_code, deleted.content) == (204, b"")
    after = (await admin.get(path)).json()
    assert (given(after), after["version"]) == ({}, 4)
    assert after["effective"] == fresh.json()["effective"]


@pytest.mark.parametrize("method", ["PUT", "PATCH", "DELETE"])
async def test_a_change_that_expects_another_version_is_refused(
    tenant: Tenant, method: str
) -> None:
    admin, path = await tenant.admin(), path_of(tenant)
    before = await admin.send("PUT", path, json={"retention": "fixed:7"})
    body = None if method == "DELETE" else {"retention": "none"}

    stale = await admin.send(method, path, json=body, headers={"If-Match": '"0"'})

    assert stale.status_code == 412
    assert (await admin.get(path)).json() == before.json()
    right = await admin.send(method, path, json=body, headers={"If-Match": '"1"'})
    assert right.is_success


@pytest.mark.parametrize(
    ("body", "names"),
    [
        ({"retention": "soon"}, "retention"),
        ({"mask_pii": "maybe"}, "mask_pii"),
        ({"mask_pii": "mask"}, "MEMORY_MASKING_KEY"),
        ({"archive": True}, "MEMORY_ARCHIVE"),
        ({"archive": "folder:/tmp"}, "archive"),
        ({"facts_prune_below": 2}, "facts_prune_below"),
        ({"masking_key": "mine"}, "Extra inputs"),
    ],
    ids=str,
)
async def test_what_the_server_does_not_take_is_refused_and_changes_nothing(
    tenant: Tenant, body: Json, names: str
) -> None:
    admin, path = await tenant.admin(), path_of(tenant)
    for method in ("PUT", "PATCH"):
        refused = await admin.send(method, path, json={"store_results": "none", **body})
        assert refused.status_code == 422
        assert names in refused.json()["detail"]
    assert (await admin.get(path)).json()["version"] == 0


async def test_nobody_but_an_administrator_of_the_tenant_reaches_them(
    tenant: Tenant, other_tenant: Tenant, anonymous: Caller
) -> None:
    path = path_of(tenant)
    operations: list[tuple[str, str, Json | None]] = [
        ("GET", path, None),
        ("PUT", path, {"mask_pii": "off"}),
        ("PATCH", path, {"mask_pii": "off"}),
        ("DELETE", path, None),
    ]
    stranger = await other_tenant.admin()
    alice, service = await tenant.user("alice"), await tenant.service()
    for method, url, body in operations:
        assert (await stranger.send(method, url, json=body)).status_code == 404
        assert (await anonymous.send(method, url, json=body)).status_code == 401
        for caller in (alice, service, service.with_headers({"X-Memory-User": "alice"})):
            assert (await caller.send(method, url, json=body)).status_code == 403
    assert [(await caller.get(LIST)).status_code for caller in (alice, anonymous)] == [403, 401]
    (own,) = (await stranger.get(LIST)).json()["items"]
    assert own["tenant"] == other_tenant.name
    assert (await (await tenant.admin()).get(path)).json()["version"] == 0


async def test_every_change_is_in_the_audit_log_by_the_names_of_settings(
    tenant: Tenant, services: Services
) -> None:
    admin = await tenant.admin()
    await admin.send("PUT", path_of(tenant), json={"retention": "fixed:7", "facts": False})
    await admin.delete(path_of(tenant))

    log = await admin.get("/api/v1/admin/audit", action="tenant_settings.changed", order="asc")

    entries = log.json()["items"]
    assert [(one["target"], one["count"]) for one in entries] == [("retention,facts", 2)] * 2
    assert {one["actor"].partition(":")[0] for one in entries} == {"key"}
    assert "fixed:7" not in log.text
