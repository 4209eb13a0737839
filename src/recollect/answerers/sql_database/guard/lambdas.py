"""Functions over the items of a list, which may make a long value for each of them."""

from collections import Counter
from typing import Final

from sqlglot import exp

from recollect.errors import StatementRefused

_EACH: Final = (exp.Lambda, exp.Comprehension)
_NUMBERS: Final = (exp.Mul, exp.Sub, exp.Div, exp.IntDiv, exp.Mod, exp.Predicate)
_FILTERS: Final = frozenset({"list_filter", "array_filter", "filter"})
_REDUCTIONS: Final = frozenset({"list_reduce", "array_reduce", "reduce"})


def check_lambdas(query: exp.Query) -> None:
    """Refuse what copies a column into each item, and what doubles a value with each item."""
    for each in query.find_all(*_EACH):
        if each.find_ancestor(*_EACH):
            raise StatementRefused("the statement has a lambda inside of another one")
        if not _is_filter(each) and any(_is_copied(column, each) for column in _outer(each)):
            raise StatementRefused("the statement copies a column into the items of a list")
        if _is_reduction(each) and _most_used(each) > 1:
            raise StatementRefused("the statement repeats a value with each item of a list")


def _outer(each: exp.Expr) -> list[exp.Column]:
    """The columns in the body that are none of its own names."""
    own = each.expression.name.lower() if isinstance(each, exp.Comprehension) else ""
    found = each.this.find_all(exp.Column)
    return [column for column in found if column.name.lower() != own or column.table]


def _is_copied(column: exp.Column, each: exp.Expr) -> bool:
    """Whether it can be more than a part of a sum or a condition."""
    return not isinstance(column.find_ancestor(*_NUMBERS, type(each)), _NUMBERS)


def _is_filter(each: exp.Expr) -> bool:
    return isinstance(each.parent, exp.ArrayFilter) or _caller(each) in _FILTERS


def _is_reduction(each: exp.Expr) -> bool:
    return isinstance(each.parent, exp.Reduce) or _caller(each) in _REDUCTIONS


def _caller(each: exp.Expr) -> str:
    return each.parent.name.lower() if isinstance(each.parent, exp.Anonymous) else ""


def _most_used(each: exp.Expr) -> int:
    """How many times the body has one of its names, save in numbers and conditions."""
    names = (
        name.name.lower()
        for name in each.this.find_all(exp.Identifier)
        if not isinstance(name.find_ancestor(*_NUMBERS, type(each)), _NUMBERS)
    )
    return max(Counter(names).values(), default=0)
