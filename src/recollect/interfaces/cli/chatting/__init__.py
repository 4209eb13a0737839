"""`recollect chat`: a conversation in the terminal."""

import asyncio
import sys
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Annotated
from uuid import UUID

import typer
from rich.console import Console

from recollect.domain.conversation.session import parse_uuid
from recollect.domain.recall.entry import RecallOverrides, RecallScope
from recollect.errors import ConfigurationError
from recollect.interfaces.cli.chatting.partners import (
    AnswerSummary,
    EmbeddedPartner,
    Partner,
    server_at,
)
from recollect.interfaces.cli.chatting.talk import Screen, talk, typed_questions
from recollect.interfaces.cli.output import (
    AsJson,
    Tenant,
    User,
    fields_of,
    given_options,
    owner_scope,
    to_json,
)
from recollect.settings import Settings, load_settings
from recollect.telemetry.logging import configure_logging

ShowSources = Annotated[
    bool, typer.Option("--sources", help="Show where an answer's memory came from.")
]
Recall = Annotated[
    bool,
    typer.Option("--recall", help="Let answers draw on earlier runs and other conversations, too."),
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
    sources: ShowSources = False,
    recall: Recall = False,
    user: User = None,
    tenant: Tenant = None,
    as_json: AsJson = False,
) -> None:
    """Talk, and be remembered; piped questions are answered line by line.

    Each run begins a new conversation, which knows nothing of earlier ones; --session goes on
    with one of them, and --recall lets answers draw on all.
    """
    settings = load_settings(**given_options(server_url=server))
    configure_logging(level="ERROR", as_json=settings.wants_json_logs)
    wanted = RecallOverrides(scope=RecallScope.USER) if recall else RecallOverrides(elsewhere=False)
    session_id = parse_uuid(session, "session") if session else None
    partner = _partner(settings, user, tenant, session_id=session_id, model=model, recall=wanted)
    # The options that were given, as they are typed.
    named = {"--server": server, "--user": user, "--tenant": tenant, "--model": model}
    flags = {"--recall": recall, "--sources": sources}
    typed = [word for name, text in named.items() if text is not None for word in (name, text)]
    options = (*typed, *(name for name, is_set in flags.items() if is_set))
    if not asyncio.run(_talk(partner, options, shows_sources=sources, as_json=as_json)):
        raise SystemExit(1)


async def _talk(
    opening: AbstractAsyncContextManager[Partner],
    options: tuple[str, ...],
    *,
    shows_sources: bool,
    as_json: bool,
) -> bool:
    """Answer questions until there are no more; whether every one was answered."""
    async with opening as partner:
        asked_before = await partner.asked_before()
        is_typed = sys.stdin.isatty() and not as_json
        screen = _JsonScreen() if as_json else Screen(Console(), shows_sources=shows_sources)
        if is_typed:
            screen.note("Recollect: /help says what you can do here, Ctrl+D leaves.")
        lines = typed_questions(asked_before, screen) if is_typed else _piped_questions(sys.stdin)
        were_answered = await talk(partner, lines, screen, leaves_when_stopped=not is_typed)
        if partner.session_id is not None:
            screen.farewell(partner.session_id, options)
        return were_answered or is_typed


@asynccontextmanager
async def _partner(
    settings: Settings,
    user: str | None,
    tenant: str | None,
    *,
    session_id: UUID | None,
    model: str | None,
    recall: RecallOverrides,
) -> AsyncIterator[Partner]:
    """The partner of a conversation: the server that is set, or a memory of this process."""
    if not settings.server_url:
        # A memory takes half a second to load, which a server's client need not wait for.
        from recollect.interfaces.worker import working_meanwhile  # noqa: PLC0415
        from recollect.memory import Memory  # noqa: PLC0415

        scope = owner_scope(settings, user, tenant)
        async with Memory.open(settings) as memory, working_meanwhile(memory.services, settings):
            yield EmbeddedPartner(memory, scope, session_id=session_id, model=model, recall=recall)
        return
    if tenant is not None:
        raise ConfigurationError("--tenant is not for --server: there the key decides the tenant")
    key = settings.server_key.get_secret_value() if settings.server_key else None
    async with server_at(
        settings.server_url, key=key, user=user, session_id=session_id, model=model, recall=recall
    ) as partner:
        yield partner


async def _piped_questions(lines: Iterable[str]) -> AsyncIterator[str]:
    while line := await asyncio.to_thread(next, iter(lines), ""):
        yield line.strip()


class _JsonScreen(Screen):
    """Says each answer as one JSON object."""

    def __init__(self) -> None:
        super().__init__(Console(stderr=True), shows_sources=True)

    def piece(self, text: str) -> None:
        """Print nothing: the whole answer is printed at its end."""

    def end(self, answer: AnswerSummary | None) -> None:
        """The answer with everything that is known of it."""
        if answer is not None:
            typer.echo(to_json(fields_of(answer)))

    def farewell(self, session_id: UUID, options: Sequence[str] = ()) -> None:
        """Print nothing: each answer has the session's id."""
