"""PostgreSQL with encrypted content keeps what it promises wherever it works on content."""

from collections.abc import AsyncIterator

import pytest_asyncio

from conformance.contracts.branches import BranchStoreContract
from conformance.contracts.facts import FactStoreContract
from conformance.contracts.facts_reading import FactReadingContract
from conformance.contracts.message_appending import MessageAppendingContract
from conformance.contracts.message_retrying import MessageRetryingContract
from conformance.contracts.profiles import ProfileStoreContract
from conformance.contracts.recall import RecallIndexContract
from conformance.contracts.session_naming import SessionNamingContract
from conformance.contracts.transfer import TransferContract
from recollect.engines.postgres.engine import postgres_stores
from recollect.ports import Stores
from recollect.system import SystemClock
from support.encryption import encrypting
from support.servers.databases import own_database


@pytest_asyncio.fixture(scope="module")
async def stores(admin_dsn: str) -> AsyncIterator[Stores]:
    async with own_database(admin_dsn, "encrypted") as dsn, encrypting(dsn) as database:
        yield postgres_stores(database, SystemClock())


class TestSessionNaming(SessionNamingContract):
    """Names are made of plain questions."""


class TestMessageAppending(MessageAppendingContract):
    """Metadata and details come back as they were."""


class TestMessageRetrying(MessageRetryingContract):
    """The same again is the same."""


class TestBranches(BranchStoreContract):
    """Lists of clients are compared with plain messages."""


class TestProfiles(ProfileStoreContract):
    """Plain values are merged."""


class TestFacts(FactStoreContract):
    """Two facts that say the same are known by keyed hashes."""


class TestFactReading(FactReadingContract):
    """Lists are filtered after decryption."""


class TestRecall(RecallIndexContract):
    """Words are searched by keyed numbers."""


class TestTransfer(TransferContract):
    """Exports are plain, imports are encrypted."""
