"""Query parameters that a route does not know are refused, as unknown fields of a body are."""

from fastapi import Depends, Request
from fastapi.dependencies.models import Dependant
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from pydantic import BaseModel


async def _any_query() -> None:
    """Do nothing: that a route depends on it says that it takes any query parameter."""


ANY_QUERY = Depends(_any_query)
"""For routes whose callers may send parameters of their own: probes, clients of other APIs."""


async def refuse_unknown_query(request: Request) -> None:
    """Refuse a request with a query parameter that its route has not declared."""
    if not request.scope["query_string"]:
        return
    route = request.scope["route"]
    known = _declared(route) if isinstance(route, APIRoute) else None
    if known is None:
        return
    unknown = [name for name in request.query_params if name not in known]
    if unknown:
        takes = ", ".join(sorted(known)) if known else "none"
        raise RequestValidationError(
            [
                {
                    "type": "extra_forbidden",
                    "loc": ("query", name),
                    "msg": f"is not a query parameter of this route, which takes: {takes}",
                }
                for name in unknown
            ]
        )


def _declared(route: APIRoute) -> frozenset[str] | None:
    """The names of a route's query parameters; None where it takes any."""
    names: set[str] = set()
    dependants = [route.dependant]
    while dependants:
        dependant = dependants.pop()
        if dependant.call is _any_query:
            return None
        names.update(_names_in(dependant))
        dependants += dependant.dependencies
    return frozenset(names)


def _names_in(dependant: Dependant) -> set[str]:
    names: set[str] = set()
    for parameter in dependant.query_params:
        kind = parameter.field_info.annotation
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            names.update(part.alias or name for name, part in kind.model_fields.items())
        else:
            names.add(parameter.alias)
    return names
