"""Settings of the server: where data is stored, and who may call."""

import json
import os
import sys
from collections.abc import Callable, Mapping
from datetime import timedelta
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Annotated, Final, TypeAlias

from pydantic import AfterValidator, BaseModel, BeforeValidator, Field, SecretStr, field_validator

from recollect.domain.identity.audit import AuditFailure, AuditPolicy
from recollect.domain.identity.permissions import PermissionAddress
from recollect.domain.identity.scope import DEFAULT_TENANT, check_identity, tenant_name
from recollect.domain.policy import MAX_RETENTION_DAYS, RetentionMode, RetentionPolicy
from recollect.domain.privacy.encrypted import parse_master_keys
from recollect.domain.transfer.archive import ArchiveAddress
from recollect.errors import InvalidInput

EMBEDDED_CONNECTIONS: Final = 190
"""Connections of the embedded PostgreSQL that servers may share; commands have the rest."""
LOOPBACK_HOSTS: Final = frozenset({"127.0.0.1", "::1", "localhost"})


def accepted_by(rule: Callable[[str], object], whose: str = "") -> AfterValidator:
    """Refuse a text that a rule of the domain refuses, in the way that pydantic reports."""

    def check(text: str) -> str:
        try:
            rule(text)
        except InvalidInput as error:
            raise ValueError(f"{whose}{error.problem}") from None
        return text

    return AfterValidator(check)


def _split(value: object) -> object:
    if isinstance(value, str):
        return tuple(part.strip() for part in value.split(",") if part.strip())
    return value


def _parse(value: object) -> object:
    """Read a JSON object from a text; anything else is left to pydantic."""
    if not isinstance(value, str):
        return value
    try:
        read = json.loads(value)
    except ValueError:
        read = None
    if not isinstance(read, dict):
        raise ValueError("must be a JSON object")  # noqa: TRY004  # pydantic tells these alone
    return read


def _tenant(tenant: object) -> object:
    """Take a number for a name, and refuse the reserved name."""
    try:
        return tenant_name(tenant) if isinstance(tenant, str | int) else tenant
    except InvalidInput as error:
        raise ValueError(error.problem) from None


def _check_master_keys(secret: SecretStr) -> SecretStr:
    try:
        parse_master_keys(secret.get_secret_value())
    except InvalidInput as error:
        raise ValueError(error.problem) from None
    return secret


Identity: TypeAlias = Annotated[str, accepted_by(partial(check_identity, field_name="name"))]
"""The name of a user or a tenant."""
_Tenant: TypeAlias = Annotated[
    str, accepted_by(partial(check_identity, field_name="name"), "a tenant's name ")
]
SeparatedByCommas: TypeAlias = Annotated[tuple[str, ...], BeforeValidator(_split)]
"""Texts that are given as one, `a, b`."""
NumbersByName: TypeAlias = Annotated[dict[str, float], BeforeValidator(_parse)]
"""A JSON object, such as `{"my-model*": 7}`."""
_Retention: TypeAlias = Annotated[str, accepted_by(RetentionPolicy.parse)]


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
    dynamodb_table: str = Field(default="ConversationMemory", pattern=r"^[A-Za-z0-9_.-]{3,250}$")
    """Name of the table in DynamoDB, which 'recollect dynamodb create' creates; the keys of
    encrypted content are in another, with -keys behind its name."""
    dynamodb_region: str | None = None
    """Region of the table, such as eu-west-1; default: that of the AWS environment or profile."""
    dynamodb_endpoint_url: str | None = Field(default=None, pattern="^https?://")
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
    """Requests that one process works on at once; others wait for a place. Those that wait for a
    model, or for their client, do not count."""
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
    jwt_secret: SecretStr | None = None
    """Secret that JWTs are signed with (HS256, HS384, HS512)."""
    jwt_jwks_url: str | None = None
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
    bearer_hash_secret: SecretStr | None = None
    """Key for hashing opaque bearer tokens into user ids (bearer_token)."""
    openwebui_jwt_secret: SecretStr | None = None
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
    vector_collection_name: str = Field(
        default="recollect_memory", pattern="^[a-z0-9][a-z0-9_-]{1,63}$"
    )
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


