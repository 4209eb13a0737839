"""Facts about a user over HTTP."""

from collections.abc import AsyncGenerator, AsyncIterator, Callable
from dataclasses import dataclass
from functools import partial
from http import HTTPStatus
from typing import Annotated, Final

import orjson
from fastapi import APIRouter, Depends, Query, Response
from starlette.responses import StreamingResponse

from recollect.domain.conversation.paging import Page, PageRequest
from recollect.domain.facts.fact import Fact, FactType, Priority
from recollect.domain.facts.query import FactFilter, FactSort, StatusChoice
from recollect.domain.identity.scope import Scope
from recollect.domain.text import JsonObject
from recollect.errors import InvalidInput
from recollect.interfaces.http.callers import CallerScope
from recollect.interfaces.http.errors import ERASED, ERRORS, FACT_CONFLICT, NOT_FOUND, PRECONDITION
from recollect.interfaces.http.etags import ExpectedVersion, etag
from recollect.interfaces.http.large_json import BatchRoute, LargeBodyRoute, written
from recollect.interfaces.http.parameters import Confirmed, FactIdPath, PageQuery, UseCases
from recollect.interfaces.http.schemas.conversations import ListOf
from recollect.interfaces.http.schemas.facts import (
    DeletedFacts,
    FactExport,
    FactImport,
    FactIn,
    FactOut,
    FactPatch,
    FactRecordOut,
    FactStatsOut,
    FoundFactOut,
    ImportReportOut,
)
from recollect.services.facts.facts import Facts

