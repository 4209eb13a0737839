"""`recollect doctor`: whether everything is as it should be, and what to do if not."""

import asyncio
import platform
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import partial, wraps
from http import HTTPStatus
from importlib.metadata import version
from time import perf_counter
from typing import Final, TypeAlias
from urllib.parse import urlsplit
from uuid import UUID

import orjson

from recollect.adapters import (
    archive_of,
    denodo_client,
    embedding_choice,
    model_endpoint,
    open_permissions,
    open_vectors,
    rerank_choice,
)
from recollect.domain.identity.permissions import PermissionKind
from recollect.domain.identity.scope import Scope
from recollect.domain.transfer.archive import prefix_of
from recollect.engines.postgres.connection.database import as_application, check_master_keys
from recollect.engines.postgres.connection.owner_keys import OwnerKeys
from recollect.engines.postgres.migrations import (
    HEAD,
    MIN_SERVER_VERSION,
    connected,
    current_revision,
    inspect,
)
from recollect.errors import ConfigurationError, ModelUnavailable, RecollectError
from recollect.extras import require
from recollect.interfaces.cli.output import administered
from recollect.interfaces.http.serving.listener import listening
from recollect.models.embedding.embedders import open_embedder
from recollect.models.reranking.rerankers import open_reranker
from recollect.settings import AnswererKind, EngineKind, Settings, load_settings
from recollect.storage import dynamodb_client, key_wrapper
from recollect.system import DiskState, disk_space

_LIMIT_SECONDS: Final = 10
_SAMPLES: Final = 5
_SAMPLE_QUESTION: Final = "When did she sign up for the pottery class?"
_SAMPLE_TEXT: Final = (
    "I have finally enrolled in that course for making ceramics, and the first evening is already "
    "next Thursday; they say that beginners take their first bowl home after a month."
)


class Status(StrEnum):
    """How a check came out."""

    OK = "ok"
    WARNING = "warning"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Finding:
    """What one check found, and what to do about it."""

    check: str = field(default="", kw_only=True)
    status: Status
    found: str
    advice: str = ""


_ok: Final = partial(Finding, Status.OK)
_warning: Final = partial(Finding, Status.WARNING)
"""Something to know; `serve` works all the same."""
_failed: Final = partial(Finding, Status.FAILED)
"""Something that `serve` needs is not there."""
Look: TypeAlias = Callable[[Settings], AsyncIterator[Finding]]
Check: TypeAlias = Callable[[Settings], Iterator[Finding]]


def _check(
    name: str, advice: str = "", *, seconds: float | None = _LIMIT_SECONDS
) -> Callable[[Look], Check]:
    """Make a check of a function that looks at something; what does not answer has failed."""

    def decorate(look: Look) -> Check:
        @wraps(look)
        def check(settings: Settings) -> Iterator[Finding]:
            async def findings() -> list[Finding]:
                async with asyncio.timeout(seconds):
                    return [finding async for finding in look(settings)]

            try:
                made = asyncio.run(findings())
            except TimeoutError:
                made = [_failed(f"no answer within {seconds:g} seconds", advice)]
            except RecollectError as error:
                made = [_failed(error.explanation, advice)]
            except OSError as error:
                made = [_failed(f"cannot be reached ({type(error).__name__})", advice)]
            yield from (replace(finding, check=finding.check or name) for finding in made)

        return check

    return decorate


def diagnose() -> Iterator[Finding]:
    """Check everything, one thing after the other; nothing more where the settings are wrong."""
    observation = f"recollect {version('recollect')}, Python {platform.python_version()}"
    yield _ok(observation, check="versions")
    try:
        settings = load_settings()
        settings.check_address()
    except ConfigurationError as error:
        yield _failed(str(error), "correct the variable", check="settings")
        return
    for check in _CHECKS:
        yield from check(settings)


