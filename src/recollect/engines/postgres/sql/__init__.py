"""The engine's SQL: statements by name, with named parameters.

A file holds the statements of a subject, each under a header and a comment with its purpose:

    -- name: list_audit
    -- The latest entries of the owner.
    SELECT * FROM audit WHERE owner_id = :owner_id ORDER BY number DESC LIMIT :limit

`:owner_id` becomes `$1` when the files are read, once in each process.
"""

import re
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from typing import Final, NamedTuple

_HEADER: Final = re.compile(r"^-- name: (\w+)\n((?:--.*\n)*)", re.MULTILINE)
_TOKEN: Final = re.compile(
    r"""
    --[^\n]* | /\*.*?(?:\*/|\Z)                     # a comment
    | \b[eE]'(?:[^'\\]|\\.|'')*' | '[^']*' | "[^"]*"  # a literal, a quoted name
    | (\$\w*\$).*?(?:\1|\Z)                        # a dollar-quoted literal
    | ::                                           # a cast
    | :(?P<name>[a-z_][a-z0-9_]*)
    """,
    re.VERBOSE | re.DOTALL,
)


class Statement(NamedTuple):
    """A statement as the driver takes it, and the names of its parameters in their order."""

    text: str
    parameters: tuple[str, ...]
    purpose: str = ""


def statement(name: str, /, **parameters: object) -> tuple[str, *tuple[object, ...]]:
    """The text of a statement, then its arguments in order: what `connection.fetch` takes."""
    text, names, _ = statements()[name]
    try:
        arguments = [parameters[parameter] for parameter in names]
    except KeyError as missing:
        raise TypeError(f"the statement {name} needs the parameter {missing}") from None
    if len(parameters) != len(names):
        unknown = ", ".join(sorted(parameters.keys() - set(names)))
        raise TypeError(f"the statement {name} has no parameter {unknown}")
    return (text, *arguments)


@cache
def statements() -> dict[str, Statement]:
    """All statements by their names."""
    by_name: dict[str, Statement] = {}
    for path in files(__package__).iterdir():
        if path.name.endswith(".sql"):
            for name, read in parse(path.read_text(encoding="utf-8")):
                if name in by_name:
                    raise ValueError(f"two statements are named {name}")
                by_name[name] = read
    return by_name


def parse(script: str) -> Iterator[tuple[str, Statement]]:
    """The statements of a file, each with its name."""
    headers = [*_HEADER.finditer(script)]
    ends = [*(header.start() for header in headers[1:]), len(script)]
    for header, end in zip(headers, ends, strict=True):
        purpose = " ".join(line.removeprefix("--").strip() for line in header[2].splitlines())
        text, parameters = _numbered(script[header.end() : end].strip())
        yield header[1], Statement(text, parameters, purpose)


def _numbered(text: str) -> tuple[str, tuple[str, ...]]:
    """The text with numbers for its parameters, in the order in which they first appear."""
    numbers: dict[str, int] = {}

    def number(token: re.Match[str]) -> str:
        name = token["name"]
        return token[0] if name is None else f"${numbers.setdefault(name, len(numbers) + 1)}"

    return _TOKEN.sub(number, text), tuple(numbers)
