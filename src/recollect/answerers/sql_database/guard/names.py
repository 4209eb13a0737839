"""The functions of databases whose search path cannot be narrowed to what is built in.

sqlglot has one class for a function of many dialects: `INITCAP` is Oracle's own, and somebody's
own on MySQL. There the names in the statement that is run decide.
"""

from collections.abc import Callable
from functools import lru_cache
from itertools import pairwise
from typing import Final

from sqlglot import Dialect, TokenType

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
