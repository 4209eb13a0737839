"""Settings of the server: where data is stored, and who may call."""

import os
import re
import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Final

from pydantic import BaseModel, BeforeValidator, Field, SecretStr

from recollect.domain.identity.permissions import PermissionAddress
from recollect.domain.identity.scope import DEFAULT_TENANT, tenant_name
from recollect.errors import InvalidInput
from recollect.settings.values import (
    HttpAddress,
    Identity,
    SeparatedByCommas,
    accepted_by,
    matching,
)

_TABLE_NAME: Final = re.compile("[A-Za-z0-9_.-]{3,250}")
_COLLECTION_NAME: Final = re.compile("[a-z0-9][a-z0-9_-]{1,63}")
LEAST_SECRET: Final = 16
"""The fewest characters of a secret that tells who is calling."""
EMBEDDED_CONNECTIONS: Final = 190
"""Connections of the embedded PostgreSQL that servers may share; commands have the rest."""
LOOPBACK_HOSTS: Final = frozenset({"127.0.0.1", "::1", "localhost"})


def _tenant(tenant: object) -> object:
    """Take a number for a name, and refuse the reserved name."""
    try:
        return tenant_name(tenant) if isinstance(tenant, str | int) else tenant
    except InvalidInput as error:
        raise ValueError(error.problem) from None


def default_home() -> Path:
    """The user's data folder; for root a folder that PostgreSQL's own account can reach."""
    if os.geteuid() == 0:
        return Path("/var/lib/recollect")
    return _user_folder("XDG_DATA_HOME", ".local/share", "Library/Application Support")


def _user_folder(variable: str, on_linux: str, on_macos: str) -> Path:
    """The folder of this program by the convention of the operating system."""
    chosen = Path(os.environ.get(variable, ""))
    usual = Path.home() / (on_macos if sys.platform == "darwin" else on_linux)
    return (chosen if chosen.is_absolute() else usual) / "recollect"


class EngineKind(StrEnum):
    """What stores the memory."""

    POSTGRESQL = "postgresql"
    DYNAMODB = "dynamodb"


class ServerSettings(BaseModel):
    """The database, the address of the server, and limits of the connections to it."""

    engine: EngineKind = EngineKind.POSTGRESQL
    """What stores the memory: postgresql, the embedded one or your own, or dynamodb."""
    dynamodb_table: Annotated[
        str,
        matching(
            _TABLE_NAME,
            "must be the name of a table: 3 to 250 letters, digits, dots, hyphens and underscores",
        ),
    ] = "ConversationMemory"
    """Name of the table in DynamoDB, which 'recollect dynamodb create' creates; the keys of
    encrypted content are in another, with -keys behind its name."""
    dynamodb_region: str | None = None
    """Region of the table, such as eu-west-1; default: that of the AWS environment or profile."""
    dynamodb_endpoint_url: HttpAddress | None = None
    """Address of a server with DynamoDB's interface; default: Amazon's in that region."""
    home: Path = Field(default_factory=default_home)
    """Folder of the embedded PostgreSQL."""
    db_connection_string: SecretStr | None = None
    """A PostgreSQL 15+ of your own, instead of the embedded one:
    postgresql://user:password@host/database."""
    db_max_connections: int = Field(default=20, ge=1, le=1000)
    """Connections one process holds at most, beside one for /readyz."""
    db_pool_size: int | None = Field(default=None, ge=1, le=1000)
    """With MEMORY_DB_MAX_OVERFLOW another way to say MEMORY_DB_MAX_CONNECTIONS: the sum of both."""
    db_max_overflow: int | None = Field(default=None, ge=0, le=1000)
    """Connections beyond MEMORY_DB_POOL_SIZE."""
    db_statement_cache: int = Field(default=100, ge=0, le=10_000)
    """Prepared statements that a connection to a PostgreSQL of your own caches; 0 for none, which a
    pooler in transaction mode may need."""
    host: str = "127.0.0.1"
    """Address the server listens on."""
    port: int = Field(default=8080, ge=0, le=65535)
    """Port the server listens on."""
    processes: int = Field(default=1, ge=1, le=64)
    """Processes that answer; besides more than one, another does the background work. Each has its
    own database connections and models."""
    max_body_bytes: int = Field(default=8_000_000, ge=1_000)
    """Largest request body that is read."""
    max_header_bytes: int = Field(default=65_536, ge=1_000)
    """Largest head of a request that is read: its first line and all headers."""
    max_headers: int = Field(default=100, ge=10)
    """The most headers that one request may have."""
    header_timeout_seconds: float = Field(default=10, gt=0)
    """Time within which a connection must have sent the head of a request."""
    body_timeout_seconds: float = Field(default=20, gt=0)
    """Time after which a body that comes slower than 500 bytes a second is refused."""
    keep_alive_seconds: float = Field(default=75, gt=0)
    """How long a connection is kept open for the client's next request."""
    max_waiting_connections: int = Field(default=2_000, ge=10)
    """Connections of one process on which no whole request has come; beyond, the oldest are closed.
    Requests that are being answered do not count."""
    max_requests_at_work: int = Field(default=16, ge=1)
    """The most requests that one process works on at once; others wait for a place. Those that wait
    for a model, or for their client, do not count."""
    max_request_wait_seconds: float = Field(default=5, ge=0)
    """How long a request waits for a place, and a tenth of it once requests have been waiting for
    that long; then it is refused with 503 and Retry-After."""

    @property
    def max_connections(self) -> int:
        """Connections one process holds at most, whichever way they were set."""
        if self.db_pool_size is None:
            return self.db_max_connections
        return self.db_pool_size + (self.db_max_overflow or 0)


