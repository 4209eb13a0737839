"""A service key names the user it acts for; nobody else may name one."""

import pytest

from recollect.domain.identity.accounts import KeyScope
from support.http.callers import Caller, Tenant, assert_forbidden, is_same_owner, refusal_of
from support.tables import for_each

NAMING = ["X-Memory-User", "X-OpenWebUI-User-Id"]


@pytest.mark.parametrize("header", NAMING)
async def test_a_service_reaches_the_memory_of_the_user_it_names(
    tenant: Tenant, header: str
) -> None:
    service = await tenant.service()

    assert await is_same_owner(service.with_headers({header: "bob"}), await tenant.user("bob"))
    assert not await is_same_owner(
        service.with_headers({header: "bob"}), service.with_headers({header: "alice"})
    )


@pytest.mark.parametrize("name", ["Zoë", "数据库", "алиса", "👩", "a b", "o'hara", "x" * 255])
async def test_a_name_may_be_any_text_in_utf_8(tenant: Tenant, name: str) -> None:
    service = await tenant.service()

    named = service.with_headers({"X-Memory-User": name})

    assert await is_same_owner(named, await tenant.user(name))
    assert not await is_same_owner(named, service.with_headers({"X-Memory-User": "alice"}))


@pytest.mark.parametrize(("name", "other"), [("caffà", "caffÅ"), ("ÅÅ", "Åà"), ("Ƞ", "ȅ")])
async def test_names_that_end_in_an_accented_letter_are_kept_apart(
    tenant: Tenant, name: str, other: str
) -> None:
    service = await tenant.service()
    named = service.with_headers({"X-Memory-User": name})

    assert not await is_same_owner(named, service.with_headers({"X-Memory-User": other}))
    assert await is_same_owner(named, await tenant.user(name))


async def test_header_names_may_be_written_in_any_case(tenant: Tenant) -> None:
    service = await tenant.service()

    assert await is_same_owner(
        service.with_headers({"x-memory-USER": "bob"}),
        service.with_headers({"X-Memory-User": "bob"}),
    )


@pytest.mark.parametrize("header", [*NAMING, "Authorization"])
async def test_a_header_that_comes_twice_is_refused(tenant: Tenant, header: str) -> None:
    service = await tenant.service()
    naming = [(header, "bob"), (header, "alice")]
    if header == "Authorization":
        naming.append(("X-Memory-User", "bob"))
    twice = [*service.headers.items(), *naming]

    response = await service.client.get(f"{service.url}/api/v1/sessions", headers=twice)

    assert response.status_code == 422
    assert f"{header} must not come twice" in response.json()["detail"]


@pytest.mark.parametrize("headers", [{}, {"X-Memory-User": ""}, {"X-OpenWebUI-User-Id": ""}])
async def test_a_service_key_must_name_a_user(tenant: Tenant, headers: dict[str, str]) -> None:
    response = await refusal_of((await tenant.service()).with_headers(headers))

    assert response.status_code == 422
    assert "X-Memory-User" in response.json()["detail"]


@for_each("header", NAMING)
@for_each(
    "name",
    [
        *("x" * 256, "a\tb", "a\u0085b", "a\u2028b", "alice\u00a0", "\u3000alice", "\u00a0"),
        *("al\u200bice", "\ufeffalice", "al\u202eice", "Zoe\u0308"),
    ],
)
async def test_an_invalid_user_name_is_refused(tenant: Tenant, header: str, name: str) -> None:
    response = await refusal_of((await tenant.service()).with_headers({header: name}))

    assert response.status_code == 422
    assert header in response.json()["detail"]


async def test_an_empty_name_gives_way_to_openwebuis(tenant: Tenant) -> None:
    service = await tenant.service()

    assert await is_same_owner(
        service.with_headers({"X-Memory-User": "", "X-OpenWebUI-User-Id": "bob"}),
        await tenant.user("bob"),
    )


async def test_our_own_header_counts_before_openwebuis(tenant: Tenant) -> None:
    service = await tenant.service()

    assert await is_same_owner(
        service.with_headers({"X-Memory-User": "alice", "X-OpenWebUI-User-Id": "bob"}),
        await tenant.user("alice"),
    )


@pytest.mark.parametrize("header", NAMING)
@pytest.mark.parametrize("name", ["bob", "alice"])
async def test_a_users_key_may_not_name_a_user_not_even_itself(
    tenant: Tenant, header: str, name: str
) -> None:
    alice = await tenant.user("alice")

    await assert_forbidden(alice.with_headers({header: name}))


@pytest.mark.parametrize("header", NAMING)
async def test_an_empty_name_from_a_users_key_is_none(tenant: Tenant, header: str) -> None:
    alice = await tenant.user("alice")

    assert await is_same_owner(alice.with_headers({header: ""}), alice)


async def test_a_key_of_both_scopes_is_its_user_unless_it_names_another(tenant: Tenant) -> None:
    key = tenant.holding(await tenant.key(KeyScope.USER, KeyScope.SERVICE, user="alice"))

    assert await is_same_owner(key, await tenant.user("alice"))
    assert await is_same_owner(key.with_headers({"X-Memory-User": "bob"}), await tenant.user("bob"))


@pytest.mark.parametrize("place", ["user", "user_id", "owner_id", "tenant", "X-Memory-User"])
async def test_a_user_cannot_be_named_in_body_or_query(tenant: Tenant, place: str) -> None:
    alice: Caller = await tenant.user("alice")
    await alice.start_session()

    in_query = await alice.get("/api/v1/sessions", **{place: "bob"})
    in_body = await alice.post("/api/v1/sessions", {place: "bob"})

    assert (in_query.status_code, in_body.status_code) == (422, 422)
    assert len((await alice.get("/api/v1/sessions")).json()["items"]) == 1
