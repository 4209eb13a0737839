"""The arguments of a route's function, gathered by a plan that is made once.

FastAPI looks at the tree of dependencies and at the types of all parameters again for each
request, which takes longer than a read in the service. A plan does that when the route is made. It
covers what our routes usually are, and of their requests those that are valid: everything else is
left to FastAPI, and so are all its words about what is wrong. What a route returns is a response,
or a model that is written as FastAPI would. See
docs/decisions/0050-plans-of-routes.md.
"""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from http import HTTPStatus
from types import NoneType, UnionType
from typing import Annotated, Any, Final, Self, Union, get_args, get_origin

from fastapi import HTTPException, params
from fastapi._compat import ModelField
from fastapi.datastructures import DefaultPlaceholder
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute
from pydantic import BaseModel
from starlette.requests import Request
from starlette.responses import Response

_JSON: Final = "application/json"
_MISSING: Final = object()
_IMMUTABLE: Final = (NoneType, bool, int, float, str, Enum)
_UNKNOWN_KINDS: Final = (
    "cookie_params",
    "websocket_param_name",
    "http_connection_param_name",
    "response_param_name",
    "background_tasks_param_name",
    "security_scopes_param_name",
)
"""What a function may ask for and no plan has."""
_CHANGES: Final = ("include", "exclude", "exclude_unset", "exclude_defaults", "exclude_none")
"""What a route may change about the model that it returns."""


class Unplanned(Exception):
    """A route, or a request, that FastAPI itself has to look at."""


@dataclass(frozen=True, slots=True)
class _Parameter:
    """A parameter of a path, a query or a header."""

    name: str
    alias: str
    field: ModelField

    @classmethod
    def of(cls, field: ModelField) -> Self:
        info = field.field_info
        alias = info.validation_alias or field.alias
        has_default = info.is_required() or isinstance(field.default, _IMMUTABLE)
        is_plain = _is_scalar(info.annotation) and has_default and not info.validate_default
        if not (is_plain and isinstance(alias, str)):
            raise Unplanned
        return cls(field.name, alias, field)

    def read(self, given: Mapping[str, Any]) -> object:
        """The value of a request."""
        value = given.get(self.alias)
        if value is not None:
            return _validated(self.field, value)
        if self.field.field_info.is_required():
            raise Unplanned
        return self.field.default


@dataclass(frozen=True, slots=True)
class _Step:
    """A function to call, and where its arguments come from."""

    call: Callable[..., Any]
    is_async: bool
    request: str | None
    """The name of the argument that is the request itself."""
    path: tuple[_Parameter, ...]
    query: tuple[_Parameter, ...]
    headers: tuple[_Parameter, ...]
    results: tuple[tuple[str, int], ...]
    """Arguments that are results of earlier steps, by their numbers."""

    def arguments(self, request: Request, earlier: list[object]) -> dict[str, object]:
        """What the function is called with; its own body is not among it."""
        values = {name: earlier[number] for name, number in self.results}
        if self.path:
            values |= {one.name: one.read(request.path_params) for one in self.path}
        if self.query:
            values |= {one.name: one.read(request.query_params) for one in self.query}
        if self.headers:
            values |= {one.name: one.read(request.headers) for one in self.headers}
        if self.request is not None:
            values[self.request] = request
        return values


@dataclass(frozen=True, slots=True)
class RequestPlan:
    """How a request becomes the arguments of its route's function."""

    steps: tuple[_Step, ...]
    """In the order in which FastAPI calls them; the last is the route's own function."""
    body: ModelField | None
    model: type[BaseModel] | None
    """What the function returns, if it is no response."""
    status: int
    """Of the response with a model."""

    @classmethod
    def of(cls, route: APIRoute) -> "RequestPlan | None":
        """The plan of a route; None where FastAPI has to do it."""
        steps: list[_Step] = []
        try:
            model = _model_of(route)
            body = _body_of(route)
            _add_steps(route.dependant, steps, {})
        except Unplanned:
            return None
        return cls(tuple(steps), body, model, route.status_code or HTTPStatus.OK)

    async def arguments(self, request: Request) -> dict[str, object]:
        """What the route's function is called with; `Unplanned` where that is not plain."""
        body = None if self.body is None else await _json_of(request)
        earlier: list[object] = []
        for step in self.steps[:-1]:
            result = step.call(**step.arguments(request, earlier))
            earlier.append(await result if step.is_async else result)
        values = self.steps[-1].arguments(request, earlier)
        if self.body is not None:
            values[self.body.name] = _validated(self.body, body)
        return values

    def response(self, returned: object) -> Response:
        """The response with what the route's function has returned."""
        if self.model is None:
            assert isinstance(returned, Response)  # noqa: S101  # as its signature says
            return returned
        # A model of another class is converted, so that no field is sent but the declared ones.
        given = returned if type(returned) is self.model else self.model.model_validate(returned)
        content = self.model.__pydantic_serializer__.to_json(given, by_alias=True)
        return Response(content, self.status, media_type=_JSON)


