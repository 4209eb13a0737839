"""What was recalled, and how much of it goes into a context."""

from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Final, NamedTuple, Self
from uuid import UUID

from recollect.errors import InvalidInput

TOLD_CHARACTERS: Final = 1000
"""The most characters of one entry that a model is told; its session has the rest."""
_MARK: Final = "…"
MAX_RECALLED: Final = 100
"""The most entries that one answer has."""
DEFAULT_RECALLED: Final = 3


class Recalled(NamedTuple):
    """One earlier exchange, or one message of a plain log, and why it was found."""

    score: float
    """How well it answers the question, from 0 to 1; to be compared within one answer only."""
    session_id: UUID
    message_ids: tuple[UUID, ...]
    """Its messages in the order they were said."""
    text: str
    created_at: datetime
    speaker: str | None = None
    tables: tuple[str, ...] = ()
    """The tables its answer draws on."""
    lexical: float = 0.0
    """BM25 of its words; 0 where it shares none with the question."""
    semantic: float | None = None
    """Cosine of the meanings; None where they were not compared."""

    def shortened(self, characters: int = TOLD_CHARACTERS) -> Self:
        """The same in at most so many characters, with a mark where it was cut."""
        if len(self.text) <= characters:
            return self
        return self._replace(text=self.text[: characters - len(_MARK)].rstrip() + _MARK)


@dataclass(frozen=True, slots=True, kw_only=True)
class Recollection:
    """What was found for a question, best first."""

    items: tuple[Recalled, ...] = ()
    warnings: tuple[str, ...] = ()
    """What kept the search from being all that it could be, for whoever asked."""


class RecallScope(StrEnum):
    """Where is looked for what was said before."""

    OFF = "off"
    SESSION = "session"
    USER = "user"
    """In all sessions of the user."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallOverrides:
    """What one request wants to be different; None leaves it as it is set."""

    scope: RecallScope | None = None
    k: int | None = None
    elsewhere: bool = True
    """False: nothing of other sessions is recalled, whatever is set."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallPolicy:
    """Where a context looks for earlier exchanges, and how many it takes."""

    scope: RecallScope = RecallScope.USER
    k: int = DEFAULT_RECALLED

    def __post_init__(self) -> None:
        if not 0 <= self.k <= MAX_RECALLED:
            raise InvalidInput("recall_k", f"must lie between 0 and {MAX_RECALLED}")

    @property
    def is_on(self) -> bool:
        """Whether anything is looked for at all."""
        return self.scope is not RecallScope.OFF and self.k > 0

    def changed(self, wish: RecallOverrides) -> Self:
        """The same as one request wants it.

        Whoever asks for some entries where recall is off means those of the whole user.
        """
        is_asked_for = self.scope is RecallScope.OFF and bool(wish.k)
        usual = RecallScope.USER if is_asked_for else self.scope
        scope = wish.scope or usual
        if scope is RecallScope.USER and not wish.elsewhere:
            scope = RecallScope.SESSION
        return replace(self, scope=scope, k=self.k if wish.k is None else wish.k)


AS_SET: Final = RecallOverrides()


NO_RECALL: Final = RecallPolicy(scope=RecallScope.OFF)
"""Nothing is recalled, unless a request asks for it."""


def parse_recall_scope(text: str, field: str = "recall_scope") -> RecallScope:
    """The scope of that name, or an error that names those there are."""
    try:
        return RecallScope(text)
    except ValueError:
        known = ", ".join(RecallScope)
        raise InvalidInput(field, f"must be one of: {known}") from None
