"""`recollect doctor`: whether everything is as it should be, and what to do if not."""

import asyncio
import platform
import shutil
from collections.abc import Callable, Iterable, Iterator
from importlib.metadata import version
from typing import Final

import typer

from recollect.engines.postgres.connection.inspection import (
    MIN_SERVER_VERSION,
    DatabaseFacts,
    inspect,
)
from recollect.engines.postgres.connection.migrate import HEAD
from recollect.errors import ConfigurationError, DatabaseUnavailable
from recollect.interfaces.cli.database import administered
from recollect.interfaces.cli.doctor.finding import Finding, Status, failed, ok, warning
from recollect.interfaces.cli.doctor.sql_account import ADVICE, sql_account_problems
from recollect.interfaces.cli.output import AsJson, facts_of, show_table
from recollect.interfaces.http.serving.listener import bound
from recollect.settings import (
    AnswererKind,
    Settings,
    load_settings,
)

_LOW_DISK_BYTES: Final = 1_000_000_000
_FULL_DISK_BYTES: Final = 64_000_000
_COLUMNS: Final = ("status", "check", "found", "advice")


def doctor(as_json: AsJson = False) -> None:  # noqa: FBT002  # a flag of the command line
    """Check all that the server needs; exit code 1 where something that is set does not answer."""
    findings = [*_diagnose()]
    show_table(map(facts_of, findings), _COLUMNS, as_json=as_json, empty="")
    if any(finding.status is Status.FAILED for finding in findings):
        raise typer.Exit(1)


def _diagnose() -> Iterator[Finding]:
    found = f"recollect {version('recollect')}, Python {platform.python_version()}"
    yield Finding(check="versions", status=Status.OK, found=found)
    try:
        settings = load_settings()
        settings.check_address()
    except ConfigurationError as error:
        yield Finding(
            check="settings", status=Status.FAILED, found=str(error), advice="correct the variable"
        )
        return
    for check in _checks():
        yield from check(settings)


def _checks() -> tuple[Callable[[Settings], Iterable[Finding]], ...]:
    """All that is looked at, in this order; each check is given the settings."""
    # Loaded here: what is outside takes half a second that no other command needs.
    from recollect.interfaces.cli.doctor import outside_checks as outside  # noqa: PLC0415

    return (
        _check_access,
        outside.check_token_keys,
        _check_address,
        _check_answers,
        outside.check_model,
        outside.check_denodo,
        outside.check_sql_database,
        _check_sql_account,
        outside.check_embedder,
        outside.check_vectors,
        outside.check_permissions,
        _check_disk,
        _check_database,
    )


def _check_access(settings: Settings) -> Iterator[Finding]:
    if settings.is_local_mode:
        yield Finding(
            check="access",
            status=Status.OK,
            found=f"one local user ({settings.local_user}), loopback only",
            advice="to serve others, set MEMORY_USER_ID_SOURCE",
        )
    else:
        yield ok("access", f"users told by {settings.user_id_source}")
    if settings.allow_anonymous:
        advice = "meant? MEMORY_ALLOW_ANONYMOUS=false refuses them"
        yield warning("access", "callers without credentials are served, too", advice)


def _check_answers(settings: Settings) -> Iterator[Finding]:
    chosen = settings.chosen_answerer
    if chosen is not AnswererKind.FROM_MEMORY or settings.answerer is chosen:
        yield ok("answers", f"given by {chosen}")
        return
    lacks_name = settings.llm_base_url is not None
    yield Finding(
        check="answers",
        status=Status.WARNING if lacks_name else Status.OK,
        found="MEMORY_LLM_BASE_URL is set without a model; /chat quotes from memory"
        if lacks_name
        else "quoted from memory: no model is set",
        advice="set MEMORY_LLM_MODEL"
        if lacks_name
        else "for a model, set MEMORY_LLM_BASE_URL and MEMORY_LLM_MODEL",
    )


def _check_sql_account(settings: Settings) -> Iterator[Finding]:
    try:
        problems = asyncio.run(sql_account_problems(settings))
    except (ConfigurationError, DatabaseUnavailable) as error:
        advice = "check MEMORY_SQL_DATABASE and MEMORY_SQL_ROLE"
        yield failed("SQL account", str(error), advice)
        return
    for problem in problems or ():
        yield warning("SQL account", problem, ADVICE)
    if problems == ():
        yield ok("SQL account", "may only read what it has to")


def _check_address(settings: Settings) -> Iterator[Finding]:
    try:
        bound(settings.host, settings.port).close()
    except ConfigurationError as error:
        yield warning("address", str(error), "nothing, if the server runs already")
    else:
        yield ok("address", f"{settings.host}:{settings.port} is free")


def _check_disk(settings: Settings) -> Iterator[Finding]:
    home = settings.home
    if settings.db_connection_string is not None:
        return
    folder = next(part for part in (home, *home.absolute().parents) if part.exists())
    free = shutil.disk_usage(folder).free
    found, advice = f"{free / 1e9:.1f} GB free for {home}", "make room, or move MEMORY_HOME"
    if free < _FULL_DISK_BYTES:
        yield failed("disk", found, advice)
    elif free < _LOW_DISK_BYTES:
        yield warning("disk", found, advice)
    else:
        yield ok("disk", found)


def _check_database(settings: Settings) -> Iterator[Finding]:
    try:
        facts = asyncio.run(_facts(settings))
    except (ConfigurationError, DatabaseUnavailable) as error:
        advice = "check MEMORY_DB_CONNECTION_STRING, or MEMORY_HOME and its log"
        reason = error.explanation if isinstance(error, DatabaseUnavailable) else str(error)
        yield failed("database", reason, advice)
        return
    yield _check_version(facts)
    yield _check_pgvector(facts)
    yield _check_schema(facts)
    if facts.bound_by_policies is not None:
        yield _check_isolation(is_bound=facts.bound_by_policies)


async def _facts(settings: Settings) -> DatabaseFacts:
    async with administered(settings) as dsn:
        return await inspect(dsn)


def _check_version(facts: DatabaseFacts) -> Finding:
    is_recent = facts.major_version >= MIN_SERVER_VERSION
    return Finding(
        check="database",
        status=Status.OK if is_recent else Status.FAILED,
        found=f"PostgreSQL {facts.server_version}",
        advice="" if is_recent else f"PostgreSQL {MIN_SERVER_VERSION} or newer is needed",
    )


def _check_pgvector(facts: DatabaseFacts) -> Finding:
    return Finding(
        check="pgvector",
        status=Status.OK if facts.has_pgvector else Status.WARNING,
        found="available" if facts.has_pgvector else "not available",
        advice="" if facts.has_pgvector else "install pgvector; semantic recall will need it",
    )


def _check_schema(facts: DatabaseFacts) -> Finding:
    is_current = facts.revision == HEAD
    return Finding(
        check="schema",
        status=Status.OK if is_current else Status.WARNING,
        found=f"revision {facts.revision or 'none'}",
        advice="" if is_current else f"'recollect migrate' brings it to {HEAD}",
    )


def _check_isolation(*, is_bound: bool) -> Finding:
    return Finding(
        check="isolation",
        status=Status.OK if is_bound else Status.FAILED,
        found="row-level security binds the server's role"
        if is_bound
        else "the server's role is not bound by row-level security",
        advice="" if is_bound else "see docs/how-to/use-your-own-postgresql.md",
    )
