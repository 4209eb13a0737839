"""Lines out of bytes that come in pieces."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from recollect.http_client.responses import LineSplitter


def read(*pieces: bytes) -> list[str]:
    lines = LineSplitter()
    return [line for piece in pieces for line in lines.add(piece)] + lines.rest()


@given(
    text=st.text(alphabet="ab\n\ré\u2028\x85"),
    cuts=st.lists(st.integers(min_value=0, max_value=40), max_size=5),
)
def test_lines_are_the_same_however_they_are_cut(text: str, cuts: list[int]) -> None:
    sent = text.encode()
    bounds = [0, *sorted(min(cut, len(sent)) for cut in cuts), len(sent)]
    pieces = [sent[a:b] for a, b in pairwise(bounds) if b > a]
    assert read(*pieces) == [line.decode() for line in sent.splitlines()]


def test_a_line_is_given_as_soon_as_it_is_complete() -> None:
    lines = LineSplitter()
    assert lines.add(b"one\r\ntw") == ["one"]
    assert lines.add(b"o\r") == []
    assert lines.add(b"\nthree\n") == ["two", "three"]
    assert lines.rest() == []


def test_a_character_that_unicode_calls_a_lines_end_stays_in_the_line() -> None:
    assert read('data: "a\u2028b\x85c"\n'.encode()) == ['data: "a\u2028b\x85c"']


def test_bytes_that_are_no_utf_8_are_replaced() -> None:
    assert read(b"a\xffb\xc3\n") == ["a\ufffdb\ufffd"]
