"""How many elements a list has that DuckDB makes of two bounds and a step."""

from datetime import UTC, datetime
from math import inf
from typing import Final

from sqlglot import exp

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
_BOUNDS: Final = (
    *(exp.Column, exp.Identifier, exp.Cast, exp.DataType, exp.Min, exp.Max, exp.CurrentDate),
    *(exp.DateTrunc, exp.TimestampTrunc, exp.Literal, exp.Var),
)


def series_length(series: exp.Expr) -> float:
    """The number of elements, infinite where the statement does not show it.

    Bounds are numbers or dates. Dates by days or more may also come from columns of tables: those
    are not the statement's own.
    """
    start, end, step = _parts(series)
    if not isinstance(step, exp.Interval):
        return _count(_number(start), _number(end), 1 if step is None else _number(step))
    seconds = _seconds(step)
    length = _count(_moment(start), _moment(end), seconds)
    if length == inf and abs(seconds) >= _DAY and _is_stored(series, (start, end)):
        return 1
    return length


def _parts(series: exp.Expr) -> tuple[object, object, object]:
    if isinstance(series, exp.Anonymous):  # `range`, which older versions of sqlglot do not know
        first, second, third = (*series.expressions, None, None, None)[:3]
        return (
            (first, second, third) if second is not None else (exp.Literal.number(0), first, None)
        )
    return series.args.get("start"), series.args.get("end"), series.args.get("step")


def _count(start: float | None, end: float | None, step: float | None) -> float:
    if start is None or end is None or not step:
        return inf
    return abs(end - start) / abs(step)


def _number(bound: object) -> float | None:
    sign = 1
    if isinstance(bound, exp.Neg):
        sign, bound = -1, bound.this
    if not isinstance(bound, exp.Literal) or bound.is_string or not bound.is_int:
        return None
    return sign * int(bound.name)


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
    return all(isinstance(bound, exp.Expr) and _is_plain(bound, made) for bound in bounds)


def _is_plain(bound: exp.Expr, made: set[str]) -> bool:
    for node in bound.walk():
        if not isinstance(node, _BOUNDS):
            return False
        if isinstance(node, exp.Column) and node.name.lower() in made:
            return False
        if isinstance(node, exp.Literal) and not node.name.isalpha() and _moment(node) is None:
            return False
    return True
