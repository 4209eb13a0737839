"""Who says which tables users may see."""

from pydantic import BaseModel, Field, SecretStr, field_validator

from recollect.domain.permission_address import PermissionAddress
from recollect.errors import InvalidInput


class PermissionSettings(BaseModel):
    """Where permissions come from, and how long they are believed."""

    permissions: str | None = Field(
        default=None,
        description="Who says which tables users may see: none, file:PATH (TOML or JSON), the "
        "https:// address of a hook, or denodo:https://HOST/denodo-data-catalog?databases=a,b "
        "(and &serverId=1). Default: everybody may see all of their own memory.",
    )
    permissions_secret: SecretStr | None = Field(
        default=None, description="Sent to the hook as 'Authorization: Bearer …'."
    )
    permissions_timeout_seconds: float = Field(
        default=5, gt=0, description="Time limit of one question to a permission service."
    )
    permissions_cache_seconds: float = Field(
        default=30,
        ge=0,
        le=3600,
        description="How long an answer about a user is used; a right that is taken away may "
        "last as long.",
    )

    @field_validator("permissions")
    @classmethod
    def _know_permissions(cls, value: str | None) -> str | None:
        try:
            PermissionAddress.parse(value or "none")
        except InvalidInput as error:
            raise ValueError(error.problem) from None
        return value

    @property
    def permission_address(self) -> PermissionAddress | None:
        """Where permissions come from; None where none are checked."""
        return PermissionAddress.parse(self.permissions or "none")

    @property
    def forwards_credentials(self) -> bool:
        """Whether something upstream goes by the caller's own credentials."""
        address = self.permission_address
        return address is not None and address.needs_credentials
