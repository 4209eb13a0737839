"""Where facts about users are stored, and what finds them in messages."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Final, Protocol
from uuid import UUID

from recollect.domain.conversation.message import Message
from recollect.domain.conversation.paging import Page, PageRequest
from recollect.domain.facts.fact import Fact, FactChange, FactEdit
from recollect.domain.facts.query import FactFilter, FactSort
from recollect.domain.facts.statement import Judgement, Relation, Statement
from recollect.domain.facts.stored import EmbeddedFact, FactStats
from recollect.domain.identity.scope import Scope
from recollect.domain.vectors import Vector

EDITS_AT_ONCE: Final = 48
"""How many facts every store takes in one commit: a transaction of DynamoDB has 100 items, and a
fact is two, with its history."""


class FactStore(Protocol):
    """Stores the facts of each owner, every change in the fact's history.

    A session that is deleted or expires leaves its facts: they fade and are deleted by
    themselves. An owner who is erased takes them along.
    """

    async def commit(
        self,
        scope: Scope,
        edits: Sequence[FactEdit],
        vectors: Mapping[UUID, EmbeddedFact],
        *,
        learnt_from: UUID | None = None,
    ) -> bool:
        """Store the next versions of some facts with their history, all or none.

        `vectors` has those of new or changed content by fact id; a fact without one is found by
        its words until it is embedded, and keeps the one it has while its content stays the same.
        Accesses that were counted since a fact was read stay counted, and a fact stays created
        when it was.

        False, and nothing is stored, if one of the facts has changed meanwhile or is given twice,
        or if afterwards two active facts of the owner would say the same (their `gist`), two would
        have the same slot of one value, or two changes the same `message_id` and `statement`: of
        two workers that learn the same, one gets False. False, too, if the message that they are
        learnt from is not there any more.

        Raises:
            InvalidInput: there are more than `EDITS_AT_ONCE`, and the store cannot take so many at
                once; nothing is stored.
        """

    async def active(self, scope: Scope) -> tuple[EmbeddedFact, ...]:
        """Return all active facts of the owner, oldest first."""

    async def get(self, scope: Scope, fact_id: UUID) -> Fact | None:
        """Return a fact of any status, or None."""

    async def history(self, scope: Scope, fact_id: UUID) -> tuple[FactChange, ...]:
        """Return the changes of a fact, oldest first."""

    async def histories(
        self, scope: Scope, fact_ids: Collection[UUID]
    ) -> Mapping[UUID, tuple[FactChange, ...]]:
        """Return the changes of some facts by fact id, each oldest first; none of unknown ids."""

    async def learnt(
        self, scope: Scope, message_ids: Collection[UUID]
    ) -> frozenset[tuple[UUID, str]]:
        """Return which statements of these messages are in the history: message id and gist.

        Those of deleted facts are not: what a message says can be learnt again from it.
        """

    async def list(
        self,
        scope: Scope,
        page: PageRequest,
        *,
        filters: FactFilter,
        sort: FactSort = FactSort.CREATED,
    ) -> Page[Fact]:
        """Return a page of the owner's facts that match, by that sort; reading is no access.

        `InvalidCursor` for a cursor of another sort. A filter's text is searched as it is: no
        character stands for others.
        """

    async def nearest(
        self,
        scope: Scope,
        vector: Vector,
        *,
        model: str,
        limit: int,
        slots: Collection[str] = (),
    ) -> tuple[tuple[Fact, float], ...]:
        """Return the active facts nearest to a vector with their cosines, nearest first.

        Vectors have the length 1. Facts that this model has not embedded come last, with a cosine
        of 0, newest first. Beside the nearest, as many as `limit` of those about these slots are
        returned, the last changed, however far they are.
        """

    async def touch(self, scope: Scope, fact_ids: Collection[UUID], *, at: datetime) -> None:
        """Count an access of each of these facts, unless there is none; no change of theirs.

        One whose last access is later stays at that.
        """

    async def stats(self, scope: Scope) -> FactStats:
        """Return how many facts the owner has."""

    async def delete(self, scope: Scope, fact_ids: Collection[UUID] | None = None) -> int:
        """Delete facts with their history for good, all with None; how many there were.

        The audit log tells it, unless there were none: in several entries, each with its number,
        where a store takes several transactions.
        """

    async def outdated(self, *, model: str, limit: int) -> tuple[tuple[Scope, Fact], ...]:
        """Return some active facts of any owner that this model has not embedded; for workers.

        Those that cannot be decrypted are left out.
        """

    async def embed(
        self, scope: Scope, vectors: Mapping[UUID, tuple[int, Vector]], *, model: str
    ) -> None:
        """Give facts vectors of this model, each for the version of the content it was made of."""

    async def owners(self, *, after: UUID | None = None, limit: int) -> tuple[Scope, ...]:
        """Return some owners with active facts, in order of their ids; for workers."""


class FactExtractor(Protocol):
    """Finds what a user says about themselves."""

    async def extract(
        self, messages: Sequence[Message], *, before: Sequence[Message] = ()
    ) -> tuple[Statement, ...]:
        """Return the statements of the user's messages among these, in their order.

        `messages` is a part of one conversation, oldest first, and `before` what was said right
        before it. Those and the assistant's are context alone: nothing is found in them. Each
        statement has a verbatim quote of a user's message. `ModelUnavailable` if a model is needed
        and does not answer.
        """


class RelationModel(Protocol):
    """Tells how a new statement stands to a known fact."""

    async def relations(self, statement: str, known: Sequence[str]) -> tuple[Judgement, ...]:
        """Return how the statement stands to each of the known ones."""


class UnknownRelations:
    """A `RelationModel` that can tell nothing: everything is new."""

    async def relations(self, statement: str, known: Sequence[str]) -> tuple[Judgement, ...]:  # noqa: ARG002  # the port's
        """Every known statement is unrelated."""
        return (Judgement(relation=Relation.UNRELATED),) * len(known)
