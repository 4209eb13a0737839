"""Reading what environment variables hold."""

from typing import Annotated, TypeAlias

from pydantic import BeforeValidator
from pydantic_settings import NoDecode


def _split(value: object) -> object:
    if isinstance(value, str):
        return tuple(part.strip() for part in value.split(",") if part.strip())
    return value


SeparatedByCommas: TypeAlias = Annotated[tuple[str, ...], NoDecode, BeforeValidator(_split)]
"""Texts that are given as one, `a, b`."""