@_check("access")
async def check_access(settings: Settings) -> AsyncIterator[Finding]:
    """Who may call."""
    if settings.is_local_mode:
        observation = f"one local user ({settings.local_user}), loopback only"
        yield _ok(observation, "to serve others, set MEMORY_USER_ID_SOURCE")
    else:
        yield _ok(f"users told by {settings.user_id_source}")
    if settings.allow_anonymous:
        advice = "meant? MEMORY_ALLOW_ANONYMOUS=false refuses them"
        yield _warning("callers without credentials are served, too", advice)


@_check("token keys", "check MEMORY_JWT_JWKS_URL")
async def check_token_keys(settings: Settings) -> AsyncIterator[Finding]:
    """Whether the keys that tokens are checked with can be fetched."""
    if settings.jwt_jwks_url:
        # Loaded here: it is an extra's.
        require("jwt", "MEMORY_JWT_JWKS_URL")
        from recollect.interfaces.http.credentials import fetch_keys  # noqa: PLC0415

        yield _ok(f"{await asyncio.to_thread(fetch_keys, settings)} keys")


@_check("address")
async def check_address(settings: Settings) -> AsyncIterator[Finding]:
    """Whether the server's address is free."""
    try:
        listening(settings.host, settings.port)[0].close()
    except ConfigurationError as error:
        yield _warning(str(error), "nothing, if the server runs already")
    else:
        yield _ok(f"{settings.host}:{settings.port} is free")


@_check("answers")
async def check_answers(settings: Settings) -> AsyncIterator[Finding]:
    """Who answers."""
    chosen = settings.chosen_answerer
    if chosen is not AnswererKind.FROM_MEMORY or settings.answerer is chosen:
        yield _ok(f"given by {chosen}")
    elif settings.llm_base_url is not None:
        observation = "MEMORY_LLM_BASE_URL is set without a model; /chat quotes from memory"
        yield _warning(observation, "set MEMORY_LLM_MODEL")
    else:
        advice = "for a model, set MEMORY_LLM_BASE_URL and MEMORY_LLM_MODEL"
        yield _ok("quoted from memory: no model is set", advice)


@_check("model", "check MEMORY_LLM_BASE_URL")
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
            yield _failed(refused, "check MEMORY_LLM_API_KEY")
        case HTTPStatus.NOT_FOUND | HTTPStatus.METHOD_NOT_ALLOWED:
            advice = "check that MEMORY_LLM_BASE_URL ends as the endpoint wants it, mostly in /v1"
            yield _warning("the endpoint answers, but lists no models", advice)
        case status:
            raise ModelUnavailable(f"the endpoint fails with status {status}")


def _listed(model: str | None, body: bytes) -> Finding:
    try:
        names = {str(one["id"]) for one in orjson.loads(body)["data"]}
    except (ValueError, KeyError, TypeError):
        return _warning("the endpoint answers, but not with a list", "look what is there")
    if model is None or model in names:
        return _ok(f"the endpoint answers{f' and has {model}' if model else ''}")
    return _warning(f"the endpoint does not list {model}", "check MEMORY_LLM_MODEL")


@_check("denodo", "check MEMORY_DENODO_URL")
async def check_denodo(settings: Settings) -> AsyncIterator[Finding]:
    """Whether the Denodo AI SDK answers."""
    if not settings.denodo_url:
        return
    async with denodo_client(settings, settings.denodo_url) as client:
        status = await client.reach()
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        raise ModelUnavailable(f"the Denodo AI SDK fails with status {status}")
    yield _ok("the Denodo AI SDK answers")


@_check("sql database", "check MEMORY_SQL_DATABASE")
async def check_sql_database(settings: Settings) -> AsyncIterator[Finding]:
    """Whether the database of the data questions can be read."""
    if settings.sql_database is None:
        return
    require("sqlalchemy", "MEMORY_SQL_DATABASE")  # an extra
    from recollect.answerers.sql_database import open_database  # noqa: PLC0415
    from recollect.answerers.sql_database.data import StatementFailed  # noqa: PLC0415

    database = open_database(settings.sql_database.get_secret_value(), timeout=_LIMIT_SECONDS)
    try:
        yield _ok(f"answers, {len(await database.tables())} tables")
    except StatementFailed:
        advice = "let its role read the tables' descriptions"
        yield _failed("the tables cannot be read", advice)
    finally:
        await database.close()


