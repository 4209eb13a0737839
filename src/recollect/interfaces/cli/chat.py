"""`recollect chat`: a conversation in the terminal."""

import asyncio
import sys
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from typing import Annotated

import typer
from rich.console import Console

from recollect.domain.scope import Scope
from recollect.domain.session import parse_uuid
from recollect.interfaces.cli.chatting.partner import Partner, Told
from recollect.interfaces.cli.chatting.talk import talk
from recollect.interfaces.cli.chatting.terminal import Screen, typed_questions
from recollect.interfaces.cli.output import AsJson, Tenant, User, facts_of, to_json
from recollect.settings import Settings, load_settings
from recollect.telemetry.logging import configure_logging

ShowSources = Annotated[
    bool, typer.Option("--sources", help="Show where an answer's memory came from.")
]


def chat(
    session: Annotated[
        str | None,
        typer.Option(help="A session to resume; default: a new one.", show_default=False),
    ] = None,
    server: Annotated[
        str | None,
        typer.Option(
            help="A running server's address; default: MEMORY_SERVER_URL, else a memory of "
            "this process.",
            show_default=False,
        ),
    ] = None,
    model: Annotated[
        str | None, typer.Option(help="The model; default: MEMORY_LLM_MODEL.", show_default=False)
    ] = None,
    sources: ShowSources = False,  # noqa: FBT002  # a flag of the command line
    user: User = None,
    tenant: Tenant = None,
    as_json: AsJson = False,  # noqa: FBT002  # a flag of the command line
) -> None:
    """Talk, and be remembered; piped questions are answered line by line.

    Each run begins a new conversation, whose id is kept nowhere but in this process; --session
    goes on with an earlier one.
    """
    settings = load_settings(**({} if server is None else {"server_url": server}))
    configure_logging(level="ERROR", as_json=settings.wants_json_logs)
    identifier = str(parse_uuid(session, "session")) if session else None
    owner = Scope(tenant=tenant or settings.tenant, user=user or settings.local_user, actor="cli")
    talking = _talk(settings, owner, identifier, model=model, shows=sources, as_json=as_json)
    if not asyncio.run(talking):
        raise SystemExit(1)


async def _talk(
    settings: Settings,
    owner: Scope,
    session_id: str | None,
    *,
    model: str | None,
    shows: bool,
    as_json: bool,
) -> bool:
    """Whether every question was answered."""
    async with _partner(settings, owner, session_id, model=model) as partner:
        asked_before = await partner.asked_before()
        is_typed = sys.stdin.isatty() and not as_json
        screen = _JsonScreen() if as_json else Screen(Console(), shows_sources=shows)
        if is_typed:
            screen.note("Recollect: /help says what you can do here, Ctrl+D leaves.")
            await talk(partner, typed_questions(asked_before), screen)
            return True
        return await talk(partner, _piped_questions(sys.stdin), screen)


@asynccontextmanager
async def _partner(
    settings: Settings, owner: Scope, session_id: str | None, *, model: str | None
) -> AsyncIterator[Partner]:
    if settings.server_url:
        from recollect.interfaces.cli.chatting.server import server_at  # noqa: PLC0415

        key = settings.server_key.get_secret_value() if settings.server_key else None
        async with server_at(settings.server_url, key=key, session_id=session_id) as partner:
            yield partner
        return
    # Loaded here: the services take half a second, which talking to a server does not need.
    from recollect.interfaces.cli.chatting.embedded import EmbeddedPartner  # noqa: PLC0415
    from recollect.interfaces.worker import working_meanwhile  # noqa: PLC0415
    from recollect.memory import Memory  # noqa: PLC0415

    async with Memory.open(settings) as memory, working_meanwhile(memory.services, settings):
        chosen = parse_uuid(session_id, "session") if session_id else None
        yield EmbeddedPartner(memory, owner, session_id=chosen, model=model)


async def _piped_questions(lines: Iterable[str]) -> AsyncIterator[str]:
    while line := await asyncio.to_thread(next, iter(lines), ""):
        yield line.strip()


class _JsonScreen(Screen):
    """Says each answer as one JSON object."""

    def __init__(self) -> None:
        super().__init__(Console(stderr=True), shows_sources=True)

    def piece(self, text: str) -> None:
        """The whole comes at the end."""

    def end(self, told: Told | None) -> None:
        """The answer with everything that is known of it."""
        if told is not None:
            typer.echo(to_json(facts_of(told)))
