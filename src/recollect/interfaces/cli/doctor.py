"""`recollect doctor`: whether everything is as it should be, and what to do if not."""

import asyncio
import platform
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from importlib.metadata import version
from pathlib import Path
from typing import Final

import typer

from recollect.engines.postgres.inspection import MIN_SERVER_VERSION, DatabaseFacts, inspect
from recollect.engines.postgres.migrate import HEAD
from recollect.errors import ConfigurationError, DatabaseUnavailable
from recollect.interfaces.cli.database import administered
from recollect.interfaces.cli.output import AsJson, facts_of, show_table
from recollect.interfaces.cli.sql_account import ADVICE, sql_account_problems
from recollect.settings import (
    AnswererKind,
    Settings,
    load_settings,
)

_LOW_DISK_BYTES: Final = 1_000_000_000
_COLUMNS: Final = ("status", "check", "found", "advice")


class Status(StrEnum):
    """How a check came out."""

    OK = "ok"
    WARNING = "warning"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What one check found, and what to do about it."""

    check: str
    status: Status
    found: str
    advice: str = ""


def doctor(as_json: AsJson = False) -> None:  # noqa: FBT002  # a flag of the command line
    """Check database, versions, disk and settings, and say what to do."""
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
    yield _check_access(settings)
    yield _check_answers(settings)
    yield from _check_sql_account(settings)
    if settings.db_connection_string is None:
        yield _check_disk(settings.home)
    yield from _check_database(settings)


def _check_access(settings: Settings) -> Finding:
    if settings.is_local_mode:
        return Finding(
            check="access",
            status=Status.OK,
            found=f"one local user ({settings.local_user}), loopback only",
            advice="to serve others, set MEMORY_USER_ID_SOURCE",
        )
    return Finding(
        check="access", status=Status.OK, found=f"users told by {settings.user_id_source}"
    )


def _check_answers(settings: Settings) -> Finding:
    chosen = settings.chosen_answerer
    if chosen is not AnswererKind.FROM_MEMORY or settings.answerer is chosen:
        return Finding(check="answers", status=Status.OK, found=f"given by {chosen}")
    lacks_name = settings.llm_base_url is not None
    return Finding(
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
        yield Finding(
            check="SQL account",
            status=Status.FAILED,
            found=str(error),
            advice="check MEMORY_SQL_DATABASE and MEMORY_SQL_ROLE",
        )
        return
    for problem in problems or ():
        yield Finding(check="SQL account", status=Status.WARNING, found=problem, advice=ADVICE)
    if problems == ():
        yield Finding(check="SQL account", status=Status.OK, found="may only read what it has to")


def _check_disk(home: Path) -> Finding:
    folder = next(part for part in (home, *home.absolute().parents) if part.exists())
    free = shutil.disk_usage(folder).free
    return Finding(
        check="disk",
        status=Status.OK if free > _LOW_DISK_BYTES else Status.WARNING,
        found=f"{free / 1e9:.1f} GB free for {home}",
        advice="" if free > _LOW_DISK_BYTES else "make room, or move MEMORY_HOME",
    )


def _check_database(settings: Settings) -> Iterator[Finding]:
    try:
        facts = asyncio.run(_facts(settings))
    except (ConfigurationError, DatabaseUnavailable) as error:
        yield Finding(
            check="database",
            status=Status.FAILED,
            found=str(error),
            advice="check MEMORY_DB_CONNECTION_STRING, or MEMORY_HOME and its log",
        )
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
