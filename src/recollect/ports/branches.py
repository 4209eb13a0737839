"""Where the branches of a conversation are kept."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol
from uuid import UUID

from recollect.domain.compaction import CompactionPolicy
from recollect.domain.message import Message, NewMessage
from recollect.domain.scope import Scope


@dataclass(frozen=True, slots=True, kw_only=True)
class Followed:
    """Where a client's list has led."""

    question: Message
    """The last question, as it is stored."""
    before: tuple[Message, ...]
    """The stored messages of the active branch before it; with `continues` maybe only the last."""


class BranchStore(Protocol):
    """Keeps what clients show of a conversation active, and everything else beside it.

    Nothing is ever deleted by it, and no number is changed; `recollect.domain.reconciliation` has
    the rule. Two callers for one session queue up.
    """

    async def follow(
        self,
        scope: Scope,
        session_id: UUID,
        said: Sequence[NewMessage],
        *,
        continues: bool,
        goes_on: bool = False,
        now: datetime,
        expires_at: datetime | None = None,
        compaction: CompactionPolicy | None = None,
    ) -> Followed | None:
        """Make a client's list the active branch and store what is new of it; None without session.

        The list starts and ends with a question; with `continues` it is one question for the
        active branch, which is its last one again if the client `goes_on` after it, if that has
        the same id, or if it failed. The last
        question's turn is pending afterwards. A summary that tells of a message that is no longer
        on the branch is dropped. `IdAlreadyUsed`, and nothing changed, if what is new has the id
        of another message.
        """
        ...

    async def reply(
        self,
        scope: Scope,
        session_id: UUID,
        question_id: UUID,
        reply: NewMessage,
        *,
        now: datetime,
        expires_at: datetime | None = None,
        compaction: CompactionPolicy | None = None,
    ) -> Message | None:
        """Store the reply to a question, in place of other replies; None if there is no question.

        It is active if the question still is, and completes the turn either way.
        """
        ...
