"""Which facts a list has, and in which order."""

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Self

from recollect.domain.conversation.paging import FactPosition, PageRequest
from recollect.domain.facts.fact import Fact, FactStatus, FactType, Priority
from recollect.domain.language import is_common_word, words_of
from recollect.domain.text import check_text, parse_choice
from recollect.errors import InvalidCursor, InvalidInput

_MAX_TEXT = 200
_MAX_QUERY = 2000


class FactSort(StrEnum):
    """By what facts are listed; in descending order the newest or most important come first."""

    CREATED = "created"
    UPDATED = "updated"
    LAST_ACCESSED = "last_accessed"
    PRIORITY = "priority"
    """Facts of the same priority are listed by the time of their last change."""

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read the value of a request."""
        return parse_choice(cls, text, "sort")

    def position_of(self, fact: Fact) -> FactPosition:
        """Return the place of a fact in a list of this sort."""
        times = {FactSort.CREATED: fact.created_at, FactSort.LAST_ACCESSED: fact.accessed_at}
        rank = fact.priority.rank if self is FactSort.PRIORITY else 0
        return FactPosition(self.value, rank, times.get(self, fact.updated_at), fact.fact_id)

    def start_of(self, page: PageRequest) -> FactPosition | None:
        """Return the position after which a page starts; None is the list's start.

        Raises:
            InvalidCursor: the cursor is none of a list of this sort.
        """
        position = page.position(FactPosition)
        if position is not None and position.sort != self:
            raise InvalidCursor
        return position


class StatusChoice(StrEnum):
    """The status that listed facts have, as requests and commands name it."""

    ACTIVE = FactStatus.ACTIVE.value
    SUPERSEDED = FactStatus.SUPERSEDED.value
    RETRACTED = FactStatus.RETRACTED.value
    PRUNED = FactStatus.PRUNED.value
    ANY = "any"

    @property
    def status(self) -> FactStatus | None:
        """The status that is meant; None for any."""
        return None if self is StatusChoice.ANY else FactStatus(self.value)


@dataclass(frozen=True, slots=True, kw_only=True)
class FactFilter:
    """Which facts a list has; None: whichever."""

    type: FactType | None = None
    priority: Priority | None = None
    status: FactStatus | None = FactStatus.ACTIVE
    text: str | None = None
    """What its content or its quote contains, without regard to case."""

    def __post_init__(self) -> None:
        if self.text is not None:
            check_text(self.text, "q", max_length=_MAX_TEXT)

    @property
    def searched(self) -> str | None:
        """What the searched text of a fact has to contain."""
        return None if self.text is None else _without_case(self.text)

    def matches(self, fact: Fact) -> bool:
        """Whether a list with this filter has the fact."""
        return (
            self.type in {None, fact.type}
            and self.priority in {None, fact.priority}
            and self.status in {None, fact.status}
            and (self.searched is None or self.searched in searched_text(fact))
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundFact:
    """A fact that a search found."""

    fact: Fact
    similarity: float | None
    """How near it is to the query, up to 1; None where words alone were compared."""


def by_words(facts: Iterable[Fact], query: str) -> list[Fact]:
    """The facts that have words of the query, most words first and then the newest."""
    wanted = _telling_words(query)
    shared = [(len(wanted & _telling_words(searched_text(fact))), fact) for fact in facts]
    matching = [one for one in shared if one[0]]
    matching.sort(key=lambda one: (one[0], one[1].created_at, one[1].fact_id), reverse=True)
    return [fact for _, fact in matching]


def check_query(query: str) -> str:
    """Return a text to search facts for; refuse one that is blank or too long."""
    check_text(query, "search", max_length=_MAX_QUERY)
    if not query.strip():
        raise InvalidInput("search", "must not be blank")
    return query


def _telling_words(text: str) -> set[str]:
    return {word for word in words_of(text) if not is_common_word(word)}


def searched_text(fact: Fact) -> str:
    """Return the content and the quote of a fact without case, each on lines of its own."""
    quote = () if fact.evidence is None else (fact.evidence.quote,)
    return _without_case("\n".join((fact.content, *quote)))


def _without_case(text: str) -> str:
    """Lower case by the rules of Unicode: those of a database depend on its locale."""
    return unicodedata.normalize("NFC", text.casefold())
