"""A turn as operators see it: metrics, and traces in a collector and in Langfuse."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families

from recollect.domain.chat.experiment import ExperimentArm, arm_of
from recollect.engines.postgres.connection.database import Database
from recollect.interfaces.http.app import create_app
from recollect.memory import Memory
from recollect.settings import load_settings
from recollect.telemetry.measuring import Measuring
from support.doubles.chat_endpoint import ChatDouble, Reply, chat_double
from support.doubles.otlp_receiver import OtlpReceiver, otlp_receiver
from support.examples import a_scope
from support.servers.http_servers import serving
from support.timeouts import PATIENCE

TOKEN = "a token for the scraper"
SECRET = "the zebra of Ghent wears stripes"
USER = "karel the very private"
PARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
TRACE = PARENT[3:35]
USAGE = {"prompt_tokens": 21, "completion_tokens": 4, "total_tokens": 25}
ANSWER = json.dumps(
    {
        "model": "stub-7b",
        "usage": USAGE,
        "choices": [{"message": {"content": SECRET}, "finish_reason": "stop"}],
    }
).encode()


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    client: httpx.AsyncClient
    memory: Memory
    model: ChatDouble

    async def chat(self, query: str, **headers: str) -> httpx.Response:
        return await self.client.post("/chat", json={"query": query}, headers=headers)

    async def samples(self) -> dict[tuple[str, frozenset[tuple[str, str]]], float]:
        text = await self.client.get("/metrics", headers={"Authorization": f"Bearer {TOKEN}"})
        return {
            (sample.name, frozenset(sample.labels.items())): sample.value
            for family in text_string_to_metric_families(text.raise_for_status().text)
            for sample in family.samples
        }


@asynccontextmanager
async def observed_server(home: Path, **settings: object) -> AsyncIterator[Server]:
    async with chat_double(Reply(body=ANSWER)) as model:
        chosen = load_settings(
            home=home,
            tenant=f"tenant-{uuid4()}",
            local_user=USER,
            embedding_model="none",
            llm_base_url=model.url,
            llm_model="stub-7b",
            db_max_connections=4,
            **settings,
        )
        async with (
            Memory.open(chosen) as memory,
            serving(create_app(memory, chosen)) as url,
            httpx.AsyncClient(base_url=url, timeout=PATIENCE, trust_env=False) as client,
        ):
            yield Server(client=client, memory=memory, model=model)


def value(samples: dict[Any, float], name: str, **labels: str) -> float:
    return sum(
        number
        for (found, given), number in samples.items()
        if found == name and labels.items() <= dict(given).items()
    )


async def test_metrics_tell_what_memory_did_and_never_who_said_what(
    shared_home: Path, database: Database
) -> None:
    async with observed_server(shared_home, metrics_token=TOKEN) as server:
        session = str(uuid4())
        for question in (f"What about {SECRET}?", "What about 2023?"):
            (await server.chat(question, **{"X-Session-ID": session})).raise_for_status()
        await server.client.post(
            "/v1/chat/completions",
            json={"messages": [{"role": "user", "content": SECRET}]},
            headers={"X-Session-ID": f"chat {SECRET}"},
        )
        await server.client.get(f"/api/v1/sessions/{uuid4()}/messages")
        await server.client.request("PROPFIND", f"/{SECRET}")
        await server.client.delete(f"/api/v1/sessions/{session}")
        assert (await server.client.get("/metrics")).status_code == 401
        samples = await server.samples()

    turns = {"name": "recollect_turns_total", "interface": "chat", "outcome": "answered"}
    assert value(samples, **turns) == 2
    assert value(samples, **turns, memory="used") == 1
    assert value(samples, "recollect_contexts_total", result="hit") >= 1
    assert value(samples, "recollect_model_calls_total", operation="chat", outcome="ok") == 3
    assert value(samples, "recollect_model_tokens_total", direction="input") == 3 * 21
    assert value(samples, "recollect_operations_total", operation="session.deleted") == 1
    assert value(samples, "recollect_http_requests_total", route="/chat", status="200") == 2
    assert value(samples, "recollect_http_requests_total", method="other") == 1
    assert value(samples, "recollect_conversation_messages_count") == 3
    assert value(samples, "recollect_store_bytes", table="messages") > 0
    assert value(samples, "recollect_database_up") == 1
    for stage in ("window", "rewrite", "recall", "facts", "assemble", "store_reply"):
        assert value(samples, "recollect_stage_seconds_count", stage=stage) >= 2
    texts = {text for _, labels in samples for _, text in labels}
    private = {session, USER, SECRET, "tenant-", "zebra", "Ghent", "stripes", "karel"}
    assert not [text for text in texts if any(word in text for word in private)]


async def test_a_turn_is_one_trace_from_the_caller_to_the_database_and_the_model(
    shared_home: Path, database: Database
) -> None:
    with otlp_receiver() as collector:
        headers = "authorization=Bearer x, x-team=memory"
        async with observed_server(
            shared_home, otlp_endpoint=collector.url, otlp_headers=headers
        ) as server:
            session = str(uuid4())
            asked = {"X-Session-ID": session, "traceparent": PARENT}
            (await server.chat(f"What about {SECRET}?", **asked)).raise_for_status()
        (sent,) = server.model.requests
    spans = {span.span_id: span for span in collector.spans if span.trace_id == TRACE}
    request, turn = collector.span("POST /chat"), collector.span("turn")
    call = collector.span("chat stub-7b")
    assert request.parent_id == PARENT[36:52]
    assert request.attributes["http.response.status_code"] == 200
    assert turn.parent_id == request.span_id
    assert call.parent_id == turn.span_id
    assert sent.headers["traceparent"] == f"00-{TRACE}-{call.span_id}-01"
    assert call.attributes == {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "openai",
        "gen_ai.request.model": "stub-7b",
        "gen_ai.response.model": "stub-7b",
        "gen_ai.usage.input_tokens": 21,
        "gen_ai.usage.output_tokens": 4,
    }
    assert turn.attributes["session.id"] == session
    assert turn.attributes["recollect.memory"] in {"used", "empty"}
    stages = {span.name for span in spans.values() if not span.attributes}
    assert {"window", "rewrite", "recall", "facts", "assemble", "store_question"} <= stages
    statements = [one for one in spans.values() if "db.system.name" in one.attributes]
    assert statements
    assert all(one.parent_id in spans for one in (*statements, turn, call))
    assert request.headers["authorization"] == "Bearer x"
    assert request.headers["x-team"] == "memory"
    assert "recollect_turns" in collector.metrics
    assert not_said(collector, SECRET, USER)


def not_said(collector: OtlpReceiver, *texts: str) -> bool:
    return not any(text.encode() in body for body in collector.bodies for text in texts)


async def test_langfuse_gets_turns_with_users_tokens_and_the_arm_of_the_experiment(
    shared_home: Path, database: Database
) -> None:
    langfuse = {"langfuse_public_key": "pk", "langfuse_secret_key": "sk", "ab_share": 0.5}
    sessions = [uuid4() for _ in range(40)]
    arms = {arm_of(session, share=0.5): session for session in sessions}
    with otlp_receiver() as collector:
        async with observed_server(
            shared_home, langfuse_url=collector.url, trace_content=True, **langfuse
        ) as server:
            for arm, session in arms.items():
                for question in ("Who wears stripes?", "What about Ghent?"):
                    asked = await server.chat(question, **{"X-Session-ID": str(session)})
                    assert asked.headers["X-Memory-Experiment"] == arm
            control = arms[ExperimentArm.CONTROL]
            stored = await server.client.get(f"/api/v1/sessions/{control}/messages")
            services, scope = server.memory.services, a_scope()
            keyed = Measuring(pseudonym_key=await services.erasing.key_for("pseudonyms"))
            assert services.telemetry.user_id(scope) == keyed.user_id(scope), "not to be guessed"
    assert len(stored.json()["items"]) == 4, "what is said is stored all the same"
    assert {span.path for span in collector.spans} == {"/api/public/otel/v1/traces"}
    assert {span.headers["authorization"] for span in collector.spans} == {"Basic cGs6c2s="}
    assert not [span for span in collector.spans if "db.system.name" in span.attributes]
    turns = [span.attributes for span in collector.spans if span.name == "turn"]
    for arm, memory in ((ExperimentArm.CONTROL, "control"), (ExperimentArm.MEMORY, "used")):
        turn = [one for one in turns if one["session.id"] == str(arms[arm])][-1]
        assert turn["langfuse.trace.tags"] == [f"memory:{memory}", f"experiment:{arm}"]
        assert turn["langfuse.trace.input"] == "What about Ghent?"
        assert turn["langfuse.trace.output"] == SECRET
        assert turn["user.id"] not in {"", USER}
    with_context = turn["langfuse.trace.metadata.tokens_with_context"]
    assert with_context > turn["langfuse.trace.metadata.tokens_without_context"]
    assert not_said(collector, USER)


@pytest.mark.parametrize("share", [0.1, 0.5])
def test_the_arms_of_an_experiment_are_as_large_as_asked_for_and_stable(share: float) -> None:
    sessions = [uuid4() for _ in range(2000)]
    arms = [arm_of(session, share=share) for session in sessions]
    assert arms == [arm_of(session, share=share) for session in sessions]
    assert abs(arms.count(ExperimentArm.CONTROL) / 2000 - share) < 0.05
    larger = {s for s in sessions if arm_of(s, share=0.6) is ExperimentArm.CONTROL}
    assert {s for s, arm in zip(sessions, arms, strict=True) if arm == "control"} <= larger