@_check("SQL account", "check MEMORY_SQL_DATABASE and MEMORY_SQL_ROLE", seconds=None)
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
        yield _warning(problem, advice)
    if not problems:
        yield _ok("may only read what it has to")


@_check(
    "embedder",
    "check MEMORY_EMBEDDING_MODEL and MEMORY_EMBEDDING_BASE_URL",
    seconds=120,
)
async def check_embedder(settings: Settings) -> AsyncIterator[Finding]:
    """Whether the embedding model embeds."""
    async with open_embedder(embedding_choice(settings)) as embedder:
        if embedder is None:
            yield _ok("none: what was said is found by its words alone")
        else:
            vector = await embedder.embed_question("hello")
            yield _ok(f"{embedder.model} embeds in {len(vector)} dimensions")


@_check("reranker", "check MEMORY_RERANK and MEMORY_RERANK_MODEL", seconds=60)
async def check_reranker(settings: Settings) -> AsyncIterator[Finding]:
    """Whether the cross-encoder reads pairs, and how long it takes."""
    choice = rerank_choice(settings)
    async with open_reranker(choice) as reranker:
        if reranker is None:
            advice = "" if choice.policy.is_off else "for English: pip install 'recollect[rerank]'"
            yield _ok("none: results are in the order of words and meaning", advice)
            return
        await reranker.warm()
        began = perf_counter()
        await reranker.scores(_SAMPLE_QUESTION, [_SAMPLE_TEXT] * _SAMPLES)
        cost = 1000 * (perf_counter() - began) / _SAMPLES
        yield _ok(f"{reranker.model} reads a question and a text in {cost:.0f} ms")


@_check("vector store", "check MEMORY_VECTOR_STORE_URL, its user name and password")
async def check_vectors(settings: Settings) -> AsyncIterator[Finding]:
    """Whether a store of vectors outside the database answers."""
    async with open_vectors(settings) as store:
        if store is not None:
            await store.keys(UUID(int=0), model="none")
            yield _ok(f"{settings.vector_store} answers")


@_check("archive", "check MEMORY_ARCHIVE; until it answers no expired session is deleted")
async def check_archive(settings: Settings) -> AsyncIterator[Finding]:
    """Whether the archive of expired sessions answers."""
    archive = archive_of(settings)
    if archive is not None:
        async for _ in archive.list(prefix_of(UUID(int=0))):
            break
        yield _ok(f"{settings.archive} answers")


@_check(
    "permissions",
    "check MEMORY_PERMISSIONS; until it answers nothing that draws on a table is shown",
)
async def check_permissions(settings: Settings) -> AsyncIterator[Finding]:
    """Whether the source of permissions answers."""
    address = settings.permission_address
    if address is not None and address.kind is PermissionKind.DENODO:
        # It answers only those who log in.
        url = urlsplit(address.target)
        port = url.port or (443 if url.scheme == "https" else 80)
        _, writer = await asyncio.open_connection(url.hostname, port)
        writer.close()
        yield _ok("the Data Catalog can be reached")
        return
    async with open_permissions(settings) as source:
        if source is not None:
            await source.access_of(Scope(tenant=settings.tenant, user=settings.local_user))
            yield _ok("the source answers")


@_check("disk")
async def check_disk(settings: Settings) -> AsyncIterator[Finding]:
    """Whether there is room for the embedded database."""
    if settings.embedded_home is None:
        return
    state, free = disk_space(settings.home)
    observation, advice = (
        f"{free / 1e9:.1f} GB free for {settings.home}",
        "make room, or move MEMORY_HOME",
    )
    if state is DiskState.OK:
        yield _ok(observation)
    else:
        yield (_failed if state is DiskState.FULL else _warning)(observation, advice)


