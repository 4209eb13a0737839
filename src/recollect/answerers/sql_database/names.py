"""The names of a statement, each read by the database as by the check: functions and tables."""

import tomllib
import unicodedata
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import lru_cache
from importlib.resources import files
from itertools import pairwise
from typing import Final

from sqlglot import Dialect, TokenType, exp

from recollect.answerers.sql_database.data import Table
from recollect.errors import StatementRefused

_QUOTED: Final = frozenset({TokenType.STRING, TokenType.NATIONAL_STRING, TokenType.IDENTIFIER})
_BREAKS: Final = "\t\n\r"
_IN_NAMES: Final = ("L", "M", "Nd")
_NOWHERE: Final = frozenset({"Cc", "Cs"})
_OWN_NAMES: Final = "recollect_cte_"
_RECURSIVE_UNSAID: Final = frozenset({"sqlite", "tsql", "oracle"})
_FOLDS_QUOTED: Final = frozenset({"sqlite", "duckdb", "mysql", "tsql"})


@lru_cache
def _allow_list(*path: str) -> frozenset[str]:
    """The names in a list of `allowed.toml`; none where there is no such list."""
    value: Mapping[str, object] | object = _file()
    for key in path:
        value = value.get(key, "") if isinstance(value, Mapping) else ""
    return frozenset(str(value).split())


@lru_cache
def _file() -> Mapping[str, object]:
    text = files("recollect.answerers.sql_database").joinpath("allowed.toml").read_text("utf-8")
    return tomllib.loads(text)


@lru_cache
def nodes() -> frozenset[type[exp.Expr]]:
    """Return the kinds of nodes that may be in a statement, functions apart."""
    return _classes_of(_allow_list("nodes"))


def types() -> frozenset[str]:
    """Return the types that values may be cast to."""
    return _allow_list("types")


def is_built_in(function: exp.Func, dialect: str) -> bool:
    """Tell whether a function belongs to the database itself and only computes."""
    if isinstance(function, exp.Anonymous | exp.AnonymousAggFunc):
        return function.name.lower() in _function_names(dialect)
    return type(function) in _function_classes(dialect)


def function_name(call: exp.Func) -> str:
    """Return the name of a function, as written where sqlglot has no class for it."""
    is_unknown = isinstance(call, exp.Anonymous | exp.AnonymousAggFunc)
    return call.name if is_unknown else call.sql_name()


@lru_cache
def _function_classes(dialect: str) -> frozenset[type[exp.Expr]]:
    return _classes_of(_allow_list("classes", "every") | _allow_list("classes", dialect))


def _function_names(dialect: str) -> frozenset[str]:
    complete = _allow_list("complete", dialect)
    return complete or _allow_list("names", "every") | _allow_list("names", dialect)


def _classes_of(names: Collection[str]) -> frozenset[type[exp.Expr]]:
    """Other versions of sqlglot may lack some: what they have no class for is not allowed."""
    return frozenset(kind for name in names if (kind := getattr(exp, name, None)))


def check_characters(statement: str) -> None:
    """Refuse control characters and halves of surrogate pairs, within strings as well."""
    for character in set(statement) - set(_BREAKS):
        if unicodedata.category(character) in _NOWHERE:
            raise StatementRefused(_refusal(character))


def check_unquoted(statement: str, dialect: str) -> None:
    """Refuse all but ASCII, letters, marks and digits outside of strings and quoted names."""
    position = 0
    for token in Dialect.get_or_raise(dialect).tokenize(statement):
        if token.token_type in _QUOTED:
            _check_plain(statement[position : token.start])
            position = token.end + 1
    _check_plain(statement[position:])


def _check_plain(text: str) -> None:
    if text.isascii():
        return
    for character in text:
        if not character.isascii() and not unicodedata.category(character).startswith(_IN_NAMES):
            raise StatementRefused(_refusal(character))


def _refusal(character: str) -> str:
    return f"the statement has the character U+{ord(character):04X} where it is not allowed"


