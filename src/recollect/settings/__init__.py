"""MEMORY_* settings by topic: the only package that reads the environment."""

import os
from collections.abc import Collection, Iterator
from difflib import get_close_matches
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self

from pydantic import ConfigDict, ValidationError, model_validator

from recollect.domain.context.compaction import CompactionPolicy
from recollect.domain.context.window import WindowPolicy, tier_of
from recollect.domain.facts.decay import DecayPolicy, parse_half_lives
from recollect.domain.facts.ranking import FactPolicy
from recollect.domain.policy import (
    PRESETS,
    FactExtractorKind,
    Policies,
    Preset,
    RetentionPolicies,
    RetentionPolicy,
)
from recollect.domain.privacy.masking import MaskingMode, MaskingPolicies
from recollect.domain.privacy.results import ResultPolicy
from recollect.domain.recall.entry import RecallPolicy, RecallScope
from recollect.errors import ConfigurationError
from recollect.settings.behaviour import (
    AnswererKind,
    AnsweringSettings,
    BehaviourSettings,
    ModelSettings,
    RedactionSettings,
    SizeSettings,
    UnknownSession,
)
from recollect.settings.keeping import AuditSettings, MaintenanceSettings, PrivacySettings
from recollect.settings.observability import LogSettings, ObservabilitySettings
from recollect.settings.problems import describe
from recollect.settings.server import (
    EMBEDDED_CONNECTIONS,
    LOOPBACK_HOSTS,
    AuthSettings,
    ChatClientSettings,
    DashboardSettings,
    EngineKind,
    PermissionSettings,
    ServerSettings,
    UserIdSource,
    VectorSettings,
    VectorStoreKind,
)

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

__all__ = [
    "AnswererKind",
    "EngineKind",
    "FactExtractorKind",
    "Settings",
    "UserIdSource",
    "VectorStoreKind",
    "load_settings",
]

_PREFIX: Final = "MEMORY_"
_IGNORED: Final = "MEMORY_IGNORED_VARIABLES"
_ALL_SETTINGS: Final = "docs/reference/settings.md has all"
_OF_THE_SYSTEM: Final = frozenset({"MEMORY_PRESSURE_WATCH", "MEMORY_PRESSURE_WRITE"})
"""What systemd sets for every service."""


