"""Owners who search again and again, and what is kept of them at hand."""

from collections import OrderedDict
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, Generic, TypeVar
from uuid import UUID

Kept = TypeVar("Kept")

_MOST_OWNERS: Final = 10_000
_UNUSED: Final = timedelta(minutes=10)


@dataclass(slots=True)
class RecentOwner(Generic[Kept]):
    """One who has searched."""

    searched_at: datetime
    kept: Kept | None = None
    size: int = 0
    has_too_many: bool = False
    is_gone: bool = False
    """Whether it was dropped, perhaps while somebody still reads for it."""


class RecentOwners(Generic[Kept]):
    """Keeps something of each, up to a size of all together; what is not used for minutes goes."""

    def __init__(self, *, most: int) -> None:
        self._most = most
        self._owners: OrderedDict[UUID, RecentOwner[Kept]] = OrderedDict()
        self._size = 0

    def noted(self, owner_id: UUID, now: datetime) -> tuple[RecentOwner[Kept], bool]:
        """The owner, who searches now, and whether that is so again."""
        while self._owners:
            last, unused = next(iter(self._owners.items()))
            if unused.searched_at > now - _UNUSED and len(self._owners) <= _MOST_OWNERS:
                break
            self.forget(unused)
            unused.is_gone = True
            del self._owners[last]
        owner = self._owners.get(owner_id)
        if owner is None:
            owner = self._owners[owner_id] = RecentOwner(searched_at=now)
            return owner, False
        self._owners.move_to_end(owner_id)
        owner.searched_at = now
        return owner, True

    def keep(self, owner: RecentOwner[Kept], kept: Kept, *, size: int) -> None:
        """Keep this of the owner in place of what was; who searched longest ago makes room."""
        if owner.is_gone:
            return
        self._size += size - owner.size
        owner.kept, owner.size = kept, size
        for other in self._owners.values():
            if self._size <= self._most:
                return
            self.forget(other)

    def forget(self, owner: RecentOwner[Kept]) -> None:
        """Keep nothing of the owner."""
        self._size -= owner.size
        owner.kept, owner.size = None, 0
