"""From what a statement does to the known facts, to their next versions and histories."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from recollect.domain.conversation.message import Message
from recollect.domain.facts.fact import (
    ChangeKind,
    Evidence,
    Fact,
    FactChange,
    FactEdit,
    FactSource,
    FactStatus,
)
from recollect.domain.facts.statement import Statement
from recollect.domain.facts.updates.reconciling import Outcome, merged_content


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A statement of a message, to be made part of what is known."""

    statement: Statement
    message: Message
    tables: tuple[str, ...]
    """That the answer of its turn uses."""
    now: datetime
    fact_id: UUID
    """Of the fact that it may become."""

    def edits(self, outcome: Outcome, *, is_recorded: bool = True) -> tuple[FactEdit, ...]:
        """The edits that an outcome means; the first one records that the statement is learnt."""
        edits = tuple(self._edits(outcome))
        if not edits or not is_recorded:
            return edits
        first = replace(edits[0].change, statement=self.statement.gist)
        return (replace(edits[0], change=first), *edits[1:])

    def _edits(self, outcome: Outcome) -> Iterator[FactEdit]:
        if outcome.is_new:
            yield self._edit(self._new_fact(), ChangeKind.CREATED)
        if outcome.reinforces is not None:
            yield self._edit(self._said_again(outcome.reinforces), ChangeKind.REINFORCED)
        if outcome.extends is not None:
            fact = outcome.extends
            content = merged_content(fact, self.statement)
            merged = replace(self._said_again(fact), content=content)
            yield replace(self._edit(merged, ChangeKind.MERGED), is_rewritten=True)
        for fact in outcome.supersedes:
            ended = fact.ended(FactStatus.SUPERSEDED, self.now)
            yield self._edit(ended, ChangeKind.SUPERSEDED, reason=self.statement.content)
        for fact in outcome.retracts:
            yield self._edit(fact.ended(FactStatus.RETRACTED, self.now), ChangeKind.RETRACTED)

    def _new_fact(self) -> Fact:
        statement, kind = self.statement, self.statement.slot.fact_type
        return Fact(
            fact_id=self.fact_id,
            type=kind,
            priority=kind.default_priority,
            content=statement.content,
            source=statement.source,
            created_at=self.now,
            updated_at=self.now,
            accessed_at=self.now,
            valid_from=self.message.created_at,
            slot=statement.slot,
            language=statement.language,
            confidence=statement.confidence,
            evidence=Evidence(
                session_id=self.message.session_id,
                message_id=self.message.message_id,
                turn_number=self.message.turn_number,
                quote=statement.quote,
            ),
            tables=self.tables,
        )

    def _said_again(self, fact: Fact) -> Fact:
        """The next version of a fact that was said once more: it is fresh again."""
        confidence = max(fact.confidence, self.statement.confidence)
        return replace(
            fact.changed(self.now),
            confidence=confidence,
            accessed_at=self.now,
            access_count=fact.access_count + 1,
        )

    def _edit(self, fact: Fact, kind: ChangeKind, *, reason: str | None = None) -> FactEdit:
        is_told = self.statement.source is FactSource.STATED
        return FactEdit(
            fact=fact,
            change=FactChange(
                fact_id=fact.fact_id,
                version=fact.version,
                kind=kind,
                at=self.now,
                actor="user" if is_told else "extractor",
                content=fact.content,
                status=fact.status,
                reason=reason,
                message_id=self.message.message_id,
            ),
        )
