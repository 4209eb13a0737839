"""Draws `recollect top` for the documentation: `make screenshots` does so, too.

A server has a memory of its own and no model: it answers from memory. Some users talk to it for
some seconds, and what the command shows of them is written as an SVG.
"""

import io
import os
import random
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO
from uuid import uuid4

import httpx
from rich.console import Console

from recollect.interfaces.cli.top import Change, figures, view
from recollect.telemetry.prometheus import read_samples

PICTURE = Path(__file__).parents[2] / "docs" / "images" / "top.svg"
_USERS = 4
_SECONDS = 8.0
_SAID = (
    "I work at the harbour of Rotterdam.",
    "Show me total sales by region for 2024",
    "What about 2023?",
    "And for the harbour?",
    "Where do I work?",
)


@contextmanager
def _server(home: Path) -> Iterator[tuple[str, str]]:
    """A server of its own: its address, and that of its metrics."""
    metrics = "http://127.0.0.1:9464/metrics"
    settings = {"MEMORY_HOME": str(home), "MEMORY_PORT": "0", "MEMORY_METRICS_PORT": "9464"}
    command = [sys.executable, "-m", "recollect", "serve"]
    with tempfile.TemporaryFile("w+", encoding="utf-8") as log:
        server = subprocess.Popen(command, env=os.environ | settings, stderr=log)  # noqa: S603  # ours
        try:
            yield _address(log), metrics
        finally:
            server.terminate()
            server.wait()


def _address(log: IO[str]) -> str:
    """Where it listens, as its log tells once it does."""
    for _ in range(600):
        log.seek(0)
        for found in re.findall(r"http://[\d.]+:\d+", log.read()):
            if not found.endswith(":9464"):
                return str(found)
        time.sleep(0.1)
    raise SystemExit("the server did not start")


def _talk(address: str, stop: threading.Event) -> None:
    session = str(uuid4())
    with httpx.Client(base_url=address, timeout=60, trust_env=False) as client:
        while not stop.wait(random.uniform(0.05, 0.4)):  # noqa: S311  # no secret
            body = {"query": random.choice(_SAID)}  # noqa: S311  # no secret
            client.post("/chat", json=body, headers={"X-Session-ID": session}).raise_for_status()


def _read(metrics: str) -> dict[tuple[str, frozenset[tuple[str, str]]], float]:
    return dict(read_samples(httpx.get(metrics, timeout=10, trust_env=False).text))


def main() -> None:
    """Draw it."""
    stop = threading.Event()
    with tempfile.TemporaryDirectory(prefix="recollect-top-") as folder:
        Path(folder).chmod(0o755)
        with _server(Path(folder) / "home") as (address, metrics):
            users = [threading.Thread(target=_talk, args=(address, stop)) for _ in range(_USERS)]
            for user in users:
                user.start()
            time.sleep(_SECONDS)  # its first turns load the models
            before, then = _read(metrics), time.monotonic()
            time.sleep(_SECONDS)
            after, now = _read(metrics), time.monotonic()
            stop.set()
            for user in users:
                user.join()
    change = Change(before=before, after=after, seconds=now - then)
    console = Console(record=True, width=80, file=io.StringIO())
    console.print(view(figures(change), metrics))
    drawn = console.export_svg(title="recollect top")
    without_fonts = re.sub(r"@font-face \{[^}]*\}\s*", "", drawn)  # of the web
    PICTURE.write_text(without_fonts, encoding="utf-8")
    print(PICTURE.name)


if __name__ == "__main__":
    main()
