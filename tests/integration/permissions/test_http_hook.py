"""A permission hook, asked over HTTP."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio
from fastapi import FastAPI, Request
from starlette.responses import JSONResponse, Response

from recollect.domain.conversation.message import Visibility
from recollect.domain.identity.scope import Scope
from recollect.errors import ConfigurationError, PermissionsUnavailable
from recollect.permissions.http import PermissionsHook
from support.servers.http_servers import serving

ANN = Scope(tenant="acme", user="ann", authorization="Bearer her own")


class Hook:
    """A hook that says what the test tells it to; None: nothing, for a while."""

    def __init__(self) -> None:
        self.url = ""
        self.answer: Response | None = None
        self.requests: list[Any] = []

    async def __call__(self, request: Request) -> Response:
        body = json.loads(await request.body())
        self.requests.append((body, request.headers.get("Authorization")))
        if self.answer is None:
            await asyncio.sleep(1)
        return self.answer or Response()


@pytest_asyncio.fixture(scope="module")
async def listening() -> AsyncIterator[Hook]:
    app, hook = FastAPI(openapi_url=None), Hook()
    app.add_api_route("/permissions", hook.__call__, methods=["POST"])
    async with serving(app) as url:
        hook.url = f"{url}/permissions"
        yield hook


@pytest.fixture
def hook(listening: Hook) -> Hook:
    listening.requests.clear()
    return listening


async def test_a_hook_gets_tenant_and_user_and_returns_tables(hook: Hook) -> None:
    hook.answer = JSONResponse({"tables": ["sales.*"], "restricted": ["Sales.customers"]})
    async with PermissionsHook(hook.url, secret="geheim") as permissions:
        access = await permissions.access_of(ANN)
    assert access.tables == {"sales.*": Visibility.ALL, "sales.customers": Visibility.SHAPE}
    assert hook.requests == [({"tenant": "acme", "user": "ann"}, "Bearer geheim")]


async def test_a_hook_without_a_secret_is_asked_without_one_and_never_with_the_callers(
    hook: Hook,
) -> None:
    hook.answer = JSONResponse({})
    async with PermissionsHook(hook.url) as permissions:
        await permissions.access_of(ANN)
    assert hook.requests == [({"tenant": "acme", "user": "ann"}, None)]


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        (JSONResponse({"tables": ["*"]}, status_code=201), "status 201"),
        (JSONResponse({}, status_code=403), "status 403"),
        (Response(status_code=302, headers={"Location": "/elsewhere"}), "status 302"),
        (Response("tables: all"), "no JSON"),
        (JSONResponse(["sales.*"]), "should be a valid dictionary"),
        (
            JSONResponse({"tables": ["*"], "restricted": None}),
            "restricted: Input should be a valid list",
        ),
        (JSONResponse({"tables": ["*"], "restrict": ["hr.*"]}), "restrict: Extra inputs"),
        (Response(b'"' + b"x" * 16_000_001 + b'"'), "more than 16,000,000 bytes"),
    ],
)
async def test_an_answer_that_is_none_allows_nothing(
    hook: Hook, answer: Response, problem: str
) -> None:
    hook.answer = answer
    async with PermissionsHook(hook.url, time_limit=30) as permissions:
        with pytest.raises(PermissionsUnavailable, match=problem):
            await permissions.access_of(ANN)


async def test_a_hook_that_does_not_answer_in_time_allows_nothing(hook: Hook) -> None:
    hook.answer = None
    async with PermissionsHook(hook.url, time_limit=0.1) as permissions:
        with pytest.raises(PermissionsUnavailable, match=r"no answer within 0\.1 seconds"):
            await permissions.access_of(ANN)


async def test_a_secret_that_no_header_takes_is_refused_at_once() -> None:
    with pytest.raises(ConfigurationError, match="MEMORY_PERMISSIONS_SECRET"):
        PermissionsHook("https://host/", secret="a\nb")
