"""Facts as they were before a message: what it taught goes, and what it ended holds again."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final
from uuid import UUID

from recollect.domain.conversation.message import Message
from recollect.domain.facts.fact import (
    ChangeKind,
    Fact,
    FactChange,
    FactEdit,
    FactStatus,
)
from recollect.domain.facts.slots import has_one_value

WAS_JOKE: Final = "it was a joke"
"""The reason in the history of a fact that is changed back for it."""
_BY_ITSELF: Final = "extractor"
Histories = Mapping[UUID, Sequence[FactChange]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Undoing:
    """Changes back what one message has changed, because a later one takes it back."""

    undone: Message
    by: Message
    now: datetime

    def edits(self, facts: Sequence[Fact], histories: Histories) -> Iterator[FactEdit]:
        """Yield an edit for each fact whose last change comes from the message.

        What its user told the memory to forget stays forgotten, and what something else has taken
        the place of since stays ended.
        """
        taken = {
            one.slot
            for one in facts
            if one.status is FactStatus.ACTIVE
            and has_one_value(one.slot)
            and not self._is_last_of(histories.get(one.fact_id, ()))
        }
        for fact in facts:
            history = histories.get(fact.fact_id, ())
            if not self._is_last_of(history):
                continue
            match history[-1].kind:
                case ChangeKind.CREATED:
                    yield self._edit(
                        fact.ended(FactStatus.RETRACTED, self.now), ChangeKind.RETRACTED
                    )
                case ChangeKind.SUPERSEDED | ChangeKind.RETRACTED if fact.slot in taken:
                    continue
                case ChangeKind.SUPERSEDED:
                    yield self._edit(fact.restored(self.now), ChangeKind.RESTORED)
                case ChangeKind.RETRACTED if history[-1].actor == _BY_ITSELF:
                    yield self._edit(fact.restored(self.now), ChangeKind.RESTORED)
                case ChangeKind.MERGED if len(history) > 1:
                    before = fact.changed(self.now, content=history[-2].content)
                    yield replace(self._edit(before, ChangeKind.EDITED), is_rewritten=True)

    def _is_last_of(self, history: Sequence[FactChange]) -> bool:
        """Whether the message has made the last change of a fact."""
        return bool(history) and history[-1].message_id == self.undone.message_id

    def _edit(self, fact: Fact, kind: ChangeKind) -> FactEdit:
        change = FactChange(
            fact_id=fact.fact_id,
            version=fact.version,
            kind=kind,
            at=self.now,
            actor=_BY_ITSELF,
            content=fact.content,
            status=fact.status,
            reason=WAS_JOKE,
            message_id=self.by.message_id,
        )
        return FactEdit(fact=fact, change=change)
