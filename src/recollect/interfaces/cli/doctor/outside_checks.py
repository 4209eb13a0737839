"""What one of the doctor's checks found."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from http import HTTPStatus
from typing import Final
from urllib.parse import urlsplit
from uuid import UUID

import orjson

from recollect.adapters import (
    denodo_client,
    embedding_choice,
    model_endpoint,
    permission_source,
    vector_store_choice,
)
from recollect.answerers.sql_database.data import StatementFailed
from recollect.domain.identity.permissions import PermissionKind
from recollect.domain.identity.scope import Scope
from recollect.engines.vector_stores import open_vectors
from recollect.errors import ModelUnavailable, RecollectError
from recollect.extras import require
from recollect.models.embedding.embedders import open_embedder
from recollect.settings import AnswererKind, Settings

ADVICE = "docs/how-to/ask-a-sql-database.md shows how to create a role that may only read"
_LIMIT_SECONDS: Final = 10
_LOADING_SECONDS: Final = 120
_NOBODY: Final = UUID(int=0)
_HTTPS: Final = 443
_HTTP: Final = 80


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


def ok(check: str, found: str) -> Finding:
    """All is well."""
    return Finding(check=check, status=Status.OK, found=found)


def warning(check: str, found: str, advice: str) -> Finding:
    """Something to know; `serve` works all the same."""
    return Finding(check=check, status=Status.WARNING, found=found, advice=advice)


def failed(check: str, found: str, advice: str) -> Finding:
    """Something that `serve` needs is not there."""
    return Finding(check=check, status=Status.FAILED, found=found, advice=advice)


async def sql_account_problems(settings: Settings) -> tuple[str, ...] | None:
    """What the account may do beyond reading the allowed tables; None where none is asked.

    `ConfigurationError` or `DatabaseUnavailable` where the database cannot be asked.
    """
    if settings.chosen_answerer is not AnswererKind.SQL_DATABASE or not settings.sql_database:
        return None
    require("sqlalchemy", "MEMORY_SQL_DATABASE")
    from recollect.answerers.sql_database import inspect_account  # noqa: PLC0415

    return await inspect_account(
        settings.sql_database.get_secret_value(),
        tables=settings.sql_tables,
        role=settings.sql_role,
        timeout=settings.answer_timeout_seconds,
    )


def check_model(settings: Settings) -> Iterator[Finding]:
    """Whether the endpoint of the models answers, takes the key and has the model."""
    if settings.llm_base_url:
        yield _found("model", _look_at_model, settings, "check MEMORY_LLM_BASE_URL")


def check_embedder(settings: Settings) -> Iterator[Finding]:
    """Whether the embedding model embeds."""
    advice = "check MEMORY_EMBEDDING_MODEL and MEMORY_EMBEDDING_BASE_URL"
    yield _found("embedder", _look_at_embedder, settings, advice, seconds=_LOADING_SECONDS)


def check_vectors(settings: Settings) -> Iterator[Finding]:
    """Whether a store of vectors outside the database answers."""
    if vector_store_choice(settings) is not None:
        advice = "check MEMORY_VECTOR_STORE_URL, its user name and password"
        yield _found("vector store", _look_at_vectors, settings, advice)


def check_denodo(settings: Settings) -> Iterator[Finding]:
    """Whether the Denodo AI SDK answers."""
    if settings.denodo_url:
        yield _found("denodo", _look_at_denodo, settings, "check MEMORY_DENODO_URL")


def check_sql_database(settings: Settings) -> Iterator[Finding]:
    """Whether the database of the data questions can be read."""
    if settings.sql_database is not None:
        yield _found("sql database", _look_at_sql_database, settings, "check MEMORY_SQL_DATABASE")


def check_permissions(settings: Settings) -> Iterator[Finding]:
    """Whether whoever says which tables may be seen answers."""
    if settings.permission_address is not None:
        advice = "check MEMORY_PERMISSIONS; until it answers nothing that draws on a table is shown"
        yield _found("permissions", _look_at_permissions, settings, advice)


def check_token_keys(settings: Settings) -> Iterator[Finding]:
    """Whether the keys that tokens are checked with can be fetched from."""
    if settings.jwt_jwks_url:
        yield _found("token keys", _look_at_token_keys, settings, "check MEMORY_JWT_JWKS_URL")


def _found(
    check: str,
    look: Callable[[Settings], Awaitable[Finding]],
    settings: Settings,
    advice: str,
    *,
    seconds: float = _LIMIT_SECONDS,
) -> Finding:
    """What a look at something shows; what does not answer in time has failed."""

    async def in_time() -> Finding:
        async with asyncio.timeout(seconds):
            return await look(settings)

    try:
        return asyncio.run(in_time())
    except TimeoutError:
        return failed(check, f"no answer within {seconds:g} seconds", advice)
    except RecollectError as error:
        return failed(check, str(error), advice)
    except OSError as error:
        return failed(check, f"cannot be reached ({type(error).__name__})", advice)


async def _look_at_model(settings: Settings) -> Finding:
    async with (
        model_endpoint(settings, settings.llm_base_url or "") as endpoint,
        endpoint.models() as reply,
    ):
        body = b"".join([piece async for piece in reply.pieces])
    match reply.status:
        case HTTPStatus.OK:
            return _listed(settings.llm_model, body)
        case HTTPStatus.UNAUTHORIZED | HTTPStatus.FORBIDDEN:
            refused = f"the endpoint refuses the key with status {reply.status}"
            return failed("model", refused, "check MEMORY_LLM_API_KEY")
        case HTTPStatus.NOT_FOUND | HTTPStatus.METHOD_NOT_ALLOWED:
            advice = "check that MEMORY_LLM_BASE_URL ends as the endpoint wants it, mostly in /v1"
            return warning("model", "the endpoint answers, but lists no models", advice)
        case status:
            raise ModelUnavailable(f"the endpoint fails with status {status}")


def _listed(model: str | None, body: bytes) -> Finding:
    try:
        names = {str(one["id"]) for one in orjson.loads(body)["data"]}
    except (ValueError, KeyError, TypeError):
        return warning("model", "the endpoint answers, but not with a list", "look what is there")
    if model is None or model in names:
        return ok("model", f"the endpoint answers{f' and has {model}' if model else ''}")
    return warning("model", f"the endpoint does not list {model}", "check MEMORY_LLM_MODEL")


async def _look_at_embedder(settings: Settings) -> Finding:
    async with open_embedder(embedding_choice(settings)) as embedder:
        if embedder is None:
            return ok("embedder", "none: what was said is found by its words alone")
        vector = await embedder.embed_question("hello")
        return ok("embedder", f"{embedder.model} embeds in {len(vector)} dimensions")


async def _look_at_vectors(settings: Settings) -> Finding:
    async with open_vectors(vector_store_choice(settings)) as store:
        assert store is not None  # noqa: S101  # looked at where one is set
        await store.keys(_NOBODY, model="none")
    return ok("vector store", f"{settings.vector_store} answers")


async def _look_at_denodo(settings: Settings) -> Finding:
    async with denodo_client(settings, settings.denodo_url or "") as client:
        status = await client.reach()
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        raise ModelUnavailable(f"the Denodo AI SDK fails with status {status}")
    return ok("denodo", "the Denodo AI SDK answers")


async def _look_at_sql_database(settings: Settings) -> Finding:
    # Loaded here: it is an extra's, and takes 0.2 s that other answerers do not need.
    require("sqlalchemy", "MEMORY_SQL_DATABASE")
    from recollect.answerers.sql_database import open_database  # noqa: PLC0415

    assert settings.sql_database is not None  # noqa: S101  # looked at where one is set
    database = open_database(settings.sql_database.get_secret_value(), timeout=_LIMIT_SECONDS)
    try:
        tables = await database.tables()
    except StatementFailed:
        advice = "let its role read the tables' descriptions"
        return failed("sql database", "the tables cannot be read", advice)
    finally:
        await database.close()
    return ok("sql database", f"answers, {len(tables)} tables")


async def _look_at_permissions(settings: Settings) -> Finding:
    address = settings.permission_address
    assert address is not None  # noqa: S101  # looked at where one is set
    if address.kind is PermissionKind.DENODO:  # it answers nobody but those who log in
        url = urlsplit(address.target)
        port = url.port or (_HTTPS if url.scheme == "https" else _HTTP)
        _, writer = await asyncio.open_connection(url.hostname, port)
        writer.close()
        return ok("permissions", "the Data Catalog can be reached")
    async with permission_source(settings) as source:
        assert source is not None  # noqa: S101  # as above
        await source.access_of(Scope(tenant=settings.tenant, user=settings.local_user))
    return ok("permissions", "the source answers")


async def _look_at_token_keys(settings: Settings) -> Finding:
    # Loaded here: checking signatures takes 0.1 s that nobody else needs.
    from recollect.interfaces.http.auth.credentials import fetch_keys  # noqa: PLC0415

    count = await asyncio.to_thread(fetch_keys, settings)
    return ok("token keys", f"{count} keys")
