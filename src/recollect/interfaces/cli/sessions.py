"""`recollect sessions`: what is stored."""

from typing import Annotated

import typer

from recollect.domain.message import Message
from recollect.domain.paging import DEFAULT_LIMIT, PageRequest, SessionSort
from recollect.domain.scope import Scope
from recollect.domain.session import parse_uuid
from recollect.interfaces.cli.database import with_memory
from recollect.interfaces.cli.forgetting import forget
from recollect.interfaces.cli.output import AsJson, Tenant, User, facts_of, fail, show, show_table
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
    show_table(
        map(facts_of, page.items), _SESSION_COLUMNS, as_json=as_json, empty="no sessions yet"
    )


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
    rows = (_message_facts(message) for message in reversed(page.items))
    show_table(rows, _MESSAGE_COLUMNS, as_json=as_json, empty="no messages yet")


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


def _message_facts(message: Message) -> dict[str, object]:
    facts = facts_of(message)
    return {**facts, "details": message.details.to_json()}
