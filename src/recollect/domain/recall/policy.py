"""How much of what was said before goes into a context."""

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final, Self

from recollect.errors import InvalidInput

MAX_RECALLED: Final = 100
"""The most entries that one answer has."""
DEFAULT_RECALLED: Final = 3


class RecallScope(StrEnum):
    """Where is looked for what was said before."""

    OFF = "off"
    SESSION = "session"
    USER = "user"
    """In all sessions of the user."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallWish:
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

    def changed(self, wish: RecallWish) -> Self:
        """The same as one request wants it.

        Whoever asks for some entries where recall is off means those of the whole user.
        """
        is_asked_for = self.scope is RecallScope.OFF and bool(wish.k)
        usual = RecallScope.USER if is_asked_for else self.scope
        scope = wish.scope or usual
        if scope is RecallScope.USER and not wish.elsewhere:
            scope = RecallScope.SESSION
        return replace(self, scope=scope, k=self.k if wish.k is None else wish.k)


AS_SET: Final = RecallWish()
NO_RECALL: Final = RecallPolicy(scope=RecallScope.OFF)
"""Nothing is recalled, unless a request asks for it."""


def parse_recall_scope(text: str, field: str = "recall_scope") -> RecallScope:
    """The scope of that name, or an error that names those there are."""
    try:
        return RecallScope(text)
    except ValueError:
        known = ", ".join(RecallScope)
        raise InvalidInput(field, f"must be one of: {known}") from None