_PIECE: Final = 64 * 1024  # bytes of an export that are sent at once
_OF_FACT: Final = 2_000  # a fact takes as long to write as this many characters of a text
router = APIRouter(
    prefix="/api/v1/memory", tags=["facts"], responses=ERRORS, route_class=LargeBodyRoute
)
import_router = APIRouter(
    prefix="/api/v1/memory", tags=["facts"], responses=ERRORS, route_class=BatchRoute
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _FactQuery:
    """Which facts a request lists, and how."""

    page: PageQuery
    type: Annotated[FactType | None, Query(description="Facts of this type alone.")] = None
    priority: Annotated[Priority | None, Query(description="Of this priority alone.")] = None
    status: Annotated[StatusChoice, Query(description="Of this status alone, or `any`.")] = (
        StatusChoice.ACTIVE
    )
    q: Annotated[
        str | None, Query(description="What the fact or its quote contains, in any case.")
    ] = None
    search: Annotated[
        str | None,
        Query(
            description="Active facts nearest to this in meaning, nearest first, on one page; "
            "without an embedding model those that share words with it."
        ),
    ] = None
    sort: Annotated[FactSort | None, Query(description="Default: created; not with `search`.")] = (
        None
    )

    @property
    def filters(self) -> FactFilter:
        """What the facts must have."""
        return FactFilter(
            type=self.type, priority=self.priority, status=self.status.status, text=self.q
        )

    async def page_of(self, scope: Scope, facts: Facts) -> Callable[[], ListOf[FoundFactOut]]:
        """List or search the facts, and return what makes the page's JSON."""
        if self.search is None:
            sort = self.sort or FactSort.CREATED
            page = await facts.list(scope, self.page, filters=self.filters, sort=sort)
            return partial(ListOf[FoundFactOut].of, page, FoundFactOut.of)
        if self.sort or self.page != PageRequest(limit=self.page.limit):
            problem = "has its own order and one page: leave out sort, order, cursor and offset"
            raise InvalidInput("search", problem)
        found = await facts.search(scope, self.search, limit=self.page.limit, filters=self.filters)
        results = Page(items=found, next_cursor=None)
        return partial(ListOf[FoundFactOut].of, results, FoundFactOut.found)


FactQuery = Annotated[_FactQuery, Depends()]


@router.get(
    "",
    summary="List or search facts",
    response_model=ListOf[FoundFactOut],
    response_model_exclude_unset=True,
)
async def list_facts(scope: CallerScope, services: UseCases, query: FactQuery) -> Response:
    """List what is known about the user; neither this nor a search counts as using a fact."""
    make = await query.page_of(scope, services.facts)
    return await written(make, characters=_OF_FACT * query.page.limit, parts=["items"])


@router.post(
    "",
    summary="Add a fact",
    status_code=HTTPStatus.CREATED,
    response_model=FactOut,
    responses=FACT_CONFLICT,
)
async def add_fact(body: FactIn, scope: CallerScope, services: UseCases) -> Response:
    """Store a fact about the user; 409 if an active one says the same or has its place."""
    fact = await services.facts.add(scope, body.content, type=body.type, priority=body.priority)
    return await _written(fact, status=HTTPStatus.CREATED)


@router.delete("", summary="Delete all facts")
async def clear_facts(
    scope: CallerScope,
    services: UseCases,
    _: Confirmed,
) -> DeletedFacts:
    """Delete all facts with their history for good; 400 without `confirm=true`."""
    return DeletedFacts(deleted=await services.facts.clear(scope))


@router.get("/stats", summary="Count facts")
async def count_facts(scope: CallerScope, services: UseCases) -> FactStatsOut:
    """Count the user's facts by type, priority, status and week."""
    return FactStatsOut.of(await services.facts.stats(scope))


@router.get("/export", summary="Export all facts", response_model=FactExport)
async def export_facts(scope: CallerScope, services: UseCases) -> StreamingResponse:
    """Return all facts of any status with their history, streamed; no access of them."""
    items = services.fact_transfer.export(scope)
    first = await anext(items, None)  # what fails at once fails with a status
    return StreamingResponse(
        fact_document(first, items),
        media_type="application/json",
        headers={"Content-Disposition": 'attachment; filename="facts.json"'},
    )


@import_router.post("/import", summary="Import facts", responses=ERASED)
async def import_facts(body: FactImport, scope: CallerScope, services: UseCases) -> ImportReportOut:
    """Store the facts of an export that are not there yet, at most 10,000.

    All are checked before the first is stored, and stored 200 at a time. What is there already,
    active or not, is skipped, so that an import can be repeated. The whole body must stay below
    `MEMORY_MAX_BODY_BYTES` and has at most 300,000 JSON values.
    """
    return ImportReportOut.of(await services.fact_transfer.take_in(scope, body.facts))


@router.get("/{fact_id}", summary="Get a fact", response_model=FactRecordOut, responses=NOT_FOUND)
async def get_fact(fact_id: FactIdPath, scope: CallerScope, services: UseCases) -> Response:
    """Return a fact of any status with its history, and its version in the header `ETag`."""
    record = await services.facts.get(scope, fact_id)
    return await written(
        partial(FactRecordOut.of_record, record),
        characters=_OF_FACT * len(record.history),
        parts=["history"],
        headers=etag(record.fact.version),
    )


@router.patch(
    "/{fact_id}",
    summary="Change a fact",
    response_model=FactOut,
    responses=NOT_FOUND | FACT_CONFLICT | PRECONDITION,
)
async def change_fact(
    fact_id: FactIdPath,
    body: FactPatch,
    scope: CallerScope,
    services: UseCases,
    version: ExpectedVersion,
) -> Response:
    """Change a fact's content, type or priority; its history keeps what it was."""
    fact = await services.facts.update(
        scope,
        fact_id,
        content=body.content,
        type=body.type,
        priority=body.priority,
        version=version,
    )
    return await _written(fact)


@router.delete(
    "/{fact_id}",
    summary="Forget a fact",
    status_code=HTTPStatus.NO_CONTENT,
    responses=NOT_FOUND,
)
async def forget_fact(
    fact_id: FactIdPath,
    scope: CallerScope,
    services: UseCases,
    *,
    erase: Annotated[
        bool, Query(description="Delete it for good, with its history; else it can be restored.")
    ] = False,
) -> None:
    """Withdraw a fact, so that it is used no more; `restore` brings it back."""
    await services.facts.forget(scope, fact_id, erase=erase)


@router.post(
    "/{fact_id}/restore",
    summary="Restore a fact",
    response_model=FactOut,
    responses=NOT_FOUND | FACT_CONFLICT,
)
async def restore_fact(fact_id: FactIdPath, scope: CallerScope, services: UseCases) -> Response:
    """Let a fact hold again that was withdrawn, replaced or has faded.

    409, and nothing changes, if an active one says the same or has taken its place.
    """
    return await _written(await services.facts.restore(scope, fact_id))


async def _written(fact: Fact, *, status: HTTPStatus = HTTPStatus.OK) -> Response:
    return await written(
        partial(FactOut.of, fact),
        characters=_OF_FACT,
        status=status,
        headers=etag(fact.version),
    )


async def fact_document(
    first: JsonObject | None, items: AsyncGenerator[JsonObject, None]
) -> AsyncIterator[bytes]:
    """The JSON of an export in pieces, so that no more than one of them is in memory."""
    piece = bytearray(b'{"facts":[')
    if first is not None:
        piece += orjson.dumps(first)
    async for item in items:
        piece += b",\n" + orjson.dumps(item)
        if len(piece) >= _PIECE:
            yield bytes(piece)
            piece.clear()
    yield bytes(piece + b"]}")
