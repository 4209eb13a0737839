"""Settings of who may call, what they may see, and what is logged."""

import os
from enum import StrEnum
from typing import Final

from pydantic import BaseModel, Field, SecretStr, field_validator

from recollect.domain.identity.permissions import PermissionAddress
from recollect.domain.identity.scope import DEFAULT_TENANT, tenant_name
from recollect.errors import ConfigurationError, InvalidInput
from recollect.settings.variables import Identity, SeparatedByCommas

_NAMES_NOBODY: Final = "must not be blank; leave it out for the default"


def check_named() -> None:
    """Refuse an empty tenant or user in the environment.

    Elsewhere an empty variable means that nothing is set; here it would be everybody's tenant.
    """
    for name in ("MEMORY_TENANT", "MEMORY_LOCAL_USER"):
        if os.environ.get(name) == "":
            raise ConfigurationError(f"{name}: {_NAMES_NOBODY}")


class UserIdSource(StrEnum):
    """Which verified credential tells who the caller is."""

    API_KEY = "api_key"
    JWT_CLAIM = "jwt_claim"
    BASIC_USERNAME = "basic_username"
    BEARER_TOKEN = "bearer_token"  # noqa: S105  # the name of a kind of credential


class AuthSettings(BaseModel):
    """How callers are told from each other."""

    tenant: Identity = Field(
        default=DEFAULT_TENANT,
        description="Tenant of the local user, and of credentials that name none.",
    )
    local_user: Identity = Field(
        default="local", description="The one user served while no credentials are configured."
    )

    user_id_source: UserIdSource | None = Field(
        default=None,
        description="Where the caller's identity comes from: api_key, jwt_claim, bearer_token or "
        "basic_username (checked by the Denodo AI SDK of MEMORY_DENODO_URL). "
        "Unset: one local user, on loopback only.",
    )
    user_id_jwt_claim: str = Field(default="sub", description="JWT claim that names the user.")
    tenant_jwt_claim: str | None = Field(
        default=None, description="JWT claim that names the tenant; unset: MEMORY_TENANT."
    )
    jwt_secret: SecretStr | None = Field(
        default=None, description="Secret that JWTs are signed with (HS256, HS384, HS512)."
    )
    jwt_jwks_url: str | None = Field(
        default=None, description="Address of the key set that JWTs are signed with (RS*, ES*, …)."
    )
    jwt_algorithms: SeparatedByCommas = Field(
        default=(),
        description="Accepted JWT algorithms, comma-separated; "
        "default HS256 with a secret, RS256 and ES256 with a key set.",
    )
    jwt_issuer: str | None = Field(default=None, description="Required 'iss' of JWTs.")
    jwt_audience: str | None = Field(default=None, description="Required 'aud' of JWTs.")
    allow_anonymous: bool = Field(
        default=False,
        description="Whether callers without credentials are served, beside a source of "
        "identities: each session is an owner of its own (anon: and its UUID, which no credentials "
        "may name), and its UUID all that opens it.",
    )
    bearer_hash_secret: SecretStr | None = Field(
        default=None,
        description="Key for hashing opaque bearer tokens into user ids (bearer_token).",
    )
    openwebui_jwt_secret: SecretStr | None = Field(
        default=None,
        description="Secret of OpenWebUI's X-OpenWebUI-User-Jwt (its "
        "FORWARD_USER_INFO_HEADER_JWT_SECRET); when set, OpenWebUI's users are taken from that "
        "token alone, not from X-OpenWebUI-User-Id.",
    )

    @field_validator("tenant", mode="before")
    @classmethod
    def _check_tenant(cls, tenant: object) -> object:
        """Take a number for a name, and refuse the reserved name."""
        try:
            return tenant_name(tenant) if isinstance(tenant, str | int) else tenant
        except InvalidInput as error:
            raise ValueError(error.problem) from None

    @property
    def is_local_mode(self) -> bool:
        """Whether no credentials are configured: one user, loopback only."""
        return self.user_id_source is None


class PermissionSettings(BaseModel):
    """Where permissions come from, and how long they are believed."""

    permissions: str | None = Field(
        default=None,
        description="Who says which tables users may see: none, file:PATH (TOML or JSON), the "
        "https:// address of a hook, or denodo:https://HOST/denodo-data-catalog?databases=a,b "
        "(and &serverId=1). Default: everybody may see all of their own memory.",
    )
    permissions_secret: SecretStr | None = Field(
        default=None, description="Sent to the hook as 'Authorization: Bearer …'."
    )
    permissions_timeout_seconds: float = Field(
        default=5, gt=0, description="Time limit of one question to a permission service."
    )
    permissions_cache_seconds: float = Field(
        default=30,
        ge=0,
        le=3600,
        description="How long an answer about a user is used; a right that is taken away may "
        "last as long.",
    )

    @field_validator("permissions")
    @classmethod
    def _know_permissions(cls, value: str | None) -> str | None:
        try:
            PermissionAddress.parse(value or "none")
        except InvalidInput as error:
            raise ValueError(error.problem) from None
        return value

    @property
    def permission_address(self) -> PermissionAddress | None:
        """Where permissions come from; None where none are checked."""
        return PermissionAddress.parse(self.permissions or "none")

    @property
    def forwards_credentials(self) -> bool:
        """Whether something upstream goes by the caller's own credentials."""
        address = self.permission_address
        return address is not None and address.needs_credentials


class LogFormat(StrEnum):
    """How log lines are written."""

    JSON = "json"
    TEXT = "text"


class LogSettings(BaseModel):
    """The level and the form of log lines, and variables that are not ours."""

    log_level: str = Field(default="INFO", description="DEBUG, INFO, WARNING or ERROR.")
    log_format: LogFormat | None = Field(
        default=None, description="json or text; default: text on a terminal, else json."
    )

    ignored_variables: SeparatedByCommas = Field(
        default=(),
        description="Environment variables that begin with MEMORY_ and are another program's, "
        "comma-separated; any other unknown one stops the start.",
    )
    loop_held_milliseconds: int = Field(
        default=50,
        ge=0,
        le=60_000,
        description="Requests that keep the server from answering others for longer are logged "
        "(loop.held); 0 logs none.",
    )

    @field_validator("log_level")
    @classmethod
    def _know_level(cls, value: str) -> str:
        level = value.upper()
        if level not in {"DEBUG", "INFO", "WARNING", "ERROR"}:
            raise ValueError("must be DEBUG, INFO, WARNING or ERROR")
        return level

    @property
    def wants_json_logs(self) -> bool | None:
        """Whether log lines are JSON; None leaves it to where they go."""
        return None if self.log_format is None else self.log_format is LogFormat.JSON


class ChatClientSettings(BaseModel):
    """The server of a chat in the terminal."""

    server_url: str | None = Field(
        default=None,
        description="A running server that 'recollect chat' talks to; unset: no server is needed.",
    )
    server_key: SecretStr | None = Field(
        default=None, description="The API key that 'recollect chat' shows to that server."
    )
