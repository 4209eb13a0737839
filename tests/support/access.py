"""What callers get: their memory, or a refusal in the form of all errors."""

import httpx

from .callers import Caller


async def owner_seen_by(caller: Caller) -> str:
    """A mark that two callers share if they reach the same memory, and only then."""
    response = await caller.get("/api/v1/sessions", limit=1, order="asc")
    assert response.status_code == 200, response.text
    items = response.json()["items"]
    if not items:
        return str((await caller.start_session())["session_id"])
    return str(items[0]["session_id"])


async def is_same_owner(first: Caller, second: Caller) -> bool:
    """Whether two callers reach the same memory."""
    return await owner_seen_by(first) == await owner_seen_by(second)


async def refusal_of(caller: Caller) -> httpx.Response:
    """The answer to somebody who must not get in."""
    response = await caller.get("/api/v1/sessions")
    assert response.status_code >= 400, response.text
    assert list(response.json()) == ["error", "detail"]
    assert all(response.json().values())
    written = await caller.post("/api/v1/sessions", {})
    assert written.status_code == response.status_code
    return response


async def assert_unauthenticated(caller: Caller) -> None:
    """Nothing is known about this caller, who is told how to identify."""
    response = await refusal_of(caller)
    assert response.status_code == 401, response.text
    assert response.headers["WWW-Authenticate"] == "Bearer"


async def assert_forbidden(caller: Caller) -> None:
    """The caller is known, and asks for too much."""
    response = await refusal_of(caller)
    assert response.status_code == 403, response.text
