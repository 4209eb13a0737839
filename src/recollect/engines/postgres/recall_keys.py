"""Words and models as numbers, for tables with a row for each."""

from typing import Final
from zlib import crc32

_MOST: Final = 0x7FFFFFFF  # what fits a PostgreSQL integer, without its sign


def term_key(term: str) -> int:
    """Stand for a word: two words of one owner share a number once in thousands of owners."""
    return crc32(term.encode("utf-8", "surrogatepass")) & _MOST


def model_key(model: str, dimensions: int) -> int:
    """Stand for a model and the length of its vectors, which may differ under one name."""
    return crc32(f"{model}\n{dimensions}".encode("utf-8", "surrogatepass")) & _MOST