@_check("database", "check MEMORY_DB_CONNECTION_STRING, or MEMORY_HOME and its log", seconds=None)
async def check_database(settings: Settings) -> AsyncIterator[Finding]:
    """Whether the database answers, and has what is needed."""
    if settings.engine is EngineKind.DYNAMODB:
        return
    async with administered(settings) as dsn:
        facts = await inspect(dsn)
    yield _judged(
        *("database", facts.major_version >= MIN_SERVER_VERSION, Status.FAILED),
        observation=f"PostgreSQL {facts.server_version}",
        advice=f"PostgreSQL {MIN_SERVER_VERSION} or newer is needed",
    )
    yield _judged(
        *("pgvector", facts.has_pgvector, Status.WARNING),
        observation="available" if facts.has_pgvector else "not available",
        advice="install pgvector; semantic recall will need it",
    )
    yield _judged(
        *("schema", facts.revision == HEAD, Status.WARNING),
        observation=f"revision {facts.revision or 'none'}",
        advice=f"'recollect migrate' brings it to {HEAD}",
    )
    if facts.bound_by_policies is not None:
        yield _judged(
            *("isolation", facts.bound_by_policies, Status.FAILED),
            observation="row-level security binds the server's role"
            if facts.bound_by_policies
            else "the server's role is not bound by row-level security",
            advice="see docs/how-to/use-your-own-postgresql.md",
        )


@_check("encryption", "check MEMORY_ENCRYPTION_KEY; nothing is served without the right key")
async def check_encryption(settings: Settings) -> AsyncIterator[Finding]:
    """Whether the master keys decrypt what is stored."""
    wrapper = key_wrapper(settings)
    async with administered(settings) as dsn:
        if await current_revision(dsn) != HEAD:
            return
        async with connected(as_application(dsn)) as connection:
            await check_master_keys(connection, OwnerKeys(wrapper))
    if wrapper is not None:
        yield _ok(f"content is encrypted, by the master key {wrapper.current_id}")


@_check("dynamodb", "check MEMORY_DYNAMODB_TABLE, the region and the AWS credentials")
async def check_dynamodb(settings: Settings) -> AsyncIterator[Finding]:
    """Whether the table answers, and is as it was created."""
    if settings.engine is not EngineKind.DYNAMODB:
        return
    from recollect.engines.dynamodb.table.provisioning import table_state  # noqa: PLC0415

    name = settings.dynamodb_table
    async with dynamodb_client(settings) as client:
        state = await table_state(client, name)
    if state is None:
        yield _failed(f"there is no table {name}", "'recollect dynamodb create' creates it")
        return
    yield _judged(
        *("dynamodb", state.is_usable, Status.FAILED),
        observation=f"the table {name} is {state.status}",
        advice="create the missing indexes: " + ", ".join(state.missing_indexes),
    )
    yield _judged(
        *("protection", state.is_protected, Status.WARNING),
        observation="the table is protected from deletion"
        if state.is_protected
        else "the table is not protected from deletion",
        advice="'recollect dynamodb create' protects it",
    )
    yield _judged(
        *("expiry", state.expires_items, Status.WARNING),
        observation="DynamoDB deletes sessions that nobody cleaned up"
        if state.expires_items
        else "DynamoDB deletes no expired session by itself",
        advice="'recollect dynamodb create' lets it",
    )


def _judged(
    check: str, is_well: object, otherwise: Status, *, observation: str, advice: str
) -> Finding:
    return (
        _ok(observation, check=check)
        if is_well
        else Finding(otherwise, observation, advice, check=check)
    )


_CHECKS: Final = (
    *(check_access, check_token_keys, check_address, check_answers, check_model, check_denodo),
    *(check_sql_database, check_sql_account, check_embedder, check_reranker, check_vectors),
    *(check_archive, check_permissions, check_disk, check_database, check_encryption),
    check_dynamodb,
)
