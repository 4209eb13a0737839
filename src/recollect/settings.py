"""MEMORY_* settings: the only place that reads the environment."""

import os
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Self

import platformdirs
from pydantic import Field, SecretStr, ValidationError, field_validator, model_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from recollect.domain.compaction import CompactionPolicy
from recollect.domain.permission_address import PermissionAddress
from recollect.domain.policies import DEFAULT_MAX_CONTEXT_TOKENS, Policies
from recollect.domain.presets import DEFAULT, PRESETS, MissingSession, Preset
from recollect.domain.query_result import Kept, ResultPolicy
from recollect.domain.recall.policy import MAX_RECALLED, RecallPolicy, RecallScope
from recollect.domain.retention import RetentionPolicies, RetentionPolicy
from recollect.domain.scope import DEFAULT_TENANT
from recollect.domain.tiers import tier_of
from recollect.domain.window import MAX_WINDOW_SIZE, WindowPolicy
from recollect.errors import ConfigurationError, InvalidInput

LOOPBACK_HOSTS = frozenset({"127.0.0.1", "::1", "localhost"})


class UserIdSource(StrEnum):
    """Which verified credential tells who the caller is."""

    API_KEY = "api_key"
    JWT_CLAIM = "jwt_claim"
    BASIC_USERNAME = "basic_username"
    BEARER_TOKEN = "bearer_token"  # noqa: S105  # the name of a kind of credential


class UnknownSession(StrEnum):
    """What becomes of a question in a session that was never started."""

    CREATE = "create"
    REJECT = "reject"


class AnswererKind(StrEnum):
    """Who answers questions."""

    AUTO = "auto"
    LLM = "llm"
    DENODO = "denodo"
    SQL_DATABASE = "sql_database"
    FROM_MEMORY = "from_memory"


