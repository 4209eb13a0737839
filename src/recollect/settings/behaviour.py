"""Settings of models, answers and the behaviour of memory."""

import re
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Final

from pydantic import BaseModel, BeforeValidator, Field, SecretStr, field_validator

from recollect.domain.context.window import MAX_WINDOW_SIZE
from recollect.domain.facts.decay import DEFAULT_THRESHOLD, DecayPolicy, parse_half_lives
from recollect.domain.facts.ranking import (
    DEFAULT_FACTS,
    DEFAULT_RELEVANCE,
    DEFAULT_STANDING,
    MAX_FACTS,
    MAX_STANDING,
)
from recollect.domain.model_names import ChatTemplate
from recollect.domain.policy import (
    DEFAULT,
    DEFAULT_MAX_CONTEXT_TOKENS,
    DEFAULT_REWRITE_CONFIDENCE,
    PRESETS,
    FactExtractorKind,
    MissingSession,
)
from recollect.domain.privacy.masking import LEAST_KEY, MaskingMode
from recollect.domain.privacy.results import ResultPolicy, StoredPart
from recollect.domain.profile.profile import check_chosen_keys
from recollect.domain.recall.entry import MAX_RECALLED, RecallScope
from recollect.domain.recall.reranking import RerankPolicy
from recollect.errors import InvalidInput
from recollect.settings.values import NumbersByName, SeparatedByCommas, accepted_by, matching

_POOLING: Final = re.compile("mean|cls")


def _number_or_off(value: object) -> object:
    return 0 if isinstance(value, str) and value.strip().lower() == "off" else value


class UnknownSession(StrEnum):
    """What becomes of a question in a session that was never started."""

    CREATE = "create"
    REJECT = "reject"


