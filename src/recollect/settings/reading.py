"""Reading what environment variables hold."""

import json
from typing import Annotated, TypeAlias

from pydantic import BeforeValidator
from pydantic_settings import NoDecode


def _split(value: object) -> object:
    if isinstance(value, str):
        return tuple(part.strip() for part in value.split(",") if part.strip())
    return value


def _parse(value: object) -> object:
    """Read JSON here, for what pydantic-settings cannot read ends with an error of its own."""
    if not isinstance(value, str):
        return value
    try:
        read = json.loads(value)
    except ValueError:
        read = None
    if not isinstance(read, dict):
        raise ValueError("must be a JSON object")  # noqa: TRY004  # pydantic tells these alone
    return read


SeparatedByCommas: TypeAlias = Annotated[tuple[str, ...], NoDecode, BeforeValidator(_split)]
"""Texts that are given as one, `a, b`."""

TextsByName: TypeAlias = Annotated[dict[str, str], NoDecode, BeforeValidator(_parse)]
NumbersByName: TypeAlias = Annotated[dict[str, float], NoDecode, BeforeValidator(_parse)]
"""JSON objects, such as `{"my-model*": 7}`."""