class Settings(
    # The last comes first in the documentation: pydantic takes fields from the last base on.
    ObservabilitySettings,
    LogSettings,
    PermissionSettings,
    ChatClientSettings,
    PrivacySettings,
    AuditSettings,
    MaintenanceSettings,
    SizeSettings,
    VectorSettings,
    ModelSettings,
    RedactionSettings,
    AnsweringSettings,
    BehaviourSettings,
    AuthSettings,
    DashboardSettings,
    ServerSettings,
):
    """Everything that can be set, each from the environment variable MEMORY_<NAME>."""

    model_config = ConfigDict(hide_input_in_errors=True)

    def __init__(self, **given: Any) -> None:  # noqa: ANN401  # checked by pydantic
        """Take what is given, and all else from the environment.

        Raises:
            ConfigurationError: says in one line each what is wrong, and where a name is unknown,
                which one comes nearest.
        """
        known = type(self).model_fields
        unknown = [_unknown(name, known) for name in given if name not in known]
        if problems := [*unknown, *_wrong_variables(known)]:
            raise ConfigurationError("; ".join(problems))
        try:
            super().__init__(**(_variables() | given))
        except ValidationError as error:
            problems = [_described(problem) for problem in error.errors()]
            raise ConfigurationError("; ".join(problems)) from None

    @model_validator(mode="after")
    def _refuse_contradictions(self) -> Self:
        for problem in chain(
            self._storage_problems(),
            self._identity_problems(),
            self._answerer_problems(),
            self._process_problems(),
            self.telemetry_problems(),
        ):
            raise ValueError(problem)
        return self

    def _storage_problems(self) -> Iterator[str]:
        given = self.model_fields_set
        if "db_max_connections" in given and {"db_pool_size", "db_max_overflow"} & given:
            yield "set MEMORY_DB_MAX_CONNECTIONS, or MEMORY_DB_POOL_SIZE and MEMORY_DB_MAX_OVERFLOW"
        if self.db_max_overflow is not None and self.db_pool_size is None:
            yield "MEMORY_DB_MAX_OVERFLOW needs MEMORY_DB_POOL_SIZE"
        if self.engine is EngineKind.DYNAMODB:
            yield from self._dynamodb_problems()
        if self.retention is not None and self.retention_days is not None:
            yield "set MEMORY_RETENTION or MEMORY_RETENTION_DAYS, not both"
        if self.mask_pii is not MaskingMode.OFF and self.masking_key is None:
            yield (
                "MEMORY_MASK_PII needs MEMORY_MASKING_KEY, such as 'openssl rand -hex 32' prints: "
                "without a secret, anybody could try out what a mask stands for"
            )
        if self.mask_names and self.masking_key is None:
            yield (
                "MEMORY_MASK_NAMES needs MEMORY_MASKING_KEY, and MEMORY_MASK_PII=mask or hash, "
                "here or for a tenant"
            )
        if self.vector_store is VectorStoreKind.OPENSEARCH and self.vector_store_url is None:
            yield "opensearch needs MEMORY_VECTOR_STORE_URL, such as https://host:9200"
        if self.archive_address is None:
            for name in {"archive_endpoint_url", "archive_retention_days"} & given:
                yield f"MEMORY_{name.upper()} needs MEMORY_ARCHIVE"

    def _dynamodb_problems(self) -> Iterator[str]:
        if self.db_connection_string is not None:
            yield "set MEMORY_ENGINE=dynamodb or MEMORY_DB_CONNECTION_STRING, not both"

    def _identity_problems(self) -> Iterator[str]:
        match self.user_id_source:
            case UserIdSource.JWT_CLAIM if not (self.jwt_secret or self.jwt_jwks_url):
                yield "jwt_claim needs MEMORY_JWT_SECRET or MEMORY_JWT_JWKS_URL"
            case UserIdSource.JWT_CLAIM if self.jwt_secret and self.jwt_jwks_url:
                yield "set MEMORY_JWT_SECRET or MEMORY_JWT_JWKS_URL, not both"
            case UserIdSource.BEARER_TOKEN if not self.bearer_hash_secret:
                yield "bearer_token needs MEMORY_BEARER_HASH_SECRET"
            case UserIdSource.BASIC_USERNAME if not self.denodo_url:
                yield (
                    "basic_username needs MEMORY_DENODO_URL: a user name counts only once an "
                    "upstream has checked the password"
                )
            case None if self.allow_anonymous:
                yield (
                    "MEMORY_ALLOW_ANONYMOUS needs MEMORY_USER_ID_SOURCE: without one everybody is "
                    "the local user"
                )

    def _answerer_problems(self) -> Iterator[str]:
        match self.answerer:
            case AnswererKind.LLM if not self._has_model:
                yield "llm needs MEMORY_LLM_BASE_URL and MEMORY_LLM_MODEL"
            case AnswererKind.DENODO if not self.denodo_url:
                yield "denodo needs MEMORY_DENODO_URL"
            case AnswererKind.SQL_DATABASE if not (self.sql_database and self._has_model):
                yield (
                    "sql_database needs MEMORY_SQL_DATABASE, and a model that writes SQL: "
                    "MEMORY_LLM_BASE_URL and MEMORY_LLM_MODEL"
                )

    def _process_problems(self) -> Iterator[str]:
        if self.processes == 1:
            return
        if self.vector_store is VectorStoreKind.CHROMA and self.vector_store_url is None:
            yield (
                "chroma's folder is for one process: MEMORY_PROCESSES above 1 needs "
                "MEMORY_VECTOR_STORE_URL, such as http://host:8000"
            )
        processes = self.processes + (1 if self.worker else 0)
        most = EMBEDDED_CONNECTIONS // processes - 1  # /readyz has one of its own
        is_embedded = self.embedded_home is not None
        if is_embedded and self.max_connections > most:
            yield (
                f"{processes} processes want more connections than the embedded PostgreSQL has: "
                f"set MEMORY_DB_MAX_CONNECTIONS to {most} or less"
            )

    @property
    def embedded_home(self) -> Path | None:
        """The folder of the embedded PostgreSQL; None where another database is used."""
        is_elsewhere = self.db_connection_string or self.engine is not EngineKind.POSTGRESQL
        return None if is_elsewhere else self.home

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

    def policies(self) -> Policies:
        """How memory behaves: the preset, and what is set besides."""
        preset = PRESETS[self.preset]
        window = preset.window
        if self.max_history_messages is not None:
            window = WindowPolicy(unit=window.unit, size=self.max_history_messages)
        k = preset.recall.k if self.semantic_search_k is None else self.semantic_search_k
        usual = self.retention_policy(preset.retention)
        tenants = {name: RetentionPolicy.parse(t) for name, t in self.retention_by_tenant.items()}
        return Policies(
            is_enabled=self.enabled,
            window=window,
            is_window_fixed=preset.is_window_fixed,
            compaction=self._compaction(preset) if self.summarization_enabled else None,
            roles=preset.roles,
            retention=RetentionPolicies(usual=usual, by_tenant=tenants),
            max_context_tokens=self.max_context_tokens,
            recall=RecallPolicy(scope=self.recall or preset.recall.scope, k=k),
            profile_keys=self.profile_keys,
            fact_decay=DecayPolicy(
                half_lives=parse_half_lives(self.facts_half_lives),
                threshold=self.facts_prune_below,
            ),
            facts=FactPolicy(
                is_enabled=preset.facts.is_enabled if self.facts is None else self.facts,
                k=self.facts_k,
                threshold=self.facts_threshold,
                standing=self.standing_instructions,
            ),
            keeps_index=self.recall is not RecallScope.OFF,
            model=self.llm_model,
            chat_template=self.chat_template,
            rewrites_from_billions=self.rewrite_from_billions,
            rewrite_confidence=self.rewrite_confidence,
            shows_meaning=self.rewrite_hint,
            missing_session=self.missing_session or preset.missing_session,
            rejects_unknown_sessions=self.unknown_session is UnknownSession.REJECT,
            context=preset.context,
            results=ResultPolicy.parse(self.store_results),
            masking=MaskingPolicies(usual=self.mask_pii, key=self._masking_key),
            audit=self.audit_policy(),
            control_share=self.ab_share,
            sizes=self.model_sizes,
        )

    @property
    def _masking_key(self) -> bytes:
        return self.masking_key.get_secret_value().encode() if self.masking_key else b""

    def _compaction(self, preset: Preset) -> CompactionPolicy | None:
        policy = preset.compaction_for(tier_of(self.llm_model, overrides=self.model_sizes))
        if policy is None or self.summarization_threshold is None:
            return policy
        threshold = self.summarization_threshold
        return CompactionPolicy(trigger=threshold, keep=min(policy.keep, threshold - 1))

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
    return Settings(**overrides)


