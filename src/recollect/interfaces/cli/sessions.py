"""`recollect sessions`: what is stored."""

from typing import Annotated

import typer

from recollect.domain.conversation.paging import DEFAULT_LIMIT, PageRequest, SessionSort
from recollect.domain.conversation.session import parse_uuid
from recollect.domain.identity.scope import Scope
from recollect.interfaces.cli.forgetting import forget
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
from recollect.settings import Settings

app = typer.Typer(help="List, show and delete sessions.", no_args_is_help=True)

_SESSION_COLUMNS = ("session_id", "name", "message_count", "updated_at")
_MESSAGE_COLUMNS = ("sequence", "created_at", "role", "content")

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
    as_json: AsJson = False,  # noqa: FBT002  # a flag of the command line
) -> None:
    """List a user's sessions, the last changed one first."""
    page = with_memory(
        lambda memory, settings: memory.services.sessions.list(
            _scope(settings, user, tenant), PageRequest(limit=limit), sort=sort
        )
    )
    if as_json:
        from recollect.interfaces.http.schemas.conversations import SessionOut  # noqa: PLC0415

        show_page(map(SessionOut.of, page.items), page.next_cursor)
    else:
        show_table(map(facts_of, page.items), _SESSION_COLUMNS, empty="no sessions yet")


@app.command("show")
def show_session(
    session_id: SessionId,
    user: User = None,
    tenant: Tenant = None,
    limit: Limit = DEFAULT_LIMIT,
    as_json: AsJson = False,  # noqa: FBT002  # a flag of the command line
) -> None:
    """Show a session's last messages, oldest first."""
    identifier = parse_uuid(session_id, "session_id")
    page = with_memory(
        lambda memory, settings: memory.services.messages.list(
            _scope(settings, user, tenant), identifier, PageRequest(limit=limit)
        )
    )
    oldest_first = page.items[::-1]
    if as_json:
        from recollect.interfaces.http.schemas.conversations import MessageOut  # noqa: PLC0415

        show_page(map(MessageOut.of, oldest_first), page.next_cursor)
    else:
        show_table(map(facts_of, oldest_first), _MESSAGE_COLUMNS, empty="no messages yet")


@app.command()
def delete(
    session_id: SessionId,
    user: User = None,
    tenant: Tenant = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,  # noqa: FBT002  # a flag of the command line
    as_json: AsJson = False,  # noqa: FBT002  # a flag of the command line
) -> None:
    """Delete a session with everything in it."""
    identifier = parse_uuid(session_id, "session_id")
    if not yes and not typer.confirm(f"Delete session {identifier} for good?", err=True):
        fail("nothing was deleted", as_json=as_json)
    with_memory(
        lambda memory, settings: memory.services.sessions.delete(
            _scope(settings, user, tenant), identifier
        )
    )
    show({"deleted": identifier}, as_json=as_json, text=f"session {identifier} is deleted")


app.command()(forget)


def _scope(settings: Settings, user: str | None, tenant: str | None) -> Scope:
    return Scope(tenant=tenant or settings.tenant, user=user or settings.local_user, actor="cli")
