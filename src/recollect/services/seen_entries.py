"""What of the index its owner may see now."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from recollect.domain.access import Access
from recollect.domain.message import Message
from recollect.domain.recall.entries import EntryMaker
from recollect.domain.recall.entry import Candidate, Entry
from recollect.domain.scope import Scope
from recollect.domain.turn import TurnStatus
from recollect.domain.withholding import TurnKey, turn_of
from recollect.ports.history import HistoryStore
from recollect.services.access import Permissions


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenEntries:
    """Takes from what was found all that draws on tables not to be seen.

    The messages themselves are asked, as for windows: what the index knows of tables is for
    finding, and may be older than the rules.
    """

    permissions: Permissions
    history: HistoryStore

    async def of(
        self, scope: Scope, access: Access, candidates: Sequence[Candidate]
    ) -> tuple[Candidate, ...]:
        """Those that may be seen, in their order, and no more of each than may be seen."""
        if access.is_everything or not candidates:
            return tuple(candidates)
        turns = {(found.entry.session_id, found.entry.turn_number) for found in candidates}
        stored = await self.history.of_turns(scope, turns)
        told = await self.permissions.told(access, stored)
        whole = {message.message_id: message for message in stored}
        left = _by_turn(told)
        seen = (self._seen(found.entry, whole, left) for found in candidates)
        return tuple(
            found._replace(entry=entry)
            for found, entry in zip(candidates, seen, strict=True)
            if entry is not None
        )

    def _seen(
        self,
        entry: Entry,
        whole: Mapping[UUID, Message],
        left: Mapping[TurnKey, Sequence[Message]],
    ) -> Entry | None:
        """The entry as it reads with what is left of its turn; None if nothing is."""
        turn = left.get((entry.session_id, entry.turn_number), ())
        mine = [message for message in turn if message.message_id in entry.message_ids]
        if len(mine) != len(entry.message_ids):
            return None
        if all(message == whole[message.message_id] for message in mine):
            return entry
        maker = EntryMaker(stems=str.split, tables_of=self.permissions.tables_of)
        made = maker.entries_of(mine, TurnStatus.COMPLETE, is_latest=False)
        again = (one.entry for one in made if one.entry.sequence == entry.sequence)
        return next(again, None)


def _by_turn(messages: Sequence[Message]) -> dict[TurnKey, list[Message]]:
    found: defaultdict[TurnKey, list[Message]] = defaultdict(list)
    for message in sorted(messages, key=lambda message: message.sequence):
        found[turn_of(message)].append(message)
    return found
