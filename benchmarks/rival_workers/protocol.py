"""How a memory is driven by `rivals.py`: tasks as JSON, one a line, and what became of each.

Every memory runs in a process and a virtual environment of its own, so this module and those
beside it need nothing but what that environment has.
"""

import json
import resource
import sys
import time
from collections.abc import Mapping
from http.client import HTTPConnection
from typing import Any, Protocol
from urllib.parse import urlsplit


class Rival(Protocol):
    """What each memory can do, in its own way."""

    def add(self, user: str, turn: Mapping[str, str]) -> None:
        """Store one thing that was said: `id`, `speaker` and `text`."""

    def settle(self) -> None:
        """Finish what is done in the background."""

    def search(self, user: str, query: str, k: int) -> list[str]:
        """The ids of the k turns that fit a query best, the best first."""

    def context(self, user: str, question: str, k: int) -> str:
        """What a prompt would get: what was said last, and what fits the question."""


class EmbeddingClient:
    """Asks the embedder that all share, over one connection."""

    def __init__(self, url: str) -> None:
        self._connection = HTTPConnection(urlsplit(url).netloc)

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """A vector for each text that is stored."""
        return self._embed("passages", texts)

    def embed_query(self, text: str) -> list[float]:
        """The vector of a question."""
        return self._embed("questions", [text])[0]

    def _embed(self, model: str, texts: list[str]) -> list[list[float]]:
        headers = {"Content-Type": "application/json"}
        body = json.dumps({"model": model, "input": texts})
        self._connection.request("POST", "/v1/embeddings", body, headers)
        reply = json.loads(self._connection.getresponse().read())
        return [item["embedding"] for item in reply["data"]]


def said(turn: Mapping[str, str]) -> str:
    """What is stored of a turn where a memory knows no speakers."""
    return f"{turn['speaker']}: {turn['text']}"


def serve(rival: Rival) -> None:
    """Do the tasks of standard input until it ends."""
    output, sys.stdout = sys.stdout, sys.stderr  # what libraries print is no reply
    for line in sys.stdin:
        name, arguments = json.loads(line)
        began = time.perf_counter()
        result = _usage() if name == "usage" else getattr(rival, name)(*arguments)
        reply = {"seconds": time.perf_counter() - began, "result": result}
        output.write(json.dumps(reply) + "\n")
        output.flush()


def _usage() -> dict[str, Any]:
    """CPU seconds so far, and the most memory that was resident, in megabytes."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return {"cpu": used.ru_utime + used.ru_stime, "resident": used.ru_maxrss / 1000}
