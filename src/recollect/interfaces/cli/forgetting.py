"""`recollect sessions forget`: chats that OpenWebUI no longer has."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Final
from uuid import UUID

import typer

from recollect.domain.paging import MAX_LIMIT, PageRequest
from recollect.domain.scope import Scope
from recollect.domain.session import Session, session_id_from
from recollect.errors import InvalidInput, SessionNotFound
from recollect.interfaces.cli.database import with_memory
from recollect.interfaces.cli.output import AsJson, Tenant, User, facts_of, fail, show, show_table
from recollect.memory import Memory
from recollect.settings import Settings

_CREATED_VIA: Final = "openwebui"
_COLUMNS: Final = ("session_id", "name", "message_count", "updated_at")

Kept = Annotated[
    Path,
    typer.Option(
        "--except",
        exists=True,
        dir_okay=False,
        help="A file with the ids of the user's chats, one a line.",
    ),
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Only list them.")]
Yes = Annotated[bool, typer.Option("--yes", help="Do not ask.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class _KeptChats:
    """The chats that a front end still has, and when that was written down."""

    session_ids: frozenset[UUID]
    listed_at: datetime

    def is_gone(self, session: Session) -> bool:
        """Whether a session's chat was there once and is not any more.

        One that was begun after the list was made is not among those on it.
        """
        is_theirs = session.metadata.get("created_via") == _CREATED_VIA
        is_known = session.session_id in self.session_ids
        return is_theirs and not is_known and session.created_at < self.listed_at


def forget(
    kept: Kept,
    user: User = None,
    tenant: Tenant = None,
    dry_run: DryRun = False,  # noqa: FBT002  # a flag of the command line
    yes: Yes = False,  # noqa: FBT002  # a flag of the command line
    as_json: AsJson = False,  # noqa: FBT002  # a flag of the command line
) -> None:
    """Delete a user's sessions that OpenWebUI started and whose chats it no longer has."""

    def scope_of(settings: Settings) -> Scope:
        owner = user or settings.local_user
        return Scope(tenant=tenant or settings.tenant, user=owner, actor="cli")

    gone = with_memory(_finding_gone(kept, scope_of))
    if dry_run or not gone:
        rows = map(facts_of, gone)
        show_table(rows, _COLUMNS, as_json=as_json, empty="no session to forget")
        return
    if not yes:
        show_table(map(facts_of, gone), _COLUMNS, as_json=False, empty="")
        if not typer.confirm(f"Delete these {len(gone)} sessions for good?", err=True):
            fail("nothing was deleted", as_json=as_json)
    deleted = with_memory(_deleting(gone, scope_of))
    text = f"{len(deleted)} sessions are deleted"
    show({"deleted": deleted}, as_json=as_json, text=text)


def _finding_gone(
    kept: Path, scope_of: Callable[[Settings], Scope]
) -> Callable[[Memory, Settings], Awaitable[list[Session]]]:
    async def find(memory: Memory, settings: Settings) -> list[Session]:
        scope = scope_of(settings)
        chats = _kept_chats(kept, scope)
        gone: list[Session] = []
        page = PageRequest(limit=MAX_LIMIT)
        while True:
            found = await memory.services.sessions.list(scope, page)
            gone += filter(chats.is_gone, found.items)
            if found.next_cursor is None:
                return gone
            page = PageRequest(limit=MAX_LIMIT, cursor=found.next_cursor)

    return find


def _kept_chats(path: Path, scope: Scope) -> _KeptChats:
    lines = path.read_text(encoding="utf-8").splitlines()
    names = [line.strip() for line in lines if line.strip()]
    if not names:
        raise InvalidInput("--except", f"names no chat in {path}; all would be forgotten")
    return _KeptChats(
        session_ids=frozenset(session_id_from(name, scope.owner_id) for name in names),
        listed_at=datetime.fromtimestamp(path.stat().st_mtime, UTC),
    )


def _deleting(
    sessions: list[Session], scope_of: Callable[[Settings], Scope]
) -> Callable[[Memory, Settings], Awaitable[list[UUID]]]:
    async def delete(memory: Memory, settings: Settings) -> list[UUID]:
        deleted = []
        for session in sessions:
            try:
                await memory.services.sessions.delete(scope_of(settings), session.session_id)
            except SessionNotFound:
                continue  # somebody else was faster
            deleted.append(session.session_id)
        return deleted

    return delete
