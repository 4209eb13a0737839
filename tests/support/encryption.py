"""Master keys, and databases whose content they encrypt."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from recollect.encryption.master_keys import MasterKeys
from recollect.engines.owner_keys import OwnerKeys
from recollect.engines.postgres.connection.database import Database
from recollect.engines.postgres.engine import open_external
from recollect.services.privacy.encrypting import Encryption
from recollect.services.services import Services

FIRST_KEY = bytes(range(32))
SECOND_KEY = bytes(range(32, 64))
"""The same in all processes of a run: they are in the names of tests."""
FRESH_SECONDS = 0.2
"""So that an erasure does not wait for seconds until no process has the key cached."""


def master_keys(**keys: bytes) -> MasterKeys:
    """Master keys by their ids, the current one first; one of its own, if none is given."""
    return MasterKeys(keys or {"first": FIRST_KEY})


def owner_keys(**keys: bytes) -> OwnerKeys:
    """A cache of data keys that master keys unwrap, as a process has one."""
    return OwnerKeys(master_keys(**keys), fresh_seconds=FRESH_SECONDS)


def encryption_of(services: Services) -> Encryption:
    """What operators do about encryption."""
    assert services.encryption is not None
    return services.encryption


@asynccontextmanager
async def encrypting(dsn: str, **keys: bytes) -> AsyncIterator[Database]:
    """Connections that encrypt content, as a server's do."""
    async with open_external(dsn, max_connections=10, keys=owner_keys(**keys)) as database:
        yield database
