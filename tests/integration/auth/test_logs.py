"""One JSON line for each request, under its transaction, without a word of what was said."""

import json
import logging
from collections.abc import Iterator
from io import StringIO
from uuid import uuid4

import pytest

from recollect.telemetry.logging import JsonFormatter
from support.http.callers import Caller, Json, Tenant

SECRET = "kiwi-7f3a"


class Lines:
    """What was logged while a test ran."""

    def __init__(self) -> None:
        self.stream = StringIO()

    @property
    def text(self) -> str:
        """All of it."""
        return self.stream.getvalue()

    def of(self, transaction_id: str) -> list[Json]:
        """The lines of one transaction; every line must be JSON."""
        lines: list[Json] = [json.loads(line) for line in self.text.splitlines()]
        return [line for line in lines if line.get("transaction_id") == transaction_id]


@pytest.fixture
def lines() -> Iterator[Lines]:
    """All that anything logs, down to the last detail."""
    found = Lines()
    handler = logging.StreamHandler(found.stream)
    handler.setFormatter(JsonFormatter())
    logger = logging.getLogger("recollect")
    before = logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.DEBUG)
    yield found
    logger.setLevel(before)
    logger.removeHandler(handler)


async def test_a_request_is_one_line_with_its_facts(tenant: Tenant, lines: Lines) -> None:
    alice = await tenant.user("alice")
    session = await alice.start_session()
    transaction = f"tx-{uuid4()}"

    await alice.with_headers({"X-Transaction-ID": transaction}).get(
        f"/api/v1/sessions/{session['session_id']}"
    )

    (line,) = lines.of(transaction)
    milliseconds = line.pop("milliseconds")
    assert line.pop("time").endswith("Z")
    assert line == {
        "level": "info",
        "event": "http.request",
        "transaction_id": transaction,
        "method": "GET",
        "route": "/api/v1/sessions/{session_id}",
        "status": 200,
    }
    assert milliseconds > 0


async def test_a_new_id_is_logged_as_it_is_returned(keyed: Caller, lines: Lines) -> None:
    response = await keyed.get("/healthz")

    (line,) = lines.of(response.headers["X-Transaction-ID"])
    assert line["route"] == "/healthz"


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", f"/{SECRET}", 404),
        ("GET", f"/api/v1/sessions/{SECRET}", 400),
        ("PUT", "/api/v1/sessions", 405),
        ("GET", f"/api/v1/sessions?cursor={SECRET}", 400),
    ],
)
async def test_a_refusal_is_logged_with_its_status_and_without_its_path(
    tenant: Tenant, lines: Lines, method: str, path: str, status: int
) -> None:
    caller = (await tenant.user("alice")).with_headers({"X-Transaction-ID": (id_ := str(uuid4()))})

    await caller.send(method, path)

    (line,) = lines.of(id_)
    assert line["status"] == status
    assert SECRET not in lines.text


async def test_neither_message_texts_nor_user_names_are_logged(
    tenant: Tenant, lines: Lines
) -> None:
    user = f"user-{SECRET}"
    service = (await tenant.service()).with_headers({"X-Memory-User": user})
    session = await service.start_session(name=SECRET, metadata={SECRET: SECRET}, tags=[SECRET])
    path = f"/api/v1/sessions/{session['session_id']}"
    await service.add(session, f"What is {SECRET}?", metadata={"a": SECRET})
    await service.add(session, SECRET, role="assistant", sql_query=f"SELECT '{SECRET}'")
    await service.post(f"{path}/messages", {"role": SECRET, "content": SECRET})
    await service.post(f"{path}/messages", {"role": "user", "content": f"{SECRET}\0"})
    await service.send("POST", f"{path}/messages", content=f'{{"{SECRET}'.encode())
    await service.patch(path, {"name": f"{SECRET} again"})
    await service.get(f"{path}/messages", cursor=SECRET)
    await service.get("/api/v1/history", order=SECRET)
    await service.delete(path)

    logged = lines.text
    assert logged.count("http.request") == 10
    assert SECRET not in logged
    assert tenant.name not in logged
    assert service.headers["Authorization"].removeprefix("Bearer ") not in logged
