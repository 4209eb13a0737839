"""Tables of cases that one test tries all of: an item of pytest takes longer than most of them."""

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import wraps
from traceback import format_exception_only
from typing import Any, Final, TypeAlias

import pytest

Test: TypeAlias = Callable[..., Any]

_SHOWN: Final = 400
"""Characters of a case that a failure shows: some are texts of a million."""


def for_each(
    names: str | tuple[str, ...], cases: Iterable[Any], *, ids: Iterable[str] | None = None
) -> Callable[[Test], Test]:
    """Call a test with each case, as `pytest.mark.parametrize` does, but as one item.

    All cases are tried, and those that fail are reported together, each with its values. Fixtures
    are set up once: a test with a fixture that the cases must not share is not for this.
    """
    words = [name.strip() for name in names.split(",")] if isinstance(names, str) else [*names]
    rows = [dict(zip(words, case if len(words) > 1 else (case,), strict=True)) for case in cases]
    titles = [*map(_shown, rows)] if ids is None else [*ids]
    assert rows, "a test without a case cannot fail"
    assert len(titles) == len(rows)

    def decorate(test: Test) -> Test:
        @wraps(test)
        def try_all(**fixtures: object) -> None:
            failures: list[BaseException] = []
            for title, row in zip(titles, rows, strict=True):
                with _kept(failures, title):
                    test(**row, **fixtures)
            _report(failures, len(rows))

        @wraps(test)
        async def await_all(**fixtures: object) -> None:
            failures: list[BaseException] = []
            for title, row in zip(titles, rows, strict=True):
                with _kept(failures, title):
                    await test(**row, **fixtures)
            _report(failures, len(rows))

        one: Test = await_all if inspect.iscoroutinefunction(test) else try_all
        one.__signature__ = _without(words, test)  # type: ignore[attr-defined]  # pytest's fixtures
        return one

    return decorate


def _without(words: list[str], test: Test) -> inspect.Signature:
    """Return the signature of a test with nothing but its fixtures."""
    given = inspect.signature(test)
    assert {*words} <= {*given.parameters}, f"{test.__name__} does not take {words}"
    return given.replace(parameters=[p for p in given.parameters.values() if p.name not in words])


def _shown(row: Mapping[str, object]) -> str:
    values = ", ".join(f"{name}={value!r}" for name, value in row.items())
    return values if len(values) <= _SHOWN else f"{values[:_SHOWN]}…"


@contextmanager
def _kept(failures: list[BaseException], title: str) -> Iterator[None]:
    """Keep a failure for the report, with its case; `pytest.raises` fails with one of its own."""
    try:
        yield
    except (Exception, pytest.fail.Exception) as failure:  # noqa: BLE001  # raised by `_report`
        failure.add_note(f"case: {title}")
        failures.append(failure)


def _report(failures: list[BaseException], cases: int) -> None:
    """Fail with all that failed, and with the traceback of the first."""
    if failures:
        lines = "\n".join(line.rstrip() for one in failures for line in format_exception_only(one))
        raise AssertionError(f"{len(failures)} of {cases} cases failed\n{lines}") from failures[0]
