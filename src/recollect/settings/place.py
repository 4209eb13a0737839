"""Where memory is kept, and where the server listens."""

import os
from pathlib import Path
from typing import Final

import platformdirs
from pydantic import BaseModel, Field, SecretStr

EMBEDDED_CONNECTIONS: Final = 190
"""Of those that the embedded PostgreSQL allows, what is left beside commands and itself."""
LOOPBACK_HOSTS: Final = frozenset({"127.0.0.1", "::1", "localhost"})


def default_home() -> Path:
    """The user's data folder; for root a folder that PostgreSQL's own account can reach."""
    if os.geteuid() == 0:
        return Path("/var/lib/recollect")
    return platformdirs.user_data_path("recollect")


class PlaceSettings(BaseModel):
    """The database, and the address of the server."""

    home: Path = Field(
        default_factory=default_home, description="Folder of the embedded PostgreSQL."
    )
    db_connection_string: SecretStr | None = Field(
        default=None,
        description="A PostgreSQL 15+ of your own, instead of the embedded one: "
        "postgresql://user:password@host/database.",
    )
    db_max_connections: int = Field(
        default=20, ge=1, le=1000, description="Connections one process holds at most."
    )

    host: str = Field(default="127.0.0.1", description="Address the server listens on.")
    port: int = Field(default=8080, ge=0, le=65535, description="Port the server listens on.")
    processes: int = Field(
        default=1,
        ge=1,
        le=64,
        description="Processes that answer; besides more than one, another does the "
        "background work. Each has its own database connections and models.",
    )
    max_body_bytes: int = Field(
        default=8_000_000, ge=1_000, description="Largest request body that is read."
    )

    @property
    def cache_folder(self) -> Path:
        """Where may lie what can be made again."""
        return platformdirs.user_cache_path("recollect")
