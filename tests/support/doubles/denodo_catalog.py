"""Denodo's Data Catalog on loopback, as far as permissions go: both generations, real HTTP."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from fastapi import FastAPI, Request
from starlette.responses import JSONResponse, Response

from support.servers.http_servers import serving

PATH = "/denodo-data-catalog"


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """A view of the catalog."""

    view_id: int
    database: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Right:
    """What a user may see of a view."""

    view_id: int
    has_row_restrictions: bool = False
    restricted_columns: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """The right as the newer generation tells it."""
        return {
            "viewId": self.view_id,
            "hasRowRestrictions": self.has_row_restrictions,
            "restrictedColumns": list(self.restricted_columns),
        }


@dataclass(slots=True, kw_only=True)
class DenodoCatalogDouble:
    """Answers as the catalog does, and refuses what the catalog would refuse."""

    views: list[View] = field(default_factory=list)
    rights: dict[str, list[Right]] = field(default_factory=dict)
    """By the whole Authorization header: whoever is not in it has no account."""
    is_legacy: bool = False
    """Of the older generation: no user-permissions, and metadata as one list."""
    page_limit: int = 50
    """The most views that one answer has, whatever is asked for."""
    failure: Response | None = None
    """What every question is answered with, if anything."""
    url: str = ""
    requests: list[tuple[str, str | None, Any]] = field(default_factory=list)
    """Path, Authorization header and body of each question."""

    async def answer(self, request: Request) -> Response:
        """One question, answered."""
        body = json.loads(await request.body())
        credentials = request.headers.get("Authorization")
        path = request.url.path.removeprefix(f"{PATH}/public/api/")
        self.requests.append((path, credentials, body))
        if self.failure is not None:
            return self.failure
        if request.query_params.get("serverId") != "1":
            return JSONResponse({"message": "no such server"}, status_code=400)
        if credentials not in self.rights:
            return JSONResponse({"message": "Unauthorized"}, status_code=401)
        return self._answer(path, self.rights[credentials], body)

    def _answer(self, path: str, rights: list[Right], body: dict[str, Any]) -> Response:
        match path, body:
            case "ai-sdk/user-permissions", {"dataMode": "ALL"} if not self.is_legacy:
                as_json = [right.to_json() for right in rights]
                return JSONResponse(
                    {"username": "x", "isAdmin": False, "roles": [], "viewsPermissions": as_json}
                )
            case "views/allowed-identifiers", {"dataMode": "ALL"}:
                return JSONResponse([right.view_id for right in rights])
            case "askaquestion/data", {"dataMode": "DATABASE", "databaseName": str() as database}:
                return self._metadata(database, body)
        return JSONResponse({"message": "Not Found"}, status_code=404)

    def _metadata(self, database: str, body: dict[str, Any]) -> Response:
        details = [
            {"id": view.view_id, "name": view.name, "databaseName": view.database, "schema": []}
            for view in self.views
            if view.database == database
        ]
        if self.is_legacy:
            return JSONResponse(details)
        first = body["offset"]
        page = details[first : first + min(body["limit"], self.page_limit)]
        return JSONResponse({"viewsDetails": page, "deletedViewIdentifiers": []})


@asynccontextmanager
async def denodo_catalog(double: DenodoCatalogDouble) -> AsyncIterator[DenodoCatalogDouble]:
    """A catalog that is listening; its `url` is what settings name."""
    app = FastAPI(openapi_url=None)
    app.add_api_route(f"{PATH}/{{rest:path}}", double.answer, methods=["POST"])
    async with serving(app) as address:
        double.url = f"{address}{PATH}"
        yield double
