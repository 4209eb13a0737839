"""A user name in a Basic header counts once the upstream has checked the password."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from starlette.responses import JSONResponse

from recollect.domain.identity.accounts import KeyScope
from recollect.domain.identity.scope import TenantScope
from recollect.interfaces.http.callers import UPSTREAM_HEADER
from recollect.ports import Stores
from recollect.services.services import Services
from support.doubles.denodo_sdk import ALICE, DenodoDouble, basic, denodo_double
from support.http.callers import Caller, assert_unauthenticated, is_same_owner, refusal_of
from support.servers.answering_server import answering_server

PERMISSIONS = "/getUserPermissions"
QUESTION = {"question": "Show me total sales by region for 2024"}


@pytest_asyncio.fixture
async def denodo() -> AsyncIterator[DenodoDouble]:
    async with denodo_double("1.4") as double:
        yield double


@pytest_asyncio.fixture
async def anybody(stores: Stores, denodo: DenodoDouble) -> AsyncIterator[Caller]:
    async with answering_server(
        stores, denodo_url=denodo.url, user_id_source="basic_username", tenant="by-basic"
    ) as caller:
        yield caller


def using(caller: Caller, authorization: str) -> Caller:
    return caller.with_headers({"Authorization": authorization})


async def test_a_checked_name_is_a_user_and_is_not_checked_at_every_call(
    anybody: Caller, denodo: DenodoDouble
) -> None:
    bob = basic("bob", "builder")
    denodo.users[bob] = "bob"
    alice = using(anybody, ALICE)
    assert await is_same_owner(alice, using(anybody, ALICE))
    assert denodo.paths.count(PERMISSIONS) == 1
    assert not await is_same_owner(alice, using(anybody, bob))


@pytest.mark.parametrize(
    "authorization",
    [
        basic("alice", "wrong"),
        basic("", "wonderland"),
        "Basic",
        "Basic !!!",
        "Basic YWxpY2U=",
        "Bearer alices-token",
        "",
    ],
)
async def test_basic_credentials_that_the_upstream_does_not_verify_are_refused(
    anybody: Caller, authorization: str
) -> None:
    await assert_unauthenticated(using(anybody, authorization))


@pytest.mark.parametrize("name", ["alice ", "alice\u00a0", "alice\n", "al\u200bice", "Zoe\u0308"])
@pytest.mark.parametrize("told_by", ["caller", "upstream"])
async def test_a_checked_name_that_could_be_taken_for_another_is_refused(
    anybody: Caller, denodo: DenodoDouble, name: str, told_by: str
) -> None:
    given = basic(name if told_by == "caller" else "alice", "checked")
    denodo.users[given] = name if told_by == "upstream" else ""
    await assert_unauthenticated(using(anybody, given))


async def test_callers_are_refused_while_the_upstream_does_not_answer(
    anybody: Caller, denodo: DenodoDouble
) -> None:
    denodo.hidden.add(PERMISSIONS)
    response = await refusal_of(using(anybody, ALICE))
    assert response.status_code == 503


async def test_the_upstream_gets_the_callers_credentials_and_never_our_keys(
    anybody: Caller, denodo: DenodoDouble, services: Services
) -> None:
    await using(anybody, ALICE).post("/memoryChat", QUESTION)
    assert denodo.authorizations[-1] == ALICE

    scope = TenantScope(tenant="by-basic", actor="test")
    _, key = await services.api_keys.create(
        scope, name="a key", scopes=[KeyScope.USER], user="alice"
    )
    holder = using(anybody, f"Bearer {key}")
    refused = await holder.post("/memoryChat", QUESTION)
    assert refused.status_code == 401
    accepted = await holder.with_headers({UPSTREAM_HEADER: ALICE}).post("/memoryChat", QUESTION)
    assert accepted.status_code == 200
    assert denodo.authorizations[-1] == ALICE
    assert not any(key in (sent or "") for sent in denodo.authorizations)


async def test_a_failure_of_the_upstream_is_reported_without_its_traceback(
    anybody: Caller, denodo: DenodoDouble
) -> None:
    denodo.reply = JSONResponse({"detail": {"traceback": "Traceback: secret"}}, 500)
    for path in ("/memoryChat", "/answerQuestion"):
        response = await using(anybody, ALICE).post(path, QUESTION)
        assert response.status_code == 503
        assert "secret" not in response.text


async def test_a_halted_user_cannot_use_the_pass_through_route(
    anybody: Caller, denodo: DenodoDouble, services: Services
) -> None:
    scope = TenantScope(tenant="by-basic", actor="test")
    _, key = await services.api_keys.create(scope, name="a key", scopes=[KeyScope.SERVICE])
    operator = using(anybody, f"Bearer {key}").with_headers({"X-Memory-User": "alice"})
    await operator.send("PUT", "/api/v1/state", json={"mode": "halted"})
    response = await using(anybody, ALICE).post("/answerQuestion", QUESTION)
    await operator.delete("/api/v1/state")
    assert response.status_code == 423
    assert denodo.bodies == []
