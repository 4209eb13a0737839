"""The first page: what is remembered, what is going on, and whether all is well."""

import asyncio
from datetime import UTC, datetime
from functools import partial
from typing import Any, Final

from fastapi import APIRouter, Request
from starlette.responses import Response

from recollect.domain.conversation.paging import PageRequest
from recollect.domain.facts.query import FactSort
from recollect.domain.identity.scope import Scope
from recollect.interfaces.dashboard.charts import by_day
from recollect.interfaces.dashboard.recent import Key
from recollect.interfaces.dashboard.rendering import render
from recollect.interfaces.dashboard.routing import DashboardRoute
from recollect.interfaces.dashboard.server_figures import counted, waiting
from recollect.interfaces.dashboard.site import Site, site_of
from recollect.interfaces.dashboard.visitors import KnownVisitor, Visitor
from recollect.interfaces.http.parameters import ANY_QUERY
from recollect.interfaces.http.routes.health import Readiness
from recollect.services.activity import DAYS

PAGE: Final = "/dashboard"
_LATEST: Final = 5
_WEEKS: Final = 12
router = APIRouter(
    prefix=PAGE, include_in_schema=False, route_class=DashboardRoute, dependencies=[ANY_QUERY]
)


@router.get("")
async def show_overview(request: Request, visitor: KnownVisitor) -> Response:
    """Show the overview; administrators without a user see the keys instead."""
    site, scope = site_of(request), visitor.scope
    latest, known, stats, total, activity, server = await asyncio.gather(
        site.services.sessions.list(scope, PageRequest(limit=_LATEST)),
        site.services.facts.list(scope, PageRequest(limit=_LATEST), sort=FactSort.CREATED),
        site.fact_stats(scope),
        site.recent.get(
            Key("messages", scope.owner_id, scope.actor),
            partial(site.services.history.count, scope),
        ),
        site.recent.get(
            Key("activity", scope.owner_id, scope.actor), partial(_activity, site, scope)
        ),
        _server(site, visitor, request.app.state.readiness),
    )
    return await render(
        request,
        "overview.html",
        sessions=latest.items,
        facts=known.items,
        stats=stats,
        message_count=total,
        retention=(await site.services.tenant_policies.of(scope)).retention,
        days=DAYS,
        weeks=_WEEKS,
        **activity,
        **server,
    )


async def _activity(site: Site, scope: Scope) -> dict[str, Any]:
    """The counts of the last days for the charts; empty where the engine does not count."""
    activity = site.services.activity
    if activity is None:
        return {"charted": None, "expiring": None, "expired": None, "hit_rate": None}
    days, expiring = await asyncio.gather(activity.by_day(scope), activity.expiring_soon(scope))
    today = datetime.now(UTC).date()
    charted = {
        name: by_day({one.day: getattr(one, name) for one in days}, last=today, days=DAYS)
        for name in ("messages", "sessions", "contexts")
    }
    contexts = sum(one.contexts for one in days)
    hits = sum(one.contexts_with_memory for one in days)
    return {
        "charted": charted,
        "expiring": expiring,
        "expired": sum(one.expired for one in days),
        "hit_rate": hits / contexts if contexts else None,
    }


async def _server(site: Site, visitor: Visitor, readiness: Readiness) -> dict[str, Any]:
    """How the server does; what waits and what was deleted of all users is for those who run it."""
    recent, services = site.recent, site.services
    runs_it = visitor.is_local or visitor.tenant is not None
    checks, figures = await asyncio.gather(
        recent.get(Key("checks"), readiness.check),
        recent.get(Key("counted"), partial(counted, services)),
    )
    queues = await recent.get(Key("queues"), partial(waiting, services)) if runs_it else ()
    return {"checks": checks, "figures": figures, "queues": queues, "runs_it": runs_it}
