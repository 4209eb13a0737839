"""The tables of a statement, each named so that the database reads that one and no other."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Final

from sqlglot import exp

from recollect.answerers.sql_database.data import Table
from recollect.errors import StatementRefused

_OWN_NAME: Final = "recollect_cte_{}"
_RECURSIVE_UNSAID: Final = frozenset({"sqlite", "tsql", "oracle"})
_FOLDS_QUOTED: Final = frozenset({"sqlite", "duckdb", "mysql", "tsql"})


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reference:
    """A name in a statement, and what it stands for."""

    node: exp.Table
    target: Table | exp.CTE


def qualify(query: exp.Query, *, dialect: str, allowed: Collection[Table]) -> tuple[Table, ...]:
    """Name all tables in full, in place, and return them; `StatementRefused` for any other.

    Common table expressions get names that no table has: if the database looks a name up by other
    rules than these, it finds nothing instead of a table that may not be read.
    """
    references = [
        _Reference(node=node, target=_target(node, dialect, allowed))
        for node in query.find_all(exp.Table)
        if not isinstance(node.this, exp.Func)  # checked as a function
    ]
    names = {
        id(defined): exp.to_identifier(_OWN_NAME.format(number), quoted=True)
        for number, defined in enumerate(query.find_all(exp.CTE), start=1)
    }
    for reference in references:
        if isinstance(reference.target, exp.CTE):
            _rename(reference.node, names[id(reference.target)])
        else:
            _name_in_full(reference.node, reference.target)
    for defined in list(query.find_all(exp.CTE)):
        defined.args["alias"].set("this", names[id(defined)].copy())
    return tuple(found.target for found in references if isinstance(found.target, Table))


def _rename(node: exp.Table, name: exp.Identifier) -> None:
    if not node.args.get("alias"):
        node.set("alias", exp.TableAlias(this=node.this.copy()))
    elif not node.args["alias"].args.get("this"):
        node.args["alias"].set("this", node.this.copy())
    node.set("this", name.copy())


def _name_in_full(node: exp.Table, table: Table) -> None:
    node.set("this", exp.to_identifier(table.name, quoted=True))
    node.set("db", exp.to_identifier(table.schema, quoted=True) if table.schema else None)
    node.set("catalog", exp.to_identifier(table.catalog, quoted=True) if table.catalog else None)


def _target(node: exp.Table, dialect: str, allowed: Collection[Table]) -> Table | exp.CTE:
    if not all(isinstance(part, exp.Identifier) for part in node.parts) or not node.parts:
        raise StatementRefused("the statement reads from something that is no table")
    if len(node.parts) == 1:
        name = _folded(node.this, dialect)
        for defined in _definitions_seen_from(node, dialect):
            if _folded(defined.args["alias"].this, dialect) == name:
                return defined
    return _allowed(node, dialect, allowed)


def _allowed(node: exp.Table, dialect: str, allowed: Collection[Table]) -> Table:
    """The allowed table of that name.

    One of another case is meant only where there is none of this, and the name is not quoted.
    """
    candidates = [table for table in allowed if _is_named(node, table)]
    name = _folded(node.this, dialect)
    exact = [table for table in candidates if table.name == name]
    if exact:
        return exact[0]
    if candidates and not _is_exact(node.this, dialect):
        return candidates[0]
    raise StatementRefused("the statement reads a table that is not among the allowed ones")


def _is_named(node: exp.Table, table: Table) -> bool:
    if node.name.lower() != table.name.lower():
        return False
    if node.catalog and node.catalog.lower() != table.catalog.lower():
        return False
    if node.db:
        return node.db.lower() == table.schema.lower()
    return table.is_in_default_schema


def _folded(identifier: exp.Identifier, dialect: str) -> str:
    """A name as the database compares it."""
    name: str = identifier.name
    return name if _is_exact(identifier, dialect) else name.lower()


def _is_exact(identifier: exp.Identifier, dialect: str) -> bool:
    return bool(identifier.args.get("quoted")) and dialect not in _FOLDS_QUOTED


def _definitions_seen_from(table: exp.Table, dialect: str) -> Iterator[exp.CTE]:
    """The common table expressions that a name may stand for, the nearest first.

    Inside of one only those before it, and itself where it may be recursive. A name it shares
    with a table means the table there.
    """
    below: exp.Expr = table
    node = table.parent
    while node is not None:
        if isinstance(node, exp.With):
            yield from _before(below, node, dialect)
        elif (own := node.args.get("with_")) is not None and own is not below:
            yield from own.expressions
        below, node = node, node.parent


def _before(inside: exp.Expr, definitions: exp.With, dialect: str) -> Iterator[exp.CTE]:
    says_so = bool(definitions.args.get("recursive")) or dialect in _RECURSIVE_UNSAID
    for defined in (found for found in definitions.expressions if isinstance(found, exp.CTE)):
        if defined is inside:
            if says_so and isinstance(defined.this, exp.SetOperation):
                yield defined
            return
        yield defined
