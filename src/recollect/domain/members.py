"""The members of a JSON object, read one by one and checked."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Self
from uuid import UUID

from recollect.domain.conversation.session import parse_uuid
from recollect.domain.text import (
    Choice,
    JsonObject,
    JsonValue,
    check_not_ahead,
    parse_choice,
    parse_moment,
)
from recollect.errors import InvalidInput


@dataclass(frozen=True, slots=True)
class Members:
    """Reads the members of a JSON object; one that is null is missing."""

    item: JsonObject
    now: datetime

    @classmethod
    def of(
        cls, item: JsonValue, now: datetime, *, name: str, allowed: frozenset[str] | None = None
    ) -> Self:
        """Read a value that must be an object with no other members than those allowed."""
        if not isinstance(item, Mapping):
            raise InvalidInput(name, "must be a JSON object")
        if allowed is not None and not item.keys() <= allowed:
            problem = f"may have these members alone: {', '.join(sorted(allowed))}"
            raise InvalidInput(name, problem)
        return cls(item, now)

    def has(self, name: str) -> bool:
        """Whether there is such a member, and it is not null."""
        return self.item.get(name) is not None

    def text(self, name: str) -> str:
        """Return a text."""
        value = self.item.get(name)
        if not isinstance(value, str):
            raise InvalidInput(name, "must be a text")
        return value

    def choice(self, name: str, kind: type[Choice], default: Choice | None = None) -> Choice:
        """Return a value of an enumeration; without a default it must be there."""
        if default is not None and not self.has(name):
            return default
        return parse_choice(kind, self.text(name), name)

    def uuid(self, name: str) -> UUID:
        """Return an id."""
        return parse_uuid(self.text(name), name)

    def moment(self, name: str) -> datetime | None:
        """Return a time that does not lie ahead; None where it is missing."""
        moment = self.any_moment(name)
        if moment is not None:
            check_not_ahead(moment, name, now=self.now)
        return moment

    def past_moment(self, name: str) -> datetime:
        """Return a time that does not lie ahead, and must be there."""
        moment = self.moment(name)
        if moment is None:
            raise InvalidInput(name, "must be a time in ISO 8601, such as 2024-05-01T09:30:00Z")
        return moment

    def any_moment(self, name: str) -> datetime | None:
        """Return a time, also one in the future; None where it is missing."""
        return parse_moment(self.text(name), name) if self.has(name) else None

    def number(self, name: str, default: float, *, most: int) -> float:
        """Return a number from 0 on."""
        value = self.item.get(name, default)
        if not isinstance(value, int | float) or isinstance(value, bool) or not 0 <= value <= most:
            raise InvalidInput(name, f"must be a number from 0 to {most:,}")
        return value

    def integer(self, name: str, *, least: int = 0, most: int) -> int:
        """Return an integer that must be there."""
        value = self.item.get(name)
        if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
            raise InvalidInput(name, f"must be an integer from {least} to {most:,}")
        return value

    def flag(self, name: str) -> bool:
        """Return whether something is so, which must be there."""
        value = self.item.get(name)
        if not isinstance(value, bool):
            raise InvalidInput(name, "must be true or false")
        return value

    def json_object(self, name: str) -> JsonObject:
        """Return an object as it is; an empty one where it is missing."""
        value = self.item.get(name)
        if value is None:
            return {}
        if not isinstance(value, Mapping):
            raise InvalidInput(name, "must be a JSON object")
        return value

    def texts(self, name: str, *, most: int) -> tuple[str, ...]:
        """Return a list of texts; an empty one where it is missing."""
        names = self.item.get(name) or ()
        if not isinstance(names, list | tuple) or len(names) > most:
            raise InvalidInput(name, f"must be a list of at most {most} names")
        return tuple(names)
