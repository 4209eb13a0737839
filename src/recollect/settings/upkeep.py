"""How long things are kept, and who does the work in the background."""

from pydantic import BaseModel, Field, field_validator

from recollect.domain.retention import RetentionPolicy
from recollect.errors import InvalidInput
from recollect.settings.reading import TextsByName


class UpkeepSettings(BaseModel):
    """Retention, clean-up and the worker."""

    retention: str | None = Field(
        default=None,
        description="How long sessions are kept: none, fixed:DAYS (from creation) or "
        "sliding:DAYS (from last use); default: the preset's.",
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
