"""The page of what is known about a user: to search, filter, change, delete and restore."""

from dataclasses import dataclass
from datetime import UTC, datetime
from http import HTTPStatus
from typing import Annotated, Any, Final
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response, StreamingResponse

from recollect.domain.conversation.paging import Order, PageRequest
from recollect.domain.facts.decay import DecayPolicy
from recollect.domain.facts.fact import Fact, FactType, Priority, gist_of
from recollect.domain.facts.query import FactFilter, FactSort, StatusChoice
from recollect.domain.identity.scope import Scope
from recollect.domain.text import parse_choice
from recollect.interfaces.dashboard.problems import NotConfirmedInWords
from recollect.interfaces.dashboard.rendering import is_htmx, language_of, render
from recollect.interfaces.dashboard.routing import DashboardRoute, redirect
from recollect.interfaces.dashboard.site import Site, site_of
from recollect.interfaces.dashboard.visitors import KnownVisitor, PostedForm, version_of
from recollect.interfaces.http.parameters import ANY_QUERY, FactIdPath
from recollect.interfaces.http.routes.facts import fact_document

PAGE: Final = "/dashboard/memory"
CONFIRMATION: Final = "delete everything"
"""What has to be typed before all facts are deleted, in the reader's language."""
_PAGE_SIZE: Final = 25
_SHOWN_HISTORY: Final = 50
_WEEKS: Final = 12
router = APIRouter(
    prefix=PAGE, include_in_schema=False, route_class=DashboardRoute, dependencies=[ANY_QUERY]
)


@dataclass(frozen=True, slots=True, kw_only=True)
class FactChoice:
    """What the form above the list says; an empty text leaves it open."""

    q: str = ""
    by: str = "words"
    type: str = ""
    priority: str = ""
    status: str = StatusChoice.ACTIVE.value
    sort: str = FactSort.CREATED.value
    order: str = Order.DESC.value
    cursor: str = ""

    @property
    def is_by_meaning(self) -> bool:
        """Whether the nearest in meaning are listed, not those that contain the words."""
        return self.by == "meaning" and bool(self.q.strip())

    @property
    def is_narrowed(self) -> bool:
        """Whether facts may be missing because of the form."""
        return bool(self.q or self.type or self.priority or self.status != StatusChoice.ACTIVE)

    @property
    def filters(self) -> FactFilter:
        """What the facts must have."""
        status = parse_choice(StatusChoice, self.status or StatusChoice.ANY, "status")
        return FactFilter(
            type=parse_choice(FactType, self.type, "type") if self.type else None,
            priority=parse_choice(Priority, self.priority, "priority") if self.priority else None,
            status=status.status,
            text=self.q.strip() or None if not self.is_by_meaning else None,
        )

    def after(self, cursor: str | None) -> str | None:
        """The query of the page that begins there; None where there is none."""
        if cursor is None:
            return None
        values = {name: getattr(self, name) for name in self.__slots__}
        return urlencode({**values, "cursor": cursor})


async def _choice(request: Request) -> FactChoice:
    given = request.query_params
    known = FactChoice.__slots__
    return FactChoice(**{name: given[name] for name in known if name in given})


Choice = Annotated[FactChoice, Depends(_choice)]


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownFact:
    """A fact with what the page says of it."""

    fact: Fact
    freshness: float
    """From 1 down to 0."""
    fades_at: datetime | None
    similarity: float | None = None

    @property
    def tells_more(self) -> bool:
        """Whether the words it was learnt from are others than its own."""
        evidence = self.fact.evidence
        return evidence is not None and gist_of(evidence.quote) != self.fact.gist


def shown(decay: DecayPolicy, fact: Fact, *, similarity: float | None = None) -> ShownFact:
    """A fact as the page shows it."""
    return ShownFact(
        fact=fact,
        freshness=decay.score(fact, datetime.now(UTC)),
        fades_at=decay.fades_at(fact) if fact.is_active else None,
        similarity=similarity,
    )


@router.get("")
async def list_facts(request: Request, visitor: KnownVisitor, choice: Choice) -> Response:
    """Show the facts that match, with statistics above them."""
    site = site_of(request)
    facts, cursor = await _listed(site, visitor.scope, choice)
    values: dict[str, Any] = {"facts": facts, "choice": choice, "next_query": choice.after(cursor)}
    if is_htmx(request):
        template = "memory/more.html" if choice.cursor else "memory/list.html"
        return await render(request, template, **values)
    stats = await site.fact_stats(visitor.scope)
    return await render(
        request,
        "memory/page.html",
        **values,
        stats=stats,
        weeks=_WEEKS,
        types=tuple(FactType),
        priorities=tuple(Priority),
        statuses=tuple(StatusChoice),
        sorts=tuple(FactSort),
        confirmation=language_of(request).text(CONFIRMATION),
    )


async def _listed(
    site: Site, scope: Scope, choice: FactChoice
) -> tuple[list[ShownFact], str | None]:
    facts = site.services.facts
    decay = (await site.services.tenant_policies.of(scope)).decay
    if choice.is_by_meaning:
        found = await facts.search(scope, choice.q, limit=_PAGE_SIZE, filters=choice.filters)
        return [shown(decay, one.fact, similarity=one.similarity) for one in found], None
    page = PageRequest.of(
        limit=_PAGE_SIZE, order=choice.order, cursor=choice.cursor or None, offset=0
    )
    sort = FactSort.parse(choice.sort)
    listed = await facts.list(scope, page, filters=choice.filters, sort=sort)
    return [shown(decay, fact) for fact in listed.items], listed.next_cursor


