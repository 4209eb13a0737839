"""Reading the standing instructions that go into a context."""

import logging
from dataclasses import dataclass
from uuid import UUID

from recollect.domain.identity.permissions import Access
from recollect.domain.identity.scope import Scope
from recollect.domain.recall.entry import RecallPolicy, RecallScope
from recollect.domain.standing.instruction import (
    MAX_STANDING,
    StandingInstruction,
    newest_of_each,
)
from recollect.ports.conversations import HistoryStore
from recollect.ports.recall import RecallIndex
from recollect.services.access import Permissions
from recollect.services.recall.recall import FAILED

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownInstructions:
    """The standing instructions of a user, newest first."""

    items: tuple[StandingInstruction, ...] = ()
    warnings: tuple[str, ...] = ()
    """Why there are none, where they could not be read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StandingInstructions:
    """Reads what an owner wants in all answers, as far as they may see it now."""

    index: RecallIndex | None
    """None if nothing is indexed."""
    permissions: Permissions
    history: HistoryStore
    most: int
    """How many of the newest go into a context; 0 for none."""

    async def for_context(
        self, scope: Scope, session_id: UUID, *, policy: RecallPolicy, access: Access
    ) -> KnownInstructions:
        """The newest ones, from where the policy recalls; failures are warnings, never errors."""
        if self.index is None or not policy.is_on or not self.most:
            return KnownInstructions()
        within = session_id if policy.scope is RecallScope.SESSION else None
        # More than go into a context: some may repeat others, and some may not be seen.
        try:
            known = await self.index.instructions(scope, session_id=within, limit=MAX_STANDING)
            visible = await self._visible(scope, access, known)
        except Exception as error:  # noqa: BLE001  # an answer without them is better than none
            facts = {"problem": type(error).__name__}
            logger.warning("standing_instructions.failed", extra={"facts": facts})
            return KnownInstructions(warnings=(FAILED,))
        return KnownInstructions(items=newest_of_each(visible, most=self.most))

    async def _visible(
        self, scope: Scope, access: Access, known: tuple[StandingInstruction, ...]
    ) -> tuple[StandingInstruction, ...]:
        """Those of turns that a model may be given; the stored messages decide, as for windows."""
        if access.is_everything or not known:
            return known
        turns = {(one.session_id, one.turn_number) for one in known}
        stored = await self.history.of_turns(scope, turns)
        visible = {
            message.message_id: message.content
            for message in await self.permissions.for_model(access, stored)
        }
        return tuple(one for one in known if one.text in visible.get(one.message_id, ""))
