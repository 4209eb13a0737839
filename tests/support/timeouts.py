"""How long tests wait for what must happen: enough for a machine that is ten times as slow."""

from typing import Final

PATIENCE: Final = 300.0
