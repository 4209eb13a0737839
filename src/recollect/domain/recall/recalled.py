"""Results of recall, and the policy of how much of them goes into a context."""

from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Final, NamedTuple, Self
from uuid import UUID

from recollect.errors import InvalidInput

TOLD_CHARACTERS: Final = 1000
"""The most characters of one entry in a context."""
_MARK: Final = "…"
MAX_RECALLED: Final = 100
"""The most results of one search."""
DEFAULT_RECALLED: Final = 3


class Recalled(NamedTuple):
    """One earlier exchange, or one message of a log, with its scores."""

    score: float
    """How well it matches the question, from 0 to 1; comparable within one search."""
    session_id: UUID
    message_ids: tuple[UUID, ...]
    """Its messages, in order."""
    text: str
    created_at: datetime
    speaker: str | None = None
    tables: tuple[str, ...] = ()
    """The tables its answer uses."""
    lexical: float = 0.0
    """BM25 of its words; 0 if it shares none with the question."""
    semantic: float | None = None
    """Cosine of the vectors; None if they were not compared."""

    def shortened(self, characters: int = TOLD_CHARACTERS) -> Self:
        """The same with its text cut to this many characters, and a mark at the end."""
        if len(self.text) <= characters:
            return self
        return self._replace(text=self.text[: characters - len(_MARK)].rstrip() + _MARK)


@dataclass(frozen=True, slots=True, kw_only=True)
class Recollection:
    """The results of a search, best first."""

    items: tuple[Recalled, ...] = ()
    warnings: tuple[str, ...] = ()
    """What limited the search, such as a missing embedding model."""


class RecallScope(StrEnum):
    """Which sessions a context recalls from."""

    OFF = "off"
    SESSION = "session"
    USER = "user"
    """All sessions of the user."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallOverrides:
    """The recall settings of one request; None keeps the policy's."""

    scope: RecallScope | None = None
    k: int | None = None
    elsewhere: bool = True
    """False: nothing of other sessions is recalled, whatever the policy."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallPolicy:
    """From where a context recalls earlier exchanges, and how many."""

    scope: RecallScope = RecallScope.USER
    k: int = DEFAULT_RECALLED

    def __post_init__(self) -> None:
        if not 0 <= self.k <= MAX_RECALLED:
            raise InvalidInput("recall_k", f"must lie between 0 and {MAX_RECALLED}")

    @property
    def is_on(self) -> bool:
        """Whether contexts recall anything."""
        return self.scope is not RecallScope.OFF and self.k > 0

    def changed(self, wish: RecallOverrides) -> Self:
        """The policy with the settings of one request; `k` alone switches recall on."""
        is_switched_on = self.scope is RecallScope.OFF and bool(wish.k)
        scope = wish.scope or (RecallScope.USER if is_switched_on else self.scope)
        if scope is RecallScope.USER and not wish.elsewhere:
            scope = RecallScope.SESSION
        return replace(self, scope=scope, k=self.k if wish.k is None else wish.k)


AS_SET: Final = RecallOverrides()
NO_RECALL: Final = RecallPolicy(scope=RecallScope.OFF)
"""Nothing is recalled, unless a request asks for it."""


def parse_recall_scope(text: str, field: str = "recall_scope") -> RecallScope:
    """The scope of that name; `InvalidInput` lists the names."""
    try:
        return RecallScope(text)
    except ValueError:
        known = ", ".join(RecallScope)
        raise InvalidInput(field, f"must be one of: {known}") from None
