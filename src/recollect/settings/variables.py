"""Reading environment variables, and refusing unknown ones."""

import json
import os
from collections.abc import Collection, Iterator
from difflib import get_close_matches
from typing import Annotated, Final, TypeAlias

from pydantic import AfterValidator, BeforeValidator
from pydantic_settings import NoDecode

from recollect.domain.identity.scope import check_identity
from recollect.errors import InvalidInput

PREFIX: Final = "MEMORY_"
IGNORED: Final = "MEMORY_IGNORED_VARIABLES"
_ALL_SETTINGS: Final = "docs/reference/settings.md has all"
_OF_THE_SYSTEM: Final = frozenset({"MEMORY_PRESSURE_WATCH", "MEMORY_PRESSURE_WRITE"})
"""What systemd sets for every service."""


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


def unknown_arguments(given: Collection[str], known: Collection[str]) -> Iterator[str]:
    """What is wrong with names of settings that a program gives, those unknown alone."""
    for name in given:
        if name not in known:
            yield _problem(name, known)


def unknown_variables(known: Collection[str]) -> Iterator[str]:
    """What is wrong with the environment: variables that would set something, and set nothing."""
    names = [f"{PREFIX}{name.upper()}" for name in known]
    ignored = {name.strip().upper() for name in os.environ.get(IGNORED, "").split(",")}
    for name in sorted(os.environ):
        is_ours = name.upper().startswith(PREFIX) and name.upper() not in ignored | _OF_THE_SYSTEM
        if is_ours and name.upper() not in names:
            yield f"{_problem(name, names)} (if it is another program's, name it in {IGNORED})"


def _problem(name: str, known: Collection[str]) -> str:
    settings = {_without_prefix(setting): setting for setting in known}
    near = get_close_matches(_without_prefix(name), settings, n=1, cutoff=0.7)
    advice = f"perhaps {settings[near[0]]} is meant" if near else _ALL_SETTINGS
    return f"{name} is no setting: {advice}"


def _without_prefix(name: str) -> str:
    """What tells a setting from the others: with the prefix, any two names are alike."""
    return name.upper().removeprefix(PREFIX)
