"""Where memory is kept, and where the server listens."""

import os
from pathlib import Path
from typing import Final, Self

import platformdirs
from pydantic import BaseModel, Field, SecretStr, model_validator

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
        default=20,
        ge=1,
        le=1000,
        description="Connections one process holds at most, beside one for /readyz.",
    )
    db_pool_size: int | None = Field(
        default=None,
        ge=1,
        le=1000,
        description="With MEMORY_DB_MAX_OVERFLOW another way to say MEMORY_DB_MAX_CONNECTIONS: "
        "the sum of both.",
    )
    db_max_overflow: int | None = Field(
        default=None, ge=0, le=1000, description="Connections beyond MEMORY_DB_POOL_SIZE."
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

    @model_validator(mode="after")
    def _count_connections_once(self) -> Self:
        given = self.model_fields_set
        if "db_max_connections" in given and {"db_pool_size", "db_max_overflow"} & given:
            raise ValueError(
                "set MEMORY_DB_MAX_CONNECTIONS, or MEMORY_DB_POOL_SIZE and MEMORY_DB_MAX_OVERFLOW"
            )
        if self.db_max_overflow is not None and self.db_pool_size is None:
            raise ValueError("MEMORY_DB_MAX_OVERFLOW needs MEMORY_DB_POOL_SIZE")
        return self

    @property
    def max_connections(self) -> int:
        """Connections one process holds at most, whichever way they were set."""
        if self.db_pool_size is None:
            return self.db_max_connections
        return self.db_pool_size + (self.db_max_overflow or 0)

    @property
    def cache_folder(self) -> Path:
        """Where may lie what can be made again."""
        return platformdirs.user_cache_path("recollect")
