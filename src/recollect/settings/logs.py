"""How log lines are written, and what is noticed for them."""

from enum import StrEnum

from pydantic import BaseModel, Field, field_validator

from recollect.settings.reading import SeparatedByCommas


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
