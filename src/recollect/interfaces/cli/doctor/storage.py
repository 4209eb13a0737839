"""Where everything is stored."""

from collections.abc import AsyncIterator
from uuid import UUID

from recollect.adapters import archive_of, open_vectors
from recollect.engines.owner_keys import OwnerKeys
from recollect.engines.postgres.connection.addresses import as_application
from recollect.engines.postgres.connection.database import check_master_keys
from recollect.engines.postgres.migrations import (
    HEAD,
    MIN_SERVER_VERSION,
    connected,
    current_revision,
    inspect,
)
from recollect.errors import Unavailable
from recollect.interfaces.cli.doctor.findings import (
    Finding,
    Status,
    check,
    failed,
    judged,
    ok,
    warning,
)
from recollect.interfaces.cli.output import administered, memory_place
from recollect.settings import EngineKind, Settings
from recollect.storage import dynamodb_client, has_embedded_memory, key_wrapper
from recollect.system import DiskState, disk_space


@check("vector store", "check MEMORY_VECTOR_STORE_URL, its user name and password")
async def check_vectors(settings: Settings) -> AsyncIterator[Finding]:
    """Whether a store of vectors outside the database answers."""
    async with open_vectors(settings) as store:
        if store is not None:
            await store.keys(UUID(int=0), model="none")
            yield ok(f"{settings.vector_store} answers")


@check("archive", "check MEMORY_ARCHIVE; until it answers no expired session is deleted")
async def check_archive(settings: Settings) -> AsyncIterator[Finding]:
    """Whether the archive of expired sessions answers."""
    archive = archive_of(settings)
    if archive is not None:
        await archive.check()
        yield ok(f"{settings.archive} answers")


@check("disk")
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
        yield ok(observation)
    else:
        yield (failed if state is DiskState.FULL else warning)(observation, advice)


@check("database", "check MEMORY_DB_CONNECTION_STRING, or MEMORY_HOME and its log", seconds=None)
async def check_database(settings: Settings) -> AsyncIterator[Finding]:
    """Whether the database answers, and has what is needed; none is made where there is none."""
    if settings.engine is EngineKind.DYNAMODB:
        return
    if _is_unused(settings):
        place = memory_place(settings)
        yield ok(f"no memory yet in {place}", "'recollect serve' starts one")
        return
    async with administered(settings) as dsn:
        facts = await inspect(dsn)
    yield judged(
        *("database", facts.major_version >= MIN_SERVER_VERSION, Status.FAILED),
        observation=f"PostgreSQL {facts.server_version}",
        advice=f"PostgreSQL {MIN_SERVER_VERSION} or newer is needed",
    )
    yield judged(
        *("pgvector", facts.has_pgvector, Status.WARNING),
        observation="available" if facts.has_pgvector else "not available",
        advice="install pgvector; semantic recall will need it",
    )
    yield judged(
        *("schema", facts.revision == HEAD, Status.WARNING),
        observation=f"revision {facts.revision or 'none'}",
        advice=f"'recollect migrate' brings it to {HEAD}",
    )
    if settings.db_connection_string is not None and facts.is_superuser:
        yield warning(
            "the server logs in as a superuser of PostgreSQL, whom nothing binds",
            "give it a role of its own: see docs/how-to/use-your-own-postgresql.md",
            check="role",
        )
    if facts.bound_by_policies is not None:
        yield judged(
            *("isolation", facts.bound_by_policies, Status.FAILED),
            observation="row-level security binds the server's role"
            if facts.bound_by_policies
            else "the server's role is not bound by row-level security",
            advice="see docs/how-to/use-your-own-postgresql.md",
        )


@check("encryption", "nothing is served until then; see docs/how-to/encryption.md")
async def check_encryption(settings: Settings) -> AsyncIterator[Finding]:
    """Whether the master keys decrypt what is stored; nothing where no database answers."""
    wrapper = key_wrapper(settings)
    try:
        is_there = await _check_master_keys(settings, OwnerKeys(wrapper))
    except Unavailable:  # another check says so, with what to do about it
        return
    if wrapper is not None and is_there:
        yield ok(f"content is encrypted, by the master key {wrapper.current_id}")


async def _check_master_keys(settings: Settings, keys: OwnerKeys) -> bool:
    """Whether there is a memory; a `ConfigurationError` where the keys do not open it."""
    if settings.engine is EngineKind.DYNAMODB:
        await _check_data_keys(settings, keys)
        return True
    if _is_unused(settings):
        return False
    async with administered(settings) as dsn:
        if await current_revision(dsn) != HEAD:
            return False
        async with connected(as_application(dsn)) as connection:
            await check_master_keys(connection, keys)
    return True


def _is_unused(settings: Settings) -> bool:
    """Whether the folder of the embedded database has none yet."""
    return settings.embedded_home is not None and not has_embedded_memory(settings.embedded_home)


async def _check_data_keys(settings: Settings, keys: OwnerKeys) -> None:
    from recollect.engines.dynamodb.table.data_keys import (  # noqa: PLC0415
        check_data_keys,
        memory_table,
    )

    async with dynamodb_client(settings) as client:
        await check_data_keys(memory_table(client, settings.dynamodb_table, keys))


@check("dynamodb", "check MEMORY_DYNAMODB_TABLE, the region and the AWS credentials")
async def check_dynamodb(settings: Settings) -> AsyncIterator[Finding]:
    """Whether the table answers, and is as it was created."""
    if settings.engine is not EngineKind.DYNAMODB:
        return
    from recollect.engines.dynamodb.table.provisioning import table_state  # noqa: PLC0415

    name = settings.dynamodb_table
    async with dynamodb_client(settings) as client:
        state = await table_state(client, name)
    if state is None:
        yield failed(f"there is no table {name}", "'recollect dynamodb create' creates it")
        return
    yield judged(
        *("dynamodb", state.is_usable, Status.FAILED),
        observation=f"the table {name} is {state.status}",
        advice="create the missing indexes: " + ", ".join(state.missing_indexes),
    )
    yield judged(
        *("protection", state.is_protected, Status.WARNING),
        observation="the table is protected from deletion"
        if state.is_protected
        else "the table is not protected from deletion",
        advice="'recollect dynamodb create' protects it",
    )
    yield judged(
        *("expiry", state.expires_items, Status.WARNING),
        observation="DynamoDB deletes sessions that nobody cleaned up"
        if state.expires_items
        else "DynamoDB deletes no expired session by itself",
        advice="'recollect dynamodb create' lets it",
    )
