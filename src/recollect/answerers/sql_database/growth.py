"""How long the values of a statement may become: sizes in calls, and all growth in DuckDB."""

from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from math import ceil, inf, prod
from typing import Final

from sqlglot import exp

from recollect.errors import StatementRefused

_LARGEST_CALL: Final = 10_000
_LARGEST: Final = 100_000  # times 2,048 rows: 200 MB
_LARGEST_RECURSIVE: Final = 4  # in each step
_ITEM: Final = 8  # bytes in a list
_DIGITS: Final = 4  # of a width in a format
_DAY: Final = 86_400
_SECONDS: Final = {
    "SECOND": 1,
    "MINUTE": 60,
    "HOUR": 3600,
    "DAY": _DAY,
    "WEEK": 7 * _DAY,
    "MONTH": 28 * _DAY,
    "QUARTER": 90 * _DAY,
    "YEAR": 365 * _DAY,
}
# Functions without a class in sqlglot's tree: which argument is the size.
_SIZES: Final = {"repeat": 1, "lpad": 1, "rpad": 1, "bar": 3, "list_resize": 1, "array_resize": 1}
_RESIZED: Final = frozenset({"list_resize", "array_resize"})
_FORMATS: Final = frozenset({"printf", "format"})
_FILTERS: Final = frozenset({"list_filter", "array_filter", "filter"})
_REDUCTIONS: Final = frozenset({"list_reduce", "array_reduce", "reduce"})
_COMBINING: Final = _RESIZED | {
    *("array_to_string", "list_string_agg", "list_aggr", "list_aggregate", "array_aggr"),
    "array_aggregate",
}
_TWICE: Final = "hex to_hex base64 to_base64 json_quote to_json regexp_escape"
_ENCODINGS: Final = {  # how many characters become of one
    name: length
    for length, names in ((8, "bin to_binary"), (3, "url_encode"), (2, _TWICE))
    for name in names.split()
}
_GROWING: Final = (
    *(exp.DPipe, exp.Add, exp.Concat, exp.ConcatWs, exp.Format, exp.Array, exp.ArrayConcat),
    *(exp.ArrayAppend, exp.ArrayPrepend, exp.Struct, exp.JSONObject, exp.JSONArray, exp.ToMap),
    exp.Anonymous,
)
_BOUNDS: Final = (
    *(exp.Column, exp.Identifier, exp.Cast, exp.DataType, exp.Min, exp.Max, exp.CurrentDate),
    *(exp.DateTrunc, exp.TimestampTrunc, exp.Literal, exp.Var),
)
_EACH: Final = (exp.Lambda, exp.Comprehension)
_NUMBERS: Final = (exp.Mul, exp.Sub, exp.Div, exp.IntDiv, exp.Mod, exp.Predicate)


def is_of_bounded_size(call: exp.Func, dialect: str) -> bool:
    """Tell whether what a call makes is bounded by the statement itself, and small.

    A size must be a number, a repeated text a literal, a format one with widths of at most three
    digits, and a list of DuckDB's a short one.
    """
    if dialect == "duckdb" and _is_list(call):
        return _series_length(call) <= _LARGEST_CALL
    return (
        all(_number(size) <= _LARGEST_CALL for size in _sizes(call))
        and all(map(_is_plain_format, _formats(call)))
        and _repeated_length(call) <= _LARGEST_CALL
    )


def check_growth(query: exp.Query) -> None:
    """Refuse a statement for DuckDB that makes values many times as long as those it reads."""
    _check_lambdas(query)
    copies = _copies(query)
    is_recursive = any(part.args.get("recursive") for part in query.find_all(exp.With))
    if is_recursive and copies > _LARGEST_RECURSIVE:
        raise StatementRefused("the statement repeats a value in each step of a recursion")
    if copies * _longest(query) > _LARGEST:
        raise StatementRefused("the statement makes values that may become too long")


def _name(node: exp.Expr | None) -> str:
    """The name of a function that sqlglot has no class for; else ''."""
    return node.name.lower() if isinstance(node, exp.Anonymous) else ""


def _integer(node: object) -> int | None:
    is_number = isinstance(node, exp.Literal) and not node.is_string and node.is_int
    return int(node.name) if isinstance(node, exp.Literal) and is_number else None


def _number(size: exp.Expr | None) -> int:
    number = _integer(size)
    return _LARGEST_CALL + 1 if number is None else number


