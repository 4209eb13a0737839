"""Reading what environment variables hold."""

import json
from typing import Annotated, TypeAlias

from pydantic import AfterValidator, BeforeValidator
from pydantic_settings import NoDecode

from recollect.domain.scope import check_identity
from recollect.errors import InvalidInput


def read_identity(name: str) -> str:
    """Return the name of a user or a tenant, or refuse it in the way that pydantic reports."""
    try:
        return check_identity(name, "name")
    except InvalidInput as error:
        raise ValueError(error.problem) from None


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


Identity: TypeAlias = Annotated[str, AfterValidator(read_identity)]
"""The name of a user or a tenant."""

SeparatedByCommas: TypeAlias = Annotated[tuple[str, ...], NoDecode, BeforeValidator(_split)]
"""Texts that are given as one, `a, b`."""

TextsByName: TypeAlias = Annotated[dict[str, str], NoDecode, BeforeValidator(_parse)]
NumbersByName: TypeAlias = Annotated[dict[str, float], NoDecode, BeforeValidator(_parse)]
"""JSON objects, such as `{"my-model*": 7}`."""
