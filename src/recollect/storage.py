"""Opens the engine that the settings name."""

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from recollect.engines.owner_keys import OwnerKeys
from recollect.errors import ConfigurationError
from recollect.extras import require
from recollect.ports import Stores
from recollect.ports.privacy.encryption import KeyWrapper, OwnerCiphers
from recollect.ports.runtime import Clock
from recollect.ports.telemetry import Telemetry
from recollect.settings import EngineKind, Settings

if TYPE_CHECKING:
    from recollect.engines.dynamodb.table.client import DynamoClient
    from recollect.engines.postgres.connection.database import Database


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenedEngine:
    """An engine that works until its block ends."""

    stores: Stores
    was_full_lately: Callable[[], bool] = lambda: False
    """Whether it refused to store something within a minute for want of space."""
    connections: Callable[[], Mapping[str, int]] = dict
    """How many connections are `busy` and `idle`, and how many are `wanted`."""
    ciphers: OwnerCiphers | None = None
    """What encrypts the archive; None for an engine that encrypts nothing."""


@asynccontextmanager
async def open_engine(
    settings: Settings, clock: Clock, telemetry: Telemetry
) -> AsyncIterator[OpenedEngine]:
    """Open the engine; its connections are closed at the end."""
    # Engines are loaded when one is opened: importing recollect stays quick.
    if settings.engine is EngineKind.DYNAMODB:
        require("botocore", "MEMORY_ENGINE=dynamodb")
        from recollect.engines.dynamodb.engine import dynamo_stores, open_table  # noqa: PLC0415
        from recollect.engines.dynamodb.privacy.encryption import DynamoCiphers  # noqa: PLC0415

        async with open_table(
            settings.dynamodb_table,
            region=settings.dynamodb_region,
            endpoint=settings.dynamodb_endpoint_url,
            keys=OwnerKeys(key_wrapper(settings)),
        ) as table:
            stores = dynamo_stores(table, clock, kept_in=settings.outside_store)
            yield OpenedEngine(stores=stores, ciphers=DynamoCiphers(table))
        return
    from recollect.engines.postgres.encryption import PostgresCiphers  # noqa: PLC0415
    from recollect.engines.postgres.engine import postgres_stores  # noqa: PLC0415

    async with _open_database(settings, telemetry) as database:
        yield OpenedEngine(
            stores=postgres_stores(database, clock, kept_in=settings.outside_store),
            was_full_lately=database.was_full_lately,
            connections=database.connections,
            ciphers=PostgresCiphers(database),
        )


async def check_has_memory(settings: Settings) -> None:
    """Refuse a place where no memory is yet, which opening it would make.

    Raises:
        ConfigurationError: says where none is.
    """
    home = settings.embedded_home
    if home is not None:
        if not has_embedded_memory(home):
            raise ConfigurationError(
                f"there is no memory in the folder {home.absolute()}: check its name; "
                "'recollect serve' starts a new one"
            )
    elif settings.db_connection_string is not None:
        from recollect.engines.postgres.connection.addresses import normalise  # noqa: PLC0415
        from recollect.engines.postgres.migrations import current_revision  # noqa: PLC0415

        dsn = normalise(settings.db_connection_string.get_secret_value())
        if await current_revision(dsn) is None:
            raise ConfigurationError("the database has no memory: Recollect never worked on it")


def has_embedded_memory(home: Path) -> bool:
    """Whether an embedded database was ever started in a folder."""
    return any(home.expanduser().glob("postgres-*/PG_VERSION"))


def key_wrapper(settings: Settings) -> KeyWrapper | None:
    """The master keys; None if content is not encrypted."""
    keys = settings.master_keys
    if keys is None:
        return None
    require("cryptography", "MEMORY_ENCRYPTION_KEY")
    from recollect.encryption.master_keys import MasterKeys  # noqa: PLC0415  # an extra

    return MasterKeys(keys)


def dynamodb_client(settings: Settings) -> "DynamoClient":
    """Connections to the DynamoDB that the settings name; close them with `aclose`."""
    require("botocore", "MEMORY_ENGINE=dynamodb")
    from recollect.engines.dynamodb.table.client import DynamoClient  # noqa: PLC0415

    return DynamoClient(region=settings.dynamodb_region, endpoint=settings.dynamodb_endpoint_url)


def _open_database(
    settings: Settings, telemetry: Telemetry
) -> "AbstractAsyncContextManager[Database]":
    from recollect.engines.postgres.engine import open_embedded, open_external  # noqa: PLC0415

    size, keys = settings.max_connections, OwnerKeys(key_wrapper(settings))
    if settings.db_connection_string is None:
        return open_embedded(settings.home, max_connections=size, keys=keys, telemetry=telemetry)
    return open_external(
        settings.db_connection_string.get_secret_value(),
        max_connections=size,
        statement_cache=settings.db_statement_cache,
        keys=keys,
        telemetry=telemetry,
    )
