"""Who answers: a model, the Denodo AI SDK, a SQL database."""

from collections.abc import AsyncIterator
from http import HTTPStatus

import orjson

from recollect.adapters import denodo_client, model_endpoint
from recollect.errors import ModelUnavailable
from recollect.extras import require
from recollect.interfaces.cli.doctor.findings import (
    LIMIT_SECONDS,
    Finding,
    check,
    failed,
    ok,
    warning,
)
from recollect.settings import AnswererKind, Settings


@check("answers")
async def check_answers(settings: Settings) -> AsyncIterator[Finding]:
    """Who answers."""
    chosen = settings.chosen_answerer
    if chosen is not AnswererKind.FROM_MEMORY or settings.answerer is chosen:
        yield ok(f"given by {chosen}")
    elif settings.llm_base_url is not None:
        observation = "MEMORY_LLM_BASE_URL is set without a model; /chat quotes from memory"
        yield warning(observation, "set MEMORY_LLM_MODEL")
    elif settings.llm_model is not None:
        observation = "MEMORY_LLM_MODEL is set without an endpoint; /chat quotes from memory"
        yield warning(observation, "set MEMORY_LLM_BASE_URL")
    else:
        advice = "for a model, set MEMORY_LLM_BASE_URL and MEMORY_LLM_MODEL"
        yield ok("quoted from memory: no model is set", advice)


@check("model", "check MEMORY_LLM_BASE_URL")
async def check_model(settings: Settings) -> AsyncIterator[Finding]:
    """Whether the endpoint of the models answers, takes the key and has the model."""
    if not settings.llm_base_url:
        return
    async with (
        model_endpoint(settings, settings.llm_base_url) as endpoint,
        endpoint.models() as reply,
    ):
        body = b"".join([piece async for piece in reply.pieces])
    match reply.status:
        case HTTPStatus.OK:
            yield _listed(settings.llm_model, body)
        case HTTPStatus.UNAUTHORIZED | HTTPStatus.FORBIDDEN:
            refused = f"the endpoint refuses the key with status {reply.status}"
            yield failed(refused, "check MEMORY_LLM_API_KEY")
        case HTTPStatus.NOT_FOUND | HTTPStatus.METHOD_NOT_ALLOWED:
            advice = "check that MEMORY_LLM_BASE_URL ends as the endpoint wants it, mostly in /v1"
            yield warning("the endpoint answers, but lists no models", advice)
        case status:
            raise ModelUnavailable(f"the endpoint fails with status {status}")


def _listed(model: str | None, body: bytes) -> Finding:
    try:
        names = {str(one["id"]) for one in orjson.loads(body)["data"]}
    except (ValueError, KeyError, TypeError):
        return warning("the endpoint answers, but not with a list", "look what is there")
    if model is None or model in names:
        return ok(f"the endpoint answers{f' and has {model}' if model else ''}")
    return warning(f"the endpoint does not list {model}", "check MEMORY_LLM_MODEL")


@check("denodo", "check MEMORY_DENODO_URL")
async def check_denodo(settings: Settings) -> AsyncIterator[Finding]:
    """Whether the Denodo AI SDK answers."""
    if not settings.denodo_url:
        return
    async with denodo_client(settings, settings.denodo_url) as client:
        status = await client.reach()
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        raise ModelUnavailable(f"the Denodo AI SDK fails with status {status}")
    yield ok("the Denodo AI SDK answers")


@check("sql database", "check MEMORY_SQL_DATABASE")
async def check_sql_database(settings: Settings) -> AsyncIterator[Finding]:
    """Whether the database of the data questions can be read."""
    if settings.sql_database is None:
        return
    require("sqlalchemy", "MEMORY_SQL_DATABASE")  # an extra
    from recollect.answerers.sql_database import open_database  # noqa: PLC0415
    from recollect.answerers.sql_database.data import StatementFailed  # noqa: PLC0415

    database = open_database(settings.sql_database.get_secret_value(), timeout=LIMIT_SECONDS)
    try:
        yield ok(f"answers, {len(await database.tables())} tables")
    except StatementFailed:
        advice = "let its role read the tables' descriptions"
        yield failed("the tables cannot be read", advice)
    finally:
        await database.close()


@check("SQL account", "check MEMORY_SQL_DATABASE and MEMORY_SQL_ROLE", seconds=None)
async def check_sql_account(settings: Settings) -> AsyncIterator[Finding]:
    """Whether the account of that database may only read the allowed tables."""
    if settings.chosen_answerer is not AnswererKind.SQL_DATABASE or not settings.sql_database:
        return
    require("sqlalchemy", "MEMORY_SQL_DATABASE")  # an extra
    from recollect.answerers.sql_database import inspect_account  # noqa: PLC0415

    problems = await inspect_account(
        settings.sql_database.get_secret_value(),
        tables=settings.sql_tables,
        role=settings.sql_role,
        timeout=settings.answer_timeout_seconds,
    )
    advice = "docs/how-to/ask-a-sql-database.md shows how to create a role that may only read"
    for problem in problems:
        yield warning(problem, advice)
    if not problems:
        yield ok("may only read what it has to")
