"""Kinds of values that settings have, and how they are read from a text."""

import json
import re
from collections.abc import Callable
from functools import partial
from typing import Annotated, Final, TypeAlias

from pydantic import AfterValidator, BeforeValidator

from recollect.domain.identity.scope import check_identity
from recollect.errors import InvalidInput

_HTTP_ADDRESS: Final = re.compile(r"https?://\S+\s*")


def accepted_by(rule: Callable[[str], object], whose: str = "") -> AfterValidator:
    """Refuse a text that a rule of the domain refuses, in the way that pydantic reports."""

    def check(text: str) -> str:
        try:
            rule(text)
        except InvalidInput as error:
            raise ValueError(f"{whose}{error.problem}") from None
        return text

    return AfterValidator(check)


def matching(pattern: re.Pattern[str], problem: str) -> AfterValidator:
    """Refuse a text that is not wholly of a pattern, in words that say what it must be."""

    def check(text: str) -> str:
        if not pattern.fullmatch(text):
            raise ValueError(problem)
        return text

    return AfterValidator(check)


def _split(value: object) -> object:
    if isinstance(value, str):
        return tuple(part.strip() for part in value.split(",") if part.strip())
    return value


def _parse(value: object) -> object:
    """Read a JSON object from a text; anything else is left to pydantic."""
    if not isinstance(value, str):
        return value
    try:
        read = json.loads(value)
    except ValueError:
        read = None
    if not isinstance(read, dict):
        raise ValueError("must be a JSON object")  # noqa: TRY004  # pydantic tells these alone
    return read


Identity: TypeAlias = Annotated[str, accepted_by(partial(check_identity, field_name="name"))]
"""The name of a user or a tenant."""
HttpAddress: TypeAlias = Annotated[
    str, matching(_HTTP_ADDRESS, "must be an address that begins with http:// or https://")
]
SeparatedByCommas: TypeAlias = Annotated[tuple[str, ...], BeforeValidator(_split)]
"""Texts that are given as one, `a, b`."""
READ_JSON: Final = BeforeValidator(_parse)
NumbersByName: TypeAlias = Annotated[dict[str, float], READ_JSON]
"""A JSON object, such as `{"my-model*": 7}`."""
