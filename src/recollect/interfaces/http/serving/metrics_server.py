"""The port of the metrics, beside that of the server."""

import socket
from collections.abc import AsyncIterator, Generator
from contextlib import asynccontextmanager, contextmanager

import uvicorn

from recollect.concurrency import running_beside
from recollect.interfaces.http.serving.listener import listening
from recollect.interfaces.metrics import metrics_app, metrics_page, sample_process
from recollect.memory import Memory
from recollect.settings import Settings


class SilentServer(uvicorn.Server):
    """A uvicorn server that leaves signals to us."""

    @contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        """Leave signals alone: our handlers limit how long stopping may take."""
        yield


def metrics_listener(settings: Settings) -> socket.socket | None:
    """The socket of the metrics' own port; None where they have none."""
    if settings.metrics_port is None:
        return None
    return listening(settings.metrics_host, settings.metrics_port)[0]


@asynccontextmanager
async def observed(
    memory: Memory, settings: Settings, listener: socket.socket | None, *, process: str
) -> AsyncIterator[None]:
    """Note what this process uses beside the block, and answer scrapers if it has a listener."""
    if not settings.has_metrics:
        yield
        return
    page = None if listener is None else metrics_page(memory, settings)
    async with running_beside(sample_process(memory, process=process)):
        if page is None or listener is None:
            yield
            return
        config = uvicorn.Config(
            metrics_app(page),
            lifespan="off",
            log_config=None,
            access_log=False,
            server_header=False,
            ws="none",
            timeout_graceful_shutdown=1,
        )
        async with running_beside(SilentServer(config).serve([listener])):
            yield
