"""Settings of what is kept, for how long, and what is recorded about it."""

from collections.abc import Mapping
from datetime import timedelta
from functools import partial
from typing import Annotated, Final, TypeAlias

from pydantic import AfterValidator, BaseModel, Field, SecretStr, field_validator

from recollect.domain.identity.audit import AuditFailure, AuditPolicy
from recollect.domain.identity.scope import check_identity
from recollect.domain.policy import MAX_RETENTION_DAYS, RetentionMode, RetentionPolicy
from recollect.domain.privacy.encrypted import parse_master_keys
from recollect.domain.transfer.archive import ArchiveAddress
from recollect.errors import InvalidInput
from recollect.settings.values import READ_JSON, HttpAddress, accepted_by

_LEAST_AUDIT_DAYS: Final = 7
"""The database refuses to delete entries of the last six days."""


def _check_master_keys(secret: SecretStr) -> SecretStr:
    try:
        parse_master_keys(secret.get_secret_value())
    except InvalidInput as error:
        raise ValueError(error.problem) from None
    return secret


_Tenant: TypeAlias = Annotated[
    str, accepted_by(partial(check_identity, field_name="name"), "a tenant's name ")
]
_Retention: TypeAlias = Annotated[str, accepted_by(RetentionPolicy.parse)]


class MaintenanceSettings(BaseModel):
    """Retention, clean-up and the worker."""

    retention: _Retention | None = None
    """How long sessions are kept: none, fixed:DAYS (from creation) or sliding:DAYS (from last use);
    default: the preset's."""
    retention_days: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    """The days of MEMORY_RETENTION alone, in the preset's mode; fixed, where the preset keeps
    everything."""
    retention_by_tenant: Annotated[dict[_Tenant, _Retention], READ_JSON] = Field(
        default_factory=dict
    )
    """The same for single tenants, as JSON: {"acme": "sliding:90"}."""
    cleanup_interval_hours: float = Field(default=24, gt=0)
    """How often expired sessions are deleted."""
    archive: Annotated[str, accepted_by(ArchiveAddress.parse)] = "off"
    """Where expired sessions are archived before they are deleted: off, folder:PATH (absolute, of a
    folder that is there) or s3://BUCKET/PREFIX, with credentials from the environment (AWS_…)."""
    archive_endpoint_url: HttpAddress | None = None
    """Address of a server with S3's interface, such as http://127.0.0.1:9000; default: Amazon's."""
    archive_retention_days: float | None = Field(
        default=None, gt=0, le=MAX_RETENTION_DAYS, allow_inf_nan=False
    )
    """After how many days archived sessions are deleted from the archive; default: never."""
    worker: bool = True
    """Whether the server also does the background work; else 'recollect worker' does."""

    @property
    def archive_address(self) -> ArchiveAddress | None:
        """Where expired sessions are archived; None where they are not."""
        return ArchiveAddress.parse(self.archive)

    @property
    def archive_retention(self) -> timedelta | None:
        """How long archived sessions are kept; None for ever."""
        days = self.archive_retention_days
        return None if days is None else timedelta(days=days)

    def retention_policy(self, usual: RetentionPolicy) -> RetentionPolicy:
        """How long sessions are kept: as set, or else as usual."""
        if self.retention is not None:
            return RetentionPolicy.parse(self.retention)
        if self.retention_days is None:
            return usual
        mode = RetentionMode.FIXED if usual.mode is RetentionMode.NONE else usual.mode
        return RetentionPolicy(mode=mode, days=self.retention_days)


class PrivacySettings(BaseModel):
    """What users may do with all of their memory."""

    allow_data_export: bool = False
    """Whether users may export everything that is stored of them (GET /api/v1/privacy/export); the
    commands 'recollect export' and 'recollect import' always work."""
    allow_data_deletion: bool = False
    """Whether users may erase everything that is stored of them (POST /api/v1/privacy/erase); the
    command 'recollect erase' always works."""
    receipt_key: SecretStr | None = Field(default=None, min_length=16)
    """What the receipts of erasures are signed with, at least 16 characters and the same for all
    servers and workers. Unset: a random key that is kept in the database."""
    encryption_key: Annotated[SecretStr, AfterValidator(_check_master_keys)] | None = None
    """Master key that turns on the encryption of stored content: 32 bytes in base64 ('recollect
    encryption new-key' makes one), or several as id:base64, comma-separated. The first wraps the
    owners' keys, the others only unwrap. Without it what is encrypted is lost."""

    @property
    def master_keys(self) -> Mapping[str, bytes] | None:
        """The master keys by their ids, the current one first; None where nothing is encrypted."""
        key = self.encryption_key
        return None if key is None else parse_master_keys(key.get_secret_value())


class AuditSettings(BaseModel):
    """What the audit log records beside deletions, keys and states, and for how long."""

    log_memory_operations: bool = True
    """Whether every read, write and export of memory is in the audit log, too: on or off; never
    what was said. Deletions, keys and states always are."""
    audit_failure: AuditFailure = AuditFailure.WARN
    """What happens while the audit log cannot be written: warn (operations go on; what is not
    recorded is logged and counted) or fail (operations are refused with 503)."""
    audit_retention_days: int = Field(default=365, ge=0)
    """How long entries of the audit log are kept, at least 7 days; 0: for ever."""

    @field_validator("audit_retention_days")
    @classmethod
    def _keep_a_week(cls, value: int) -> int:
        if 0 < value < _LEAST_AUDIT_DAYS:
            raise ValueError(f"must be 0, or {_LEAST_AUDIT_DAYS} or more")
        return value

    def audit_policy(self) -> AuditPolicy:
        """What is recorded, how strictly, and for how long."""
        days = self.audit_retention_days
        return AuditPolicy(
            is_on=self.log_memory_operations,
            failure=self.audit_failure,
            retention=timedelta(days=days) if days else None,
        )
