"""Settings of tenants as JSON."""

from datetime import datetime
from typing import Self

from pydantic import BaseModel, Field

from recollect.domain.tenants.settings import TenantReport
from recollect.domain.text import JsonValue
from recollect.interfaces.http.schemas.conversations import example


class TenantSettingsIn(BaseModel):
    """Settings of a tenant, spelled as the MEMORY_* settings of the same names; null: not set."""

    model_config = example(retention="sliding:30", mask_pii="off", store_results="none")

    retention: str | None = Field(
        default=None, description="How long sessions are kept: none, fixed:DAYS or sliding:DAYS."
    )
    mask_pii: str | None = Field(
        default=None, description="Masks in place of personal data: off, mask or hash."
    )
    store_results: str | None = Field(
        default=None, description="What is stored of results: none, summary or rows:N."
    )
    archive: bool | None = Field(
        default=None, description="Whether expired sessions go into the server's archive."
    )
    facts: bool | None = Field(
        default=None, description="Whether contexts have facts about users, and facts are learnt."
    )
    learn_facts: bool | None = Field(
        default=None, description="Whether facts are learnt; false leaves known ones in contexts."
    )
    facts_extractor: str | None = Field(
        default=None, description="Who finds facts in messages: local or llm."
    )
    facts_half_lives: str | None = Field(
        default=None,
        description="Days after which an unused fact counts half: high:365,medium:180,low:60.",
    )
    facts_prune_below: float | None = Field(
        default=None, description="Facts that count less are pruned; 0: none."
    )

    def given(self) -> dict[str, JsonValue]:
        """What the request has, null or not."""
        return self.model_dump(exclude_unset=True)


class TenantSettingsOut(BaseModel):
    """The settings of a tenant, and what counts for it together with those of the server."""

    tenant: str
    version: int = Field(description="Grows with every change, from 0; also in the header ETag.")
    updated_at: datetime | None = Field(description="The last change; null before the first.")
    settings: TenantSettingsIn = Field(description="What the tenant has set; null: not set.")
    effective: TenantSettingsIn = Field(description="What counts for its users.")

    @classmethod
    def of(cls, report: TenantReport) -> Self:
        """The JSON form of a tenant's settings."""
        return cls(
            tenant=report.tenant,
            version=report.version,
            updated_at=report.updated_at,
            settings=TenantSettingsIn.model_validate(report.settings.to_json()),
            effective=TenantSettingsIn.model_validate(report.effective.to_json()),
        )
