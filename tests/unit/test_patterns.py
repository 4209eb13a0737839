"""No regular expression of the package takes more than linear time, whatever text it is given."""

import re
from collections.abc import Iterator

import pytest

from recollect.domain.recall.query import pattern_of_names
from support.hostile.regex_patterns import (
    METHODS,
    Found,
    calls_of_re,
    calls_with,
    distinct,
    hostile_texts,
    is_importable,
    patterns,
)
from support.hostile.time_growth import grows_faster_than_linear
from support.tables import for_each

_SHARES = 4
_COMPILING = {"compile", "escape"}
_MADE_IN_FUNCTIONS = {
    "recollect.domain.dates._starts": "recollect.domain.dates.DATES.[en].asks",
    "recollect.domain.dates.__post_init__": "recollect.domain.dates.DATES.[nl].ago",
    "recollect.domain.summary.sentences._rules": (
        "recollect.domain.summary.sentences._FIRST_PERSON.[0].[0]"
    ),
    "recollect.domain.recall.occurrence._phrases": (
        "recollect.domain.recall.occurrence._PHRASES.[en].[0]"
    ),
    "recollect.domain.recall.wording._words": (
        "recollect.domain.recall.wording._LANGUAGES.[en].for_name"
    ),
    "recollect.domain.recall.query.pattern_of_names": (
        "recollect.domain.recall.query.pattern_of_names"
    ),
}
"""Functions that compile patterns, and where one of each is found."""
_BREAKS = r"[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]"
_BAD = {
    "labels after empty lines": rf"(?:^|(?<={_BREAKS}))(?=[\s>]*(?:User:|SQL:))",
    "tags with blanks": r"<(?=\s*/?\s*conversation_)",
    "blanks at the end": r"\s+$",
    "nested repeats": r"(?:a+)+$",
    "repeats that overlap": r"\w+\d*:",
    "an opening without its end": r"\[([^\]]*)\]",
    "a lazy repeat": r"<think>.*?</think>",
}
_GOOD = (r"\w+", r"[^\W_]+(?:[.,]+[^\W_]+)*", r"(?<!\s)\s++x", r"```.*?(?:```|\Z)", r"\d{1,40}x")


def _all_patterns() -> list[Found]:
    place = "recollect.domain.recall.query.pattern_of_names"
    return [*patterns(), Found(place, pattern_of_names(["Ann Lee", "Ann"]), ("sub",))]


def _slow(found: Found) -> Iterator[str]:
    for text, text_of in hostile_texts(found.pattern).items():
        for way, call in calls_with(found):
            if grows_faster_than_linear(call, text_of):
                yield f"{found.place}.{way} on {text}"
                return


@pytest.mark.parametrize("share", range(_SHARES))
def test_every_pattern_takes_time_in_proportion_to_a_hostile_text(share: int) -> None:
    found = distinct(_all_patterns())[share::_SHARES]

    assert [slow for one in found for slow in _slow(one)] == []


@pytest.mark.parametrize("pattern", _BAD.values(), ids=_BAD)
def test_a_pattern_that_takes_quadratic_time_is_noticed(pattern: str) -> None:
    assert list(_slow(Found("bad", re.compile(pattern), METHODS)))


@for_each("pattern", _GOOD)
def test_a_linear_pattern_is_let_through(pattern: str) -> None:
    assert list(_slow(Found("good", re.compile(pattern), METHODS))) == []


def test_no_pattern_is_used_without_being_compiled_first() -> None:
    inline = {(c.place, c.function) for c in calls_of_re() if c.function not in _COMPILING}

    assert inline == set()


def test_every_pattern_compiled_in_a_function_is_tested() -> None:
    made = {c.place for c in calls_of_re() if c.function == "compile" and not c.is_at_import}
    places = {found.place for found in _all_patterns()}

    assert made == set(_MADE_IN_FUNCTIONS)
    assert set(_MADE_IN_FUNCTIONS.values()) <= places


def test_every_module_that_compiles_a_pattern_is_searched_for_patterns() -> None:
    modules = {c.place for c in calls_of_re() if c.is_at_import and c.function == "compile"}
    places = {found.place for found in _all_patterns()}
    without = {m for m in modules if not any(place.startswith(f"{m}.") for place in places)}

    assert all(map(is_importable, modules))
    assert without == set()
