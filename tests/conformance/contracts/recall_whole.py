"""All that every index of recall promises, in one suite."""

from conformance.contracts.recall import RecallIndexContract
from conformance.contracts.recall_filters import RecallFilterContract
from conformance.contracts.recall_keeping import RecallKeepingContract


class WholeRecallContract:
    """What is found, what is kept and what a filter leaves; give it a fixture `stores`."""

    class TestRecallIndex(RecallIndexContract):
        """What is found."""

    class TestRecallKeeping(RecallKeepingContract):
        """What is kept, and for how long."""

    class TestRecallFilter(RecallFilterContract):
        """What a filter leaves."""
