"""How a version of the AI SDK wants to be asked, and how that is found out."""

import re
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Final

from recollect.domain.text import JsonObject, JsonValue

NAME_FIELDS: Final = ("vdp_database_names", "vdp_tag_names", "use_views")
"""The fields that are comma-separated text up to 1.2 and lists from 1.4 on."""

_FIRST_WITH_LISTS: Final = (1, 4)
_VERSION: Final = re.compile(r"(\d+)\.(\d+)")
_REQUEST: Final = "answerquestionrequest"


class Dialect(StrEnum):
    """How several names are sent in one field."""

    TEXT = "text"
    LISTS = "lists"

    @property
    def other(self) -> "Dialect":
        """The one to try when this one was refused."""
        return Dialect.LISTS if self is Dialect.TEXT else Dialect.TEXT

    def spell(self, options: JsonObject) -> dict[str, JsonValue]:
        """The options of a request as this dialect writes them; nothing is ever null."""
        spelled: dict[str, JsonValue] = {}
        for name, value in options.items():
            if value is None:
                continue
            spelled[name] = self._names(value) if name in NAME_FIELDS else value
        return spelled

    def _names(self, value: JsonValue) -> JsonValue:
        names = names_in(value)
        return ", ".join(names) if self is Dialect.TEXT else list(names)


def names_in(value: JsonValue) -> tuple[str, ...]:
    """The names in a comma-separated text or a list."""
    parts = value.split(",") if isinstance(value, str) else value
    if not isinstance(parts, Sequence):
        return ()
    return tuple(name for part in parts if (name := str(part).strip()))


def dialect_of_version(version: JsonValue) -> Dialect | None:
    """The dialect of a version such as '1.2.3'; None if it is not one."""
    found = _VERSION.match(version.strip().lstrip("v")) if isinstance(version, str) else None
    if found is None:
        return None
    is_new = (int(found[1]), int(found[2])) >= _FIRST_WITH_LISTS
    return Dialect.LISTS if is_new else Dialect.TEXT


def dialect_of_info(info: JsonValue) -> Dialect | None:
    """What /getAISDKInfo tells, where it names the version."""
    if not isinstance(info, Mapping):
        return None
    names = ("version", "ai_sdk_version", "sdk_version")
    found = (dialect_of_version(info.get(name)) for name in names)
    return next((dialect for dialect in found if dialect), None)


def dialect_of_openapi(document: JsonValue) -> Dialect | None:
    """What /openapi.json tells: the type of the field itself, else the version."""
    match document:
        case {"components": {"schemas": Mapping() as schemas}}:
            for name, schema in schemas.items():
                if name.lower() == _REQUEST and (dialect := _dialect_of_schema(schema)):
                    return dialect
    match document:
        case {"info": {"version": version}}:
            return dialect_of_version(version)
    return None


def _dialect_of_schema(schema: JsonValue) -> Dialect | None:
    match schema:
        case {"properties": {"vdp_database_names": {"type": "array"}}}:
            return Dialect.LISTS
        case {"properties": {"vdp_database_names": {"type": "string"}}}:
            return Dialect.TEXT
    return None