@router.get("/stats")
async def show_stats(request: Request, visitor: KnownVisitor) -> Response:
    """Show the statistics again, after a change."""
    stats = await site_of(request).fact_stats(visitor.scope, has_changed=True)
    return await render(request, "memory/stats.html", stats=stats, weeks=_WEEKS)


@router.get("/export")
async def export_facts(request: Request, visitor: KnownVisitor) -> Response:
    """Return all facts of any status with their history as a file."""
    items = site_of(request).services.fact_transfer.export(visitor.scope)
    first = await anext(items, None)
    return StreamingResponse(
        fact_document(first, items),
        media_type="application/json",
        headers={"Content-Disposition": 'attachment; filename="facts.json"'},
    )


@router.post("")
async def add_fact(request: Request, visitor: KnownVisitor, form: PostedForm) -> Response:
    """Store a fact that somebody typed, and show it at the head of the list."""
    site = site_of(request)
    priority = form.get("priority")
    fact = await site.services.facts.add(
        visitor.scope,
        form.get("content", ""),
        type=parse_choice(FactType, form.get("type", FactType.FACT), "type"),
        priority=parse_choice(Priority, priority, "priority") if priority else None,
    )
    return await _row(request, visitor.scope, fact, is_new=True)


@router.post("/clear")
async def clear_facts(request: Request, visitor: KnownVisitor, form: PostedForm) -> Response:
    """Delete all facts for good, if the words that say so were typed."""
    wanted = language_of(request).text(CONFIRMATION)
    if form.get("confirmation", "").strip().casefold() != wanted.casefold():
        raise NotConfirmedInWords(wanted)
    await site_of(request).services.facts.clear(visitor.scope)
    return redirect(request, PAGE)


@router.get("/{fact_id}")
async def show_fact(request: Request, visitor: KnownVisitor, fact_id: FactIdPath) -> Response:
    """Show one fact in the list again, unchanged."""
    record = await site_of(request).services.facts.get(visitor.scope, fact_id)
    return await _row(request, visitor.scope, record.fact)


@router.get("/{fact_id}/history")
async def show_history(request: Request, visitor: KnownVisitor, fact_id: FactIdPath) -> Response:
    """Show what became of a fact, newest first."""
    record = await site_of(request).services.facts.get(visitor.scope, fact_id)
    history = record.history[: -_SHOWN_HISTORY - 1 : -1]
    return await render(request, "memory/history.html", fact=record.fact, history=history)


@router.get("/{fact_id}/edit")
async def edit_fact(request: Request, visitor: KnownVisitor, fact_id: FactIdPath) -> Response:
    """Show the form of a fact in its place in the list."""
    record = await site_of(request).services.facts.get(visitor.scope, fact_id)
    template = "memory/edit.html" if is_htmx(request) else "memory/edit_page.html"
    return await render(
        request, template, fact=record.fact, types=tuple(FactType), priorities=tuple(Priority)
    )


@router.post("/{fact_id}")
async def change_fact(
    request: Request, visitor: KnownVisitor, fact_id: FactIdPath, form: PostedForm
) -> Response:
    """Store the changes of the form, unless the fact has changed since it was shown."""
    fact = await site_of(request).services.facts.update(
        visitor.scope,
        fact_id,
        content=form.get("content"),
        type=parse_choice(FactType, form["type"], "type") if "type" in form else None,
        priority=parse_choice(Priority, form["priority"], "priority")
        if "priority" in form
        else None,
        version=version_of(form),
    )
    return await _row(request, visitor.scope, fact)


@router.post("/{fact_id}/delete")
async def delete_fact(request: Request, visitor: KnownVisitor, fact_id: FactIdPath) -> Response:
    """Withdraw a fact; in its place stands how to undo that."""
    await site_of(request).services.facts.forget(visitor.scope, fact_id)
    if not is_htmx(request):
        return redirect(request, PAGE)
    headers = {"HX-Trigger": "facts-changed"}
    return await render(request, "memory/deleted.html", headers=headers, fact_id=fact_id)


@router.post("/{fact_id}/restore")
async def restore_fact(request: Request, visitor: KnownVisitor, fact_id: FactIdPath) -> Response:
    """Let a fact hold again."""
    fact = await site_of(request).services.facts.restore(visitor.scope, fact_id)
    return await _row(request, visitor.scope, fact)


async def _row(request: Request, scope: Scope, fact: Fact, *, is_new: bool = False) -> Response:
    """The fact in its place in the list, with the focus on it."""
    if not is_htmx(request):
        return redirect(request, PAGE)
    policy = await site_of(request).services.tenant_policies.of(scope)
    return await render(
        request,
        "memory/row.html",
        status=HTTPStatus.CREATED if is_new else HTTPStatus.OK,
        headers={"HX-Trigger": "facts-changed"},
        one=shown(policy.decay, fact),
        has_focus=True,
    )