def unknown_call(
    statement: str, *, dialect: str, is_allowed: Callable[[tuple[str, ...]], bool]
) -> str | None:
    """Return the first function that is called by a name that is not built in, if there is one.

    `is_allowed` decides about the functions of the settings. The statement was written by
    sqlglot: without comments, and with AS before every name for a table or a type.
    """
    if _allow_list("complete", dialect):
        return None
    path: tuple[str, ...] = ()
    is_alias = False
    for token, following in pairwise(Dialect.get_or_raise(dialect).tokenize(statement)):
        if token.token_type is TokenType.DOT:
            continue
        path = (*path, token.text.lower())
        if following.token_type is TokenType.L_PAREN and not is_alias:
            is_quoted = token.token_type is TokenType.IDENTIFIER
            if not _is_known(path, dialect, is_quoted=is_quoted) and not is_allowed(path):
                return ".".join(path)
        is_alias = token.token_type is TokenType.ALIAS
        if following.token_type is not TokenType.DOT:
            path = ()
    return None


def _is_known(path: tuple[str, ...], dialect: str, *, is_quoted: bool) -> bool:
    name = path[-1]
    if len(path) > 1:
        return False
    if is_quoted:
        return name.startswith(_OWN_NAMES)
    if not (name[:1].isalpha() or name[:1] in "_@#$"):
        return True  # an operator, a number or another parenthesis
    return name.split()[-1] in _allow_list("keywords") or name in _function_names(dialect)


def qualify(query: exp.Query, *, dialect: str, allowed: Collection[Table]) -> tuple[Table, ...]:
    """Name all tables in full, in place, and return them; `StatementRefused` for any other.

    Common table expressions get names that no table has: if the database looks a name up by other
    rules than these, it finds nothing instead of a table that may not be read.
    """
    targets = [
        (node, _target(node, dialect, allowed))
        for node in query.find_all(exp.Table)
        if not isinstance(node.this, exp.Func)  # checked as a function
    ]
    ctes = list(query.find_all(exp.CTE))
    names = {
        id(cte): exp.to_identifier(f"{_OWN_NAMES}{number}", quoted=True)
        for number, cte in enumerate(ctes, start=1)
    }
    for node, target in targets:
        if isinstance(target, exp.CTE):
            _rename(node, names[id(target)])
        else:
            _name_in_full(node, target)
    for cte in ctes:
        cte.args["alias"].set("this", names[id(cte)].copy())
    return tuple(target for _, target in targets if isinstance(target, Table))


def _rename(node: exp.Table, name: exp.Identifier) -> None:
    if not node.args.get("alias"):
        node.set("alias", exp.TableAlias(this=node.this.copy()))
    elif not node.args["alias"].args.get("this"):
        node.args["alias"].set("this", node.this.copy())
    node.set("this", name.copy())


def _name_in_full(node: exp.Table, table: Table) -> None:
    for key, name in (("this", table.name), ("db", table.schema), ("catalog", table.catalog)):
        node.set(key, exp.to_identifier(name, quoted=True) if name else None)


def _target(node: exp.Table, dialect: str, allowed: Collection[Table]) -> Table | exp.CTE:
    if not all(isinstance(part, exp.Identifier) for part in node.parts) or not node.parts:
        raise StatementRefused("the statement reads from something that is no table")
    if len(node.parts) == 1:
        name = _folded(node.this, dialect)
        for defined in _visible_ctes(node, dialect):
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


def _visible_ctes(table: exp.Table, dialect: str) -> Iterator[exp.CTE]:
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
    may_recurse = bool(definitions.args.get("recursive")) or dialect in _RECURSIVE_UNSAID
    for cte in (part for part in definitions.expressions if isinstance(part, exp.CTE)):
        if cte is not inside:
            yield cte
            continue
        if may_recurse and isinstance(cte.this, exp.SetOperation):
            yield cte
        return
