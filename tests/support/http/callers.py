"""Callers of the HTTP API with their credentials, and checks of what they may access."""

from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import Any, TypeAlias
from uuid import uuid4

import httpx

from recollect.domain.identity.accounts import KeyScope
from recollect.domain.identity.scope import Scope, TenantScope
from recollect.services.services import Services

Json: TypeAlias = dict[str, Any]
QueryValue: TypeAlias = str | int | float


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """Somebody who sends the same headers with every request."""

    client: httpx.AsyncClient
    url: str
    headers: Mapping[str, str] = field(default_factory=dict)

    def with_headers(self, headers: Mapping[str, str]) -> "Caller":
        """The same server, called with more headers, or with other values for these."""
        return Caller(client=self.client, url=self.url, headers={**self.headers, **headers})

    async def send(
        self,
        method: str,
        path: str,
        *,
        json: object = None,
        content: bytes | None = None,
        params: Mapping[str, QueryValue] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> httpx.Response:
        """Send a request; headers travel as UTF-8."""
        sent = {**self.headers, **(headers or {})}
        return await self.client.request(
            method,
            self.url + path,
            json=json,
            content=content,
            params=params,
            headers=[(name.encode(), value.encode()) for name, value in sent.items()],
        )

    async def get(self, path: str, **params: QueryValue) -> httpx.Response:
        """GET with query parameters."""
        return await self.send("GET", path, params=params)

    async def post(
        self, path: str, body: object, headers: Mapping[str, str] | None = None
    ) -> httpx.Response:
        """POST a JSON body."""
        return await self.send("POST", path, json=body, headers=headers)

    async def patch(self, path: str, body: object) -> httpx.Response:
        """PATCH with a JSON body."""
        return await self.send("PATCH", path, json=body)

    async def delete(self, path: str, **params: QueryValue) -> httpx.Response:
        """DELETE with query parameters."""
        return await self.send("DELETE", path, params=params)

    async def start_session(self, **body: object) -> Json:
        """A session, as the server tells it."""
        response = await self.post("/api/v1/sessions", body)
        assert response.status_code in {200, 201}, response.text
        session: Json = response.json()
        return session

    async def add(
        self, session: Json, content: str, *, role: str = "user", **details: object
    ) -> Json:
        """A message added to a session, as the server tells it."""
        body = {"role": role, "content": content, **details}
        response = await self.post(f"/api/v1/sessions/{session['session_id']}/messages", body)
        assert response.status_code == 201, response.text
        message: Json = response.json()
        return message

    async def messages(self, session: Json, **params: QueryValue) -> list[Json]:
        """A page of a session's messages."""
        response = await self.get(f"/api/v1/sessions/{session['session_id']}/messages", **params)
        assert response.status_code == 200, response.text
        items: list[Json] = response.json()["items"]
        return items

    async def history(self, **params: QueryValue) -> list[Json]:
        """A page of all messages."""
        response = await self.get("/api/v1/history", **params)
        assert response.status_code == 200, response.text
        items: list[Json] = response.json()["items"]
        return items


Serve: TypeAlias = Callable[..., AbstractAsyncContextManager[Caller]]
"""Starts a server with settings, and gives a caller of it without credentials."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tenant:
    """A tenant that nobody else has, with keys for a server that asks for them."""

    server: Caller
    services: Services
    name: str = field(default_factory=lambda: f"tenant-{uuid4()}")

    async def key(self, *scopes: KeyScope, user: str | None = None) -> str:
        """The text of a new key."""
        _, text = await self.services.api_keys.create(
            TenantScope(tenant=self.name, actor="test"), name="a key", scopes=scopes, user=user
        )
        return text

    async def user(self, name: str) -> Caller:
        """A user with a key of their own."""
        return self.holding(await self.key(KeyScope.USER, user=name))

    async def service(self) -> Caller:
        """A service that may name users."""
        return self.holding(await self.key(KeyScope.SERVICE))

    async def admin(self) -> Caller:
        """An administrator of the tenant."""
        return self.holding(await self.key(KeyScope.ADMIN))

    def holding(self, credentials: str) -> Caller:
        """Whoever presents these credentials."""
        return self.server.with_headers({"Authorization": f"Bearer {credentials}"})

    @property
    def tenant_scope(self) -> TenantScope:
        """The tenant itself."""
        return TenantScope(tenant=self.name, actor="test")

    def scope(self, user: str) -> Scope:
        """The owner that a user of this tenant is."""
        return Scope(tenant=self.name, user=user, actor="test")


async def owner_seen_by(caller: Caller) -> str:
    """Return a session id that two callers share if and only if they reach the same memory."""
    response = await caller.get("/api/v1/sessions", limit=1, order="asc")
    assert response.status_code == 200, response.text
    items = response.json()["items"]
    if not items:
        return str((await caller.start_session())["session_id"])
    return str(items[0]["session_id"])


async def is_same_owner(first: Caller, second: Caller) -> bool:
    """Return whether two callers reach the same memory."""
    return await owner_seen_by(first) == await owner_seen_by(second)


async def refusal_of(caller: Caller) -> httpx.Response:
    """Return the response to a caller whose reads and writes must both be refused."""
    response = await caller.get("/api/v1/sessions")
    assert response.status_code >= 400, response.text
    assert list(response.json()) == ["error", "detail"]
    assert all(response.json().values())
    written = await caller.post("/api/v1/sessions", {})
    assert written.status_code == response.status_code
    return response


async def assert_unauthenticated(caller: Caller) -> None:
    """The caller gets 401 and the scheme to authenticate with."""
    response = await refusal_of(caller)
    assert response.status_code == 401, response.text
    assert response.headers["WWW-Authenticate"] == "Bearer"


async def assert_forbidden(caller: Caller) -> None:
    """The caller is authenticated and gets 403."""
    response = await refusal_of(caller)
    assert response.status_code == 403, response.text