class BehaviourSettings(BaseModel):
    """Sessions, windows, recall and summaries."""

    enabled: bool = True
    """Whether questions are answered with memory; false: /chat, /memoryChat and /v1 read and store
    nothing."""
    preset: str = DEFAULT.name
    """How memory behaves: default, data-questions, chat, app, agent, assistant."""
    missing_session: MissingSession | None = None
    """What becomes of a question that names no session: create (a new one), user-wide (each user's
    one session) or reject (from OpenWebUI and other front ends; others get a new one); default: the
    preset's."""
    unknown_session: UnknownSession = UnknownSession.CREATE
    """What becomes of a question in a session that was never started: create (it is started under
    that id) or reject (404)."""
    max_history_messages: int | None = Field(default=None, ge=0, le=MAX_WINDOW_SIZE)
    """Messages (or turns, by the preset) in a window; default: the preset's."""
    max_context_tokens: int = Field(default=DEFAULT_MAX_CONTEXT_TOKENS, ge=1)
    """The most tokens a context may have; never exceeded."""
    rewrite_confidence: float = Field(default=DEFAULT_REWRITE_CONFIDENCE, ge=0, le=1)
    """The least confidence with which a follow-up is rewritten, from 0 to 1; below it the question
    stays as asked."""
    rewrite_hint: bool = True
    """Whether a model that reads the conversation gets the standalone question beside the user's
    own words, where it is sure: on or off."""
    model_wait_ms: float = Field(default=50, ge=0, allow_inf_nan=False)
    """How long questions may wait for the models in a process (follow-ups, embeddings), on average
    and in milliseconds; while they wait longer, some contexts are built without models, by rules
    and by words, and say so in a warning; 0: none, however long they wait."""
    recall: RecallScope | None = None
    """Where contexts look for earlier exchanges: user (all sessions), session or off, which also
    keeps them from being indexed; default: the preset's."""
    semantic_search_k: int | None = Field(default=None, ge=0, le=MAX_RECALLED)
    """How many earlier exchanges a context has at most; default: the preset's."""
    standing_instructions: Annotated[int, BeforeValidator(_number_or_off)] = Field(
        default=DEFAULT_STANDING, ge=0, le=MAX_STANDING
    )
    """How many standing instructions of the user ("from now on answer in Dutch") a context has at
    most, the newest; off: none, and none where facts are off."""
    profile_keys: SeparatedByCommas = ()
    """Keys of the user's profile that contexts have, comma-separated and in this order, such as
    preferences,company; * for all; default: none."""
    facts_extractor: FactExtractorKind = FactExtractorKind.LOCAL
    """Who finds facts about users in their messages: local (the small model that comes with
    Recollect) or llm (MEMORY_SUMMARIZATION_MODEL, else MEMORY_LLM_MODEL; local if it fails)."""
    facts_half_lives: str = ""
    """Days after which an unused fact about a user counts half, by priority, such as
    high:365,medium:180,low:60, which is the default; critical ones never fade."""
    facts_prune_below: float = Field(default=DEFAULT_THRESHOLD, ge=0, lt=1)
    """Facts that count less than this are pruned by the clean-up, and can be restored; 0: none."""
    facts: bool | None = None
    """Whether facts and standing instructions are learnt from what users say, and contexts have
    those that matter: on or off; default: the preset's; off with MEMORY_RECALL=off."""
    facts_k: int = Field(default=DEFAULT_FACTS, ge=0, le=MAX_FACTS)
    """How many facts about the user a context has at most, beside standing instructions; 0:
    none."""
    facts_threshold: float = Field(default=DEFAULT_RELEVANCE, ge=0, le=1)
    """How relevant to the question such a fact must be, from 0 to 1."""
    summarization_enabled: bool = True
    """Whether older messages are summarised, where the preset does."""
    summarization_threshold: int | None = Field(default=None, ge=2)
    """Summarise when more messages have no summary; default: the preset's."""
    summarization_model: str | None = None
    """Model that summarises; default: MEMORY_LLM_MODEL."""

    @field_validator("preset")
    @classmethod
    def _know_preset(cls, value: str) -> str:
        if value not in PRESETS:
            raise ValueError(f"must be one of: {', '.join(PRESETS)}")
        return value

    @field_validator("facts_half_lives")
    @classmethod
    def _check_half_lives(cls, value: str) -> str:
        try:
            DecayPolicy(half_lives=parse_half_lives(value))
        except InvalidInput as error:
            raise ValueError(error.problem) from None
        return value

    @field_validator("profile_keys")
    @classmethod
    def _check_keys(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        try:
            return check_chosen_keys(value)
        except InvalidInput as error:
            raise ValueError(f"each key {error.problem}") from None


class AnswererKind(StrEnum):
    """Who answers questions."""

    AUTO = "auto"
    LLM = "llm"
    DENODO = "denodo"
    SQL_DATABASE = "sql_database"
    FROM_MEMORY = "from_memory"


class AnsweringSettings(BaseModel):
    """The answerer, and what it asks."""

    answerer: AnswererKind = AnswererKind.AUTO
    """Who answers questions: denodo, sql_database, llm, from_memory (what is stored, quoted) or
    auto: the first of them that is set up."""
    answer_timeout_seconds: float = Field(default=120, gt=0)
    """The most time that a whole answer may take, streamed or not, on every route."""
    system_prompt: str | None = None
    """What the model that answers is told first."""
    denodo_url: str | None = None
    """Address of a Denodo AI SDK, such as http://127.0.0.1:8008."""
    denodo_verify_tls: bool = True
    """Whether the certificate of the Denodo AI SDK is checked."""
    sql_database: SecretStr | None = None
    """A database that data questions are asked of: an SQLAlchemy URL, or the path of a DuckDB file.
    It is only read."""
    sql_tables: SeparatedByCommas = ("*",)
    """Tables that may be read there, comma-separated, such as sales,shop.*."""
    sql_row_limit: int = Field(default=100, ge=1, le=10_000)
    """The most rows one question may find there."""
    sql_functions: SeparatedByCommas = ()
    """Functions and macros of your own that statements may call there, comma-separated, such as
    net_price,shop.fiscal_year; built-in ones need not be named."""
    sql_role: str | None = None
    """Role that statements run as on PostgreSQL; the account must be a member."""
    sql_connections: int = Field(default=4, ge=1, le=64)
    """The most statements that run there at the same time."""


class ModelSettings(BaseModel):
    """Endpoints and names of models."""

    llm_base_url: str | None = None
    """An OpenAI-compatible endpoint, such as http://127.0.0.1:11434/v1; unset: answers are quoted
    from memory and summaries are made offline."""
    llm_api_key: SecretStr | None = None
    """Key of that endpoint."""
    llm_model: str | None = None
    """The model that answers."""
    chat_template: ChatTemplate = ChatTemplate.AUTO
    """What the models' chat templates demand beside one leading system message: plain (nothing),
    alternating (users and assistants take turns), no_system (that, and no system role) or auto: by
    the family of the model."""
    llm_timeout_seconds: float = Field(default=60, gt=0)
    """Time limit of one call of a model, retries included."""
    embedding_model: str | None = None
    """What finds messages by meaning: a folder with tokenizer.json and model.onnx, the name of an
    endpoint's model, or none: by words alone; default: the model of five languages
    that comes with Recollect (recollect-multilingual-4)."""
    embedding_base_url: str | None = None
    """Endpoint of the embedding model; default: MEMORY_LLM_BASE_URL."""
    embedding_api_key: SecretStr | None = None
    """Key of that endpoint; default: MEMORY_LLM_API_KEY, if the endpoint is the same."""
    embedding_dimensions: int | None = Field(default=None, ge=2, le=4000)
    """Dimensions to ask that endpoint for; default: the model's own."""
    embedding_timeout_seconds: float = Field(default=5, gt=0)
    """The longest that a question waits for its vector; after that, what was said is found by words
    alone, and the answer has a warning."""
    embedding_pooling: Annotated[str, matching(_POOLING, "must be mean or cls")] = "mean"
    """How a model in a folder makes one vector of a text: mean or cls."""
    rerank: Annotated[str, accepted_by(RerankPolicy.parse)] = "auto"
    """How many of the best search results a cross-encoder reads again to put them in order: off, a
    number (2 to 100), or auto: as many as fit into 0.1 s, from 5 to 20 or none, if a model is
    installed and reads the question's language."""
    rerank_model: Path | None = None
    """Folder with tokenizer.json and model.onnx of a cross-encoder, for questions in any language;
    default: ms-marco-MiniLM-L-12-v2 for English questions, if recollect[rerank] is installed."""


class RedactionSettings(BaseModel):
    """What is stored of results, and of personal data."""

    store_results: Annotated[str, accepted_by(ResultPolicy.parse)] = StoredPart.SUMMARY
    """What is stored of a query's result, whoever sends it: none, summary (columns and number of
    rows) or rows:N, the first rows, too."""
    mask_pii: MaskingMode = MaskingMode.OFF
    """What is stored in place of e-mail addresses, telephone, account, card and identity numbers
    and IP addresses: off (they are stored as they are), mask (short, such as [email:k7f2m9q4]) or
    hash (long); needs MEMORY_MASKING_KEY."""
    mask_names: SeparatedByCommas = ()
    """Installed spaCy pipelines, names or folders, comma-separated, such as
    en_core_web_sm,nl_core_news_sm: names of people that they find are masked, too, wherever
    personal data is; needs recollect[names]; default: names are not masked."""
    masking_key: SecretStr | None = Field(default=None, min_length=LEAST_KEY)
    """Secret that masks are made with, of 32 characters or more, such as openssl rand -hex 32
    prints; with another one the same value gets another mask."""


class SizeSettings(BaseModel):
    """How large models are, and from which size on one rewrites follow-ups."""

    rewrite_from_billions: float = Field(default=14, ge=0)
    """The smallest MEMORY_LLM_MODEL, in billions, that is asked to rewrite follow-ups; hosted
    models of large families count as large. Otherwise the built-in model does it alone."""
    model_sizes: NumbersByName = Field(default_factory=dict)
    """Sizes of models in billions by name pattern, as JSON: {"my-model*": 7}."""