class DashboardSettings(BaseModel):
    """The pages in the browser."""

    dashboard: bool = True
    """Whether the server shows the dashboard at /dashboard, and / leads there: on or off."""
    dashboard_idle_minutes: int = Field(default=60, ge=1, le=1_440)
    """After how many minutes without a click the dashboard asks to sign in again; after twelve
    hours it always does."""


class UserIdSource(StrEnum):
    """Which verified credential tells who the caller is."""

    API_KEY = "api_key"
    JWT_CLAIM = "jwt_claim"
    BASIC_USERNAME = "basic_username"
    BEARER_TOKEN = "bearer_token"  # noqa: S105  # the name of a kind of credential


class AuthSettings(BaseModel):
    """How callers are identified."""

    tenant: Annotated[Identity, BeforeValidator(_tenant)] = DEFAULT_TENANT
    """Tenant of the local user, and of credentials that name none."""
    local_user: Identity = "local"
    """The one user served while no credentials are configured."""
    user_id_source: UserIdSource | None = None
    """Where the caller's identity comes from: api_key, jwt_claim, bearer_token or basic_username
    (checked by the Denodo AI SDK of MEMORY_DENODO_URL). Unset: one local user, on loopback only."""
    user_id_jwt_claim: str = "sub"
    """JWT claim that names the user."""
    tenant_jwt_claim: str | None = None
    """JWT claim that names the tenant; unset: MEMORY_TENANT."""
    jwt_secret: SecretStr | None = Field(default=None, min_length=LEAST_SECRET)
    """Secret that JWTs are signed with (HS256, HS384, HS512)."""
    jwt_jwks_url: HttpAddress | None = None
    """Address of the key set that JWTs are signed with (RS*, ES*, …)."""
    jwt_algorithms: SeparatedByCommas = ()
    """Accepted JWT algorithms, comma-separated; default HS256 with a secret, RS256 and ES256 with a
    key set."""
    jwt_issuer: str | None = None
    """Required 'iss' of JWTs."""
    jwt_audience: str | None = None
    """Required 'aud' of JWTs."""
    allow_anonymous: bool = False
    """Whether callers without credentials are served, beside a source of identities: each session
    is an owner of its own (anon: and its UUID, which no credentials may name), and its UUID all
    that opens it."""
    bearer_hash_secret: SecretStr | None = Field(default=None, min_length=LEAST_SECRET)
    """Key for hashing opaque bearer tokens into user ids (bearer_token)."""
    openwebui_jwt_secret: SecretStr | None = Field(default=None, min_length=LEAST_SECRET)
    """Secret of OpenWebUI's X-OpenWebUI-User-Jwt (its FORWARD_USER_INFO_HEADER_JWT_SECRET); when
    set, OpenWebUI's users are taken from that token alone, not from X-OpenWebUI-User-Id."""

    @property
    def is_local_mode(self) -> bool:
        """Whether no credentials are configured: one user, loopback only."""
        return self.user_id_source is None


class VectorStoreKind(StrEnum):
    """What keeps vectors."""

    PGVECTOR = "pgvector"
    CHROMA = "chroma"
    OPENSEARCH = "opensearch"


class VectorSettings(BaseModel):
    """The store of vectors, and how to get there."""

    vector_store: VectorStoreKind = VectorStoreKind.PGVECTOR
    """Where vectors are kept: pgvector (in PostgreSQL), chroma or opensearch; all else stays in
    PostgreSQL."""
    vector_collection_name: Annotated[
        str,
        matching(
            _COLLECTION_NAME,
            "must be 2 to 64 small letters, digits, hyphens and underscores, a letter or a digit "
            "first",
        ),
    ] = "recollect_memory"
    """What begins the names of Chroma's collections or OpenSearch's indices; it belongs to one
    database alone."""
    vector_store_url: str | None = None
    """Address of OpenSearch, or of a Chroma server; unset, Chroma uses the folder chroma in
    MEMORY_HOME."""
    vector_store_username: str | None = None
    """User name for that address, if it wants one."""
    vector_store_password: SecretStr | None = None
    """Password of that user."""

    @property
    def outside_store(self) -> str | None:
        """The name of the store outside in the database, the same wherever it moves to."""
        if self.vector_store is VectorStoreKind.PGVECTOR:
            return None
        return f"{self.vector_store}/{self.vector_collection_name}"


class ChatClientSettings(BaseModel):
    """The server of a chat in the terminal."""

    server_url: str | None = None
    """A running server that 'recollect chat' talks to; unset: no server is needed."""
    server_key: SecretStr | None = None
    """The API key that 'recollect chat' shows to that server."""


class PermissionSettings(BaseModel):
    """Where permissions come from, and how long they are believed."""

    permissions: Annotated[str, accepted_by(PermissionAddress.parse)] | None = None
    """Who says which tables users may see: none, file:PATH (TOML or JSON), the https:// address of
    a hook, or denodo:https://HOST/denodo-data-catalog?databases=a,b (and &serverId=1). Default:
    everybody may see all of their own memory."""
    permissions_secret: SecretStr | None = None
    """Sent to the hook as 'Authorization: Bearer …'."""
    permissions_timeout_seconds: float = Field(default=5, gt=0)
    """Time limit of one question to a permission service."""
    permissions_cache_seconds: float = Field(default=30, ge=0, le=3600)
    """How long an answer about a user is used; a right that is taken away may last as long."""

    @property
    def permission_address(self) -> PermissionAddress | None:
        """Where permissions come from; None where none are checked."""
        return PermissionAddress.parse(self.permissions or "none")

    @property
    def forwards_credentials(self) -> bool:
        """Whether something upstream goes by the caller's own credentials."""
        address = self.permission_address
        return address is not None and address.needs_credentials
