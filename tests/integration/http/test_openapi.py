"""The OpenAPI document is what callers read first: complete, and true."""

import re
from typing import Final

import pytest

from support.http.callers import Caller, Json, Tenant
from support.http.openapi_operations import Operation, openapi_document, operations
from support.tables import for_each

DOCUMENT: Final = openapi_document()
OPERATIONS: Final = operations(DOCUMENT)
SCHEMAS: Final[dict[str, Json]] = DOCUMENT["components"]["schemas"]
GENERATED: Final = {
    "JsonValue",
    "ListOf_SessionOut_",
    "ListOf_MessageOut_",
    "ListOf_FoundFactOut_",
    "ListOf_AuditEntryOut_",
    "ListOf_TenantSettingsOut_",
}  # by pydantic
OF_MEMORY: Final = [operation for operation in OPERATIONS if operation.path.startswith("/api/")]
NAMING_IN_THE_BODY: Final = {
    *("POST /api/v1/rewrite", "POST /api/v1/recall", "POST /api/v1/privacy/erase"),
}
OFF: Final = {"POST /api/v1/privacy/erase", "POST /api/v1/privacy/tenant/erase"}
"""Routes that answer 403 by default; see test_erasures.py."""
WITH_BODY: Final = [operation for operation in OPERATIONS if "requestBody" in operation.spec]


async def test_the_openapi_document_needs_no_credentials(anonymous: Caller) -> None:
    response = await anonymous.get("/openapi.json")

    assert response.status_code == 200
    assert response.json() == DOCUMENT


def test_the_openapi_document_has_title_version_and_description() -> None:
    assert DOCUMENT["openapi"].startswith("3.")
    assert all(DOCUMENT["info"][part] for part in ("title", "version", "description", "license"))


def test_every_operation_is_described(subtests: pytest.Subtests) -> None:
    for operation in OPERATIONS:
        with subtests.test(operation=str(operation)):
            assert operation.spec["summary"]
            assert operation.spec["description"].endswith(".")
            assert operation.spec["tags"]
            assert operation.spec["operationId"]


def test_no_two_operations_have_the_same_id_or_summary() -> None:
    for part in ("operationId", "summary"):
        names = [operation.spec[part] for operation in OPERATIONS]
        assert len(set(names)) == len(names)


def test_every_operation_documents_its_errors_in_one_form(subtests: pytest.Subtests) -> None:
    for operation in OF_MEMORY:
        with subtests.test(operation=str(operation)):
            responses = operation.spec["responses"]

            assert set(responses) >= {"400", "401", "403", "422", "503"}
            names_in_the_body = str(operation) in NAMING_IN_THE_BODY
            assert ("404" in responses) == (operation.names_something or names_in_the_body)
            for status, response in responses.items():
                assert response["description"]
                if int(status) >= 400:
                    schema = response["content"]["application/json"]["schema"]
                    assert schema == {"$ref": "#/components/schemas/ErrorBody"}


def test_every_operation_names_its_credentials(subtests: pytest.Subtests) -> None:
    for operation in OF_MEMORY:
        with subtests.test(operation=str(operation)):
            assert operation.spec["security"] == [{"Bearer": []}]


def test_every_parameter_is_described(subtests: pytest.Subtests) -> None:
    for operation in OPERATIONS:
        with subtests.test(operation=str(operation)):
            for parameter in operation.spec.get("parameters", []):
                assert parameter["description"], parameter["name"]


@for_each("operation", WITH_BODY)
def test_every_body_has_an_example(operation: Operation) -> None:
    assert operation.example


@pytest.mark.parametrize("operation", WITH_BODY, ids=str)
async def test_every_example_body_is_accepted_by_its_route(
    alice: Caller, operator: Caller, tenant: Tenant, operation: Operation
) -> None:
    caller = operator if operation.is_for_operators else alice
    if operation.is_for_admins:
        caller = await tenant.admin()
    session = await alice.start_session()
    message = await alice.add(session, "Hello")

    fact = (await alice.post("/api/v1/memory", {"content": "I live in Gent."})).json()

    named = {"key": "preferences", "tenant": tenant.name}
    path = operation.path_with({**session, **message, **named, **fact})
    response = await caller.send(operation.method, path, json=operation.example)

    assert response.is_success or (str(operation) in OFF and response.status_code == 403)


def test_every_schema_is_described_and_none_is_the_frameworks_own(
    subtests: pytest.Subtests,
) -> None:
    for name in [name for name in SCHEMAS if name not in GENERATED]:
        with subtests.test(name=str(name)[:80]):
            schema = SCHEMAS[name]

            assert name not in {"HTTPValidationError", "ValidationError"}
            assert re.fullmatch(r"[A-Za-z_]+", name)
            assert schema["description"]


def test_every_request_body_refuses_unknown_fields() -> None:
    for operation in OF_MEMORY:
        if "requestBody" not in operation.spec:
            continue
        schema = operation.spec["requestBody"]["content"]["application/json"]["schema"]
        assert SCHEMAS[schema["$ref"].rpartition("/")[2]]["additionalProperties"] is False
