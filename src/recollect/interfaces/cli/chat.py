"""`recollect chat`: a conversation in the terminal."""

import asyncio
import sys
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from typing import Annotated

import typer
from rich.console import Console

from recollect.domain.conversation.session import parse_uuid
from recollect.domain.recall.recalled import RecallOverrides, RecallScope
from recollect.errors import ConfigurationError
from recollect.interfaces.cli.chatting.partner import AnswerSummary, Partner
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
    asker = _Asker(
        settings=settings,
        session_id=str(parse_uuid(session, "session")) if session else None,
        user=user,
        tenant=tenant,
        model=model,
        recall=RecallOverrides(scope=RecallScope.USER)
        if recall
        else RecallOverrides(elsewhere=False),
        options=_options(
            {"--server": server, "--user": user, "--tenant": tenant, "--model": model},
            {"--recall": recall, "--sources": sources},
        ),
    )
    if not asyncio.run(_talk(asker, shows_sources=sources, as_json=as_json)):
        raise SystemExit(1)


def _options(named: Mapping[str, str | None], flags: Mapping[str, bool]) -> tuple[str, ...]:
    """The options that were given, as they are typed."""
    given = [word for name, text in named.items() if text is not None for word in (name, text)]
    return (*given, *(name for name, is_set in flags.items() if is_set))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asker:
    """Who asks, in which conversation, and what is to be remembered for it."""

    settings: Settings
    session_id: str | None
    user: str | None
    tenant: str | None
    model: str | None
    recall: RecallOverrides
    options: tuple[str, ...]
    """What was typed beside the session, for whoever comes back to it."""


async def _talk(asker: _Asker, *, shows_sources: bool, as_json: bool) -> bool:
    """Whether every question was answered."""
    async with _partner(asker) as partner:
        asked_before = await partner.asked_before()
        is_typed = sys.stdin.isatty() and not as_json
        screen = _JsonScreen() if as_json else Screen(Console(), shows_sources=shows_sources)
        if is_typed:
            screen.note("Recollect: /help says what you can do here, Ctrl+D leaves.")
        lines = typed_questions(asked_before, screen) if is_typed else _piped_questions(sys.stdin)
        were_answered = await talk(partner, lines, screen, leaves_when_stopped=not is_typed)
        if partner.session_id is not None:
            screen.farewell(partner.session_id, asker.options)
        return were_answered or is_typed


@asynccontextmanager
async def _partner(asker: _Asker) -> AsyncIterator[Partner]:
    settings = asker.settings
    if settings.server_url:
        async with _server(asker, settings.server_url) as partner:
            yield partner
        return
    # Loaded here: the services take half a second, which talking to a server does not need.
    from recollect.interfaces.cli.chatting.partner import EmbeddedPartner  # noqa: PLC0415
    from recollect.interfaces.worker import working_meanwhile  # noqa: PLC0415
    from recollect.memory import Memory  # noqa: PLC0415

    async with Memory.open(settings) as memory, working_meanwhile(memory.services, settings):
        yield EmbeddedPartner(
            memory,
            owner_scope(settings, asker.user, asker.tenant),
            session_id=parse_uuid(asker.session_id, "session") if asker.session_id else None,
            model=asker.model,
            recall=asker.recall,
        )


def _server(asker: _Asker, url: str) -> AbstractAsyncContextManager[Partner]:
    from recollect.interfaces.cli.chatting.server import ServerAddress, server_at  # noqa: PLC0415

    if asker.tenant is not None:
        raise ConfigurationError("--tenant is not for --server: there the key decides the tenant")
    key = asker.settings.server_key
    return server_at(
        ServerAddress(url=url, key=key.get_secret_value() if key else None, user=asker.user),
        session_id=asker.session_id,
        model=asker.model,
        recall=asker.recall,
    )


async def _piped_questions(lines: Iterable[str]) -> AsyncIterator[str]:
    while line := await asyncio.to_thread(next, iter(lines), ""):
        yield line.strip()


class _JsonScreen(Screen):
    """Says each answer as one JSON object."""

    def __init__(self) -> None:
        super().__init__(Console(stderr=True), shows_sources=True)

    def piece(self, text: str) -> None:
        """The whole comes at the end."""

    def end(self, answer: AnswerSummary | None) -> None:
        """The answer with everything that is known of it."""
        if answer is not None:
            typer.echo(to_json(fields_of(answer)))

    def farewell(self, session_id: str, options: Sequence[str] = ()) -> None:
        """Each answer has told the session."""
