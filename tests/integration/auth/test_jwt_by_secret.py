import json
import time
from collections.abc import AsyncIterator
from typing import Final
from uuid import uuid4

import jwt
import pytest
import pytest_asyncio
from jwt import PyJWS

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
from support.http.jwt_tokens import SECRET, claims, signed
from support.tables import for_each

A_CENTURY_HENCE: Final = 4_943_000_000  # however long after this line a test runs
VALID: Final[Json] = {"iss": "https://issuer.example", "aud": "recollect"}


@pytest_asyncio.fixture(scope="module")
async def server(serve: Serve) -> AsyncIterator[Caller]:
    async with serve(
        user_id_source="jwt_claim",
        jwt_secret=SECRET,
        jwt_issuer="https://issuer.example",
        jwt_audience="recollect",
        tenant=f"tenant-{uuid4()}",
    ) as caller:
        yield caller


def holding(server: Caller, token: str) -> Caller:
    return server.with_headers({"Authorization": f"Bearer {token}"})


async def test_a_valid_token_opens_the_memory_of_its_subject(server: Caller) -> None:
    alice = holding(server, signed(**VALID))
    again = holding(server, signed(**VALID, jti=str(uuid4()), exp=A_CENTURY_HENCE))

    assert await is_same_owner(alice, again)
    assert not await is_same_owner(alice, holding(server, signed(**VALID, sub="bob")))


async def test_a_number_names_a_user_too(server: Caller) -> None:
    token = jwt.encode(claims(**VALID, sub="17"), SECRET)

    assert (await holding(server, token).get("/api/v1/sessions")).status_code == 200


def unsigned(**given: object) -> str:
    return jwt.encode(claims(**given), key="", algorithm="none")


@for_each(
    "token",
    [
        signed(SECRET[::-1], **VALID),
        signed(**VALID)[:-4] + "AAAA",
        unsigned(**VALID),
        unsigned(**VALID).rstrip(".") + ".AAAA",
        signed(algorithm="HS512", **VALID),
        signed(**{**VALID, "iss": "https://other.example"}),
        signed(**{**VALID, "iss": None}),
        signed(**{**VALID, "aud": "other"}),
        signed(**{**VALID, "aud": None}),
        signed(**VALID, exp=int(time.time()) - 60),
        signed(**VALID, exp=None),
        signed(**VALID, nbf=A_CENTURY_HENCE),
        signed(**VALID, sub=None),
        signed(**VALID, sub=""),
        signed(**VALID, sub=" "),
        signed(**VALID, exp="soon"),
        "x",
        "a.b.c",
        "..",
        "eyJhbGciOiJIUzI1NiJ9.e30.",
    ],
    ids=[
        "wrong secret",
        "wrong signature",
        "algorithm none",
        "algorithm none with a signature",
        "another algorithm",
        "wrong issuer",
        "no issuer",
        "wrong audience",
        "no audience",
        "expired",
        "never expires",
        "not yet valid",
        "nobody",
        "empty name",
        "blank name",
        "exp that is no time",
        "a letter",
        "no JSON",
        "dots",
        "no claims",
    ],
)
async def test_a_token_that_is_not_valid_is_refused(server: Caller, token: str) -> None:
    await assert_unauthenticated(holding(server, token))


@pytest.mark.parametrize("subject", [["alice"], {"name": "alice"}, True, 1.5])
async def test_a_user_claim_that_is_neither_text_nor_an_integer_is_refused(
    server: Caller, subject: object
) -> None:
    # PyJWT does not make such tokens; other issuers may.
    content = json.dumps(claims(**VALID, sub=subject)).encode()
    token = PyJWS().encode(content, SECRET, "HS256")

    await assert_unauthenticated(holding(server, token))


async def test_a_request_without_a_jwt_is_refused(server: Caller) -> None:
    await assert_unauthenticated(server)


@pytest.mark.parametrize("header", ["X-Memory-User", "X-OpenWebUI-User-Id"])
async def test_a_token_may_not_name_another_user(server: Caller, header: str) -> None:
    await assert_forbidden(holding(server, signed(**VALID)).with_headers({header: "bob"}))


@pytest.mark.parametrize(
    "name", ["x" * 256, " alice", "alice\n", "alice\u00a0", "al\u200bice", "Zoe\u0308", "a\ud800"]
)
async def test_a_claim_that_is_no_name_is_refused(server: Caller, name: str) -> None:
    await assert_unauthenticated(holding(server, signed(**VALID, sub=name)))


async def test_api_keys_work_beside_tokens(server: Caller, services: Services) -> None:
    tenant = Tenant(server=server, services=services)

    assert not await is_same_owner(await tenant.user("alice"), holding(server, signed(**VALID)))


async def test_another_claim_can_name_the_user_and_one_the_tenant(serve: Serve) -> None:
    first, second = f"tenant-{uuid4()}", f"tenant-{uuid4()}"
    settings = {
        "user_id_source": "jwt_claim",
        "jwt_secret": SECRET,
        "user_id_jwt_claim": "email",
        "tenant_jwt_claim": "org",
    }
    async with serve(**settings) as server:
        alice = holding(server, signed(email="alice@a.example", org=first, sub="1"))
        same = holding(server, signed(email="alice@a.example", org=first, sub="2"))
        elsewhere = holding(server, signed(email="alice@a.example", org=second, sub="1"))

        assert await is_same_owner(alice, same)
        assert not await is_same_owner(alice, elsewhere)
        await assert_unauthenticated(holding(server, signed(org=first)))
        await assert_unauthenticated(holding(server, signed(email="alice@a.example")))
        await assert_unauthenticated(holding(server, signed(email="alice@a.example", org=" ")))


async def test_a_tenant_may_be_a_number_and_never_the_systems(serve: Serve) -> None:
    number = uuid4().int >> 64
    settings = {"user_id_source": "jwt_claim", "jwt_secret": SECRET, "tenant_jwt_claim": "org"}
    async with serve(**settings) as server:
        by_number = holding(server, signed(org=number))
        by_name = holding(server, signed(org=str(number)))

        assert await is_same_owner(by_number, by_name)
        await assert_unauthenticated(holding(server, signed(org=True)))
        for reserved in ("$system", " $system "):
            await assert_forbidden(holding(server, signed(org=reserved)))
