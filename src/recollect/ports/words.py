"""Words brought to a form in which they meet their relatives."""

from collections.abc import Sequence
from typing import Protocol


class WordStems(Protocol):
    """Knows the stems of words, so that 'painted' finds 'painting'."""

    def stems(self, text: str, *, language: str | None = None) -> Sequence[str]:
        """The stems of a text's words in their order, without those that say nothing.

        The language is told by the text where it is not given. Case and accents do not matter;
        numbers and names with digits or dots stay whole. The same text gives the same stems
        always: they are stored.
        """
        ...
