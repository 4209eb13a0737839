"""`recollect sessions`: what is stored."""

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final
from uuid import UUID

import typer

from recollect.domain.conversation.paging import DEFAULT_LIMIT, MAX_LIMIT, PageRequest, SessionSort
from recollect.domain.conversation.session import Session, parse_uuid
from recollect.domain.identity.scope import Scope
from recollect.errors import InvalidId, InvalidInput, SessionNotFound
from recollect.interfaces.cli.output import (
    AsJson,
    Tenant,
    User,
    Yes,
    confirm,
    confirm_deletion,
    fields_of,
    for_owner,
    named_owner,
    show,
    show_page,
    show_table,
)

if TYPE_CHECKING:
    from recollect.services.services import Services

app = typer.Typer(help="List, show and delete sessions.", no_args_is_help=True)

_SESSION_COLUMNS = ("session_id", "name", "message_count", "updated_at")
_MESSAGE_COLUMNS = ("sequence", "created_at", "role", "content")
_OTHER_KINDS: Final = frozenset({"local", "channel", "temporary"})
"""What stands before the colon in ids that OpenWebUI has beside UUIDs."""
_NOTHING: Final = "no session to forget"

SessionId = Annotated[str, typer.Argument(help="The session's id, as 'list' shows it.")]
Limit = Annotated[int, typer.Option(min=1, max=1000, help="How many at most.")]


@app.command("list")
def list_sessions(
    user: User = None,
    tenant: Tenant = None,
    limit: Limit = DEFAULT_LIMIT,
    sort: Annotated[
        SessionSort, typer.Option(help="By the last change, or by the last use.")
    ] = SessionSort.UPDATED,
    as_json: AsJson = False,
) -> None:
    """List a user's sessions, the last changed one first."""
    page = for_owner(
        user,
        tenant,
        lambda services, scope: services.sessions.list(scope, PageRequest(limit=limit), sort=sort),
    )
    _show(page.items, page.next_cursor, as_json=as_json, empty="no sessions yet")


@app.command("show")
def show_session(
    session_id: SessionId,
    user: User = None,
    tenant: Tenant = None,
    limit: Limit = DEFAULT_LIMIT,
    as_json: AsJson = False,
) -> None:
    """Show a session's last messages, oldest first."""
    identifier = parse_uuid(session_id, "session_id")
    page = for_owner(
        user,
        tenant,
        lambda services, scope: services.messages.list(scope, identifier, PageRequest(limit=limit)),
    )
    oldest_first = page.items[::-1]
    if as_json:
        from recollect.interfaces.http.schemas.messages import MessageOut  # noqa: PLC0415

        show_page(map(MessageOut.of, oldest_first), page.next_cursor)
    else:
        show_table(map(fields_of, oldest_first), _MESSAGE_COLUMNS, empty="no messages yet")


@app.command()
def delete(
    session_id: SessionId,
    user: User = None,
    tenant: Tenant = None,
    yes: Yes = False,
    as_json: AsJson = False,
) -> None:
    """Delete a session with everything in it."""
    identifier = parse_uuid(session_id, "session_id")
    question = f"Delete the session {identifier} of {named_owner(user, tenant)} for good?"
    confirm_deletion(question, yes=yes, as_json=as_json)
    for_owner(
        user,
        tenant,
        lambda services, scope: services.sessions.delete(scope, identifier),
    )
    show({"deleted": identifier}, as_json=as_json, text=f"session {identifier} is deleted")


@app.command()
def forget(
    listed: Annotated[
        Path,
        typer.Option(
            "--except",
            exists=True,
            dir_okay=False,
            help="A file with the ids of the user's chats, one a line.",
        ),
    ],
    user: User = None,
    tenant: Tenant = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only list them.")] = False,
    yes: Yes = False,
    as_json: AsJson = False,
) -> None:
    """Delete a user's sessions that OpenWebUI started and whose chats it no longer has."""
    gone = for_owner(user, tenant, lambda services, scope: _gone(services, scope, listed))
    if dry_run:
        _show(gone, as_json=as_json, empty=_NOTHING)
        return
    if not gone:
        show({"deleted": []}, as_json=as_json, text=_NOTHING)
        return
    if not yes:
        _show(gone, as_json=False, empty=_NOTHING)
        question = f"Delete these {len(gone)} sessions of {named_owner(user, tenant)} for good?"
        confirm(question, refused="nothing was deleted", as_json=as_json)
    deleted = for_owner(user, tenant, lambda services, scope: _delete(services, scope, gone))
    text = f"{len(deleted)} sessions are deleted"
    show({"deleted": deleted}, as_json=as_json, text=text)


def _show(
    sessions: Sequence[Session], next_cursor: str | None = None, *, as_json: bool, empty: str
) -> None:
    if as_json:
        from recollect.interfaces.http.schemas.conversations import SessionOut  # noqa: PLC0415

        show_page(map(SessionOut.of, sessions), next_cursor)
    else:
        show_table(map(fields_of, sessions), _SESSION_COLUMNS, empty=empty)


async def _gone(services: "Services", scope: Scope, path: Path) -> list[Session]:
    """The sessions whose chat was there once and is not listed any more.

    A session without a chat's id is never judged, and one that was begun after the list was made
    is not among those on it.
    """
    listed, listed_at = _listed_chats(path)
    sessions = await _all_sessions(services, scope)
    chats = {session.session_id: _chat_id(session) for session in sessions}
    missing = {session_id for session_id, chat in chats.items() if chat and chat not in listed}
    gone = [one for one in sessions if one.session_id in missing and one.created_at < listed_at]
    if gone and listed.isdisjoint(chats.values()):
        raise InvalidInput(
            "--except",
            f"has no chat of {scope.user}'s sessions in {path}; all would be forgotten. "
            "Is it the list of this user?",
        )
    return gone


async def _all_sessions(services: "Services", scope: Scope) -> list[Session]:
    sessions: list[Session] = []
    page = PageRequest(limit=MAX_LIMIT)
    while True:
        listed = await services.sessions.list(scope, page)
        sessions += listed.items
        if listed.next_cursor is None:
            return sessions
        page = PageRequest(limit=MAX_LIMIT, cursor=listed.next_cursor)


def _listed_chats(path: Path) -> tuple[frozenset[str], datetime]:
    """The ids in a list of chats, and when it was written."""
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
    return chat_ids, datetime.fromtimestamp(path.stat().st_mtime, UTC)


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
    """OpenWebUI's id of a session's chat; None where the session has none."""
    chat_id = session.metadata.get("openwebui_conversation_id")
    return chat_id.strip().lower() or None if isinstance(chat_id, str) else None


async def _delete(services: "Services", scope: Scope, sessions: list[Session]) -> list[UUID]:
    deleted = []
    for session in sessions:
        try:
            await services.sessions.delete(scope, session.session_id)
        except SessionNotFound:
            continue  # deleted by somebody else meanwhile
        deleted.append(session.session_id)
    return deleted
