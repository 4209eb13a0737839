"""How long things are kept, and who does the work in the background."""

from typing import Self

from pydantic import BaseModel, Field, field_validator, model_validator

from recollect.domain.retention import RetentionMode, RetentionPolicy
from recollect.errors import InvalidInput
from recollect.settings.reading import TextsByName, read_identity


class UpkeepSettings(BaseModel):
    """Retention, clean-up and the worker."""

    retention: str | None = Field(
        default=None,
        description="How long sessions are kept: none, fixed:DAYS (from creation) or "
        "sliding:DAYS (from last use); default: the preset's.",
    )
    retention_days: float | None = Field(
        default=None,
        gt=0,
        allow_inf_nan=False,
        description="The days of MEMORY_RETENTION alone, in the preset's mode; fixed, where the "
        "preset keeps everything.",
    )
    retention_by_tenant: TextsByName = Field(
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

    @model_validator(mode="after")
    def _set_retention_once(self) -> Self:
        if self.retention is not None and self.retention_days is not None:
            raise ValueError("set MEMORY_RETENTION or MEMORY_RETENTION_DAYS, not both")
        return self

    def retention_policy(self, usual: RetentionPolicy) -> RetentionPolicy:
        """How long sessions are kept: as set, or else as usual."""
        if self.retention is not None:
            return RetentionPolicy.parse(self.retention)
        if self.retention_days is None:
            return usual
        mode = RetentionMode.FIXED if usual.mode is RetentionMode.NONE else usual.mode
        return RetentionPolicy(mode=mode, days=self.retention_days)

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

    @field_validator("retention_by_tenant")
    @classmethod
    def _check_tenants(cls, value: dict[str, str]) -> dict[str, str]:
        for name in value:
            try:
                read_identity(name)
            except ValueError as error:
                raise ValueError(f"a tenant's name {error}") from None
        return value
