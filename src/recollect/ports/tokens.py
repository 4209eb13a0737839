"""Counting what a model will read."""

from typing import Protocol


class TokenCounter(Protocol):
    """Counts tokens as one family of models does."""

    def count(self, text: str) -> int:
        """How many tokens the text is, whatever it holds; 0 for an empty one."""
        ...
