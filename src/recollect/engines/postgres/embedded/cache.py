"""How much memory the server keeps pages of the data in."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

_MEGABYTE: Final = 2**20
_LEAST, _MOST = 128, 1024  # PostgreSQL's own default, and what a million messages fit in
_LIMITS: Final = (
    Path("/sys/fs/cgroup/memory.max"),
    Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"),
)


def cache_megabytes(memory: int) -> int:
    """A quarter of so many bytes of memory, as PostgreSQL's manual advises, within reason."""
    return min(max(memory // 4 // _MEGABYTE, _LEAST), _MOST)


def memory_at_hand() -> int:
    """The machine's memory in bytes, or what a container may use of it."""
    machine = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return min([machine, *_container_limits()])


def _container_limits() -> Iterator[int]:
    for path in _LIMITS:
        text = path.read_text().strip() if path.exists() else ""
        if text.isdecimal():  # 'max' stands for none
            yield int(text)
