"""Changing back what a message has changed that its user calls a joke: "Just kidding!"."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from recollect.domain.conversation.message import Message, Role
from recollect.domain.conversation.paging import PageRequest
from recollect.domain.facts.fact import Fact, FactStatus
from recollect.domain.facts.query import FactFilter, FactSort
from recollect.domain.facts.reading.plain.jokes import may_be_joke, takes_back_joke
from recollect.domain.facts.updates.undoing import Undoing
from recollect.domain.identity.audit import AuditAction
from recollect.domain.identity.scope import Scope
from recollect.ports.facts import EDITS_AT_ONCE, FactStore
from recollect.ports.runtime import Clock
from recollect.services.audit.operations import Audited
from recollect.services.facts.withdrawing.on_command import Withdrawing

_TRIES: Final = 10
"""Others may change the same owner's facts meanwhile; each try sees what they did."""
_LATELY_CHANGED: Final = 50
"""Facts of each status that changed last, among which those are that the message before changed."""
logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Jokes(Audited):
    """Lets facts be as they were before a joke; each change is in their history."""

    store: FactStore
    withdrawing: Withdrawing
    clock: Clock

    async def take_back(self, scope: Scope, messages: Sequence[Message]) -> bool:
        """Change back what the message before some of a turn has changed; whether it had.

        Only if the user's one message of the turn says that it was a joke, and the message before
        had but one sentence: of several, nobody knows which was one. A fact that loses a merged
        part is embedded again in the background.
        """
        users = [one for one in messages if one.role is Role.USER]
        if len(users) != 1 or not takes_back_joke(users[0].content):
            return False
        joke = await self.withdrawing.message_before(scope, users[0], is_sure=True)
        is_sure = joke is not None and may_be_joke(joke.content)
        return await self._undo(scope, joke, users[0]) if joke and is_sure else False

    async def _undo(self, scope: Scope, joke: Message, message: Message) -> bool:
        self.check_audit()
        undoing = Undoing(undone=joke, by=message, now=self.clock.now())
        for _ in range(_TRIES):
            facts = await self._lately_changed(scope, joke)
            histories = await self.store.histories(scope, [one.fact_id for one in facts])
            edits = [*undoing.edits(facts, histories)][:EDITS_AT_ONCE]
            if not edits:
                return False
            if await self.store.commit(scope, edits, {}, learnt_from=message.message_id):
                self.note(
                    scope, AuditAction.FACT_CHANGED, items=[one.fact.fact_id for one in edits]
                )
                return True
        logger.warning("facts.not_restored", extra={"facts": {"tries": _TRIES}})
        return False

    async def _lately_changed(self, scope: Scope, joke: Message) -> list[Fact]:
        statuses = (FactStatus.ACTIVE, FactStatus.SUPERSEDED, FactStatus.RETRACTED)
        pages = [
            await self.store.list(
                scope,
                PageRequest(limit=_LATELY_CHANGED),
                filters=FactFilter(status=status),
                sort=FactSort.UPDATED,
            )
            for status in statuses
        ]
        return [one for page in pages for one in page.items if one.updated_at >= joke.created_at]