def _sizes(call: exp.Expr) -> Iterator[exp.Expr | None]:
    match call:
        case exp.Repeat():
            yield call.args.get("times")
        case exp.Pad():
            yield call.expression
        case exp.Space():
            yield call.this
        case exp.GenerateSeries() if not isinstance(call.parent, exp.Table):
            yield from (part for part in call.find_all(exp.Literal) if not part.is_string)
        case exp.Anonymous() if (place := _SIZES.get(_name(call))) is not None:
            yield from call.expressions[place : place + 1]
        case _:
            return


def _formats(call: exp.Func) -> Iterator[exp.Expr | None]:
    if isinstance(call, exp.Format):
        yield call.this
    elif _name(call) in _FORMATS:
        yield from call.expressions[:1]


def _is_plain_format(text: exp.Expr | None) -> bool:
    """Whether a format has no width that is long or that comes from an argument."""
    if not isinstance(text, exp.Literal) or not text.is_string:
        return False
    digits = 0
    for character in text.name:
        digits = digits + 1 if character.isdigit() else 0
        if digits == _DIGITS or character == "*":
            return False
    return ":{" not in text.name


def _repeated_length(call: exp.Expr) -> float:
    """The length of a repeated text; a column or another call has none that is known."""
    if isinstance(call, exp.Repeat):
        text, times = call.this, call.args.get("times")
    elif _name(call) == "repeat":
        text, times, *_ = (*call.expressions, None, None)
    else:
        return 0
    return len(text.name) * _number(times) if isinstance(text, exp.Literal) else inf


def _is_list(call: exp.Expr) -> bool:
    """Whether a series of DuckDB's is one value; after FROM its rows are made one by one."""
    is_series = isinstance(call, exp.GenerateSeries) or _name(call) == "range"
    return is_series and not isinstance(call.parent, exp.Table)


def _series_length(series: exp.Expr) -> float:
    """The number of elements, infinite where the statement does not show it.

    Bounds are numbers or dates. Dates by days or more may also come from columns of tables: those
    are not the statement's own.
    """
    start, end, step = _series_parts(series)
    if not isinstance(step, exp.Interval):
        return _count(_bound(start), _bound(end), 1 if step is None else _bound(step))
    seconds = _seconds(step)
    length = _count(_moment(start), _moment(end), seconds)
    if length == inf and abs(seconds) >= _DAY and _is_stored(series, (start, end)):
        return 1
    return length


def _series_parts(series: exp.Expr) -> tuple[object, object, object]:
    if not isinstance(series, exp.Anonymous):
        return series.args.get("start"), series.args.get("end"), series.args.get("step")
    # `range`, which older versions of sqlglot do not know
    first, second, third = (*series.expressions, None, None, None)[:3]
    return (first, second, third) if second is not None else (exp.Literal.number(0), first, None)


def _count(start: float | None, end: float | None, step: float | None) -> float:
    return inf if start is None or end is None or not step else abs(end - start) / abs(step)


def _bound(bound: object) -> float | None:
    is_negative = isinstance(bound, exp.Neg)
    number = _integer(bound.this if isinstance(bound, exp.Neg) else bound)
    return -number if number is not None and is_negative else number


def _moment(bound: object) -> float | None:
    text = bound.this if isinstance(bound, exp.Cast) else bound
    if not isinstance(text, exp.Literal) or not text.is_string:
        return None
    try:
        return datetime.fromisoformat(text.name).replace(tzinfo=UTC).timestamp()
    except (ValueError, OverflowError):
        return None


def _seconds(step: exp.Interval) -> float:
    number, unit = step.this, str(step.args.get("unit") or "").upper().removesuffix("S")
    if not isinstance(number, exp.Literal) or not number.name.lstrip("-").isdecimal():
        return 0
    return int(number.name) * _SECONDS.get(unit, 0)


def _is_stored(series: exp.Expr, bounds: tuple[object, ...]) -> bool:
    """Whether bounds are values of tables: the statement is one SELECT that reads from those."""
    root = series.root()
    sources = [node.this for node in root.find_all(exp.From, exp.Join)]
    if len(list(root.find_all(exp.Query))) > 1 or root.find(exp.Lateral):
        return False
    if not all(isinstance(s, exp.Table) and isinstance(s.this, exp.Identifier) for s in sources):
        return False
    made = {node.alias.lower() for node in root.find_all(exp.Alias)}
    return all(isinstance(bound, exp.Expr) and _is_plain_bound(bound, made) for bound in bounds)


