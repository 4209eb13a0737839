"""Each route takes the query parameters that its description has, and no others."""

from typing import Final

import pytest

from support.http.bad_requests import Bystander, assert_refused
from support.http.callers import Caller
from support.http.openapi_operations import Operation, operations
from support.tables import for_each

OPERATIONS: Final = operations()
OPEN: Final = ("/v1/", "/healthz", "/readyz")
STRICT: Final = [one for one in OPERATIONS if not one.path.startswith(OPEN)]
WITH_PARAMETERS: Final = [
    (operation, parameter)
    for operation in OPERATIONS
    for parameter in operation.spec.get("parameters", [])
    if parameter["in"] == "query"
]


@for_each("operation", STRICT)
async def test_a_misspelt_parameter_is_named_and_nothing_is_done(
    bystander: Bystander, operation: Operation
) -> None:
    response = await bystander.send(
        operation.method,
        operation.path.replace("{turn_number}", "1"),
        json=operation.example,
        params={"limti": "1"},
    )

    assert_refused(response, 422)
    detail = response.json()["detail"]
    assert detail.startswith("query.limti: is not a query parameter of this route, which takes: ")


@for_each(
    ("operation", "parameter"),
    WITH_PARAMETERS,
    ids=[f"{operation} {parameter['name']}" for operation, parameter in WITH_PARAMETERS],
)
async def test_every_described_parameter_is_known(
    bystander: Bystander, operation: Operation, parameter: dict[str, str]
) -> None:
    """Known, if not taken: a value that is none keeps the request from being done."""
    response = await bystander.send(
        operation.method,
        operation.path.replace("{turn_number}", "1"),
        json=operation.example,
        params={parameter["name"]: "nonsense"},
    )

    assert "is not a query parameter" not in response.text


@pytest.mark.parametrize("path", ["/healthz", "/readyz", "/v1/models"])
async def test_probes_and_openai_clients_may_send_parameters_of_their_own(
    alice: Caller, path: str
) -> None:
    assert (await alice.get(path, **{"api-version": "2024-10-21"})).status_code == 200


async def test_sessions_are_listed_by_their_last_use(alice: Caller) -> None:
    first, second = await alice.start_session(), await alice.start_session()
    expected = [second["session_id"], first["session_id"]]

    response = await alice.get("/api/v1/sessions", sort="last_accessed", limit=1)
    rest = await alice.get(
        "/api/v1/sessions", sort="last_accessed", cursor=response.json()["next_cursor"]
    )

    items = [*response.json()["items"], *rest.json()["items"]]
    assert [session["session_id"] for session in items] == expected
    wrong = await alice.get("/api/v1/sessions", cursor=response.json()["next_cursor"])
    assert wrong.status_code == 400


async def test_an_unknown_sort_is_refused(alice: Caller) -> None:
    response = await alice.get("/api/v1/sessions", sort="name")

    assert response.status_code == 422
    assert "sort" in response.json()["detail"]
