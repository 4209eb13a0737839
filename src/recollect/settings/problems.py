"""What is wrong with the value of a setting, in words that say what it must be."""

from typing import TYPE_CHECKING, Final, get_args

from pydantic import SecretStr
from pydantic.fields import FieldInfo

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

_PREFIX: Final = "Value error, "
_OWN: Final = "value_error"
_LONGEST_SHOWN: Final = 60
_INTEGERS: Final = ("int_parsing", "int_type", "int_from_float", "int_parsing_size")
_NUMBERS: Final = ("float_parsing", "float_type", "finite_number")
_BOUNDS: Final = ("greater_than", "greater_than_equal", "less_than", "less_than_equal")


def describe(problem: "ErrorDetails", field: FieldInfo | None) -> str:
    """Say what a setting must be, and what was given, unless it is or may have a secret in it.

    Without a field, what is wrong are several settings together.
    """
    words = _rule(problem, field)
    place = problem["loc"][1:]
    if field is None or not words.startswith("must "):
        return words
    of = f"the value of '{place[0]}' " if place and place[-1] != "[key]" else ""
    given = _shown(problem["input"]) if words.startswith("must be ") else ""
    return f"{of}{words}" + ("" if _is_secret(field) else given)


def _rule(problem: "ErrorDetails", field: FieldInfo | None) -> str:
    kind, text = problem["type"], problem["msg"]
    if kind == _OWN or field is None:
        return text.removeprefix(_PREFIX)
    bounds = "" if len(problem["loc"]) > 1 else _bounds(field)
    is_whole = kind in _INTEGERS or (kind in _BOUNDS and int in _types(field))
    if is_whole or kind in _NUMBERS + _BOUNDS:
        return f"must be a {'whole ' if is_whole else ''}number{bounds}"
    match kind:
        case "bool_parsing" | "bool_type":
            return "must be on or off"
        case "enum":
            return f"must be {problem['ctx']['expected']}".replace("'", "")
        case "too_short" | "string_too_short":
            return f"must have at least {problem['ctx']['min_length']} characters"
    return text


def _bounds(field: FieldInfo) -> str:
    limits = {
        name: getattr(part, name)
        for part in field.metadata
        for name in ("ge", "gt", "le", "lt")
        if getattr(part, name, None) is not None
    }
    match limits:
        case {"ge": least, "le": most}:
            return f" from {least} to {most}"
        case {"ge": least, "lt": below}:
            return f" from {least} to less than {below}"
        case {"gt": above, "le": most}:
            return f" above {above}, and {most} at most"
        case {"ge": least}:
            return f", {least} or more"
        case {"gt": above}:
            return f" above {above}"
    return ""


def _shown(given: object) -> str:
    """What was given, to follow a sentence; nothing of an address, which may have a password.

    A long text is left out, too: the variable that has it is named.
    """
    text = str(given)
    is_safe = text.isprintable() and not {"@", "/"} & {*text}
    return f" (it is '{text}')" if is_safe and len(text) <= _LONGEST_SHOWN else ""


def _types(field: FieldInfo) -> tuple[object, ...]:
    """The types that a setting may have, where it may be unset the other one, too."""
    return (field.annotation, *get_args(field.annotation))


def _is_secret(field: FieldInfo) -> bool:
    return any(one is SecretStr or SecretStr in get_args(one) for one in _types(field))
