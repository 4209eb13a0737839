"""Permissions from end to end: a server's settings, its sources, and what callers get."""

import json
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from uuid import uuid4

import httpx
import jwt
import pytest
import pytest_asyncio
from starlette.datastructures import Headers

from recollect.domain.identity.accounts import KeyScope
from recollect.domain.identity.scope import TenantScope
from recollect.interfaces.http.app import create_app
from recollect.interfaces.http.callers import Authenticator
from recollect.memory import Memory
from recollect.services.access import UNAVAILABLE
from recollect.services.services import Services
from recollect.settings import load_settings
from support.doubles.denodo_catalog import DenodoCatalogDouble, Right, View, denodo_catalog
from support.http.callers import Caller, Json
from support.servers.http_servers import serving
from support.timeouts import PATIENCE

SECRET = "a secret that is long enough for HS256"
TENANT = f"tenant-{uuid4()}"
SALES = {
    "sql_query": "SELECT SUM(amount) FROM sales.orders WHERE year = 2024",
    "tables_used": ["sales.orders", "hr.pay"],
}
PAY = {
    "sql_query": """SELECT "amount" FROM "HR"."Pay" WHERE "name" = 'Quentin'""",
    "tables_used": ["hr.pay"],
    "execution_result": {"Row 1": [{"columnName": "amount", "value": "98,765"}]},
}


@asynccontextmanager
async def a_server(home: Path, **settings: object) -> AsyncIterator[Caller]:
    """A server with these settings on the shared database, its callers told by JWTs."""
    chosen = load_settings(
        home=home,
        tenant=TENANT,
        user_id_source="jwt_claim",
        jwt_secret=SECRET,
        permissions_cache_seconds=0,
        db_max_connections=2,
        **settings,
    )
    async with (
        Memory.open(chosen) as memory,
        serving(create_app(memory, chosen)) as url,
        httpx.AsyncClient(timeout=PATIENCE, trust_env=False) as client,
    ):
        yield Caller(client=client, url=url)


def credentials_of(user: str) -> str:
    return f"Bearer {jwt.encode({'sub': user, 'exp': 4_102_444_800}, SECRET)}"


def as_user(server: Caller, user: str) -> Caller:
    return server.with_headers({"Authorization": credentials_of(user)})


async def conversation(caller: Caller) -> Json:
    """A session with one answer about sales and one about pay."""
    session = await caller.start_session()
    await caller.add(session, "How much did we sell in 2024?")
    await caller.add(session, "We sold 1234567.", role="assistant", **SALES)
    await caller.add(session, "What does Quentin earn?")
    await caller.add(session, "Quentin earns 98,765.", role="assistant", **PAY)
    return session


async def context_of(caller: Caller, session: Json, **body: object) -> Json:
    path = f"/api/v1/sessions/{session['session_id']}/context"
    response = await caller.post(path, {"question": "Hello?", **body})
    assert response.status_code == 200, response.text
    context: Json = response.json()
    return context


def write_grants(path: Path, **users: dict[str, list[str]]) -> None:
    path.write_text(json.dumps({"tenants": {TENANT: {"users": users}}}))


