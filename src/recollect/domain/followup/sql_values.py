"""What the SQL behind an answer tells about its question: the values as the database has them."""

import re
from difflib import SequenceMatcher
from typing import Final

from recollect.domain.followup.tokens import tokenise

_ALIKE: Final = 0.8
_MOST_VALUES: Final = 20  # a list of a thousand keys was not typed by the user
_LONGEST_SQL: Final = 10_000  # parsing takes about a millisecond per thousand characters
_QUOTED: Final = re.compile(r"'([^']*)'|\"([^\"]*)\"")


def compared_values(sql: str) -> tuple[str, ...]:
    """The texts a query compares with; nothing if it cannot be read."""
    from sqlglot import exp, parse_one  # noqa: PLC0415 # loads in 0.15 s: only where there is SQL
    from sqlglot.errors import SqlglotError  # noqa: PLC0415

    if len(sql) > _LONGEST_SQL:
        return ()
    try:
        tree = parse_one(sql)
    except (SqlglotError, RecursionError):
        return ()
    found = [node.this for node in tree.find_all(exp.Literal) if node.is_string]
    # Many databases, MySQL and SQLite among them, take "text" in double quotes for a value.
    found += [
        node.name
        for node in tree.find_all(exp.Column)
        if isinstance(node.this, exp.Identifier) and node.this.quoted and not node.table
    ]
    return tuple(dict.fromkeys(value.strip("% ") for value in found))[:_MOST_VALUES]


def as_stored(question: str, sql: str) -> str:
    """A question with its misspelt values as the database spells them."""
    if not _may_differ(question.lower(), sql):
        return question
    for value in compared_values(sql):
        if value and value.lower() not in question.lower():
            question = _correct(question, value)
    return question


def _may_differ(question: str, sql: str) -> bool:
    """Whether anything in quotes is not said in the question; most SQL needs no parsing."""
    quoted = (found[1] or found[2] or "" for found in _QUOTED.finditer(sql))
    return any(value.strip("% ").lower() not in question for value in quoted)


def _correct(question: str, value: str) -> str:
    tokens = tokenise(question)
    size = len(tokenise(value))
    best, at = _ALIKE, None
    for first in range(len(tokens) - size + 1):
        start, end = tokens[first].start, tokens[first + size - 1].end
        said = question[start:end]
        if said[:1].lower() != value[:1].lower() or abs(len(said) - len(value)) > 1:
            continue
        ratio = SequenceMatcher(None, said.lower(), value.lower()).ratio()
        if ratio > best:
            best, at = ratio, (start, end)
    return question if at is None else f"{question[: at[0]]}{value}{question[at[1] :]}"
