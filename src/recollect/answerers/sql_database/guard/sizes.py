"""Functions that make a long value out of a short one, and how long it may become."""

from collections.abc import Iterator
from math import inf
from typing import Final

from sqlglot import exp

from recollect.answerers.sql_database.guard.series import series_length

LARGEST: Final = 10_000
_DIGITS: Final = 4  # of a width in a format
_SIZES: Final = {  # which argument is the size, by name
    "repeat": 1,
    "lpad": 1,
    "rpad": 1,
    "bar": 3,
    "list_resize": 1,
    "array_resize": 1,
}
_RESIZED: Final = frozenset({"list_resize", "array_resize"})
_DATED: Final = (exp.Cast, exp.Interval)
_FORMATS: Final = frozenset({"printf", "format"})


def is_of_bounded_size(call: exp.Func, dialect: str) -> bool:
    """Whether what a call makes is bounded by the statement itself, and small.

    A size must be a number, a repeated text a literal, a format one with widths of at most three
    digits, and a list of DuckDB's a short one.
    """
    if is_list(call, dialect):
        return series_length(call) <= LARGEST
    return (
        all(map(_is_small, _sizes(call)))
        and all(map(_is_plain, _formats(call)))
        and _repeated_length(call) <= LARGEST
    )


def is_list(call: exp.Expr, dialect: str) -> bool:
    """Whether a series is one value; elsewhere, and after FROM, its rows are made one by one."""
    is_range = isinstance(call, exp.Anonymous) and call.name.lower() == "range"
    is_series = isinstance(call, exp.GenerateSeries) or is_range
    return is_series and dialect == "duckdb" and not isinstance(call.parent, exp.Table)


def text_length(call: exp.Expr) -> float:
    """How long a text a checked call makes by its size, or a literal is; else 1."""
    match call:
        case exp.Literal() if call.is_string and not isinstance(call.parent, _DATED):
            return len(call.name)
        case exp.Repeat():
            return _repeated_length(call)
        case exp.Anonymous() if call.name.lower() in _RESIZED:
            return 1
        case exp.Pad() | exp.Space() | exp.Anonymous():
            return max((_number(size) for size in _sizes(call)), default=1)
        case _:
            return 1


def list_length(call: exp.Expr) -> float | None:
    """How many items a checked call gives to a list of DuckDB's, if that is what it does."""
    if is_list(call, "duckdb"):
        return series_length(call)
    if isinstance(call, exp.Anonymous) and call.name.lower() in _RESIZED:
        return max(map(_number, _sizes(call)))
    return None


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
        case exp.Anonymous() if (place := _SIZES.get(call.name.lower())) is not None:
            yield from call.expressions[place : place + 1]
        case _:
            return


def _formats(call: exp.Func) -> Iterator[exp.Expr | None]:
    if isinstance(call, exp.Format):
        yield call.this
    elif isinstance(call, exp.Anonymous) and call.name.lower() in _FORMATS:
        yield from call.expressions[:1]


def _is_small(size: exp.Expr | None) -> bool:
    return _number(size) <= LARGEST


def _number(size: exp.Expr | None) -> int:
    if not isinstance(size, exp.Literal) or size.is_string or not size.is_int:
        return LARGEST + 1
    return int(size.name)


def _repeated_length(call: exp.Expr) -> float:
    """The length of a repeated text; a column or another call has none that is known."""
    match call:
        case exp.Repeat():
            text, times = call.this, call.args.get("times")
        case exp.Anonymous() if call.name.lower() == "repeat":
            text, times, *_ = (*call.expressions, None, None)
        case _:
            return 0
    return len(text.name) * _number(times) if isinstance(text, exp.Literal) else inf


def _is_plain(text: exp.Expr | None) -> bool:
    """Whether a format has no width that is long or that comes from an argument."""
    if not isinstance(text, exp.Literal) or not text.is_string:
        return False
    digits = 0
    for character in text.name:
        digits = digits + 1 if character.isdigit() else 0
        if digits == _DIGITS or character == "*":
            return False
    return ":{" not in text.name
