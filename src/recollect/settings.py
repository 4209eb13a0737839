"""MEMORY_* settings: the only place that reads the environment."""

import os
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Self

import platformdirs
from pydantic import Field, SecretStr, ValidationError, field_validator, model_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from recollect.domain.scope import DEFAULT_TENANT
from recollect.errors import ConfigurationError

LOOPBACK_HOSTS = frozenset({"127.0.0.1", "::1", "localhost"})


class UserIdSource(StrEnum):
    """Which verified credential tells who the caller is."""

    API_KEY = "api_key"
    JWT_CLAIM = "jwt_claim"
    BASIC_USERNAME = "basic_username"
    BEARER_TOKEN = "bearer_token"  # noqa: S105  # the name of a kind of credential


class LogFormat(StrEnum):
    """How log lines are written."""

    JSON = "json"
    TEXT = "text"


def default_home() -> Path:
    """The user's data folder; for root a folder that PostgreSQL's own account can reach."""
    if os.geteuid() == 0:
        return Path("/var/lib/recollect")
    return platformdirs.user_data_path("recollect")


class Settings(BaseSettings):
    """Everything that can be set, each from the environment variable MEMORY_<NAME>."""

    model_config = SettingsConfigDict(
        env_prefix="MEMORY_", env_ignore_empty=True, extra="ignore", hide_input_in_errors=True
    )

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
    max_body_bytes: int = Field(
        default=8_000_000, ge=1_000, description="Largest request body that is read."
    )

    tenant: str = Field(
        default=DEFAULT_TENANT,
        description="Tenant of the local user, and of credentials that name none.",
    )
    local_user: str = Field(
        default="local", description="The one user served while no credentials are configured."
    )

    user_id_source: UserIdSource | None = Field(
        default=None,
        description="Where the caller's identity comes from: api_key, jwt_claim or bearer_token "
        "(basic_username needs an upstream, which this version has not). "
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
    jwt_algorithms: Annotated[tuple[str, ...], NoDecode] = Field(
        default=(),
        description="Accepted JWT algorithms, comma-separated; "
        "default HS256 with a secret, RS256 and ES256 with a key set.",
    )
    jwt_issuer: str | None = Field(default=None, description="Required 'iss' of JWTs.")
    jwt_audience: str | None = Field(default=None, description="Required 'aud' of JWTs.")
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

    log_level: str = Field(default="INFO", description="DEBUG, INFO, WARNING or ERROR.")
    log_format: LogFormat | None = Field(
        default=None, description="json or text; default: text on a terminal, else json."
    )

    @field_validator("jwt_algorithms", mode="before")
    @classmethod
    def _split(cls, value: object) -> object:
        if isinstance(value, str):
            return tuple(part.strip() for part in value.split(",") if part.strip())
        return value

    @field_validator("log_level")
    @classmethod
    def _know_level(cls, value: str) -> str:
        level = value.upper()
        if level not in {"DEBUG", "INFO", "WARNING", "ERROR"}:
            raise ValueError("must be DEBUG, INFO, WARNING or ERROR")
        return level

    @model_validator(mode="after")
    def _need_what_the_source_needs(self) -> Self:
        match self.user_id_source:
            case UserIdSource.JWT_CLAIM if not (self.jwt_secret or self.jwt_jwks_url):
                raise ValueError("jwt_claim needs MEMORY_JWT_SECRET or MEMORY_JWT_JWKS_URL")
            case UserIdSource.JWT_CLAIM if self.jwt_secret and self.jwt_jwks_url:
                raise ValueError("set MEMORY_JWT_SECRET or MEMORY_JWT_JWKS_URL, not both")
            case UserIdSource.BEARER_TOKEN if not self.bearer_hash_secret:
                raise ValueError("bearer_token needs MEMORY_BEARER_HASH_SECRET")
            case UserIdSource.BASIC_USERNAME:
                raise ValueError(
                    "basic_username is only safe behind an upstream that checks the password, "
                    "and this version has none; use api_key, jwt_claim or bearer_token"
                )
            case _:
                return self

    @property
    def is_local_mode(self) -> bool:
        """Whether no credentials are configured: one user, loopback only."""
        return self.user_id_source is None

    def check_address(self) -> None:
        """Refuse to open anybody's memory to a network without authentication."""
        if self.is_local_mode and self.host.lower() not in LOOPBACK_HOSTS:
            raise ConfigurationError(
                f"refusing to listen on {self.host} without authentication: anybody there could "
                "read everything. Set MEMORY_USER_ID_SOURCE=api_key (and make a key with "
                "'recollect keys create'), or listen on 127.0.0.1"
            )


def load_settings(**overrides: object) -> Settings:
    """Read the settings, or say in one line each what is wrong with them."""
    try:
        return Settings(**overrides)  # type: ignore[arg-type]  # checked by pydantic
    except ValidationError as error:
        problems = (_describe(problem["loc"], problem["msg"]) for problem in error.errors())
        raise ConfigurationError("; ".join(problems)) from None


def _describe(location: tuple[int | str, ...], message: str) -> str:
    text = message.removeprefix("Value error, ")
    return f"MEMORY_{str(location[0]).upper()}: {text}" if location else text
