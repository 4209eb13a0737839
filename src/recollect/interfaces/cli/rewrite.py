"""`recollect rewrite`: a question as it reads by itself."""

import json
from pathlib import Path
from typing import Annotated

import typer

from recollect.domain.conversation.message import parse_role
from recollect.domain.conversation.session import parse_uuid
from recollect.domain.followup.dialogue import Rewrite, Said
from recollect.domain.identity.scope import Scope
from recollect.errors import InvalidInput
from recollect.interfaces.cli.database import with_memory
from recollect.interfaces.cli.output import AsJson, Tenant, User, facts_of, show
from recollect.memory import Memory
from recollect.settings import Settings


def rewrite(
    question: Annotated[str, typer.Argument(help="The question as it was asked.")],
    session: Annotated[
        str | None, typer.Option(help="The session it was asked in.", show_default=False)
    ] = None,
    history: Annotated[
        Path | None,
        typer.Option(
            help='A JSON file of the messages before: [{"role", "content", "sql_query"?}, …].',
            show_default=False,
        ),
    ] = None,
    language: Annotated[str | None, typer.Option(help="en, nl, de, fr or es.")] = None,
    user: User = None,
    tenant: Tenant = None,
    as_json: AsJson = False,  # noqa: FBT002  # a flag of the command line
) -> None:
    """Say a follow-up so that it can be understood without its history."""
    if (session is None) == (history is None):
        raise InvalidInput("--session", "or --history must be given, and not both")
    said = _read(history) if history else []

    async def work(memory: Memory, settings: Settings) -> Rewrite:
        rewriting = memory.services.rewriting
        if session is None:
            return await rewriting.after(said, question, language=language)
        scope = Scope(
            tenant=tenant or settings.tenant, user=user or settings.local_user, actor="cli"
        )
        identifier = parse_uuid(session, "session")
        return await rewriting.in_session(scope, identifier, question, language=language)

    found = with_memory(work)
    show(facts_of(found), as_json=as_json, text=found.standalone_question)


def _read(path: Path) -> list[Said]:
    try:
        items = json.loads(path.read_text(encoding="utf-8"))
        return [
            Said(
                role=parse_role(item["role"]),
                content=str(item["content"]),
                sql_query=item.get("sql_query"),
            )
            for item in items
        ]
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise InvalidInput("--history", f"cannot be read as a list of messages: {error}") from None
