"""SQL parsed in whichever dialect it is written: its tables, and its shape without values."""

import re
from collections.abc import Iterator
from typing import Final

from sqlglot import Dialect, Token, TokenType, exp
from sqlglot.errors import SqlglotError

from recollect.domain.identity.permissions import UNKNOWN, normalised

_STANDARD: Final = ""
_OTHERS: Final = ("postgres", "mysql", "tsql", "oracle", "snowflake", "bigquery")
_STARTS: Final = frozenset({TokenType.SELECT, TokenType.WITH, TokenType.L_PAREN})
# What one database takes for a quote, an escape or a name, and another does not: text that is
# part of a string here may be part of the query there.
_READ_DIFFERENTLY: Final = re.compile(r"[\\`\[#$]|q'", re.IGNORECASE)
# Comments that not all databases end at the same place, or that some run as a part of the query.
_DOUBTFUL_COMMENTS: Final = re.compile(r"/\*!|--[^\s-]|/\*(?:(?!\*/).)*/\*", re.DOTALL)
_LITERALS: Final = (
    *(exp.Literal, exp.Boolean, exp.National, exp.RawString, exp.UnicodeString),
    *(exp.HexString, exp.BitString, exp.ByteString, exp.Heredoc),
)


def tables_in(sql: str) -> tuple[str, ...] | None:
    """Return the normalised tables that a query reads in any dialect; None if that is not sure."""
    names = [_table_names(query) for query in _readings(sql)]
    if not names or None in names:
        return None
    return tuple(sorted(set().union(*filter(None, names))))


def shape_of(sql: str) -> str | None:
    """Return a query with each value as `?`; None if it cannot be read, or in several ways.

    Where readings differ, a value in one may be a name in another.
    """
    readings = _readings(sql)
    return _without_values(readings[0]) if len(readings) == 1 else None


def _readings(sql: str) -> list[exp.Query]:
    """The query as each dialect understands it; one where they must agree, none if none does."""
    if _DOUBTFUL_COMMENTS.search(sql):
        return []
    standard = _parsed(sql, _STANDARD)
    if standard is not None and not _READ_DIFFERENTLY.search(sql):
        return [standard]
    queries = (standard, *(_parsed(sql, dialect) for dialect in _OTHERS))
    return list({query.sql(comments=False): query for query in queries if query}.values())


def _parsed(sql: str, dialect: str) -> exp.Query | None:
    """The query as a dialect understands it, if need be without what VQL puts behind it."""
    reader = Dialect.get_or_raise(dialect)
    try:
        tokens = reader.tokenize(sql)
    except (SqlglotError, ValueError):
        return None
    if tokens and tokens[-1].token_type is TokenType.SEMICOLON:
        tokens.pop()
    return _query(tokens, reader, sql) or _query(_without_vql_ending(tokens), reader, sql)


def _query(tokens: list[Token], reader: Dialect, sql: str) -> exp.Query | None:
    """One query; None for several, for other statements, and for what cannot be read."""
    kinds = [token.token_type for token in tokens]
    # Of other statements sqlglot writes a part into the log, where no content belongs.
    if not kinds or kinds[0] not in _STARTS or TokenType.SEMICOLON in kinds:
        return None
    try:
        (tree,) = reader.parser().parse(tokens, sql)
    except (SqlglotError, RecursionError, ValueError):
        return None
    return tree if isinstance(tree, exp.Query) else None


def _without_vql_ending(tokens: list[Token]) -> list[Token]:
    """The tokens without VQL's `CONTEXT (…)` and `TRACE` at the end: no part of a query."""
    remaining = list(tokens)
    while len(remaining) > 1:
        last = remaining[-1]
        start = _opening(remaining)
        if last.token_type is TokenType.VAR and last.text.upper() == "TRACE":
            remaining.pop()
        elif start and remaining[start - 1].text.upper() == "CONTEXT":
            del remaining[start - 1 :]
        else:
            break
    return remaining


