"""The tables and names of a statement, each read by the database as by the check."""

import unicodedata
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Final

from sqlglot import Dialect, TokenType, exp

from recollect.answerers.sql_database.data import Table
from recollect.errors import StatementRefused

_QUOTED: Final = frozenset({TokenType.STRING, TokenType.NATIONAL_STRING, TokenType.IDENTIFIER})
_BREAKS: Final = "\t\n\r"
_IN_NAMES: Final = ("L", "M", "Nd")
_NOWHERE: Final = frozenset({"Cc", "Cs"})
_NARROWED: Final = frozenset({"postgres", "duckdb", "sqlite"})
"""PostgreSQL's and DuckDB's search path has built-in functions only; SQLite stores none."""
_EVERYWHERE: Final = """
    cast coalesce nullif count sum avg min max abs ceil ceiling floor round sqrt exp power mod
    sign lower upper trim ltrim rtrim replace concat substring extract
    row_number rank dense_rank ntile lag lead first_value last_value percent_rank cume_dist
    grouping decimal numeric char varchar
"""
_MYSQL: Final = """
    acos adddate addtime any_value ascii asin atan atan2 bin bit_and bit_count bit_length bit_or
    bit_xor char_length character_length concat_ws conv convert convert_tz cos cot crc32 curdate
    current_date current_time current_timestamp curtime date date_add date_format date_sub
    datediff datetime day dayname dayofmonth dayofweek dayofyear degrees elt field find_in_set
    format format_bytes from_days from_unixtime greatest group_concat hex hour if ifnull inet_aton
    inet_ntoa insert instr isnull json_array json_arrayagg json_contains json_depth json_extract
    json_keys json_length json_object json_objectagg json_overlaps json_pretty json_search
    json_type json_unquote json_valid json_value last_day lcase least left length ln locate log
    log10 log2 makedate maketime md5 microsecond mid minute month monthname now nth_value oct
    octet_length ord period_add period_diff pi position pow quarter quote radians rand
    regexp_instr regexp_like regexp_replace regexp_substr reverse right row sec_to_time second
    sha sha1 sha2 sin soundex std stddev stddev_pop stddev_samp str_to_date strcmp subdate substr
    substring_index subtime sysdate tan time time_format time_to_sec timediff timestamp
    timestampadd timestampdiff to_days to_seconds truncate ucase unhex unix_timestamp utc_date
    utc_time utc_timestamp var_pop var_samp variance week weekday weekofyear year yearweek
"""
_TSQL: Final = """
    acos approx_count_distinct ascii asin atan atn2 binary charindex checksum choose concat_ws
    convert cos cot count_big datalength date_bucket dateadd datediff datediff_big datefromparts
    datename datepart datetime2 datetimefromparts datetimeoffset datetrunc day degrees difference
    eomonth float format getdate getutcdate greatest iif isdate isjson isnull isnumeric json_query
    json_value least left len log log10 month nchar nvarchar patindex percentile_cont
    percentile_disc pi quotename radians rand reverse right sin soundex square stdev stdevp str
    string_agg string_split stuff switchoffset sysdatetime sysdatetimeoffset sysutcdatetime tan
    time todatetimeoffset translate try_cast try_convert try_parse unicode var varbinary varp year
"""
_ORACLE: Final = """
    acos add_months ascii asin asciistr atan atan2 bitand chr corr cos cosh covar_pop covar_samp
    current_timestamp decode from_tz greatest initcap instr json_arrayagg json_object
    json_objectagg json_query json_value last_day least length listagg ln localtimestamp log
    median months_between nchr new_time next_day nth_value number numtodsinterval
    numtoyminterval nvl nvl2 percentile_cont percentile_disc ratio_to_report regexp_count
    regexp_instr regexp_like regexp_replace regexp_substr remainder sin sinh soundex stddev
    stddev_pop stddev_samp substr tan tanh to_char to_date to_dsinterval to_number to_timestamp
    to_timestamp_tz to_yminterval translate trunc tz_offset var_pop var_samp varchar2 variance
    width_bucket
"""
_NAMES: Final = {"mysql": _MYSQL, "tsql": _TSQL, "oracle": _ORACLE}
_KEYWORDS: Final = """
    all and any apply as between by case cube distinct div else escape except exists fetch filter
    from group having ilike in intersect interval is join lateral like limit mod not offset on or
    over pivot regexp rlike rollup select sets some then top union unpivot using values when where
    xor
"""
_OWN_NAMES: Final = "recollect_cte_"
_OWN_NAME: Final = "recollect_cte_{}"
_RECURSIVE_UNSAID: Final = frozenset({"sqlite", "tsql", "oracle"})
_FOLDS_QUOTED: Final = frozenset({"sqlite", "duckdb", "mysql", "tsql"})


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


@lru_cache
def built_in_names(dialect: str) -> frozenset[str]:
    """The functions that every database has, and those of this one where they are known."""
    return frozenset((_EVERYWHERE + _NAMES.get(dialect, "")).split())


@lru_cache
def _keywords() -> frozenset[str]:
    """The words that stand before a parenthesis and call nothing."""
    return frozenset(_KEYWORDS.split())


def unknown_call(
    statement: str, *, dialect: str, is_allowed: Callable[[tuple[str, ...]], bool]
) -> str | None:
    """The first function that a statement calls by a name that is not built in, if there is one.

    `is_allowed` says so of the functions of the settings. The statement was written by sqlglot:
    without comments, and with AS before every name for a table or a type.
    """
    if dialect in _NARROWED:
        return None
    tokens = Dialect.get_or_raise(dialect).tokenize(statement)
    path: tuple[str, ...] = ()
    is_alias = False
    for token, following in pairwise(tokens):
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
    return name.split()[-1] in _keywords() or name in built_in_names(dialect)


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
