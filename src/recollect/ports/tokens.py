"""Counting what a model will read."""

from typing import Protocol


class TokenCounter(Protocol):
    """Counts tokens as one family of models does."""

    @property
    def is_ready(self) -> bool:
        """Whether it counts at once: the first count may load a vocabulary."""
        ...

    def count(self, text: str, *, limit: int | None = None) -> int:
        """How many tokens the text is, whatever it holds; 0 for an empty one.

        Takes time in proportion to the text's length, and holds no other thread up meanwhile.
        With a limit, a text over it may be counted only so far that this is known: the result
        is then some number above the limit.
        """
        ...