def _described(problem: "ErrorDetails") -> str:
    """A problem of a value, after the name of its variable; one of several settings alone."""
    name = str(problem["loc"][0]) if problem["loc"] else None
    if name is None:
        return describe(problem, None)
    return f"{_PREFIX}{name.upper()}: {describe(problem, Settings.model_fields[name])}"


def _variables() -> dict[str, object]:
    """The settings of the environment by their names; an empty variable is an absent one."""
    return {
        name.lower().removeprefix(_PREFIX.lower()): text
        for name, text in os.environ.items()
        if text and name.upper().startswith(_PREFIX)
    }


def _wrong_variables(known: Collection[str]) -> Iterator[str]:
    """What is wrong with the environment before any value is read."""
    # Elsewhere an empty variable means that nothing is set; here it would be everybody's tenant.
    for name in ("MEMORY_TENANT", "MEMORY_LOCAL_USER"):
        if os.environ.get(name) == "":
            yield f"{name}: must not be blank; leave it out for the default"
    names = [f"{_PREFIX}{name.upper()}" for name in known]
    ignored = {name.strip().upper() for name in os.environ.get(_IGNORED, "").split(",")}
    for name in sorted(os.environ):
        is_ours = name.upper().startswith(_PREFIX) and name.upper() not in ignored | _OF_THE_SYSTEM
        if is_ours and name.upper() not in names:
            yield f"{_unknown(name, names)} (if it is another program's, name it in {_IGNORED})"


def _unknown(name: str, known: Collection[str]) -> str:
    # Names are compared without the prefix: with it, any two are alike.
    settings = {setting.upper().removeprefix(_PREFIX): setting for setting in known}
    near = get_close_matches(name.upper().removeprefix(_PREFIX), settings, n=1, cutoff=0.7)
    advice = f"perhaps {settings[near[0]]} is meant" if near else _ALL_SETTINGS
    return f"{name} is no setting: {advice}"
