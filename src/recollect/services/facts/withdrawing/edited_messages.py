"""Withdrawing what only an edited message said, until its user goes back to the old words."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final
from uuid import UUID

from recollect.concurrency import off_loop
from recollect.domain.conversation.message import Message, Role
from recollect.domain.conversation.paging import PageRequest
from recollect.domain.facts.fact import ChangeKind, Fact, FactChange, FactEdit, FactStatus
from recollect.domain.facts.query import FactFilter, FactSort
from recollect.domain.facts.updates.edited import COMPARED, WAS_EDITED, edited_to, said_only_before
from recollect.domain.identity.audit import AuditAction
from recollect.domain.identity.scope import Scope
from recollect.ports.conversations import HistoryStore
from recollect.ports.facts import EDITS_AT_ONCE, FactStore
from recollect.ports.runtime import Clock
from recollect.services.audit.operations import Audited

_REACH: Final = 32
"""Turns before and after an edited one among which the message that is shown now may be."""
_TRIES: Final = 10
_LATELY_ENDED: Final = 100
"""Facts that were withdrawn last, among which those are that an edit has withdrawn."""
logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class EditedMessages(Audited):
    """Lets an edited message teach what it says now; each fact can be restored.

    A user who goes back to the old words gets back what those have taught. What the old words had
    ended stays ended: the new ones may still say that it is over.
    """

    store: FactStore
    history: HistoryStore
    clock: Clock

    async def leave(self, scope: Scope, session_id: UUID, turn_number: int) -> bool:
        """Withdraw what only the left messages of a turn said; whether anything changed."""
        found = await self.history.of_turns(scope, {(session_id, turn_number)})
        left = [one for one in found if one.role is Role.USER and not one.is_active]
        if not left:
            return False
        numbers = range(max(1, turn_number - _REACH), turn_number + _REACH + 1)
        near = await self.history.of_turns(scope, {(session_id, one) for one in numbers})
        compare = partial(_edited_pairs, left, near)
        pairs = await off_loop(compare, characters=COMPARED * len(left) * len(near))
        changed = [await self._leave(scope, one, edited) for one, edited in pairs]
        return any(changed)

    async def _leave(self, scope: Scope, message: Message, edited: Message) -> bool:
        self.check_audit()
        for _ in range(_TRIES):
            ended = await self._said_only_before(scope, message, edited)
            restored = await self._withdrawn_before(scope, edited)
            edits = [self._ended(one, message) for one in ended]
            back = [self._restored(one, edited) for one in restored]
            if not edits and not back:
                return False
            # Another fact may have taken the place of one that would hold again.
            for some in ([*edits, *back], edits):
                if some and await self._commit(scope, some):
                    return True
            if not edits:
                return False
        logger.warning("facts.not_withdrawn", extra={"facts": {"tries": _TRIES}})
        return False

    async def _commit(self, scope: Scope, edits: Sequence[FactEdit]) -> bool:
        some = edits[:EDITS_AT_ONCE]
        if not await self.store.commit(scope, some, {}):
            return False
        self.note(scope, AuditAction.FACT_CHANGED, items=[one.fact.fact_id for one in some])
        return True

    async def _said_only_before(
        self, scope: Scope, message: Message, edited: Message
    ) -> list[Fact]:
        """The facts that a message alone has taught, and that its user no longer says."""
        facts = _learnt_from(message, [one.fact for one in await self.store.active(scope)])
        return await off_loop(
            lambda: [one for one in facts if said_only_before(one, message, edited)],
            characters=len(facts) * len(edited.content),
        )

    async def _withdrawn_before(self, scope: Scope, message: Message) -> list[Fact]:
        """The facts of a message that were withdrawn when it was edited itself."""
        page = await self.store.list(
            scope,
            PageRequest(limit=_LATELY_ENDED),
            filters=FactFilter(status=FactStatus.RETRACTED),
            sort=FactSort.UPDATED,
        )
        facts = _learnt_from(message, page.items)
        histories = await self.store.histories(scope, [one.fact_id for one in facts])
        return [
            fact
            for fact in facts
            if (changes := histories.get(fact.fact_id)) and changes[-1].reason == WAS_EDITED
        ]

    def _ended(self, fact: Fact, message: Message) -> FactEdit:
        ended = fact.ended(FactStatus.RETRACTED, self.clock.now())
        return _edit(ended, ChangeKind.RETRACTED, message)

    def _restored(self, fact: Fact, message: Message) -> FactEdit:
        return _edit(fact.restored(self.clock.now()), ChangeKind.RESTORED, message)


def _edited_pairs(
    left: Sequence[Message], shown: Sequence[Message]
) -> list[tuple[Message, Message]]:
    """The left messages that were edited, each with what it was edited to."""
    return [(one, edited) for one in left if (edited := edited_to(one, shown))]


def _learnt_from(message: Message, facts: Sequence[Fact]) -> list[Fact]:
    """Those of some facts that have their evidence in a message."""
    return [one for one in facts if one.evidence and one.evidence.message_id == message.message_id]


def _edit(fact: Fact, kind: ChangeKind, message: Message) -> FactEdit:
    change = FactChange(
        fact_id=fact.fact_id,
        version=fact.version,
        kind=kind,
        at=fact.updated_at,
        actor="extractor",
        content=fact.content,
        status=fact.status,
        reason=WAS_EDITED,
        message_id=message.message_id,
    )
    return FactEdit(fact=fact, change=change)
