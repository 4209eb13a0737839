"""Where vectors are kept."""

from enum import StrEnum

from pydantic import BaseModel, Field, SecretStr


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