def _add_steps(dependant: Dependant, steps: list[_Step], numbers: dict[object, int]) -> int:
    """Add what a function depends on, each once, and then itself; the number of its step."""
    if any(getattr(dependant, kind) for kind in _UNKNOWN_KINDS) or not dependant.use_cache:
        raise Unplanned
    results = [(one.name, _number_of(one, steps, numbers)) for one in dependant.dependencies]
    call = dependant.call
    is_async = inspect.iscoroutinefunction(call) or inspect.iscoroutinefunction(
        getattr(call, "__call__", None)  # noqa: B004  # an object that is called
    )
    if call is None or not (is_async or inspect.isclass(call)):
        raise Unplanned
    steps.append(
        _Step(
            call=call,
            is_async=is_async,
            request=dependant.request_param_name,
            path=tuple(map(_Parameter.of, dependant.path_params)),
            query=tuple(map(_Parameter.of, dependant.query_params)),
            headers=tuple(map(_Parameter.of, dependant.header_params)),
            results=tuple((name, number) for name, number in results if name is not None),
        )
    )
    return len(steps) - 1


def _number_of(dependant: Dependant, steps: list[_Step], numbers: dict[object, int]) -> int:
    if dependant.call not in numbers:
        if dependant.body_params:
            raise Unplanned
        numbers[dependant.call] = _add_steps(dependant, steps, numbers)
    return numbers[dependant.call]


def _model_of(route: APIRoute) -> type[BaseModel] | None:
    """The model that a route returns as it is; None: it returns a response."""
    returned = inspect.signature(route.endpoint).return_annotation
    if not inspect.isclass(returned):
        raise Unplanned
    if issubclass(returned, Response):
        return None
    is_changed = any(getattr(route, f"response_model_{part}") for part in _CHANGES)
    is_as_it_is = route.response_model is returned and route.response_model_by_alias
    is_json = isinstance(route.response_class, DefaultPlaceholder)
    if is_changed or not (issubclass(returned, BaseModel) and is_as_it_is and is_json):
        raise Unplanned
    return returned


def _body_of(route: APIRoute) -> ModelField | None:
    """The body that a route takes as a whole, if it takes any."""
    fields = route.dependant.body_params
    if not fields:
        return None
    (body, *others) = fields
    is_model = inspect.isclass(body.field_info.annotation) and issubclass(
        body.field_info.annotation, BaseModel
    )
    whole = route.body_field
    is_whole = whole is not None and whole.name == body.name
    if others or not (is_model and is_whole and type(body.field_info) is params.Body):
        raise Unplanned
    return body


async def _json_of(request: Request) -> object:
    content_type = request.headers.get("content-type", "")
    if content_type.partition(";")[0].strip().lower() != _JSON:
        raise Unplanned
    try:
        body: object = await request.json() if await request.body() else _MISSING
    except HTTPException:
        raise
    except Exception:  # noqa: BLE001  # whatever it is, FastAPI says it
        raise Unplanned from None
    if body is _MISSING:
        raise Unplanned
    return body


def _validated(field: ModelField, value: object) -> object:
    checked, problems = field.validate(value, {}, loc=())
    if problems:
        raise Unplanned
    return checked


def _is_scalar(annotation: object) -> bool:
    """Whether a type stands for one value, not for several or for a model of parameters."""
    origin = get_origin(annotation)
    if origin is Annotated:
        return _is_scalar(get_args(annotation)[0])
    if origin in {Union, UnionType}:
        return all(map(_is_scalar, get_args(annotation)))
    is_class = inspect.isclass(annotation) and not issubclass(annotation, BaseModel)
    return origin is None and is_class and annotation not in {list, tuple, set, dict}
