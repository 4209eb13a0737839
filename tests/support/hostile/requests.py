"""A text sent through every route that takes one: as question, stored message or reply."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Final
from uuid import uuid4

import httpx

from support.doubles.chat_endpoint import ChatDouble, Received, Reply

Json = dict[str, Any]
FOLLOW_UP: Final = "What about it in 2023?"
_SHORT: Final = "Fine."
_PIECE: Final = 5_000
_STATUSES: Final = frozenset({200, 201, 204, 403, 404, 409, 413, 422})
"""A text may be refused; it may not break anything. What is sent again to be measured is known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HostileRequest:
    """One request with a text in it."""

    method: str
    route: str
    """The path as the OpenAPI document has it."""
    way: str
    """How the text reaches the server."""
    body: Json | None = None
    reply: str = _SHORT
    """What the model answers."""
    headers: dict[str, str] = field(default_factory=dict)
    path: dict[str, str] = field(default_factory=dict)
    params: dict[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        return f"{self.method} {self.route} ({self.way})"


class HostileDouble(ChatDouble):
    """A model that replies with whatever it was told to, streamed in large pieces."""

    def reply_with(self, text: str) -> None:
        """Answer with this from now on."""
        self._script.clear()
        self._script.append(Reply(answer=text))

    def stream_pieces(self, answer: str) -> list[str]:
        """The answer in a few pieces."""
        return [answer[start : start + _PIECE] for start in range(0, len(answer), _PIECE)]

    def answer(self, request: Received, reply: Reply) -> bytes:
        """A sound response; what was received is not kept."""
        self.requests.clear()
        return super().answer(request, reply)


def as_question(text: str) -> Iterator[HostileRequest]:
    """The text as what is asked or stored now, each in a session of its own."""
    yield from _asking(text, way="question")
    yield from _storing(text)
    yield _post("/api/v1/recall", "question", {"query": text})
    yield _post("/api/v1/recall", "start of it", {"query": text[:10_000]})
    history = [{"role": "user", "content": text, "sql_query": text}]
    yield _post("/api/v1/rewrite", "history", {"question": FOLLOW_UP, "history": history})
    yield _post("/api/v1/rewrite", "question", {"question": text, "history": history})
    state = HostileRequest(method="PUT", route="/api/v1/state", way="mode", body={"mode": text})
    yield state
    yield HostileRequest(
        method="PATCH",
        route="/api/v1/sessions/{session_id}/turns/{turn_number}",
        way="status",
        body={"status": text},
        path={"session_id": str(uuid4()), "turn_number": "1"},
    )
    yield from _profiling(text)
    yield from _facts(text)
    yield _post("/answerQuestion", "question", {"question": text})
    for route in ("/api/v1/privacy/erase", "/api/v1/privacy/tenant/erase"):
        yield _post(route, "before", {"confirm": True, "before": text})
    for method in ("PUT", "PATCH"):
        yield HostileRequest(
            method=method,
            route="/api/v1/admin/tenants/{tenant}/settings",
            way="settings",
            body={"mask_pii": text, "retention": text},
            path={"tenant": "default"},
        )


def follow_up_requests(session_id: str) -> Iterator[HostileRequest]:
    """Short requests in a session where the text was said."""
    few = {"question": FOLLOW_UP, "max_tokens": 1500}
    yield _post("/api/v1/sessions/{session_id}/context", "cut", few, session_id=session_id)
    yield from _asking(FOLLOW_UP, way="said before", session_id=session_id)
    asked = {"question": FOLLOW_UP, "session_id": session_id}
    yield _post("/api/v1/rewrite", "said before", asked)
    yield _post("/api/v1/recall", "said before", {"query": "show sales", "session_id": session_id})
    yield HostileRequest(method="GET", route="/api/v1/profile", way="said before")
    for query in ({}, {"q": "sales"}, {"search": FOLLOW_UP}):
        yield HostileRequest(
            method="GET",
            route="/api/v1/memory",
            way="said before",
            params={**query, "limit": "1000"},
        )
    yield HostileRequest(method="GET", route="/api/v1/memory/export", way="said before")
    yield HostileRequest(
        method="POST",
        route="/api/v1/memory/{fact_id}/restore",
        way="said before",
        path={"fact_id": str(uuid4())},
    )
    paths = ("", "/messages")
    for path in (*(f"/api/v1/sessions/{{session_id}}{path}" for path in paths), "/api/v1/history"):
        yield HostileRequest(
            method="GET", route=path, way="said before", path={"session_id": session_id}
        )


def as_reply(text: str) -> Iterator[HostileRequest]:
    """The text as what the model replies."""
    headers = {"X-Session-ID": str(uuid4())}
    asked = {"query": "Show me the sales"}
    streamed = {**asked, "stream": True}
    messages = [{"role": "user", "content": "Show me the sales"}]
    completion = {"model": "stub:7b", "messages": messages}
    for route, way, body in (
        ("/chat", "reply", asked),
        ("/chat", "reply, streamed", streamed),
        ("/v1/chat/completions", "reply", completion),
        ("/v1/chat/completions", "reply, streamed", {**completion, "stream": True}),
    ):
        yield replace(_post(route, way, body, headers=headers), reply=text)


def _facts(text: str) -> Iterator[HostileRequest]:
    """The text as a fact, and as many facts."""
    yield _post("/api/v1/memory", "fact", {"content": text[:500]})
    parts = [{"content": text[start : start + 500]} for start in range(0, len(text), 500)]
    yield _post("/api/v1/memory/import", "facts", {"facts": parts})
    yield HostileRequest(
        method="PATCH",
        route="/api/v1/memory/{fact_id}",
        way="content",
        body={"content": text},
        path={"fact_id": str(uuid4())},
    )


def _profiling(text: str) -> Iterator[HostileRequest]:
    """The text as a value of the profile, as far as a value may be so long."""
    value: Json = {"value": {"note": text[:10_000], text[:100]: [*text[:5_000]]}}
    for method in ("PUT", "PATCH"):
        yield HostileRequest(
            method=method,
            route="/api/v1/profile/{key}",
            way="value",
            body=value,
            path={"key": "hostile"},
        )


def _asking(text: str, *, way: str, session_id: str | None = None) -> Iterator[HostileRequest]:
    session = session_id or str(uuid4())
    headers = {"X-Session-ID": session}
    yield _post("/chat", way, {"query": text}, headers=headers)
    yield _post("/memoryChat", way, {"question": text, "session_id": session})
    completion = {"model": "stub:7b", "messages": [{"role": "user", "content": text}]}
    yield _post("/v1/chat/completions", way, completion, headers=headers)
    yield _post(
        "/api/v1/sessions/{session_id}/context", way, {"question": text}, session_id=session
    )


def _storing(text: str) -> Iterator[HostileRequest]:
    session = str(uuid4())
    told = {"metadata": {"note": text, text[:100]: [text]}}
    named = {"session_id": str(uuid4()), "name": text, "databases": [text], "tags": [text]}
    yield _post("/api/v1/sessions", "name", named)
    values = {"metadata": {"values": [text[at : at + 5] for at in range(0, len(text), 5)]}}
    yield _post("/api/v1/sessions", "metadata", {"session_id": session, **told})
    yield _post("/api/v1/sessions", "start", {"session_id": session})
    yield HostileRequest(
        method="PATCH",
        route="/api/v1/sessions/{session_id}",
        way="metadata",
        body=told,
        path={"session_id": session},
    )
    yield HostileRequest(
        method="PATCH",
        route="/api/v1/sessions/{session_id}",
        way="many values",
        body=values,
        path={"session_id": session},
    )
    messages = "/api/v1/sessions/{session_id}/messages"
    parted = {"role": "user", "content": "What about it?", **values}
    yield _post(messages, "many values", parted, session_id=session)
    question = {"role": "user", "content": text, "metadata": {"note": text}}
    yield _post(messages, "content", question, session_id=session)
    answer = {"role": "assistant", "content": text, "sql_query": text, "execution_result": text}
    yield _post(messages, "answer", answer, session_id=session)
    yield _post("/api/v1/history", "content", question)
    batch = {"messages": [question, answer]}
    yield _post(f"{messages}:batch", "content", batch, session_id=session)
    exchange = {"question": text, "answer": text, "sql_query": text, "query_explanation": text}
    path = "/api/v1/sessions/{session_id}/exchanges"
    yield _post(path, "content", exchange, session_id=session)


def _post(
    route: str,
    way: str,
    body: Json,
    *,
    session_id: str | None = None,
    headers: dict[str, str] | None = None,
) -> HostileRequest:
    return HostileRequest(
        method="POST",
        route=route,
        way=way,
        body=body,
        headers=headers or {},
        path={"session_id": session_id} if session_id else {},
    )


async def send(
    client: httpx.AsyncClient, url: str, request: HostileRequest, double: HostileDouble
) -> httpx.Response:
    """Send it; whatever the answer is, the server has one."""
    double.reply_with(request.reply)
    response = await client.request(
        request.method,
        url + request.route.format(**request.path),
        json=request.body,
        headers=request.headers,
        params=request.params,
    )
    status = response.status_code
    assert status in _STATUSES, f"{request}: {status} {response.text[:300]}"
    return response


async def store_in_session(client: httpx.AsyncClient, url: str, text: str) -> str:
    """A session in which the text was asked and answered."""
    session_id = str(uuid4())
    await client.post(f"{url}/api/v1/sessions", json={"session_id": session_id})
    exchange = {"question": text, "answer": text, "sql_query": text}
    path = f"{url}/api/v1/sessions/{session_id}/exchanges"
    (await client.post(path, json=exchange)).raise_for_status()
    return session_id


def settings_for(model_url: str) -> Json:
    """The settings of a server that takes long questions and has the double answer them."""
    return {
        "preset": "data-questions",
        "answerer": "llm",
        "llm_base_url": model_url,
        "llm_model": "stub:7b",
        "denodo_url": model_url.removesuffix("/v1"),
        "max_context_tokens": 120_000,
        "max_history_messages": 20,
    }


async def everything(client: httpx.AsyncClient, url: str, text: str) -> list[HostileRequest]:
    """All requests with a text, or after it."""
    session_id = await store_in_session(client, url, text)
    return [*as_question(text), *follow_up_requests(session_id), *as_reply(text)]
