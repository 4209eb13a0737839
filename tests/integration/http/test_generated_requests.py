"""Requests that schemathesis makes up from the OpenAPI document, valid and not, to the program."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, TypeAlias
from uuid import uuid4

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from recollect.engines.postgres.connection.database import Database
from support.effort import IS_WHOLE
from support.http.openapi_operations import openapi_document
from support.servers.http_servers import ServerProgram
from support.timeouts import PATIENCE

Case: TypeAlias = schemathesis.Case[Any]
SCHEMA: Final = schemathesis.openapi.from_dict(openapi_document())
SCHEMA.config.phases.coverage.enabled = IS_WHOLE
"""Thousands of requests: each value that each schema allows or not, one at a time."""
CHECKS: Final = [
    not_a_server_error,
    status_code_conformance,
    response_schema_conformance,
    content_type_conformance,
]
BOUNDED: Final = settings(
    max_examples=50 if IS_WHOLE else 6,
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)


@pytest.fixture(scope="module")
def program(shared_home: Path, database: Database) -> Iterator[str]:
    """The address of the server in a process of its own: schemathesis waits for its answers."""
    # No worker: on the database that all tests share it would work for all of them.
    env = {"MEMORY_TENANT": f"generated-{uuid4()}", "MEMORY_WORKER": "false"}
    server = ServerProgram(shared_home, env=env)
    server.start()
    yield server.url
    server.stop()


@pytest.fixture
def ids(program: str) -> dict[str, object]:
    """The ids of things that exist."""
    sessions = f"{program}/api/v1/sessions"
    session: str = httpx.post(sessions, json={}, timeout=PATIENCE).json()["session_id"]
    question = {"role": "user", "content": "Hello"}
    message = httpx.post(f"{sessions}/{session}/messages", json=question, timeout=PATIENCE).json()
    value = {"value": {"language": "nl"}}
    httpx.put(f"{program}/api/v1/profile/preferences", json=value, timeout=PATIENCE)
    content = {"content": f"The number is {uuid4()}."}
    fact = httpx.post(f"{program}/api/v1/memory", json=content, timeout=PATIENCE).json()
    tenants = httpx.get(f"{program}/api/v1/admin/tenants", timeout=PATIENCE).json()["items"]
    models = httpx.get(f"{program}/v1/models", timeout=PATIENCE).json()["data"]
    return {
        "session_id": session,
        "message_id": message["message_id"],
        "turn_number": 1,
        "model_id": models[0]["id"],
        "key": "preferences",
        "fact_id": fact["fact_id"],
        "tenant": tenants[0]["tenant"],
        "erasure_id": str(uuid4()),  # erasures are off here; see test_erasures.py
    }


@SCHEMA.parametrize()
@BOUNDED
def test_any_request_gets_a_documented_answer(case: Case, program: str) -> None:
    case.call_and_validate(base_url=program, checks=CHECKS)


@SCHEMA.include(path_regex="{").parametrize()
@BOUNDED
def test_any_request_for_existing_resources_gets_a_documented_response(
    case: Case, program: str, ids: dict[str, object]
) -> None:
    case.path_parameters = {name: ids[name] for name in case.path_parameters}

    case.call_and_validate(base_url=program, checks=CHECKS)
