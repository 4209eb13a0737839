"""DynamoDB with encrypted content keeps what it promises wherever it works on content.

`RECOLLECT_DYNAMODB=all` runs every contract.
"""

import os

import pytest

from conformance.contracts.engine import EngineContract
from conformance.contracts.facts import FactStoreContract
from conformance.contracts.indexing import IndexingContract
from conformance.contracts.profiles import ProfileStoreContract
from conformance.contracts.recall import RecallIndexContract
from conformance.contracts.recall_whole import WholeRecallContract
from conformance.contracts.session_naming import SessionNamingContract
from recollect.engines.dynamodb.engine import dynamo_stores
from recollect.ports import Stores
from recollect.system import SystemClock
from support.doubles.dynamodb import a_double
from support.encryption import owner_keys


@pytest.fixture
def stores() -> Stores:
    return dynamo_stores(a_double(keys=owner_keys()), SystemClock())


if os.environ.get("RECOLLECT_DYNAMODB") == "all":

    class TestEncryptedDynamo(EngineContract, WholeRecallContract):
        class TestIndexing(IndexingContract):
            pass

else:

    class TestSessionNaming(SessionNamingContract):
        """Names are made of plain questions."""

    class TestProfiles(ProfileStoreContract):
        """Plain values are merged."""

    class TestFacts(FactStoreContract):
        """Facts are compared after decryption."""

    class TestRecall(RecallIndexContract):
        """Words are searched after decryption."""
