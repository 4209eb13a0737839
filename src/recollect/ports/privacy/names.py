"""Where names of people stand in texts."""

from collections.abc import Sequence
from typing import Protocol

from recollect.domain.privacy.names import Span


class NameFinder(Protocol):
    """Finds names of people, as well as its models can: some are missed, some are none."""

    @property
    def languages(self) -> Sequence[str]:
        """The languages that it reads, such as `en`."""

    def find(self, texts: Sequence[str]) -> Sequence[Sequence[Span]]:
        """Return for each text where names stand: start and end, in any order, some may overlap.

        The same text gives the same result. It takes milliseconds for a sentence and blocks: call
        it from a thread, from several at the same time if need be, never from the event loop.
        """
