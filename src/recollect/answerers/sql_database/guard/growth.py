"""How long the values of a DuckDB statement may become.

DuckDB computes 2,048 rows at a time, in this process, and does not count the texts and lists of
these steps in its memory limit. It counts what joins, groups, windows and recursion keep.
"""

from collections import Counter
from math import ceil, prod
from typing import Final

from sqlglot import exp

from recollect.answerers.sql_database.guard.lambdas import check_lambdas
from recollect.answerers.sql_database.guard.sizes import list_length, text_length
from recollect.errors import StatementRefused

_LARGEST: Final = 100_000  # times 2,048 rows: 200 MB
_LARGEST_RECURSIVE: Final = 4  # in each step
_ITEM: Final = 8  # bytes in a list
_COMBINING: Final = frozenset(
    {
        *("array_to_string", "list_string_agg", "list_aggr", "list_aggregate", "array_aggr"),
        *("array_aggregate", "list_resize", "array_resize"),
    }
)
_ENCODINGS: Final = {  # how many characters become of one
    "bin": 8,
    "to_binary": 8,
    "hex": 2,
    "to_hex": 2,
    "base64": 2,
    "to_base64": 2,
    "url_encode": 3,
    "json_quote": 2,
    "to_json": 2,
    "regexp_escape": 2,
}
_GROWING: Final = (
    *(exp.DPipe, exp.Add, exp.Concat, exp.ConcatWs, exp.Format, exp.Array, exp.ArrayConcat),
    *(exp.ArrayAppend, exp.ArrayPrepend, exp.Struct, exp.JSONObject, exp.JSONArray, exp.ToMap),
    exp.Anonymous,
)


def check_growth(query: exp.Query) -> None:
    """Refuse a statement that makes values many times as long as those it reads."""
    check_lambdas(query)
    copies = _copies(query)
    is_recursive = any(part.args.get("recursive") for part in query.find_all(exp.With))
    if is_recursive and copies > _LARGEST_RECURSIVE:
        raise StatementRefused("the statement repeats a value in each step of a recursion")
    if copies * _length(query) > _LARGEST:
        raise StatementRefused("the statement makes values that may become too long")


def _length(query: exp.Query) -> float:
    """How long the longest text or list may be, or a list of those where one can be made."""
    text = max((1, *map(text_length, query.walk())))
    lists = [length for length in map(list_length, query.walk()) if length is not None]
    if any(map(_combines, query.walk())):
        return text * prod(lists) * (_ITEM if lists else 1)
    return max((text, *(length * _ITEM for length in lists)))


def _combines(node: exp.Expr) -> bool:
    """Whether it makes a list with a value for each item of another, or one text of a list."""
    if isinstance(node, exp.Anonymous):
        return node.name.lower() in _COMBINING
    return isinstance(node, exp.Lambda | exp.Comprehension | exp.ArrayToString)


def _copies(query: exp.Query) -> float:
    """How many times a value may stand in another one, through all queries that are nested."""
    by_query: dict[int, float] = {}
    for node in query.find_all(*_GROWING):
        above = node.find_ancestor(exp.Query, *_GROWING)
        if not isinstance(above, _GROWING):
            by_query[id(above)] = max(by_query.get(id(above), 1), _copies_in(node))
    replaced = (_replacement(node) for node in query.find_all(exp.Replace, exp.RegexpReplace))
    return prod(by_query.values()) * prod(replaced) * prod(map(_encoded, query.find_all(exp.Func)))


def _encoded(call: exp.Func) -> int:
    name = call.name if isinstance(call, exp.Anonymous) else call.sql_name()
    return _ENCODINGS.get(name.lower(), 1)


def _copies_in(growing: exp.Expr) -> int:
    columns = Counter(column.name.lower() for column in growing.find_all(exp.Column))
    places = [
        text.name.count("{") + text.name.count("%")
        for text in growing.find_all(exp.Literal)
        if text.is_string and isinstance(text.parent, exp.Format | exp.Anonymous)
    ]
    return max((1, *columns.values(), *places))


def _replacement(call: exp.Expr) -> float:
    """How many times as long a text with replacements may be."""
    new, old = call.args.get("replacement"), call.expression
    if new is None:
        return 1
    if not isinstance(new, exp.Literal):
        return len(call.this.name) if isinstance(call.this, exp.Literal) else _LARGEST + 1
    is_text = isinstance(call, exp.Replace) and isinstance(old, exp.Literal)
    return max(1, ceil(len(new.name) / max(1, len(old.name) if is_text else 1)))
