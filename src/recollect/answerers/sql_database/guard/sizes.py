"""Functions that make a long value out of a short one, and how long it may become."""

from collections.abc import Iterator
from typing import Final

from sqlglot import exp

_LARGEST: Final = 10_000
_DIGITS: Final = 4  # of a width in a format
_SIZES: Final = {  # which argument is the size, by name
    "repeat": 1,
    "lpad": 1,
    "rpad": 1,
    "bar": 3,
    "list_resize": 1,
    "array_resize": 1,
}
_FORMATS: Final = frozenset({"printf", "format"})


def is_of_bounded_size(call: exp.Func) -> bool:
    """Whether what a call makes is bounded by the statement itself, and small.

    A size must be a number, a format a text with widths of at most three digits.
    """
    return all(map(_is_small, _sizes(call))) and all(map(_is_plain, _formats(call)))


def _sizes(call: exp.Func) -> Iterator[exp.Expr | None]:
    match call:
        case exp.Repeat():
            yield call.args.get("times")
        case exp.Pad():
            yield call.expression
        case exp.Space():
            yield call.this
        case exp.GenerateSeries() if not isinstance(call.parent, exp.Table):  # a list, not rows
            yield from call.find_all(exp.Literal)
        case exp.Anonymous() if call.name.lower() == "range" and call.arg_key != "this":
            yield from call.find_all(exp.Literal)
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
    if not isinstance(size, exp.Literal):
        return False
    return size.is_string or (size.is_int and int(size.name) <= _LARGEST)


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
