"""A server without configured credentials: one user, this machine alone."""

from collections.abc import AsyncIterator
from uuid import uuid4

import pytest
import pytest_asyncio

from recollect.services.services import Services
from support.http.callers import (
    Caller,
    Serve,
    Tenant,
    assert_forbidden,
    assert_unauthenticated,
    is_same_owner,
)
from support.tables import for_each


@pytest_asyncio.fixture(scope="module")
async def local(serve: Serve) -> AsyncIterator[Caller]:
    async with serve(tenant=f"tenant-{uuid4()}") as caller:
        yield caller


async def test_callers_without_credentials_are_the_local_user(local: Caller) -> None:
    assert await is_same_owner(local, local.with_headers({"Cookie": "user=bob"}))


@for_each(
    "host",
    [
        "localhost",
        "localhost:8080",
        "LOCALHOST:1",
        "memory.localhost:8080",
        "127.0.0.1",
        "127.0.0.1:8080",
        "127.1.2.3:80",
        "[::1]:8080",
        "[::1]",
    ],
)
async def test_the_names_of_this_machine_are_accepted(local: Caller, host: str) -> None:
    assert await is_same_owner(local.with_headers({"Host": host}), local)


@for_each(
    "host",
    [
        "evil.example",
        "evil.example:8080",
        "localhost.evil.example",
        "127.0.0.1.evil.example",
        "127.0.0.1.nip.io:8080",
        "notlocalhost",
        "192.168.1.5:8080",
        "10.0.0.1",
        "0.0.0.0:8080",
        "[2001:db8::1]:8080",
        "2130706433",
        "",
    ],
)
async def test_host_headers_naming_another_machine_are_refused(local: Caller, host: str) -> None:
    """A web page may bind its own name to this machine, and so reach us from a browser."""
    await assert_forbidden(local.with_headers({"Host": host}))


@pytest.mark.parametrize("header", ["X-Memory-User", "X-OpenWebUI-User-Id"])
async def test_the_local_user_may_not_name_another(local: Caller, header: str) -> None:
    await assert_forbidden(local.with_headers({header: "bob"}))
    assert await is_same_owner(local.with_headers({header: ""}), local)


async def test_a_valid_api_key_counts_here_too(local: Caller, services: Services) -> None:
    tenant = Tenant(server=local, services=services)
    alice, service = await tenant.user("alice"), await tenant.service()

    assert not await is_same_owner(alice, local)
    assert await is_same_owner(service.with_headers({"X-Memory-User": "alice"}), alice)


async def test_a_key_that_is_not_valid_does_not_fall_back_to_the_local_user(
    local: Caller,
) -> None:
    await assert_unauthenticated(local.with_headers({"Authorization": "Bearer rec_" + "a" * 86}))


@for_each("header", ["Bearer sk-anything", "Bearer a.b.c", "Basic abc", "x"])
async def test_any_other_credentials_are_ignored(local: Caller, header: str) -> None:
    assert await is_same_owner(local.with_headers({"Authorization": header}), local)


async def test_the_local_user_can_have_another_name(serve: Serve, services: Services) -> None:
    tenant = f"tenant-{uuid4()}"
    async with serve(tenant=tenant, local_user="zoë") as server:
        zoe = await Tenant(server=server, services=services, name=tenant).user("zoë")

        assert await is_same_owner(server, zoe)
