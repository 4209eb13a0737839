"""How much memory a request may use."""

from enum import StrEnum
from typing import Final

from recollect.errors import InvalidInput


class MemoryPolicy(StrEnum):
    """What memory does for a request, from nothing to everything."""

    OFF = "off"
    """Nothing is read and nothing is stored."""
    READ = "read"
    """What is remembered is used; nothing is stored."""
    FULL = "full"


_ORDER: Final = tuple(MemoryPolicy)


def parse_memory_policy(text: str, field: str) -> MemoryPolicy:
    """Read a policy, or say which ones there are."""
    try:
        return MemoryPolicy(text.strip().lower())
    except ValueError:
        raise InvalidInput(field, f"must be one of: {', '.join(MemoryPolicy)}") from None


def stricter(*policies: MemoryPolicy) -> MemoryPolicy:
    """The policy that allows least."""
    return min(policies, key=_ORDER.index)
