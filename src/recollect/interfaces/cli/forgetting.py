"""`recollect sessions forget`: chats that OpenWebUI no longer has."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Final
from uuid import UUID

import typer

from recollect.domain.conversation.paging import MAX_LIMIT, PageRequest
from recollect.domain.conversation.session import Session, parse_uuid
from recollect.domain.identity.scope import Scope
from recollect.errors import InvalidId, InvalidInput, SessionNotFound
from recollect.interfaces.cli.output import (
    AsJson,
    Tenant,
    User,
    facts_of,
    fail,
    show,
    show_page,
    show_table,
    with_memory,
)
from recollect.memory import Memory
from recollect.settings import Settings

_CHAT_ID: Final = "openwebui_conversation_id"
_OTHER_KINDS: Final = frozenset({"local", "channel", "temporary"})
"""What stands before the colon in ids that OpenWebUI has beside UUIDs."""
_NOTHING: Final = "no session to forget"
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

    chat_ids: frozenset[str]
    listed_at: datetime

    def has(self, session: Session) -> bool:
        """Whether a session's chat is listed."""
        return _chat_id(session) in self.chat_ids

    def is_gone(self, session: Session) -> bool:
        """Whether a session's chat was there once and is not any more.

        A session without a chat's id is never judged, and one that was begun after the list was
        made is not among those on it.
        """
        is_missing = bool(_chat_id(session)) and not self.has(session)
        return is_missing and session.created_at < self.listed_at


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
    if dry_run:
        _show(gone, as_json=as_json)
        return
    if not gone:
        show({"deleted": []}, as_json=as_json, text=_NOTHING)
        return
    if not yes:
        _show(gone, as_json=False)
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
        chats = _kept_chats(kept)
        sessions = await _all_sessions(memory, scope)
        gone = list(filter(chats.is_gone, sessions))
        if gone and not any(map(chats.has, sessions)):
            raise InvalidInput(
                "--except",
                f"has no chat of {scope.user}'s sessions in {kept}; all would be forgotten. "
                "Is it the list of this user?",
            )
        return gone

    return find


async def _all_sessions(memory: Memory, scope: Scope) -> list[Session]:
    sessions: list[Session] = []
    page = PageRequest(limit=MAX_LIMIT)
    while True:
        found = await memory.services.sessions.list(scope, page)
        sessions += found.items
        if found.next_cursor is None:
            return sessions
        page = PageRequest(limit=MAX_LIMIT, cursor=found.next_cursor)


def _show(sessions: list[Session], *, as_json: bool) -> None:
    if as_json:
        from recollect.interfaces.http.schemas.conversations import SessionOut  # noqa: PLC0415

        show_page(map(SessionOut.of, sessions))
    else:
        show_table(map(facts_of, sessions), _COLUMNS, empty=_NOTHING)


def _kept_chats(path: Path) -> _KeptChats:
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except UnicodeDecodeError:
        raise InvalidInput("--except", f"must be a text in UTF-8, which {path} is not") from None
    chat_ids = frozenset(
        _listed_id(line.strip(), number)
        for number, line in enumerate(lines, start=1)
        if line.strip()
    )
    if not chat_ids:
        raise InvalidInput("--except", f"names no chat in {path}; all would be forgotten")
    return _KeptChats(
        chat_ids=chat_ids, listed_at=datetime.fromtimestamp(path.stat().st_mtime, UTC)
    )


def _listed_id(text: str, line: int) -> str:
    """A chat's id; a list with anything else in it is not understood, and deletes nothing."""
    kind, _, rest = text.lower().partition(":")
    if kind in _OTHER_KINDS and rest.replace("-", "").replace("_", "").isalnum():
        return text.lower()
    try:
        return str(parse_uuid(text, "--except"))
    except InvalidId:
        raise InvalidInput(
            "--except",
            f"has something in line {line} that is no id of a chat: "
            "one id a line, without quotes, headings or other columns",
        ) from None


def _chat_id(session: Session) -> str | None:
    """OpenWebUI's id of the chat that a session remembers; None if it has told none."""
    noted = session.metadata.get(_CHAT_ID)
    return noted.strip().lower() or None if isinstance(noted, str) else None


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
