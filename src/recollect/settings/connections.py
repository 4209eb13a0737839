"""How long clients may take, and how much of a request's head is read."""

from pydantic import BaseModel, Field


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
