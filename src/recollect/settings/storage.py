"""Settings of where data is stored, and how it is maintained."""

import os
from enum import StrEnum
from pathlib import Path
from typing import Final, Self

import platformdirs
from pydantic import BaseModel, Field, SecretStr, field_validator, model_validator

from recollect.domain.policy.retention import RetentionMode, RetentionPolicy
from recollect.errors import InvalidInput
from recollect.settings.variables import TextsByName, read_identity

EMBEDDED_CONNECTIONS: Final = 190
"""Of those that the embedded PostgreSQL allows, what is left beside commands and itself."""
LOOPBACK_HOSTS: Final = frozenset({"127.0.0.1", "::1", "localhost"})


def default_home() -> Path:
    """The user's data folder; for root a folder that PostgreSQL's own account can reach."""
    if os.geteuid() == 0:
        return Path("/var/lib/recollect")
    return platformdirs.user_data_path("recollect")


class StorageSettings(BaseModel):
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

    db_statement_cache: int = Field(
        default=100,
        ge=0,
        le=10_000,
        description="Prepared statements that a connection to a PostgreSQL of your own caches; "
        "0 for none, which a pooler in transaction mode may need.",
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


class ConnectionSettings(BaseModel):
    """Limits of the connections that clients open."""

    max_header_bytes: int = Field(
        default=65_536,
        ge=1_000,
        description="Largest head of a request that is read: its first line and all headers.",
    )
    max_headers: int = Field(
        default=100, ge=10, description="The most headers that one request may have."
    )
    header_timeout_seconds: float = Field(
        default=10,
        gt=0,
        description="Time within which a connection must have sent the head of a request.",
    )
    body_timeout_seconds: float = Field(
        default=20,
        gt=0,
        description="Time after which a body that comes slower than 500 bytes a second is refused.",
    )
    keep_alive_seconds: float = Field(
        default=75,
        gt=0,
        description="How long a connection is kept open for the client's next request.",
    )
    max_waiting_connections: int = Field(
        default=2_000,
        ge=10,
        description="Connections of one process on which no whole request has come; beyond, the "
        "oldest are closed. Requests that are being answered do not count.",
    )


class VectorStoreKind(StrEnum):
    """What keeps vectors."""

    PGVECTOR = "pgvector"
    CHROMA = "chroma"
    OPENSEARCH = "opensearch"


class VectorSettings(BaseModel):
    """The store of vectors, and how to get there."""

    vector_store: VectorStoreKind = Field(
        default=VectorStoreKind.PGVECTOR,
        description="Where vectors are kept: pgvector (in PostgreSQL), chroma or opensearch; all "
        "else stays in PostgreSQL.",
    )
    vector_collection_name: str = Field(
        default="recollect_memory",
        pattern="^[a-z0-9][a-z0-9_-]{1,63}$",
        description="What begins the names of Chroma's collections or OpenSearch's indices; it "
        "belongs to one database alone.",
    )
    vector_store_url: str | None = Field(
        default=None,
        description="Address of OpenSearch, or of a Chroma server; unset, Chroma uses the folder "
        "chroma in MEMORY_HOME.",
    )
    vector_store_username: str | None = Field(
        default=None, description="User name for that address, if it wants one."
    )
    vector_store_password: SecretStr | None = Field(
        default=None, description="Password of that user."
    )


class MaintenanceSettings(BaseModel):
    """Retention, clean-up and the worker."""

    retention: str | None = Field(
        default=None,
        description="How long sessions are kept: none, fixed:DAYS (from creation) or "
        "sliding:DAYS (from last use); default: the preset's.",
    )
    retention_days: float | None = Field(
        default=None,
        gt=0,
        allow_inf_nan=False,
        description="The days of MEMORY_RETENTION alone, in the preset's mode; fixed, where the "
        "preset keeps everything.",
    )
    retention_by_tenant: TextsByName = Field(
        default_factory=dict,
        description='The same for single tenants, as JSON: {"acme": "sliding:90"}.',
    )
    cleanup_interval_hours: float = Field(
        default=24, gt=0, description="How often expired sessions are deleted."
    )
    worker: bool = Field(
        default=True,
        description="Whether the server also does the background work; "
        "else 'recollect worker' does.",
    )

    @model_validator(mode="after")
    def _set_retention_once(self) -> Self:
        if self.retention is not None and self.retention_days is not None:
            raise ValueError("set MEMORY_RETENTION or MEMORY_RETENTION_DAYS, not both")
        return self

    def retention_policy(self, usual: RetentionPolicy) -> RetentionPolicy:
        """How long sessions are kept: as set, or else as usual."""
        if self.retention is not None:
            return RetentionPolicy.parse(self.retention)
        if self.retention_days is None:
            return usual
        mode = RetentionMode.FIXED if usual.mode is RetentionMode.NONE else usual.mode
        return RetentionPolicy(mode=mode, days=self.retention_days)

    @field_validator("retention", "retention_by_tenant")
    @classmethod
    def _read_retention(cls, value: str | dict[str, str] | None) -> str | dict[str, str] | None:
        texts = value.values() if isinstance(value, dict) else [value] if value else []
        for text in texts:
            try:
                RetentionPolicy.parse(text)
            except InvalidInput as error:
                raise ValueError(str(error)) from None
        return value

    @field_validator("retention_by_tenant")
    @classmethod
    def _check_tenants(cls, value: dict[str, str]) -> dict[str, str]:
        for name in value:
            try:
                read_identity(name)
            except ValueError as error:
                raise ValueError(f"a tenant's name {error}") from None
        return value
