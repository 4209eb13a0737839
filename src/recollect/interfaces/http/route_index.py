"""Finding the route of a request: by the beginning of its path, not by trying one after another."""

from collections.abc import Iterable, Sequence
from typing import Final

from fastapi import APIRouter, FastAPI
from fastapi.dependencies.models import Dependant
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from starlette.datastructures import QueryParams
from starlette.routing import BaseRoute, Match, Route
from starlette.types import Receive, Scope, Send

from recollect.interfaces.http.parameters import ANY_QUERY

_MOST_SEGMENTS: Final = 4
"""Of a path that routes are told apart by; those of the API differ in the third: /api/v1/facts."""
Prefix = tuple[str, ...]


def add_routers(app: FastAPI, routers: Iterable[APIRouter]) -> None:
    """Serve the routes of routers, which name their whole paths themselves.

    `include_router` would look through each router twice for every request.
    """
    for router in routers:
        app.router.routes += router.routes


def index_routes(app: FastAPI) -> None:
    """Find the routes that an application has now by an index, and check their queries."""
    routes = [route for route in app.routes if isinstance(route, APIRoute)]
    app.router.routes.insert(0, RouteIndex(routes))


def methods_at(app: FastAPI, scope: Scope) -> list[str]:
    """The methods that the routes of a path take together; who takes GET answers HEAD, too."""
    routes = (route for route in app.routes if isinstance(route, Route))
    fitting = (route for route in routes if route.matches(scope)[0] is not Match.NONE)
    methods = {method for route in fitting for method in route.methods or ()}
    return sorted(methods | {"HEAD"} if "GET" in methods else methods)


class RouteIndex(BaseRoute):
    """Stands before all routes: matches what one of them takes, and hands it over.

    What none of them takes is left to the framework, which knows other methods.
    """

    def __init__(self, routes: Sequence[APIRoute]) -> None:
        prefixes = [_prefix_of(route) for route in routes]
        # For each prefix the routes that may take paths which begin with it and with no longer one.
        self._routes = {
            prefix: tuple(
                route
                for route, own in zip(routes, prefixes, strict=True)
                if prefix[: len(own)] == own
            )
            for prefix in {(), *prefixes}
        }
        # By identity: routes are compared by their paths, and have no hash.
        self._query_names = {id(route): _query_names_of(route) for route in routes}

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """Match what the first fitting route matches with its method."""
        if scope["type"] == "http":
            for route in self._candidates(scope):
                match, found = route.matches(scope)
                if match is Match.FULL:
                    return match, found
        return Match.NONE, {}

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let the route that was found serve the request, unless its query is unknown."""
        route: APIRoute = scope["route"]
        names = self._query_names[id(route)]
        if scope["query_string"] and names is not None:
            _refuse_unknown(QueryParams(scope["query_string"]), names)
        await route.handle(scope, receive, send)

    def _candidates(self, scope: Scope) -> Sequence[APIRoute]:
        """The routes that a path may belong to, in the order in which they were declared."""
        path = scope["path"].removeprefix(scope.get("root_path", ""))
        segments = tuple(path.split("/", _MOST_SEGMENTS + 1)[1 : _MOST_SEGMENTS + 1])
        for length in range(len(segments), 0, -1):
            routes = self._routes.get(segments[:length])
            if routes is not None:
                return routes
        return self._routes[()]


def _prefix_of(route: APIRoute) -> Prefix:
    """The segments of a path before the first with a parameter."""
    fixed = route.path.partition("{")[0]
    segments = fixed.split("/")[1:]
    return tuple(segments if fixed == route.path else segments[:-1])[:_MOST_SEGMENTS]


def _query_names_of(route: APIRoute) -> frozenset[str] | None:
    """The names of a route's query parameters; None: it takes any."""
    return None if ANY_QUERY in route.dependencies else frozenset(_names(route.dependant))


def _names(dependant: Dependant) -> set[str]:
    names = {parameter.alias for parameter in dependant.query_params}
    return names.union(*map(_names, dependant.dependencies))


def _refuse_unknown(query: QueryParams, known: frozenset[str]) -> None:
    unknown = [name for name in query if name not in known]
    if not unknown:
        return
    takes = ", ".join(sorted(known)) or "none"
    problem = f"is not a query parameter of this route, which takes: {takes}"
    raise RequestValidationError(
        [{"type": "extra_forbidden", "loc": ("query", name), "msg": problem} for name in unknown]
    )
