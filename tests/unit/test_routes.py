"""Requests find their routes by an index, and the routes of every turn have a plan."""

from typing import Annotated

import pytest
from fastapi import APIRouter, FastAPI, Query, Response
from fastapi.routing import APIRoute
from pydantic import BaseModel, Field
from starlette.testclient import TestClient

from recollect.interfaces.http.large_json import LargeBodyRoute
from recollect.interfaces.http.request_plan import RequestPlan
from recollect.interfaces.http.route_index import add_routers, index_routes
from recollect.interfaces.http.routes import chat, contexts, messages, sessions
from support.tables import for_each

HOT = {
    ("POST", "/chat"): chat.router,
    ("POST", "/memoryChat"): chat.data_router,
    ("GET", "/api/v1/sessions/{session_id}"): sessions.router,
    ("GET", "/api/v1/sessions/{session_id}/messages"): messages.router,
    ("POST", "/api/v1/sessions/{session_id}/exchanges"): messages.router,
    ("POST", "/api/v1/sessions/{session_id}/context"): contexts.router,
    ("GET", "/api/v1/state"): sessions.state_router,
}


@for_each(("method", "path"), HOT)
def test_what_every_turn_asks_for_is_planned(method: str, path: str) -> None:
    (route,) = (
        one
        for one in HOT[method, path].routes
        if isinstance(one, LargeBodyRoute) and one.path == path and method in one.methods
    )
    assert RequestPlan.of(route) is not None


def application() -> FastAPI:
    router = APIRouter(route_class=LargeBodyRoute)

    @router.get("/things/{number}")
    async def thing(number: int, size: Annotated[int, Query(ge=1)] = 3) -> Response:
        return Response(f"thing {number} of {size}")

    @router.get("/things/all")
    async def hidden() -> Response:
        return Response("never reached: the route before it comes first")

    @router.get("/{anything:path}")
    async def rest(anything: str) -> Response:
        return Response(f"the rest: {anything}")

    app = FastAPI()
    add_routers(app, [router])
    index_routes(app)
    return app


@for_each(
    ("path", "status", "text"),
    [
        ("/things/7", 200, "thing 7 of 3"),
        ("/things/7?size=5", 200, "thing 7 of 5"),
        ("/things/7?size=0", 422, "greater than or equal to 1"),
        ("/things/7?sise=5", 422, "is not a query parameter of this route, which takes: size"),
        ("/things/all", 422, "valid integer"),
        ("/things/7/parts", 200, "the rest: things/7/parts"),
        ("/else", 200, "the rest: else"),
    ],
)
@for_each("mounted", ["", "/under"])
def test_the_first_route_that_fits_answers(path: str, status: int, text: str, mounted: str) -> None:
    app = application()
    if mounted:
        outer = FastAPI()
        outer.mount(mounted, app)
        app = outer
    response = TestClient(app, raise_server_exceptions=False).get(mounted + path)
    assert response.status_code == status
    assert text in response.text


def test_another_method_is_refused_as_such() -> None:
    router = APIRouter(route_class=LargeBodyRoute)

    @router.get("/things")
    async def things() -> Response:
        return Response()

    app = FastAPI()
    add_routers(app, [router])
    index_routes(app)
    assert TestClient(app).delete("/things").status_code == 405


class Account(BaseModel):
    name: str
    size: int | None = Field(default=None, serialization_alias="sizeOf")


class StoredAccount(Account):
    secret: str = "never sent"  # that is the test


@pytest.mark.parametrize("route_class", [LargeBodyRoute, APIRoute])
def test_a_model_is_sent_as_the_framework_sends_it(route_class: type[APIRoute]) -> None:
    router = APIRouter(route_class=route_class)

    @router.post("/accounts", status_code=201)
    async def add(account: Account) -> Account:
        return StoredAccount(name=account.name)

    app = FastAPI()
    add_routers(app, [router])
    client = TestClient(app)
    response = client.post("/accounts", json={"name": "Zoë"})
    assert (response.status_code, response.json()) == (201, {"name": "Zoë", "sizeOf": None})
    assert response.headers["content-type"] == "application/json"
    refused = client.post("/accounts", json={"size": 3})
    assert refused.status_code == 422
    assert refused.json()["detail"][0]["loc"] == ["body", "name"]
