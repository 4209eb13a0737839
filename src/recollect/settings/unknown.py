"""Variables that look like settings and are none."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Final

from recollect.settings.settings import Settings

_PREFIX: Final = "MEMORY_"


@dataclass(frozen=True, slots=True, kw_only=True)
class UnknownSetting:
    """A MEMORY_ variable of the environment that sets nothing."""

    name: str
    nearest: str | None
    """The setting whose name comes near; None where no name does."""


def unknown_settings() -> Iterator[UnknownSetting]:
    """What the environment sets in vain: most likely misspelt."""
    known = [f"{_PREFIX}{name.upper()}" for name in Settings.model_fields]
    for name in sorted(os.environ):
        if name.upper().startswith(_PREFIX) and name.upper() not in known:
            near = get_close_matches(name.upper(), known, n=1, cutoff=0.8)
            yield UnknownSetting(name=name, nearest=near[0] if near else None)
