"""JSON ends with a line break where people read it in a terminal, and nowhere else."""

import pytest

from support.http.callers import Caller


@pytest.mark.parametrize(
    ("agent", "end"),
    [
        ("curl/8.5.0", b"}\n"),
        ("Wget/1.21", b"}\n"),
        ("HTTPie/3.2.2", b"}\n"),
        ("python-httpx/0.28", b"}"),
        ("Mozilla/5.0 curl/8", b"}"),
    ],
)
async def test_json_ends_with_a_line_break_in_a_terminal(
    anonymous: Caller, agent: str, end: bytes
) -> None:
    caller = anonymous.with_headers({"User-Agent": agent})
    for path in ("/healthz", "/openapi.json", "/nothing", "/v1/models"):
        response = await caller.get(path)
        assert response.content.endswith(end), path
        assert int(response.headers["Content-Length"]) == len(response.content)


async def test_events_stay_as_they_are_in_a_terminal(local: Caller) -> None:
    caller = local.with_headers({"User-Agent": "curl/8.5.0"})
    response = await caller.post("/chat", {"query": "Hello?", "stream": True})
    assert response.content.endswith(b"}\n\n")
