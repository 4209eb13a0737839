"""The operations of the HTTP API, read from its OpenAPI document."""

from copy import deepcopy
from dataclasses import dataclass
from functools import cache

from recollect.composition import build_services
from recollect.domain.chat.replies import OUR_MODEL
from recollect.engines.in_memory import in_memory_stores
from recollect.interfaces.http.app import create_app
from recollect.memory import Memory
from recollect.models.tokens import token_counter_for
from recollect.services.services import ServiceDependencies
from recollect.settings import Settings
from recollect.sql_reading import SqlglotReader
from recollect.system import RandomIds, SystemClock
from support.http.callers import Json

_OF_A_MODEL = "/v1/models/{model_id}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One method of one path."""

    method: str
    path: str
    spec: Json
    example: Json | None
    """The documented example of its body, if it takes one."""

    def __str__(self) -> str:
        return f"{self.method} {self.path}"

    @property
    def names_something(self) -> bool:
        """Whether its path has the id of something that an owner has."""
        return "{" in self.path and self.path != _OF_A_MODEL

    @property
    def is_for_operators(self) -> bool:
        """Whether only a service key may call it."""
        return bool(self.spec.get("x-operator"))

    @property
    def is_for_admins(self) -> bool:
        """Whether only an admin key may call it."""
        return bool(self.spec.get("x-admin"))

    def path_with(self, values: dict[str, object]) -> str:
        """The path with its ids filled in; an id that is not among the values is an error."""
        return self.path.format(model_id=OUR_MODEL, **values)


def openapi_document() -> Json:
    """The document as it is served, made without a database or an environment."""
    return deepcopy(_made_document())


@cache
def _made_document() -> Json:
    around = ServiceDependencies(
        clock=SystemClock(), ids=RandomIds(), counter_for=token_counter_for, sql=SqlglotReader()
    )
    services = build_services(in_memory_stores(), around)
    return create_app(Memory(services), Settings.model_construct()).openapi()


def operations(document: Json | None = None) -> list[Operation]:
    """Every operation there is."""
    document = document or openapi_document()
    return [
        Operation(
            method=method.upper(), path=path, spec=spec, example=_body_example(document, spec)
        )
        for path, methods in document["paths"].items()
        for method, spec in methods.items()
    ]


def _body_example(document: Json, spec: Json) -> Json | None:
    if "requestBody" not in spec:
        return None
    schema = spec["requestBody"]["content"]["application/json"]["schema"]
    name = schema["$ref"].rpartition("/")[2]
    example: Json | None = document["components"]["schemas"][name].get("example")
    return example
