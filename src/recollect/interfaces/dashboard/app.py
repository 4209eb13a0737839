"""Joins the dashboard to the application."""

from fastapi import APIRouter, FastAPI
from starlette.responses import RedirectResponse, Response

from recollect.interfaces.dashboard.languages import load_languages
from recollect.interfaces.dashboard.pages import (
    access,
    chat,
    conversations,
    inspector,
    keys,
    memory,
    overview,
    privacy,
    shared,
    tenant,
)
from recollect.interfaces.dashboard.rendering import make_environment
from recollect.interfaces.dashboard.site import Site
from recollect.interfaces.http.parameters import ANY_QUERY
from recollect.interfaces.http.route_index import add_routers
from recollect.memory import Memory
from recollect.settings import Settings

_ROUTERS = (
    *(shared.router, access.router, overview.router, memory.router, conversations.router),
    *(inspector.router, chat.router, privacy.router, keys.router),
    tenant.router,
)
_root = APIRouter(include_in_schema=False)


@_root.get("/", dependencies=[ANY_QUERY])
@_root.get("/dashboard/", dependencies=[ANY_QUERY])
async def go_to_dashboard() -> Response:
    """Lead people who type the address of the server to the dashboard."""
    return RedirectResponse("/dashboard")


def add_dashboard(app: FastAPI, memory: Memory, settings: Settings) -> None:
    """Serve the dashboard with an application, unless the settings say otherwise."""
    if not settings.dashboard:
        return
    app.state.dashboard = Site(
        memory=memory,
        settings=settings,
        templates=make_environment(),
        languages=load_languages(),
    )
    # The last takes all that is left.
    add_routers(app, (_root, *_ROUTERS, shared.missing))
