"""Profiles as JSON."""

from datetime import datetime

from pydantic import BaseModel, Field

from recollect.interfaces.http.schemas.conversations import AnyJson, FromDomain, example


class ProfileValueIn(BaseModel):
    """A value to set or to merge."""

    model_config = example(value={"language": "nl", "units": {"length": "km"}})

    value: AnyJson = Field(description="Any JSON: at most 64 KiB, 32 levels deep.")


class ProfileItemOut(FromDomain):
    """One value of a profile."""

    key: str
    value: AnyJson
    version: int = Field(description="Grows with every change; also in the header ETag.")
    created_at: datetime
    updated_at: datetime


class ProfileOut(BaseModel):
    """All values of a profile."""

    items: list[ProfileItemOut] = Field(description="In order of their keys.")


class DeletedKeys(BaseModel):
    """How much of a profile was deleted."""

    deleted: int = Field(description="Number of keys.", examples=[3])
