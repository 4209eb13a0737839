"""Checksums of what an owner has, by which two memories are compared."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from recollect.domain.text import JsonValue
from recollect.domain.transfer.document import IMPORTED, Part

_MODULUS: Final = 2**256


@dataclass(slots=True)
class Checksums:
    """The number of items of each part, and a checksum that does not depend on their order."""

    counts: dict[Part, int] = field(default_factory=lambda: dict.fromkeys(IMPORTED, 0))
    sums: dict[Part, int] = field(default_factory=lambda: dict.fromkeys(IMPORTED, 0))

    def add(self, part: Part, item: JsonValue) -> None:
        """Take in an item; parts that no import stores do not count."""
        if part in self.counts:
            self.counts[part] += 1
            # A sum, and not an exclusive or: two items that are the same must not cancel out.
            self.sums[part] = (self.sums[part] + _number_of(item)) % _MODULUS

    @property
    def is_empty(self) -> bool:
        """Whether there is no item at all."""
        return not any(self.counts.values())

    def differences(self, other: "Checksums") -> tuple[str, ...]:
        """Say in which parts another memory differs, as its number of items or its content."""
        return tuple(
            f"{part}: {self.counts[part]:,} and {other.counts[part]:,}"
            if self.counts[part] != other.counts[part]
            else f"{part}: other content"
            for part in IMPORTED
            if (self.counts[part], self.sums[part]) != (other.counts[part], other.sums[part])
        )


def _number_of(item: JsonValue) -> int:
    text = json.dumps(item, sort_keys=True, separators=(",", ":"), default=_plain)
    return int.from_bytes(hashlib.sha256(text.encode()).digest())


def _plain(value: object) -> object:
    return dict(value) if isinstance(value, Mapping) else list(value)  # type: ignore[call-overload]
