"""The tables that a parsed query reads."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from recollect.domain.identity.permissions import UNKNOWN, normalised

if TYPE_CHECKING:
    from sqlglot import exp


def table_names(query: "exp.Query") -> set[str] | None:
    """The normalised names of all tables of a query; None if they cannot be told for certain."""
    from sqlglot import exp  # noqa: PLC0415  # loads in 0.15 s: only where there is SQL

    if any(node.args.get("field") is not None for node in query.find_all(exp.In)):
        return None  # `x IN name`: some databases look in the table of that name
    names = set()
    for table in query.find_all(exp.Table):
        if _is_defined_in_query(table):
            continue
        name = _name(table)
        if name == UNKNOWN:
            return None
        names.add(name)
    return names - {""}


def _name(table: "exp.Table") -> str:
    """A table's name; that of a function that stands for one; '' for made-up rows."""
    from sqlglot import exp  # noqa: PLC0415

    source = table.this
    if isinstance(source, exp.GenerateSeries | exp.ExplodingGenerateSeries | exp.Unnest):
        return ""
    parts = table.parts
    if isinstance(source, exp.Anonymous):
        # A procedure or function reads what it likes: it is to be seen if it is allowed itself.
        parts = [*parts[:-1], exp.to_identifier(source.name)]
    if not all(isinstance(part, exp.Identifier) for part in parts):
        return UNKNOWN
    return normalised(".".join(_quoted(part.name) for part in parts if part.name))


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _is_defined_in_query(table: "exp.Table") -> bool:
    """Whether a name stands for a part of the query itself, seen from where it is used."""
    if table.args.get("db") or table.args.get("catalog"):
        return False
    return any(_is_same_name(table, defined) for defined in _definitions_seen_from(table))


def _definitions_seen_from(table: "exp.Table") -> "Iterator[exp.CTE]":
    """The common table expressions that a name may stand for.

    Those of every query around it; but inside of such an expression only those before it, and
    itself where it is said to be recursive. A name it shares with a table means the table there.
    """
    from sqlglot import exp  # noqa: PLC0415

    below: exp.Expr = table
    node = table.parent
    while node is not None:
        if isinstance(node, exp.With):
            yield from _before(below, node)
        else:
            own = node.args.get("with_") or node.args.get("with")
            if own is not None and own is not below:
                yield from own.expressions
        below, node = node, node.parent


def _before(inside: "exp.Expr | None", definitions: "exp.With") -> "Iterator[exp.CTE]":
    for defined in definitions.expressions:
        if defined is not inside or definitions.args.get("recursive"):
            yield defined
        if defined is inside:
            break


def _is_same_name(table: "exp.Table", defined: "exp.CTE") -> bool:
    """Whether two names are the same in every database: quoted names may differ by case."""
    alias = defined.args["alias"].this
    used = table.this
    if bool(alias.args.get("quoted")) != bool(used.args.get("quoted")):
        return False
    is_quoted = bool(used.args.get("quoted"))
    if is_quoted:
        return bool(alias.name == used.name)
    return bool(alias.name.lower() == used.name.lower())