class MaintenanceSettings(BaseModel):
    """Retention, clean-up and the worker."""

    retention: _Retention | None = None
    """How long sessions are kept: none, fixed:DAYS (from creation) or sliding:DAYS (from last use);
    default: the preset's."""
    retention_days: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    """The days of MEMORY_RETENTION alone, in the preset's mode; fixed, where the preset keeps
    everything."""
    retention_by_tenant: Annotated[dict[_Tenant, _Retention], BeforeValidator(_parse)] = Field(
        default_factory=dict
    )
    """The same for single tenants, as JSON: {"acme": "sliding:90"}."""
    cleanup_interval_hours: float = Field(default=24, gt=0)
    """How often expired sessions are deleted."""
    archive: Annotated[str, accepted_by(ArchiveAddress.parse)] = "off"
    """Where expired sessions are archived before they are deleted: off, folder:PATH (absolute, of a
    folder that is there) or s3://BUCKET/PREFIX, with credentials from the environment (AWS_…)."""
    archive_endpoint_url: str | None = Field(default=None, pattern="^https?://")
    """Address of a server with S3's interface, such as http://127.0.0.1:9000; default: Amazon's."""
    archive_retention_days: float | None = Field(
        default=None, gt=0, le=MAX_RETENTION_DAYS, allow_inf_nan=False
    )
    """After how many days archived sessions are deleted from the archive; default: never."""
    worker: bool = True
    """Whether the server also does the background work; else 'recollect worker' does."""

    @property
    def archive_address(self) -> ArchiveAddress | None:
        """Where expired sessions are archived; None where they are not."""
        return ArchiveAddress.parse(self.archive)

    @property
    def archive_retention(self) -> timedelta | None:
        """How long archived sessions are kept; None for ever."""
        days = self.archive_retention_days
        return None if days is None else timedelta(days=days)

    def retention_policy(self, usual: RetentionPolicy) -> RetentionPolicy:
        """How long sessions are kept: as set, or else as usual."""
        if self.retention is not None:
            return RetentionPolicy.parse(self.retention)
        if self.retention_days is None:
            return usual
        mode = RetentionMode.FIXED if usual.mode is RetentionMode.NONE else usual.mode
        return RetentionPolicy(mode=mode, days=self.retention_days)


class PrivacySettings(BaseModel):
    """What users may do with all of their memory."""

    allow_data_export: bool = False
    """Whether users may export everything that is stored of them (GET /api/v1/privacy/export); the
    commands 'recollect export' and 'recollect import' always work."""
    allow_data_deletion: bool = False
    """Whether users may erase everything that is stored of them (POST /api/v1/privacy/erase); the
    command 'recollect erase' always works."""
    receipt_key: SecretStr | None = Field(default=None, min_length=16)
    """What the receipts of erasures are signed with, at least 16 characters and the same for all
    servers and workers. Unset: a random key that is kept in the database."""
    encryption_key: Annotated[SecretStr, AfterValidator(_check_master_keys)] | None = None
    """Master key that turns on the encryption of stored content: 32 bytes in base64 ('recollect
    encryption new-key' makes one), or several as id:base64, comma-separated. The first wraps the
    owners' keys, the others only unwrap. Without it what is encrypted is lost."""

    @property
    def master_keys(self) -> Mapping[str, bytes] | None:
        """The master keys by their ids, the current one first; None where nothing is encrypted."""
        key = self.encryption_key
        return None if key is None else parse_master_keys(key.get_secret_value())


_LEAST_AUDIT_DAYS: Final = 7
"""The database refuses to delete entries of the last six days."""


class AuditSettings(BaseModel):
    """What the audit log records beside deletions, keys and states, and for how long."""

    log_memory_operations: bool = True
    """Whether every read, write and export of memory is in the audit log, too: on or off; never
    what was said. Deletions, keys and states always are."""
    audit_failure: AuditFailure = AuditFailure.WARN
    """What happens while the audit log cannot be written: warn (operations go on; what is not
    recorded is logged and counted) or fail (operations are refused with 503)."""
    audit_retention_days: int = Field(default=365, ge=0)
    """How long entries of the audit log are kept, at least 7 days; 0: for ever."""

    @field_validator("audit_retention_days")
    @classmethod
    def _keep_a_week(cls, value: int) -> int:
        if 0 < value < _LEAST_AUDIT_DAYS:
            raise ValueError(f"must be 0, or {_LEAST_AUDIT_DAYS} or more")
        return value

    def audit_policy(self) -> AuditPolicy:
        """What is recorded, how strictly, and for how long."""
        days = self.audit_retention_days
        return AuditPolicy(
            is_on=self.log_memory_operations,
            failure=self.audit_failure,
            retention=timedelta(days=days) if days else None,
        )


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
