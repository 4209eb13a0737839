"""Who answers questions, and what is kept of an answer."""

from enum import StrEnum

from pydantic import BaseModel, Field, SecretStr, field_validator

from recollect.domain.query_result import Kept, ResultPolicy
from recollect.errors import InvalidInput
from recollect.settings.reading import SeparatedByCommas


class AnswererKind(StrEnum):
    """Who answers questions."""

    AUTO = "auto"
    LLM = "llm"
    DENODO = "denodo"
    SQL_DATABASE = "sql_database"
    FROM_MEMORY = "from_memory"


class AnsweringSettings(BaseModel):
    """The answerer, and what it asks."""

    answerer: AnswererKind = Field(
        default=AnswererKind.AUTO,
        description="Who answers questions: denodo, sql_database, llm, from_memory (what is "
        "stored, quoted) or auto: the first of them that is set up.",
    )
    answer_timeout_seconds: float = Field(
        default=120,
        gt=0,
        description="The most time that a whole answer may take, streamed or not, on every route.",
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
    sql_tables: SeparatedByCommas = Field(
        default=("*",),
        description="Tables that may be read there, comma-separated, such as sales,shop.*.",
    )
    sql_row_limit: int = Field(
        default=100, ge=1, le=10_000, description="The most rows one question may find there."
    )
    sql_functions: SeparatedByCommas = Field(
        default=(),
        description="Functions and macros of your own that statements may call there, "
        "comma-separated, such as net_price,shop.fiscal_year; built-in ones need not be named.",
    )
    sql_role: str | None = Field(
        default=None,
        description="Role that statements run as on PostgreSQL; the account must be a member.",
    )
    sql_connections: int = Field(
        default=4, ge=1, le=64, description="The most statements that run there at the same time."
    )
    stored_results: str = Field(
        default=Kept.SUMMARY,
        description="What is kept of a query's result: none, summary (columns and number of "
        "rows) or rows:N.",
    )

    @field_validator("stored_results")
    @classmethod
    def _read_results(cls, value: str) -> str:
        try:
            ResultPolicy.parse(value)
        except InvalidInput as error:
            raise ValueError(error.problem) from None
        return value