def _opening(tokens: list[Token]) -> int | None:
    """The place of the parenthesis that the last token closes."""
    depth = 0
    for place in reversed(range(len(tokens))):
        depth += {TokenType.R_PAREN: 1, TokenType.L_PAREN: -1}.get(tokens[place].token_type, 0)
        if depth == 0:
            return place if place < len(tokens) - 1 else None
    return None


def _table_names(query: exp.Query) -> set[str] | None:
    """The normalised names of all tables of a query; None if they are not certain."""
    if any(node.args.get("field") is not None for node in query.find_all(exp.In)):
        return None  # `x IN name`: some databases look in the table of that name
    names = {_name(table) for table in query.find_all(exp.Table) if not _is_cte(table)}
    return None if UNKNOWN in names else names - {""}


def _name(table: exp.Table) -> str:
    """A table's name; that of a function that stands for one; '' for made-up rows."""
    source = table.this
    if isinstance(source, exp.GenerateSeries | exp.ExplodingGenerateSeries | exp.Unnest):
        return ""
    parts = table.parts
    if isinstance(source, exp.Anonymous):
        # A procedure or function reads what it likes: it is to be seen if it is allowed itself.
        parts = [*parts[:-1], exp.to_identifier(source.name)]
    if not all(isinstance(part, exp.Identifier) for part in parts):
        return UNKNOWN
    quoted = ('"' + part.name.replace('"', '""') + '"' for part in parts if part.name)
    return normalised(".".join(quoted))


def _is_cte(table: exp.Table) -> bool:
    """Whether a name stands for a part of the query itself, seen from where it is used."""
    if table.args.get("db") or table.args.get("catalog"):
        return False
    return any(_is_same_name(table.this, cte.args["alias"].this) for cte in _visible_ctes(table))


def _visible_ctes(table: exp.Table) -> Iterator[exp.CTE]:
    """The common table expressions that a name may stand for.

    Those of every query around it; but inside of such an expression only those before it, and
    itself where it is recursive. A name it shares with a table means the table there.
    """
    below: exp.Expr = table
    node = table.parent
    while node is not None:
        if isinstance(node, exp.With):
            end = next((at for at, cte in enumerate(node.expressions) if cte is below), None)
            is_recursive = bool(node.args.get("recursive"))
            yield from node.expressions[: None if end is None else end + is_recursive]
        elif (own := node.args.get("with_") or node.args.get("with")) and own is not below:
            yield from own.expressions
        below, node = node, node.parent


def _is_same_name(used: exp.Expr, defined: exp.Expr) -> bool:
    """Whether two names are the same in every database: quoted names may differ by case."""
    is_quoted = bool(used.args.get("quoted"))
    if is_quoted != bool(defined.args.get("quoted")):
        return False
    names = (str(used.name), str(defined.name))
    return names[0] == names[1] if is_quoted else names[0].lower() == names[1].lower()


def _without_values(query: exp.Query) -> str | None:
    """The query as text, each value in it as `?`; None if it cannot be written."""
    masked = query.copy()
    for node in list(masked.find_all(exp.Expression)):
        if isinstance(node, _LITERALS) or _is_quoted_value(node):
            node.replace(exp.Placeholder())
    try:
        text = masked.sql(comments=False)
    except (SqlglotError, RecursionError, ValueError, TypeError, AttributeError):
        # A writer may want to look into a value that is a placeholder now.
        return None
    return None if "'" in text else text  # a value that the tree does not show as one


def _is_quoted_value(node: exp.Expr) -> bool:
    """Whether it may be a text in double quotes, as some databases take them: `name = "Ann"`."""
    if not isinstance(node, exp.Column) or node.table or not node.this.args.get("quoted"):
        return False
    is_second = node.arg_key in {"expression", "expressions", "low", "high"}
    return is_second and isinstance(node.parent, exp.Binary | exp.In | exp.Between | exp.Tuple)
