"""Nothing but one statement that reads, from allowed tables, with functions that only compute."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

from sqlglot import Dialect, ErrorLevel, TokenType, exp
from sqlglot.errors import SqlglotError

from recollect.answerers.sql_database.data import Table
from recollect.answerers.sql_database.growth import check_growth, is_of_bounded_size
from recollect.answerers.sql_database.names import (
    check_characters,
    check_unquoted,
    function_name,
    is_built_in,
    nodes,
    qualify,
    types,
    unknown_call,
)
from recollect.errors import StatementRefused

# A model writes up to 800 tokens. Reading a chain of operators of this length takes up to 0.6 s;
# it is done in a thread.
_LONGEST: Final = 5000
_STARTS: Final = frozenset(
    {TokenType.SELECT, TokenType.WITH, TokenType.L_PAREN, TokenType.FROM, TokenType.VALUES}
)
_SOURCES: Final = (exp.Table, exp.Subquery, exp.Values, exp.Lateral, exp.Unnest)
_SAMPLING: Final = frozenset({"system", "bernoulli", "reservoir"})
_DEFAULT_SCHEMAS: Final = {"postgres": "public", "duckdb": "main"}
_UNREADABLE: Final = "the statement is not SQL that can be checked"


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedStatement:
    """A statement that only reads."""

    text: str
    """As it was written."""
    limited: str
    """What is run: tables named in full, and no more rows than requested."""
    tables: tuple[str, ...]
    """The full names of the tables it reads."""


def check_statement(
    statement: str,
    *,
    dialect: str,
    allowed: Collection[Table],
    limit: int,
    functions: Collection[str] = (),
) -> CheckedStatement:
    """Let a statement pass if all of it is known to be harmless; else `StatementRefused`.

    It may read the allowed tables, and call built-in functions that only compute and those named
    in `functions`, as `name` or `schema.name`.
    """
    if len(statement) > _LONGEST:
        raise StatementRefused(f"the statement has more than {_LONGEST} characters")
    check_characters(statement)
    query = _only_query(statement, dialect)
    checker = _Checker(dialect, allowed, functions)
    checker.check(query)
    tables = qualify(query, dialect=dialect, allowed=allowed)
    limited = _written(_limited(query, limit), dialect)
    # What is run is what was written from the parsed statement: it must pass as well.
    written = _only_query(limited, dialect)
    check_unquoted(limited, dialect)
    checker.check(written)
    qualify(written, dialect=dialect, allowed=allowed)
    if unknown := unknown_call(limited, dialect=dialect, is_allowed=checker.is_in_settings):
        raise StatementRefused(_not_allowed(unknown))
    if dialect == "duckdb":
        check_growth(written)
    return CheckedStatement(
        text=statement.strip().rstrip(";").strip(),
        limited=limited,
        tables=tuple(sorted({table.full_name for table in tables})),
    )


class _Checker:
    """Refuses every node of a statement that is not known to be harmless.

    Functions of the settings are named by their schema, in place: the search path of the
    transaction has built-in functions only.
    """

    def __init__(
        self, dialect: str, allowed: Collection[Table], functions: Collection[str]
    ) -> None:
        self._dialect = dialect
        home = next((table for table in allowed if table.is_in_default_schema), None)
        schema = home.schema if home else _DEFAULT_SCHEMAS.get(dialect, "")
        self._home = tuple(filter(None, (home.catalog if home else "", schema)))
        self._functions = {self._in_full(function) for function in functions}

    def check(self, query: exp.Query) -> None:
        """Refuse the query if one of its nodes is not allowed."""
        for node in list(query.walk()):
            if isinstance(node, exp.Func):
                self._check_call(node)
            elif type(node) not in nodes():
                raise StatementRefused(
                    f"the statement has {node.key.upper()}, which is not allowed"
                )
            self._check_parts(node)

    def is_in_settings(self, path: tuple[str, ...]) -> bool:
        """Whether the settings name a function, by its name or with its schema."""
        return self._in_full(".".join(path)) in self._functions

    def _check_parts(self, node: exp.Expr) -> None:
        match node:
            case exp.DataType() if not _is_built_in_type(node):
                raise StatementRefused("the statement casts to a type that is not built in")
            case exp.In() if node.args.get("field") is not None:
                # `x IN name`: some databases look in the table of that name.
                raise StatementRefused("the statement has IN without parentheses")
            case exp.Dot() if not self._is_harmless(node):
                raise StatementRefused(_not_allowed(_called(node)))
            case exp.TableSample() if (
                str(node.args.get("method") or "system").lower() not in _SAMPLING
            ):
                raise StatementRefused("the statement samples in a way that is not known")
            case exp.Column() if not isinstance(node.this, exp.Identifier | exp.Star):
                raise StatementRefused(_UNREADABLE)
            case exp.From() | exp.Join() | exp.Lateral() | exp.Subquery() if not _is_source(node):
                raise StatementRefused("the statement reads from something that is no table")

    def _check_call(self, call: exp.Func) -> None:
        if not is_of_bounded_size(call, self._dialect):
            raise StatementRefused(
                f"the statement calls {function_name(call)[:100]} with a size that is large or "
                "not a number"
            )
        if isinstance(call.parent, exp.Dot) and call.arg_key == "expression":
            return  # checked with what stands before it
        path = _schema_before(call)
        if not self._may_call(call, path):
            raise StatementRefused(_not_allowed(".".join((*path, function_name(call)))))
        if not path and not is_built_in(call, self._dialect):
            self._qualify(call)

    def _is_harmless(self, dot: exp.Dot) -> bool:
        """Whether it takes a field out of a value, or calls a known function by its schema."""
        call = dot.expression
        if not isinstance(call, exp.Func):
            return isinstance(call, exp.Identifier | exp.Star)
        path = _path_names(dot.this)
        if not path or not self._may_call(call, path):
            return False
        if isinstance(dot.this, exp.Identifier) and len(self._home) > 1:
            catalog = exp.to_identifier(self._home[0], quoted=True)
            dot.set("this", exp.Dot.build([catalog, dot.this.copy()]))
        return True

    def _may_call(self, call: exp.Func, path: tuple[str, ...]) -> bool:
        is_plain = not path or (self._dialect == "postgres" and path == ("pg_catalog",))
        if is_plain and is_built_in(call, self._dialect):
            return True
        return self.is_in_settings((*path, function_name(call).lower()))

    def _qualify(self, call: exp.Func) -> None:
        if self._dialect not in _DEFAULT_SCHEMAS:
            return
        path = [exp.to_identifier(part, quoted=True) for part in self._home]
        if isinstance(call.parent, exp.Table) and call.arg_key == "this":
            for key, part in zip(("db", "catalog"), reversed(path), strict=False):
                call.parent.set(key, part)
        else:
            call.replace(exp.Dot.build([*path, call.copy()]))

    def _in_full(self, name: str) -> tuple[str, ...]:
        parts = tuple(name.lower().split("."))
        home = tuple(part.lower() for part in self._home)
        return (*home[: max(0, len(home) + 1 - len(parts))], *parts)


def _only_query(statement: str, dialect: str) -> exp.Query:
    reader = Dialect.get_or_raise(dialect)
    try:
        tokens = reader.tokenize(statement)
        while tokens and tokens[-1].token_type is TokenType.SEMICOLON:
            tokens.pop()
        if not tokens or tokens[0].token_type not in _STARTS:
            # Of other statements sqlglot writes a part into the log, where no content belongs.
            raise StatementRefused("only SELECT is allowed")
        if any(token.token_type is TokenType.SEMICOLON for token in tokens):
            raise StatementRefused("one statement is allowed, there are several")
        (query,) = reader.parser().parse(tokens, statement)
    except (SqlglotError, RecursionError, ValueError):
        raise StatementRefused(_UNREADABLE) from None
    if not isinstance(query, exp.Query):
        raise StatementRefused("only SELECT is allowed")
    return query


def _written(query: exp.Query, dialect: str) -> str:
    try:
        return query.sql(dialect=dialect, comments=False, unsupported_level=ErrorLevel.RAISE)
    except (SqlglotError, RecursionError, ValueError):
        raise StatementRefused(_UNREADABLE) from None


def _is_built_in_type(node: exp.DataType) -> bool:
    return isinstance(node.this, exp.DataType.Type) and node.this.name in types()


def _is_source(node: exp.From | exp.Join | exp.Lateral | exp.Subquery) -> bool:
    """Whether what a node reads from is checked elsewhere: as a table, a query or a function.

    sqlglot keeps the name after LATERAL and APPLY as an identifier that is no table to it.
    """
    source = node.this
    match node:
        case exp.Lateral():
            call = source.expression if isinstance(source, exp.Dot) else source
            return isinstance(call, exp.Subquery | exp.Func)
        case exp.Subquery():
            return isinstance(source, exp.Query | exp.Table | exp.Values)
        case _:
            return isinstance(source, _SOURCES)


def _schema_before(call: exp.Func) -> tuple[str, ...]:
    """The schema of a function that stands for a table, where it is named."""
    table = call.parent
    if not isinstance(table, exp.Table) or call.arg_key != "this":
        return ()
    return tuple(name.lower() for name in (table.catalog, table.db) if name)


def _path_names(path: exp.Expr) -> tuple[str, ...]:
    """The names of a schema, with its database where that is named; empty for anything else."""
    if isinstance(path, exp.Identifier):
        return (path.name.lower(),)
    if isinstance(path, exp.Dot) and isinstance(path.expression, exp.Identifier):
        before = _path_names(path.this)
        return (*before, path.expression.name.lower()) if before else ()
    return ()


def _called(dot: exp.Dot) -> str:
    last = dot.expression
    name = function_name(last) if isinstance(last, exp.Func) else last.key
    return ".".join((*_path_names(dot.this), name))


def _not_allowed(function: str) -> str:
    return (
        f"the statement calls {function[:100]}, which is not among the known functions that only "
        "compute; MEMORY_SQL_FUNCTIONS can allow it"
    )


def _limited(query: exp.Query, limit: int) -> exp.Query:
    """The statement with a limit of one row more than wanted, unless it has a smaller one."""
    present = query.args.get("limit")
    if present is not None and not _counts_rows(present):
        raise StatementRefused("the statement limits its rows by something else than their number")
    if isinstance(present, exp.Fetch):
        if not _is_at_most(present.args.get("count"), limit):
            present.set("count", exp.Literal.number(limit + 1))
        return query
    if isinstance(present, exp.Limit) and _is_at_most(present.expression, limit):
        return query
    return query.limit(limit + 1)


def _counts_rows(limit: exp.Expr) -> bool:
    """Whether it is no percentage, and no number of rows for each group or with all their ties."""
    options = limit.args.get("limit_options")
    has_options = options and (options.args.get("percent") or options.args.get("with_ties"))
    return not has_options and not limit.args.get("expressions")


def _is_at_most(count: object, limit: int) -> bool:
    return isinstance(count, exp.Literal) and count.is_int and int(count.name) <= limit
