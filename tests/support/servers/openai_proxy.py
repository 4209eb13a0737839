"""A server whose requests in OpenAI's form end at a double of the endpoint."""

import json
from asyncio import StreamWriter
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from uuid import UUID

import httpx

from recollect.answerers.from_memory import FromMemory
from recollect.composition import build_services
from recollect.domain.policy import Policies
from recollect.interfaces.http.app import create_app
from recollect.memory import Memory
from recollect.models.endpoint.endpoint import OpenAICompatibleEndpoint
from recollect.models.tokens import token_counter_for
from recollect.ports import Stores
from recollect.services.services import ServiceDependencies, Services
from recollect.settings import load_settings
from recollect.system import RandomIds, SystemClock
from support.doubles.chat_endpoint import ChatDouble, Received, Reply
from support.doubles.chat_endpoint import serving as listening
from support.http.callers import Caller, Json, Tenant
from support.servers.http_servers import serving


class NumberingDouble(ChatDouble):
    """Answers `Answer 1.`, `Answer 2.`, … unless it is told what to do next."""

    def __init__(self) -> None:
        super().__init__()
        self._next: deque[Reply] = deque()

    def will(self, *replies: Reply) -> None:
        """Do this with the next requests."""
        self._next.extend(replies)

    async def _reply(self, request: Received, writer: StreamWriter) -> bool:
        usual = Reply(answer=f"Answer {len(self.requests)}.")
        self._script = deque([self._next.popleft() if self._next else usual])
        return await super()._reply(request, writer)

    @property
    def last_messages(self) -> list[Json]:
        """The messages of the last request."""
        messages: list[Json] = self.requests[-1].body["messages"]
        return messages


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """A server with API keys, the endpoint behind it, and a tenant for one test."""

    double: NumberingDouble
    services: Services
    tenant: Tenant

    async def stored_texts(
        self, user: str, session: str, **params: str | int
    ) -> list[tuple[str, str]]:
        """What a session's active branch holds, or with `include_inactive` all of them."""
        messages = await self.messages(user, session, **params)
        return [(message["role"], message["content"]) for message in messages]

    async def messages(self, user: str, session: str, **params: str | int) -> list[Json]:
        """The same with everything about it."""
        caller = (await self.tenant.service()).with_headers({"X-Memory-User": user})
        return await caller.messages({"session_id": session}, order="asc", **params)

    async def sessions(self, user: str) -> list[Json]:
        """The sessions of a user."""
        caller = (await self.tenant.service()).with_headers({"X-Memory-User": user})
        items: list[Json] = (await caller.get("/api/v1/sessions")).json()["items"]
        return items

    async def statuses(self, user: str, session: str) -> list[str]:
        """How far the turns of a session have come."""
        messages = await self.messages(user, session, include_inactive="true")
        turns = sorted({message["turn_number"] for message in messages})
        scope = self.tenant.scope(user)
        return [
            str(await self.services.messages.turn_status(scope, UUID(session), turn))
            for turn in turns
        ]


@asynccontextmanager
async def proxy_server(
    stores: Stores,
    *,
    endpoint_url: str | None,
    policies: Policies | None = None,
    answer_timeout: float = 120,
    **settings: object,
) -> AsyncIterator[tuple[Services, str]]:
    """A server on the test database, and the services behind it."""
    async with _endpoint(endpoint_url) as endpoint:
        around = ServiceDependencies(
            clock=SystemClock(),
            ids=RandomIds(),
            counter_for=token_counter_for,
            answerer=FromMemory(),
            endpoint=endpoint,
            answer_timeout=answer_timeout,
        )
        services = build_services(stores, around, policies)
        chosen = load_settings(**{"user_id_source": "api_key", **settings})
        app = create_app(Memory(services), chosen)
        async with serving(app) as url:
            yield services, url


@asynccontextmanager
async def _endpoint(url: str | None) -> AsyncIterator[OpenAICompatibleEndpoint | None]:
    if url is None:
        yield None
        return
    async with OpenAICompatibleEndpoint(url, api_key="upstream-key", silence=30) as endpoint:
        yield endpoint


@asynccontextmanager
async def staged(
    stores: Stores,
    client: httpx.AsyncClient,
    *,
    policies: Policies | None = None,
    double: NumberingDouble | None = None,
) -> AsyncIterator[Stage]:
    """A server with an endpoint of its own."""
    double = double or NumberingDouble()
    async with (
        listening(double),
        proxy_server(stores, endpoint_url=double.url, policies=policies) as (services, url),
    ):
        server = Caller(client=client, url=url)
        yield Stage(
            double=double, services=services, tenant=Tenant(server=server, services=services)
        )


def streamed_text(body: bytes) -> str:
    """What a stream of events says."""
    lines = (line for line in body.decode().splitlines() if line.startswith("data: {"))
    events = (json.loads(line.removeprefix("data: ")) for line in lines)
    choices = (choice for event in events for choice in event.get("choices", []))
    return "".join(choice["delta"].get("content") or "" for choice in choices)
