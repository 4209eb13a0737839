"""OpenWebUI's signed user header, once its secret is known."""

import time
from collections.abc import AsyncIterator

import pytest_asyncio

from recollect.services.services import Services
from support.http.callers import (
    Caller,
    Json,
    Serve,
    Tenant,
    assert_forbidden,
    assert_unauthenticated,
    is_same_owner,
)
from support.http.jwt_tokens import SECRET, signed
from support.tables import for_each

HEADER = "X-OpenWebUI-User-Jwt"


def token(secret: str = SECRET, **claims: object) -> str:
    given: Json = {"iss": "open-webui", "sub": "bob", **claims}
    return signed(secret, **given)


@pytest_asyncio.fixture(scope="module")
async def server(serve: Serve) -> AsyncIterator[Caller]:
    async with serve(user_id_source="api_key", openwebui_jwt_secret=SECRET) as caller:
        yield caller


@pytest_asyncio.fixture
async def service(server: Caller, services: Services) -> Caller:
    return await Tenant(server=server, services=services).service()


async def test_a_valid_token_names_the_user(service: Caller) -> None:
    by_token = service.with_headers({HEADER: token(), "X-OpenWebUI-User-Id": "mallory"})

    assert await is_same_owner(by_token, service.with_headers({"X-Memory-User": "bob"}))


@for_each(
    "bad",
    [
        token(exp=int(time.time()) - 60),
        token(exp=None),
        token(SECRET[::-1]),
        token(iss="somebody else"),
        token(iss=None),
        token(sub=None),
        token(algorithm="HS512"),
        "not.a.token",
        "x",
    ],
    ids=[
        "expired",
        "never expires",
        "wrong secret",
        "wrong issuer",
        "no issuer",
        "nobody",
        "wrong algorithm",
        "no token",
        "a letter",
    ],
)
async def test_a_token_that_is_not_valid_is_refused(service: Caller, bad: str) -> None:
    await assert_unauthenticated(service.with_headers({HEADER: bad, "X-OpenWebUI-User-Id": "bob"}))


async def test_the_plain_header_alone_is_no_longer_believed(service: Caller) -> None:
    await assert_unauthenticated(service.with_headers({"X-OpenWebUI-User-Id": "bob"}))
    await assert_unauthenticated(service.with_headers({"X-OpenWebUI-User-Id": "bob", HEADER: ""}))


async def test_a_users_key_may_not_bring_a_token(server: Caller, services: Services) -> None:
    alice = await Tenant(server=server, services=services).user("alice")

    await assert_forbidden(alice.with_headers({HEADER: token()}))


async def test_an_openwebui_token_without_a_service_key_is_refused(server: Caller) -> None:
    await assert_unauthenticated(server.with_headers({HEADER: token()}))


async def test_without_a_secret_the_token_is_not_looked_at(tenant: Tenant) -> None:
    service = (await tenant.service()).with_headers({HEADER: "x", "X-OpenWebUI-User-Id": "bob"})

    assert await is_same_owner(service, await tenant.user("bob"))
