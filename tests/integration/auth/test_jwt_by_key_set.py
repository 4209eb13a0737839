import hmac
import json
import time
from base64 import urlsafe_b64encode
from collections.abc import AsyncIterator, Iterator
from typing import Final
from uuid import uuid4

import jwt
import pytest
import pytest_asyncio

from recollect.domain.identity.accounts import KeyScope
from recollect.services.services import Services
from support.http.callers import (
    Caller,
    Json,
    Serve,
    Tenant,
    assert_forbidden,
    assert_unauthenticated,
    is_same_owner,
    refusal_of,
)
from support.http.jwt_tokens import SigningKey, an_ec_key, an_rsa_key, claims, key_set, publishing
from support.servers.http_servers import free_port
from support.tables import for_each

RSA: Final = an_rsa_key()
EC: Final = an_ec_key()
VALID: Final[Json] = {"iss": "https://issuer.example", "aud": "recollect"}
SETTINGS: Final = {
    "user_id_source": "jwt_claim",
    "jwt_issuer": "https://issuer.example",
    "jwt_audience": "recollect",
}


@pytest.fixture(scope="module")
def published() -> Iterator[str]:
    with publishing(key_set(RSA, EC)) as url:
        yield url


@pytest_asyncio.fixture(scope="module")
async def server(serve: Serve, published: str) -> AsyncIterator[Caller]:
    tenant = f"tenant-{uuid4()}"
    async with serve(**SETTINGS, jwt_jwks_url=published, tenant=tenant) as caller:
        yield caller


def holding(server: Caller, token: str) -> Caller:
    return server.with_headers({"Authorization": f"Bearer {token}"})


@pytest.mark.parametrize("key", [RSA, EC], ids=["RSA", "EC"])
async def test_a_token_signed_by_a_published_key_opens_the_memory_of_its_subject(
    server: Caller, key: SigningKey
) -> None:
    alice = holding(server, key.sign(**VALID))

    assert await is_same_owner(alice, holding(server, RSA.sign(**VALID)))
    assert not await is_same_owner(alice, holding(server, key.sign(**VALID, sub="bob")))


@for_each("key", [RSA, EC], ids=["RSA", "EC"])
@for_each(
    "changes",
    [
        {"iss": "https://other.example"},
        {"iss": None},
        {"aud": "other"},
        {"aud": None},
        {"exp": int(time.time()) - 60},
        {"exp": None},
        {"sub": None},
    ],
    ids=[
        "wrong issuer",
        "no issuer",
        "wrong audience",
        "no audience",
        "expired",
        "never expires",
        "nobody",
    ],
)
async def test_claims_that_are_not_valid_are_refused(
    server: Caller, key: SigningKey, changes: Json
) -> None:
    await assert_unauthenticated(holding(server, key.sign(**{**VALID, **changes})))


@pytest.mark.parametrize("forger", [an_rsa_key(), an_ec_key()], ids=["RSA", "EC"])
async def test_a_token_of_a_strangers_key_is_refused(server: Caller, forger: SigningKey) -> None:
    await assert_unauthenticated(holding(server, forger.sign(**VALID)))
    await assert_unauthenticated(holding(server, forger.sign(**VALID, key_id="unknown")))


async def test_a_token_of_one_key_under_the_name_of_another_is_refused(server: Caller) -> None:
    await assert_unauthenticated(holding(server, RSA.sign(**VALID, key_id=EC.key_id)))
    await assert_unauthenticated(holding(server, EC.sign(**VALID, key_id=RSA.key_id)))


async def test_a_token_that_names_no_key_is_refused(server: Caller) -> None:
    token = jwt.encode(claims(**VALID), RSA.private, "RS256")  # type: ignore[arg-type]  # RSA

    await assert_unauthenticated(holding(server, token))


async def test_an_unsigned_token_is_refused(server: Caller) -> None:
    headers = {"kid": RSA.key_id}
    token = jwt.encode(claims(**VALID), key="", algorithm="none", headers=headers)

    await assert_unauthenticated(holding(server, token))
    signature = RSA.sign(**VALID).rpartition(".")[2]
    await assert_unauthenticated(holding(server, token + signature))


@pytest.mark.parametrize("key", [RSA, EC], ids=["RSA", "EC"])
@pytest.mark.parametrize("form", ["pem", "jwk"])
async def test_a_public_key_is_not_taken_for_a_secret(
    server: Caller, key: SigningKey, form: str
) -> None:
    """The confusion of algorithms: HS256 with what everybody can read as its secret."""
    secret = key.public_pem() if form == "pem" else json.dumps(key.as_json()).encode()
    token = _hs256(secret, key.key_id)

    await assert_unauthenticated(holding(server, token))


@pytest.mark.parametrize("token", ["x", "a.b.c", "..", "eyJhbGciOiJSUzI1NiJ9.e30.AAAA"])
async def test_a_bearer_token_that_is_no_jwt_is_refused(server: Caller, token: str) -> None:
    await assert_unauthenticated(holding(server, token))


async def test_a_token_may_not_name_another_user(server: Caller) -> None:
    caller = holding(server, RSA.sign(**VALID))

    await assert_forbidden(caller.with_headers({"X-Memory-User": "bob"}))


async def test_an_algorithm_that_is_not_allowed_is_refused(serve: Serve, published: str) -> None:
    settings = {**SETTINGS, "jwt_algorithms": "ES256", "tenant": f"tenant-{uuid4()}"}
    async with serve(**settings, jwt_jwks_url=published) as server:
        assert (await holding(server, EC.sign(**VALID)).get("/api/v1/sessions")).is_success
        await assert_unauthenticated(holding(server, RSA.sign(**VALID)))


async def assert_unavailable(serve: Serve, services: Services, url: str) -> None:
    async with serve(**SETTINGS, jwt_jwks_url=url) as server:
        response = await refusal_of(holding(server, RSA.sign(**VALID)))
        key = await Tenant(server=server, services=services).key(KeyScope.USER, user="alice")
        by_key = await holding(server, key).get("/api/v1/sessions")

    assert response.status_code == 503
    assert response.headers["Retry-After"]
    assert by_key.status_code == 200


async def test_without_the_server_of_the_keys_tokens_cannot_be_checked_now(
    serve: Serve, services: Services
) -> None:
    await assert_unavailable(serve, services, f"http://127.0.0.1:{free_port()}/jwks.json")


@pytest.mark.parametrize(
    ("body", "status"),
    [(b"{}", 500), (b"", 404), (b"<html>Sign in</html>", 200), (b"[]", 200), (None, 200)],
    ids=["it fails", "it knows none", "it answers in HTML", "it answers a list", "it hangs up"],
)
async def test_while_the_server_of_the_keys_talks_nonsense_tokens_cannot_be_checked_now(
    serve: Serve, services: Services, body: bytes | None, status: int
) -> None:
    with publishing(body, status=status) as url:
        await assert_unavailable(serve, services, url)


def _hs256(secret: bytes, key_id: str) -> str:
    """Signed by hand, for PyJWT refuses to take a public key as a secret."""
    header = {"alg": "HS256", "typ": "JWT", "kid": key_id}
    parts = [_packed(header), _packed(claims(**VALID))]
    signature = hmac.digest(secret, b".".join(parts), "sha256")
    return b".".join([*parts, urlsafe_b64encode(signature).rstrip(b"=")]).decode()


def _packed(value: object) -> bytes:
    return urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=")