@pytest.fixture(scope="module")
def grants(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("permissions") / "permissions.json"


@pytest_asyncio.fixture(scope="module")
async def by_file(shared_home: Path, grants: Path) -> AsyncIterator[Caller]:
    async with a_server(shared_home, permissions=f"file:{grants}") as server:
        yield server


async def test_a_permissions_file_decides_what_each_user_sees(
    by_file: Caller, grants: Path
) -> None:
    user = f"ann-{uuid4()}"
    write_grants(grants, **{user: {"tables": ["*"]}})
    ann = as_user(by_file, user)
    session = await conversation(ann)
    assert "Quentin earns 98,765." in str(await context_of(ann, session))

    write_grants(grants, **{user: {"tables": ["sales.*"], "restricted": ["hr.pay"]}})
    context = await context_of(ann, session)
    assert context["window"][3]["visibility"] == "shape"
    assert context["window"][3]["sql_query"] == 'SELECT "amount" FROM "HR"."Pay" WHERE "name" = ?'
    assert "98,765" not in str(context)

    write_grants(grants, **{user: {"tables": ["sales.*"]}})
    context = await context_of(ann, session)
    assert [message["content"] for message in context["window"]] == [
        "How much did we sell in 2024?",
        "We sold 1234567.",
    ]
    assert context["window"][1]["tables_used"] == ["sales.orders"]
    assert context["warnings"] == []
    listed = await ann.messages(session, order="asc")
    assert [message["content"] for message in listed[2:]] == ["[…]", "[…]"]
    assert [message["visibility"] for message in listed[2:]] == ["nothing", "nothing"]
    assert "visibility" not in listed[0]
    assert await ann.history(order="asc") == listed
    assert "Quentin" not in str(listed)


async def test_databases_of_a_request_narrow_its_context(by_file: Caller, grants: Path) -> None:
    user = f"ann-{uuid4()}"
    write_grants(grants, **{user: {"tables": ["*"]}})
    ann = as_user(by_file, user)
    session = await conversation(ann)
    context = await context_of(ann, session, databases=["hr"])
    assert context["window"][0]["content"] == "What does Quentin earn?"
    assert (await context_of(ann, session, databases=[]))["window"] == []
    refused = await ann.post(
        f"/api/v1/sessions/{session['session_id']}/context",
        {"question": "Hello?", "databases": ["a\0b"]},
    )
    assert refused.status_code == 422


async def test_a_broken_file_gives_nothing_of_any_table_and_a_warning(
    by_file: Caller, grants: Path
) -> None:
    user = f"ann-{uuid4()}"
    write_grants(grants, **{user: {"tables": ["*"]}})
    ann = as_user(by_file, user)
    session = await conversation(ann)
    write_grants(grants, **{user: {"tabels": ["*"]}})

    context = await context_of(ann, session)

    assert context["window"] == []
    assert context["warnings"] == [UNAVAILABLE]
    assert {message["visibility"] for message in await ann.history()} == {"nothing"}


@pytest.mark.parametrize(
    ("permissions", "kept"),
    [
        ("none", None),
        ("file:/x", None),
        ("https://host/hook", None),
        ("denodo:https://host/x?databases=hr", credentials_of("ann")),
    ],
)
async def test_the_callers_credentials_are_kept_only_for_a_source_that_uses_them(
    services: Services, permissions: str, kept: str | None
) -> None:
    settings = load_settings(permissions=permissions, user_id_source="jwt_claim", jwt_secret=SECRET)
    credentials = credentials_of("ann")
    authenticator = Authenticator(settings, services.api_keys)

    caller = await authenticator.caller_of(Headers({"Authorization": credentials}))
    scope = caller.scope

    assert scope.authorization == kept
    assert credentials not in repr(scope)


async def test_the_data_catalog_is_asked_with_the_callers_own_credentials(
    shared_home: Path, caplog: pytest.LogCaptureFixture
) -> None:
    ann, bob = f"ann-{uuid4()}", f"bob-{uuid4()}"
    double = DenodoCatalogDouble(
        views=[
            View(view_id=1, database="sales", name="orders"),
            View(view_id=2, database="hr", name="pay"),
        ],
        rights={
            credentials_of(ann): [Right(view_id=1)],
            credentials_of(bob): [Right(view_id=1), Right(view_id=2, has_row_restrictions=True)],
        },
    )
    with caplog.at_level(logging.DEBUG):
        async with (
            denodo_catalog(double),
            a_server(shared_home, permissions=f"denodo:{double.url}?databases=sales,hr") as server,
        ):
            anns = await context_of(as_user(server, ann), await conversation(as_user(server, ann)))
            bobs = await context_of(as_user(server, bob), await conversation(as_user(server, bob)))
            double.is_legacy = True
            old = await context_of(as_user(server, bob), await conversation(as_user(server, bob)))
            carol = as_user(server, "carol")  # whom the catalog does not know
            carols = await context_of(carol, await conversation(carol))
    assert "1234567" in str(anns)
    assert "Quentin" not in str(anns)
    assert "What does Quentin earn?" in str(bobs)
    assert "98,765" not in str(bobs)
    assert "98,765" in str(old)
    assert (carols["window"], carols["warnings"]) == ([], [UNAVAILABLE])
    assert {credentials for _, credentials, _ in double.requests} == {
        credentials_of(user) for user in (ann, bob, "carol")
    }
    assert not [user for user in (ann, bob, "carol") if credentials_of(user) in caplog.text]


async def test_a_key_of_ours_is_never_sent_to_the_data_catalog(
    shared_home: Path, services: Services
) -> None:
    _, key = await services.api_keys.create(
        TenantScope(tenant=TENANT), name="key", scopes=[KeyScope.USER], user="dora"
    )
    double = DenodoCatalogDouble()
    async with (
        denodo_catalog(double),
        a_server(shared_home, permissions=f"denodo:{double.url}?databases=hr") as server,
    ):
        dora = server.with_headers({"Authorization": f"Bearer {key}"})
        context = await context_of(dora, await conversation(dora))
    assert context["warnings"] == [UNAVAILABLE]
    assert double.requests == []
