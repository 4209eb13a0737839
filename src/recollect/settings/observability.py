"""Settings of what the server tells about itself: logs, metrics and traces."""

from collections.abc import Iterator
from enum import StrEnum

from pydantic import BaseModel, Field, SecretStr, field_validator

from recollect.ports.telemetry import TracedUsers
from recollect.settings.server import LOOPBACK_HOSTS
from recollect.settings.values import HttpAddress, SeparatedByCommas


class LogFormat(StrEnum):
    """How log lines are written."""

    JSON = "json"
    TEXT = "text"


class LogSettings(BaseModel):
    """The level and the form of log lines, and variables that are not ours."""

    log_level: str = "INFO"
    """DEBUG, INFO, WARNING or ERROR."""
    log_format: LogFormat | None = None
    """json or text; default: text on a terminal, else json."""
    ignored_variables: SeparatedByCommas = ()
    """Environment variables that begin with MEMORY_ and are another program's, comma-separated; any
    other unknown one stops the start."""
    loop_held_milliseconds: int = Field(default=50, ge=0, le=60_000)
    """Requests that keep the server from answering others for longer are logged (loop.held); 0 logs
    none."""

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


class ObservabilitySettings(BaseModel):
    """Metrics and traces, and where they go."""

    metrics_port: int | None = Field(default=None, ge=0, le=65535)
    """Port of /metrics in Prometheus' format, apart from the server's own; unset: there is none."""
    metrics_host: str = "127.0.0.1"
    """Address that port listens on; one that is not loopback needs MEMORY_METRICS_TOKEN."""
    metrics_token: SecretStr | None = Field(default=None, min_length=16)
    """What scrapers show as 'Authorization: Bearer …', at least 16 characters. Without
    MEMORY_METRICS_PORT it opens /metrics on the server's own port."""
    otlp_endpoint: HttpAddress | None = None
    """Where traces and metrics are sent by OTLP over HTTP, such as http://127.0.0.1:4318; unset:
    nowhere."""
    otlp_headers: SecretStr | None = None
    """Headers of what is sent there: name=value, comma-separated."""
    otlp_metrics: bool = True
    """Whether metrics are sent there, too."""
    trace_sample: float = Field(default=1.0, ge=0, le=1)
    """The part of all traces that are sent, of those whose caller has not decided that already."""
    trace_content: bool = False
    """Whether traces have questions, answers and prompts, and so personal data: on or off."""
    trace_users: TracedUsers = TracedUsers.PSEUDONYM
    """What stands for users in traces: pseudonym, name or off."""
    pseudonym_key: SecretStr | None = Field(default=None, min_length=16)
    """What pseudonyms of users in logs and traces are made with, at least 16 characters; unset: a
    secret of the database's own, the same for all servers that work on it."""
    langfuse_url: HttpAddress | None = None
    """A Langfuse that traces are sent to, such as https://cloud.langfuse.com; with both keys."""
    langfuse_public_key: str | None = None
    """Langfuse's public key of the project."""
    langfuse_secret_key: SecretStr | None = None
    """Langfuse's secret key of the project."""
    ab_share: float = Field(default=0, ge=0, le=1)
    """The part of all sessions whose questions are answered without memory, to compare both; their
    messages are stored all the same."""
    slow_milliseconds: int = Field(default=1_000, ge=0, le=600_000)
    """Operations of memory that take longer are logged as a warning, with their slowest stage."""

    @property
    def has_metrics(self) -> bool:
        """Whether anybody can ask for metrics, or is sent them."""
        is_asked = self.metrics_port is not None or self.metrics_token is not None
        return is_asked or (self.otlp_endpoint is not None and self.otlp_metrics)

    @property
    def has_traces(self) -> bool:
        """Whether traces are sent anywhere."""
        return self.otlp_endpoint is not None or self.langfuse_url is not None

    def telemetry_problems(self) -> Iterator[str]:
        """What contradicts itself."""
        keys = (self.langfuse_public_key, self.langfuse_secret_key)
        if self.langfuse_url is not None and not all(keys):
            yield (
                "MEMORY_LANGFUSE_URL needs MEMORY_LANGFUSE_PUBLIC_KEY and "
                "MEMORY_LANGFUSE_SECRET_KEY"
            )
        if self.otlp_headers is not None and self.otlp_endpoint is None:
            yield "MEMORY_OTLP_HEADERS needs MEMORY_OTLP_ENDPOINT"
        is_loopback = self.metrics_host.lower() in LOOPBACK_HOSTS
        if self.metrics_port is not None and self.metrics_token is None and not is_loopback:
            yield (
                f"MEMORY_METRICS_HOST={self.metrics_host} needs MEMORY_METRICS_TOKEN: without it, "
                "anybody who reaches the port could read the metrics"
            )
