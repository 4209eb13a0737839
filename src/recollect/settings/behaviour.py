"""How memory behaves: a preset, and what is set besides."""

from enum import StrEnum

from pydantic import BaseModel, Field, field_validator

from recollect.domain.policies import DEFAULT_MAX_CONTEXT_TOKENS
from recollect.domain.presets import DEFAULT, PRESETS, MissingSession
from recollect.domain.recall.policy import MAX_RECALLED, RecallScope
from recollect.domain.window import MAX_WINDOW_SIZE


class UnknownSession(StrEnum):
    """What becomes of a question in a session that was never started."""

    CREATE = "create"
    REJECT = "reject"


class BehaviourSettings(BaseModel):
    """Sessions, windows, recall and summaries."""

    enabled: bool = Field(
        default=True,
        description="Whether questions are answered with memory; false: /chat, /memoryChat and "
        "/v1 read and store nothing.",
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

    @field_validator("preset")
    @classmethod
    def _know_preset(cls, value: str) -> str:
        if value not in PRESETS:
            raise ValueError(f"must be one of: {', '.join(PRESETS)}")
        return value
