from collections.abc import Callable

import pytest
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from recollect.interfaces.http.middleware import BodyLimit, TerminalNewline, Transactions

LAYERS = {
    "transactions": Transactions,
    "body limit": lambda app: BodyLimit(app, max_bytes=10),
    "terminal newline": TerminalNewline,
}


async def _receive() -> Message:
    return {"type": "lifespan.startup"}


async def _send(_message: Message) -> None:
    return None


@pytest.mark.parametrize("layer", LAYERS.values(), ids=LAYERS)
@pytest.mark.parametrize(
    "scope",
    [
        {"type": "lifespan", "asgi": {"version": "3.0"}},
        {
            "type": "websocket",
            "path": "/",
            "headers": [(b"content-length", b"99"), (b"user-agent", b"curl/8")],
        },
        {"type": "of a later protocol"},
    ],
    ids=lambda scope: scope["type"],
)
async def test_what_is_no_http_request_is_passed_on_untouched(
    layer: Callable[[ASGIApp], ASGIApp], scope: Scope
) -> None:
    calls: list[tuple[Scope, Receive, Send]] = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        calls.append((scope, receive, send))

    await layer(app)(scope, _receive, _send)
    assert calls == [(scope, _receive, _send)]
