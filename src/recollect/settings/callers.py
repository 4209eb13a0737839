"""Who calls: the local user, or whom credentials name."""

import os
from enum import StrEnum
from typing import Final

from pydantic import BaseModel, Field, SecretStr, field_validator

from recollect.domain.scope import DEFAULT_TENANT, tenant_name
from recollect.errors import ConfigurationError, InvalidInput
from recollect.settings.reading import Identity, SeparatedByCommas

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


class CallerSettings(BaseModel):
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