def _is_plain_bound(bound: exp.Expr, made: set[str]) -> bool:
    for node in bound.walk():
        if not isinstance(node, _BOUNDS):
            return False
        if isinstance(node, exp.Column) and node.name.lower() in made:
            return False
        if isinstance(node, exp.Literal) and not node.name.isalpha() and _moment(node) is None:
            return False
    return True


def _check_lambdas(query: exp.Query) -> None:
    """Refuse what copies a column into each item, and what doubles a value with each item."""
    for each in query.find_all(*_EACH):
        caller = _name(each.parent)
        if each.find_ancestor(*_EACH):
            raise StatementRefused("the statement has a lambda inside of another one")
        is_filter = isinstance(each.parent, exp.ArrayFilter) or caller in _FILTERS
        if not is_filter and any(_is_copied(column, each) for column in _outer_columns(each)):
            raise StatementRefused("the statement copies a column into the items of a list")
        is_reduction = isinstance(each.parent, exp.Reduce) or caller in _REDUCTIONS
        if is_reduction and _most_used(each) > 1:
            raise StatementRefused("the statement repeats a value with each item of a list")


def _outer_columns(each: exp.Expr) -> list[exp.Column]:
    """The columns in the body that are none of its own names."""
    own = each.expression.name.lower() if isinstance(each, exp.Comprehension) else ""
    columns = each.this.find_all(exp.Column)
    return [column for column in columns if column.name.lower() != own or column.table]


def _is_copied(part: exp.Expr, each: exp.Expr) -> bool:
    """Whether it can be more than a part of a sum or a condition."""
    return not isinstance(part.find_ancestor(*_NUMBERS, type(each)), _NUMBERS)


def _most_used(each: exp.Expr) -> int:
    """How many times the body has one of its names, save in numbers and conditions."""
    names = [part for part in each.this.find_all(exp.Identifier) if _is_copied(part, each)]
    return max(Counter(part.name.lower() for part in names).values(), default=0)


def _longest(query: exp.Query) -> float:
    """How long the longest text or list may be, or a list of those where one can be made."""
    nodes = list(query.walk())
    text = max((1, *map(_text_length, nodes)))
    lists = [length for length in map(_list_length, nodes) if length is not None]
    if any(map(_combines, nodes)):
        return text * prod(lists) * (_ITEM if lists else 1)
    return max((text, *(length * _ITEM for length in lists)))


def _text_length(call: exp.Expr) -> float:
    """How long a text a checked call makes by its size, or a literal is; else 1."""
    match call:
        case exp.Literal() if call.is_string and not isinstance(
            call.parent, exp.Cast | exp.Interval
        ):
            return len(call.name)
        case exp.Repeat():
            return _repeated_length(call)
        case exp.Pad() | exp.Space() | exp.Anonymous() if _name(call) not in _RESIZED:
            return max((_number(size) for size in _sizes(call)), default=1)
        case _:
            return 1


def _list_length(call: exp.Expr) -> float | None:
    """How many items a checked call gives to a list of DuckDB's, if that is what it does."""
    if _is_list(call):
        return _series_length(call)
    return max(map(_number, _sizes(call))) if _name(call) in _RESIZED else None


def _combines(node: exp.Expr) -> bool:
    """Whether it makes a list with a value for each item of another, or one text of a list."""
    return isinstance(node, (*_EACH, exp.ArrayToString)) or _name(node) in _COMBINING


def _copies(query: exp.Query) -> float:
    """How many times a value may stand in another one, through all queries that are nested."""
    by_query: dict[int, float] = {}
    for node in query.find_all(*_GROWING):
        above = node.find_ancestor(exp.Query, *_GROWING)
        if not isinstance(above, _GROWING):
            by_query[id(above)] = max(by_query.get(id(above), 1), _copies_in(node))
    replaced = map(_replacement, query.find_all(exp.Replace, exp.RegexpReplace))
    encoded = (
        _ENCODINGS.get(_name(call) or call.sql_name().lower(), 1)
        for call in query.find_all(exp.Func)
    )
    return prod(by_query.values()) * prod(replaced) * prod(encoded)


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
