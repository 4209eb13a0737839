"""The Data Catalog, asked over HTTP; a double of our own, not Denodo's own program."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from starlette.responses import JSONResponse, Response

from recollect.domain.conversation.message import Visibility
from recollect.domain.identity.scope import Scope
from recollect.errors import PermissionsUnavailable
from recollect.permissions.http import DenodoCatalog
from support.doubles.denodo_catalog import DenodoCatalogDouble, Right, View, denodo_catalog

ALL, SHAPE = Visibility.ALL, Visibility.SHAPE
ANN = "Basic YW5uOmdlaGVpbQ=="

VIEWS = [
    View(view_id=1, database="sales", name="Orders"),
    View(view_id=2, database="sales", name="customers"),
    View(view_id=3, database="hr", name="pay"),
    View(view_id=4, database="hr", name="staff"),
    View(view_id=5, database="elsewhere", name="orders"),
]
RIGHTS = [
    Right(view_id=1),
    Right(view_id=2, has_row_restrictions=True),
    Right(view_id=4, restricted_columns=("salary",)),
    Right(view_id=5),
    Right(view_id=99),
]


@pytest_asyncio.fixture(scope="module")
async def listening() -> AsyncIterator[DenodoCatalogDouble]:
    async with denodo_catalog(DenodoCatalogDouble()) as double:
        yield double


@pytest.fixture
def double(listening: DenodoCatalogDouble) -> DenodoCatalogDouble:
    listening.views, listening.rights = VIEWS, {ANN: RIGHTS, "Bearer nobody": []}
    listening.is_legacy, listening.page_limit, listening.failure = False, 50, None
    listening.requests.clear()
    return listening


@pytest_asyncio.fixture
async def catalog(double: DenodoCatalogDouble) -> AsyncIterator[DenodoCatalog]:
    async with DenodoCatalog(double.url, databases=["sales", "hr"], time_limit=30) as opened:
        yield opened


def calling(authorization: str | None) -> Scope:
    return Scope(tenant="acme", user="ann", authorization=authorization)


async def test_views_and_restrictions_are_read_with_the_callers_own_credentials(
    catalog: DenodoCatalog, double: DenodoCatalogDouble
) -> None:
    access = await catalog.access_of(calling(ANN))
    assert access.tables == {"sales.orders": ALL, "sales.customers": SHAPE, "hr.staff": SHAPE}
    assert {credentials for _, credentials, _ in double.requests} == {ANN}
    assert (await catalog.access_of(calling("Bearer nobody"))).tables == {}


async def test_the_older_generation_tells_views_and_no_restrictions(
    catalog: DenodoCatalog, double: DenodoCatalogDouble
) -> None:
    double.is_legacy = True
    access = await catalog.access_of(calling(ANN))
    assert access.tables == {"sales.orders": ALL, "sales.customers": ALL, "hr.staff": ALL}
    asked = [path for path, _, _ in double.requests]
    assert asked[:2] == ["ai-sdk/user-permissions", "views/allowed-identifiers"]


async def test_restrictions_count_as_soon_as_an_older_catalog_is_replaced(
    catalog: DenodoCatalog, double: DenodoCatalogDouble
) -> None:
    double.is_legacy = True
    await catalog.access_of(calling(ANN))
    double.is_legacy = False
    access = await catalog.access_of(calling(ANN))
    assert access.visibility_of(["hr.staff"]) is SHAPE


async def test_names_are_read_page_by_page_however_long_the_catalogs_pages_are(
    catalog: DenodoCatalog, double: DenodoCatalogDouble
) -> None:
    double.views = [View(view_id=n, database="hr", name=f"view_{n}") for n in range(1, 8)]
    double.rights = {ANN: [Right(view_id=n) for n in range(1, 8)]}
    double.page_limit = 3
    access = await catalog.access_of(calling(ANN))
    assert access.tables == {f"hr.view_{n}": ALL for n in range(1, 8)}


async def test_a_request_without_credentials_is_not_asked_about(
    catalog: DenodoCatalog, double: DenodoCatalogDouble
) -> None:
    with pytest.raises(PermissionsUnavailable, match="no credentials"):
        await catalog.access_of(calling(None))
    assert double.requests == []


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        (JSONResponse({}, status_code=500), "status 500"),
        (Response(status_code=302, headers={"Location": "/login"}), "status 302"),
        (JSONResponse({}, status_code=404), "status 404"),
        (Response("<html>", media_type="text/html"), "no JSON"),
        (JSONResponse([1]), "unknown form"),
        (JSONResponse({"viewsPermissions": [{"viewId": 1}]}), "unknown form"),
        (JSONResponse({"viewsPermissions": [{"viewId": "1"}]}), "unknown form"),
    ],
)
async def test_an_answer_that_is_none_allows_nothing(
    catalog: DenodoCatalog, double: DenodoCatalogDouble, answer: Response, problem: str
) -> None:
    double.failure = answer
    with pytest.raises(PermissionsUnavailable, match=problem) as failure:
        await catalog.access_of(calling(ANN))
    assert ANN not in str(failure.value)


async def test_refused_credentials_allow_nothing(catalog: DenodoCatalog) -> None:
    with pytest.raises(PermissionsUnavailable, match="refused the caller's credentials"):
        await catalog.access_of(calling("Bearer stolen"))


async def test_a_catalog_that_is_not_there_allows_nothing() -> None:
    async with DenodoCatalog("http://127.0.0.1:9/x", databases=["hr"], time_limit=2) as catalog:
        with pytest.raises(PermissionsUnavailable, match="could not be reached"):
            await catalog.access_of(calling(ANN))