class VectorStoreKind(StrEnum):
    """What keeps vectors."""

    PGVECTOR = "pgvector"
    CHROMA = "chroma"
    OPENSEARCH = "opensearch"


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

    preset: str = Field(
        default=DEFAULT.name,
        description=f"How memory behaves: {', '.join(PRESETS)}.",
    )
    missing_session: MissingSession | None = Field(
        default=None,
        description="What becomes of a question that names no session: create (a new one), "
        "user-wide (each user's one session) or reject (from OpenWebUI and other front ends; "
        "others get a new one); default: the preset's.",
    )
    unknown_session: UnknownSession = Field(
        default=UnknownSession.CREATE,
        description="What becomes of a question in a session that was never started: create "
        "(it is started under that id) or reject (404).",
    )
    max_history_messages: int | None = Field(
        default=None,
        ge=0,
        le=MAX_WINDOW_SIZE,
        description="Messages (or turns, by the preset) in a window; default: the preset's.",
    )
    max_context_tokens: int = Field(
        default=DEFAULT_MAX_CONTEXT_TOKENS,
        ge=1,
        description="The most tokens a context may have; never exceeded.",
    )
    recall: RecallScope | None = Field(
        default=None,
        description="Where contexts look for earlier exchanges: user (all sessions), session or "
        "off, which also keeps them from being indexed; default: the preset's.",
    )
    semantic_search_k: int | None = Field(
        default=None,
        ge=0,
        le=MAX_RECALLED,
        description="How many earlier exchanges a context has at most; default: the preset's.",
    )
    summarization_enabled: bool = Field(
        default=True, description="Whether older messages are summarised, where the preset does."
    )
    summarization_threshold: int | None = Field(
        default=None,
        ge=2,
        description="Summarise when more messages have no summary; default: the preset's.",
    )
    summarization_model: str | None = Field(
        default=None, description="Model that summarises; default: MEMORY_LLM_MODEL."
    )
    answerer: AnswererKind = Field(
        default=AnswererKind.AUTO,
        description="Who answers questions: denodo, sql_database, llm, from_memory (what is "
        "stored, quoted) or auto: the first of them that is set up.",
    )
    answer_timeout_seconds: float = Field(
        default=120, gt=0, description="The most time that one answer may take."
    )
    system_prompt: str | None = Field(
        default=None, description="What the model that answers is told first."
    )
    denodo_url: str | None = Field(
        default=None, description="Address of a Denodo AI SDK, such as http://127.0.0.1:8008."
    )
    denodo_verify_tls: bool = Field(
        default=True, description="Whether the certificate of the Denodo AI SDK is checked."
    )
    sql_database: SecretStr | None = Field(
        default=None,
        description="A database that data questions are asked of: an SQLAlchemy URL, or the path "
        "of a DuckDB file. It is only read.",
    )
    sql_tables: Annotated[tuple[str, ...], NoDecode] = Field(
        default=("*",),
        description="Tables that may be read there, comma-separated, such as sales,shop.*.",
    )
    sql_row_limit: int = Field(
        default=100, ge=1, le=10_000, description="The most rows one question may find there."
    )
    stored_results: str = Field(
        default=Kept.SUMMARY,
        description="What is kept of a query's result: none, summary (columns and number of "
        "rows) or rows:N.",
    )
    llm_base_url: str | None = Field(
        default=None,
        description="An OpenAI-compatible endpoint, such as http://127.0.0.1:11434/v1; "
        "unset: answers are quoted from memory and summaries are made offline.",
    )
    llm_api_key: SecretStr | None = Field(default=None, description="Key of that endpoint.")
    llm_model: str | None = Field(default=None, description="The model that answers.")
    llm_timeout_seconds: float = Field(
        default=60, gt=0, description="Time limit of one call of a model, retries included."
    )
    embedding_model: str | None = Field(
        default=None,
        description="What finds messages by meaning: a folder with tokenizer.json and "
        "model.onnx, the name of an endpoint's model, or none: by words alone; default: "
        "all-MiniLM-L6-v2, which is installed along.",
    )
    embedding_base_url: str | None = Field(
        default=None,
        description="Endpoint of the embedding model; default: MEMORY_LLM_BASE_URL.",
    )
    embedding_api_key: SecretStr | None = Field(
        default=None,
        description="Key of that endpoint; default: MEMORY_LLM_API_KEY, if the endpoint is the "
        "same.",
    )
    embedding_dimensions: int | None = Field(
        default=None,
        ge=2,
        le=4000,
        description="Dimensions to ask that endpoint for; default: the model's own.",
    )
    embedding_pooling: str = Field(
        default="mean",
        pattern="^(mean|cls)$",
        description="How a model in a folder makes one vector of a text: mean or cls.",
    )
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
    rewrite_from_billions: float = Field(
        default=14,
        ge=0,
        description="The smallest model, in billions, that rewrites follow-ups; else rules do.",
    )
    model_sizes: dict[str, float] = Field(
        default_factory=dict,
        description='Sizes of models in billions by name pattern, as JSON: {"my-model*": 7}.',
    )
    retention: str | None = Field(
        default=None,
        description="How long sessions are kept: none, fixed:DAYS (from creation) or "
        "sliding:DAYS (from last use); default: the preset's.",
    )
    retention_by_tenant: dict[str, str] = Field(
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

    server_url: str | None = Field(
        default=None,
        description="A running server that 'recollect chat' talks to; unset: no server is needed.",
    )
    server_key: SecretStr | None = Field(
        default=None, description="The API key that 'recollect chat' shows to that server."
    )

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

    log_level: str = Field(default="INFO", description="DEBUG, INFO, WARNING or ERROR.")
    log_format: LogFormat | None = Field(
        default=None, description="json or text; default: text on a terminal, else json."
    )

    @field_validator("jwt_algorithms", "sql_tables", mode="before")
    @classmethod
    def _split(cls, value: object) -> object:
        if isinstance(value, str):
            return tuple(part.strip() for part in value.split(",") if part.strip())
        return value

    @field_validator("preset")
    @classmethod
    def _know_preset(cls, value: str) -> str:
        if value not in PRESETS:
            raise ValueError(f"must be one of: {', '.join(PRESETS)}")
        return value

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

    @field_validator("stored_results")
    @classmethod
    def _read_results(cls, value: str) -> str:
        try:
            ResultPolicy.parse(value)
        except InvalidInput as error:
            raise ValueError(error.problem) from None
        return value

    @field_validator("permissions")
    @classmethod
    def _know_permissions(cls, value: str | None) -> str | None:
        try:
            PermissionAddress.parse(value or "none")
        except InvalidInput as error:
            raise ValueError(error.problem) from None
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
            case UserIdSource.BASIC_USERNAME if not self.denodo_url:
                raise ValueError(
                    "basic_username needs MEMORY_DENODO_URL: a user name counts only once an "
                    "upstream has checked the password"
                )
            case _:
                return self

    @model_validator(mode="after")
    def _need_what_the_answerer_needs(self) -> Self:
        match self.answerer:
            case AnswererKind.LLM if not self._has_model:
                raise ValueError("llm needs MEMORY_LLM_BASE_URL and MEMORY_LLM_MODEL")
            case AnswererKind.DENODO if not self.denodo_url:
                raise ValueError("denodo needs MEMORY_DENODO_URL")
            case AnswererKind.SQL_DATABASE if not (self.sql_database and self._has_model):
                raise ValueError(
                    "sql_database needs MEMORY_SQL_DATABASE, and a model that writes SQL: "
                    "MEMORY_LLM_BASE_URL and MEMORY_LLM_MODEL"
                )
            case _:
                return self

    @property
    def chosen_answerer(self) -> AnswererKind:
        """Who answers, once `auto` has been decided."""
        if self.answerer is not AnswererKind.AUTO:
            return self.answerer
        if self.denodo_url:
            return AnswererKind.DENODO
        if not self._has_model:
            return AnswererKind.FROM_MEMORY
        return AnswererKind.SQL_DATABASE if self.sql_database else AnswererKind.LLM

    @property
    def _has_model(self) -> bool:
        return bool(self.llm_base_url and self.llm_model)

    @property
    def passes_chats_on(self) -> bool:
        """Whether chats in OpenAI's form go to the endpoint, and not to another answerer."""
        is_left_open = self.answerer is AnswererKind.AUTO and self.denodo_url is None
        return bool(self.llm_base_url) and (is_left_open or self.answerer is AnswererKind.LLM)

    @model_validator(mode="after")
    def _need_where_opensearch_is(self) -> Self:
        if self.vector_store is VectorStoreKind.OPENSEARCH and self.vector_store_url is None:
            raise ValueError("opensearch needs MEMORY_VECTOR_STORE_URL, such as https://host:9200")
        return self

    def policies(self) -> Policies:
        """How memory behaves: the preset, and what is set besides."""
        preset = PRESETS[self.preset]
        window = preset.window
        if self.max_history_messages is not None:
            window = WindowPolicy(unit=window.unit, size=self.max_history_messages)
        usual = RetentionPolicy.parse(self.retention) if self.retention else preset.retention
        tenants = {name: RetentionPolicy.parse(t) for name, t in self.retention_by_tenant.items()}
        return Policies(
            window=window,
            is_window_fixed=preset.is_window_fixed,
            compaction=self._compaction(preset) if self.summarization_enabled else None,
            roles=preset.roles,
            retention=RetentionPolicies(usual=usual, by_tenant=tenants),
            max_context_tokens=self.max_context_tokens,
            recall=self._recall(preset),
            keeps_index=self.recall is not RecallScope.OFF,
            model=self.llm_model,
            rewrites_from_billions=self.rewrite_from_billions,
            missing_session=self.missing_session or preset.missing_session,
            rejects_unknown_sessions=self.unknown_session is UnknownSession.REJECT,
            context=preset.context,
            sizes=self.model_sizes,
        )

    def _compaction(self, preset: Preset) -> CompactionPolicy | None:
        policy = preset.compaction_for(tier_of(self.llm_model, overrides=self.model_sizes))
        if policy is None or self.summarization_threshold is None:
            return policy
        threshold = self.summarization_threshold
        return CompactionPolicy(trigger=threshold, keep=min(policy.keep, threshold - 1))

    def _recall(self, preset: Preset) -> RecallPolicy:
        scope = preset.recall.scope if self.recall is None else self.recall
        k = preset.recall.k if self.semantic_search_k is None else self.semantic_search_k
        return RecallPolicy(scope=scope, k=k)

    @property
    def cache_folder(self) -> Path:
        """Where may lie what can be made again."""
        return platformdirs.user_cache_path("recollect")

    @property
    def permission_address(self) -> PermissionAddress | None:
        """Where permissions come from; None where none are checked."""
        return PermissionAddress.parse(self.permissions or "none")

    @property
    def forwards_credentials(self) -> bool:
        """Whether something upstream goes by the caller's own credentials."""
        address = self.permission_address
        return address is not None and address.needs_credentials

    @property
    def is_local_mode(self) -> bool:
        """Whether no credentials are configured: one user, loopback only."""
        return self.user_id_source is None

    @property
    def wants_json_logs(self) -> bool | None:
        """Whether log lines are JSON; None leaves it to where they go."""
        return None if self.log_format is None else self.log_format is LogFormat.JSON

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
