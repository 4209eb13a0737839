"""The HTTP application."""

from collections.abc import Callable
from importlib.metadata import version

from fastapi import FastAPI

from recollect.interfaces import openai_proxy
from recollect.interfaces.dashboard.app import add_dashboard
from recollect.interfaces.http.admission import Admission, OverloadGuard
from recollect.interfaces.http.callers import Authenticator
from recollect.interfaces.http.errors import add_error_handlers
from recollect.interfaces.http.middleware import BodyLimit, HeadAsGet, TerminalNewline, Transactions
from recollect.interfaces.http.route_index import add_routers, index_routes
from recollect.interfaces.http.routes import (
    admin,
    api_page,
    chat,
    contexts,
    facts,
    health,
    messages,
    privacy,
    profiles,
    sessions,
    tenants,
)
from recollect.interfaces.http.routes.health import Readiness
from recollect.interfaces.metrics import PATH, metrics_page
from recollect.interfaces.worker import Heartbeat
from recollect.memory import Memory
from recollect.settings import Settings

_ROUTERS = (
    *(chat.router, chat.data_router, sessions.router, messages.router, messages.batch_router),
    *(contexts.router, contexts.owner_router, messages.history_router),
    *(facts.router, facts.import_router, privacy.router),
    *(profiles.router, sessions.state_router, admin.router, tenants.router),
    *(health.router, openai_proxy.router, api_page.router),
)
_DESCRIPTION = """
Keeps conversations, every message in order and for its owner alone, and answers with them.

Errors are `{"error", "detail"}`; what belongs to somebody else answers 404. Each response has an
`X-Transaction-ID`: the one you sent, or a new one; the server's log knows it.

A query parameter that a route does not describe is refused with 422, as an unknown field of a body
is; `/healthz`, `/readyz`, `/v1/…` and `/answerQuestion` take any.
"""


def create_app(
    memory: Memory,
    settings: Settings,
    *,
    pulse: Heartbeat | None = None,
    note_load: Callable[[int], None] | None = None,
) -> FastAPI:
    """An application that serves an open memory; the pulse is that of its worker, if it has one.

    `note_load` is told how many requests it has, whenever that changes.
    """
    app = FastAPI(
        title="Recollect",
        version=version("recollect"),
        description=_DESCRIPTION,
        license_info={"name": "Apache-2.0", "identifier": "Apache-2.0"},
        # `api_page` serves both: FastAPI's page would load scripts from the internet, and to make
        # the document takes more than half a second, which it would spend on the event loop.
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
        # A slash too many is not forgiven: `DELETE …/messages/` with an id left out, redirected to
        # `…/messages`, would delete them all.
        redirect_slashes=False,
    )
    app.state.memory = memory
    app.state.allows_data_export = settings.allow_data_export
    app.state.allows_data_deletion = settings.allow_data_deletion
    app.state.readiness = Readiness.of(memory, pulse=pulse, home=settings.embedded_home)
    app.state.authenticator = Authenticator(
        settings, memory.services.api_keys, credentials=memory.denodo
    )
    if settings.metrics_token is not None and settings.metrics_port is None:
        _serve_metrics(app, memory, settings)
    add_routers(app, _ROUTERS)
    add_dashboard(app, memory, settings)
    index_routes(app)
    add_error_handlers(app)
    admission = Admission(
        max_at_work=settings.max_requests_at_work,
        patience=settings.max_request_wait_seconds,
        note_wait=memory.services.contexts.pace.note_wait,
        note_load=note_load,
    )
    telemetry = memory.services.telemetry
    app.add_middleware(BodyLimit, max_bytes=settings.max_body_bytes)
    app.add_middleware(TerminalNewline)
    app.add_middleware(OverloadGuard, admission=admission, telemetry=telemetry)
    app.add_middleware(Transactions, telemetry=telemetry)
    app.add_middleware(HeadAsGet)
    return app


def _serve_metrics(app: FastAPI, memory: Memory, settings: Settings) -> None:
    """Answer scrapers at the server's own port, if they show the token."""
    page = metrics_page(memory, settings)
    if page is not None:
        app.add_route(PATH, page.answer, include_in_schema=False)
