"""A memory that is exported, erased and imported elsewhere answers there as it did before."""

import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx
import pytest

from support.servers.clusters import copy_home, stopped_afterwards
from support.servers.http_servers import ServerProgram
from support.servers.programs import run_recollect
from support.timeouts import PATIENCE

ALLOWED = {"MEMORY_ALLOW_DATA_EXPORT": "true", "MEMORY_ALLOW_DATA_DELETION": "true"}
SESSION = "5a0c7b3e-2f7d-4a51-9e60-0c8b7f0e6d11"
EXCHANGES = (
    ("I live in Utrecht and I am allergic to nuts.", "Noted."),
    ("Which cake do they sell at the station?", "Apple cake and nut cake."),
    ("Show me total sales by region for 2024", "North 2.5M, South 1.8M"),
)


def wait_until(is_so: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.1)


def client_of(server: ServerProgram) -> httpx.Client:
    return httpx.Client(base_url=f"{server.url}/api/v1", timeout=PATIENCE)


def posted(client: httpx.Client, path: str, body: object) -> Any:  # noqa: ANN401  # JSON
    return client.post(path, json=body).raise_for_status().json()


def recalled(client: httpx.Client, query: str) -> list[Any]:
    items: list[Any] = posted(client, "/recall", {"query": query, "k": 3})["items"]
    return items


def answers_of(client: httpx.Client) -> dict[str, Any]:
    """What the memory makes of a follow-up, finds, knows, and would tell a model."""
    follow_up = {"question": "What about 2023?", "session_id": SESSION}
    facts = client.get("/memory").raise_for_status().json()["items"]
    context = posted(client, f"/sessions/{SESSION}/context", {"question": "What about 2023?"})
    return {
        "follow-up": posted(client, "/rewrite", follow_up)["standalone_question"],
        "recall": [
            (item["text"], item["message_ids"], item["created_at"], round(item["semantic"], 3))
            for query in ("turnover per area", "something to eat")
            for item in recalled(client, query)
        ],
        "facts": sorted((fact["fact_id"], fact["content"], fact["created_at"]) for fact in facts),
        "messages": client.get(f"/sessions/{SESSION}/messages").json()["items"],
        "context": context["messages"],
    }


@pytest.mark.slow
def test_a_memory_answers_elsewhere_as_it_did_before_it_was_erased(
    new_home: Path, home_template: Path, open_folder: Path
) -> None:
    elsewhere = open_folder / "elsewhere"
    copy_home(home_template, elsewhere)
    first, second = (ServerProgram(home, env=ALLOWED) for home in (new_home, elsewhere))
    exported = open_folder / "export.json"
    first.start()
    with closing(client_of(first)) as client:
        for question, answer in EXCHANGES:
            exchange = {"question": question, "answer": answer}
            posted(client, f"/sessions/{SESSION}/exchanges", exchange)
        wait_until(lambda: len(client.get("/memory").json()["items"]) > 1)
        wait_until(lambda: len(recalled(client, "turnover per area")) == len(EXCHANGES))
        before = answers_of(client)
        assert "2023" in before["follow-up"]
        assert "sales" in before["follow-up"]
        assert "Utrecht" in str(before["facts"])
        exported.write_bytes(client.get("/privacy/export").raise_for_status().content)
        erasure = posted(client, "/privacy/erase", {"confirm": True})
        path = f"/privacy/erase/{erasure['erasure_id']}"
        wait_until(lambda: client.get(path).json()["state"] == "done")
        assert recalled(client, "turnover per area") == []
        assert client.get("/memory").json()["items"] == []
    first.stop()

    with stopped_afterwards(elsewhere):
        done = run_recollect("import", str(exported), env={"MEMORY_HOME": str(elsewhere)})
        assert done.returncode == 0, done.stderr
        second.start()
        with closing(client_of(second)) as client:
            wait_until(lambda: len(recalled(client, "turnover per area")) == len(EXCHANGES))
            assert answers_of(client) == before
        second.stop()
