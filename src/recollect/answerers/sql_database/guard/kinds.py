"""The parts of a statement that may stand in a query that only reads."""

from typing import Final

from sqlglot import exp

_QUERIES: Final = (
    *(exp.Select, exp.Union, exp.Intersect, exp.Except, exp.Subquery, exp.With, exp.CTE),
    *(exp.From, exp.Join, exp.Lateral, exp.Values, exp.Table, exp.TableAlias, exp.TableSample),
    *(exp.Pivot, exp.PivotAlias, exp.PivotAny, exp.Where, exp.Group, exp.Cube, exp.Rollup),
    *(exp.GroupingSets, exp.Having, exp.Qualify, exp.Order, exp.Ordered, exp.Limit, exp.Offset),
    *(exp.Fetch, exp.LimitOptions, exp.Distinct, exp.Window, exp.WindowSpec, exp.Filter),
    *(exp.WithinGroup, exp.IgnoreNulls, exp.RespectNulls, exp.HavingMax, exp.Alias, exp.Aliases),
    *(exp.Column, exp.Identifier, exp.Star, exp.PositionalColumn, exp.Pseudocolumn),
    *(exp.ColumnDef, exp.Var, exp.OverflowTruncateBehavior),
)
_VALUES: Final = (
    *(exp.Literal, exp.Null, exp.Boolean, exp.National, exp.RawString, exp.HexString),
    *(exp.BitString, exp.Interval, exp.IntervalSpan),
    *(exp.DataType, exp.DataTypeParam, exp.Tuple, exp.PropertyEQ, exp.Kwarg, exp.Lambda),
    *(exp.Comprehension, exp.JSON, exp.JSONKeyValue, exp.JSONPath, exp.JSONPathRoot),
    *(exp.JSONPathKey, exp.JSONPathSubscript, exp.JSONPathWildcard, exp.JSONPathSlice),
    *(exp.JSONPathRecursive, exp.JSONPathSelector, exp.JSONPathUnion, exp.JSONValue),
    exp.JSONExtractQuote,
)
_OPERATORS: Final = (
    *(exp.Paren, exp.Not, exp.Neg, exp.Add, exp.Sub, exp.Mul, exp.Div, exp.IntDiv, exp.Mod),
    *(exp.DPipe, exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Is, exp.In, exp.Between),
    *(exp.NullSafeEQ, exp.NullSafeNEQ, exp.Like, exp.ILike, exp.SimilarTo, exp.Glob, exp.Escape),
    *(exp.BitwiseAnd, exp.BitwiseOr, exp.BitwiseXor, exp.BitwiseNot, exp.BitwiseLeftShift),
    *(exp.BitwiseRightShift, exp.Overlaps, exp.Any, exp.All, exp.AtTimeZone, exp.FromTimeZone),
    *(exp.Bracket, exp.Slice, exp.Dot, exp.Adjacent),
)
KINDS: Final = frozenset({*_QUERIES, *_VALUES, *_OPERATORS})
"""All kinds of nodes that pass, functions apart."""

_TYPES: Final = """
    BOOLEAN BIT TINYINT SMALLINT MEDIUMINT INT BIGINT INT128 INT256 UTINYINT USMALLINT UMEDIUMINT
    UINT UBIGINT UINT128 UINT256 DECIMAL BIGDECIMAL DECIMAL32 DECIMAL64 DECIMAL128 UDECIMAL FLOAT
    DOUBLE UDOUBLE MONEY SMALLMONEY CHAR NCHAR VARCHAR NVARCHAR BPCHAR TEXT TINYTEXT MEDIUMTEXT
    LONGTEXT BINARY VARBINARY BLOB DATE DATE32 TIME TIMETZ TIME_NS DATETIME DATETIME2 DATETIME64
    SMALLDATETIME TIMESTAMP TIMESTAMPTZ TIMESTAMPLTZ TIMESTAMPNTZ TIMESTAMP_S TIMESTAMP_MS
    TIMESTAMP_NS INTERVAL YEAR UUID JSON JSONB ARRAY LIST STRUCT MAP NULL UNKNOWN
    INT4RANGE INT8RANGE NUMRANGE TSRANGE TSTZRANGE DATERANGE INET IPADDRESS
"""
TYPES: Final = frozenset(_TYPES.split())
"""The types that values may be cast to: a type of a user's own runs a function of theirs."""

_SOURCES: Final = (exp.Table, exp.Subquery, exp.Values, exp.Lateral, exp.Unnest)


def is_source(node: exp.From | exp.Join | exp.Lateral | exp.Subquery) -> bool:
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
