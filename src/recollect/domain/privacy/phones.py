"""Telephone numbers in texts: international ones, and national ones of seven countries.

First, no harm: in questions about data most numbers are amounts, years and keys. A number is taken
for a telephone number if it has the form of one, with a country code or a leading zero, or groups
of digits that no amount has; or if a word before it says so.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise
from typing import Final, NamedTuple

from recollect.domain.privacy.identity_numbers import DIGITS
from recollect.domain.privacy.labels import Label, is_amount, label_before, may_be_labelled

_SHAPE: Final = re.compile(
    r"\+? ?\(?\d{1,15}+(?:(?:\) ?|\)? ?[-./] ?| )\(?\d{1,15}+(?![^\W\d_])){0,7}+"
)
_IN_GROUPS: Final = re.compile(
    r"(?:1[-. ]\(?)?\d{3}[-. )]{1,2}\d{3}[-.]\d{4}(?!\d)|\d{3}([-. ])\d\d\1\d\d\1\d\d(?!\d)"
    r"|\d\d([-. ])\d{3}\2\d\d\2\d\d(?!\d)"
)
"""Groups of digits as they are written in North America and in Spain."""
_NUMBER: Final = re.compile(r"\d+")
_BEFORE: Final = re.compile(r"[^\W_]|[^\W_][+-]|\d[.,:/]|[_-]")
"""What may not stand right before a number: it would be a part of something else."""
_AFTER: Final = re.compile(r"[^\W_]|[.,:/-]\d|@")
_COUNTRY: Final = re.compile(
    r"1|7|2(?:[07]|[1-69]\d)|3(?:[0-469]|[578]\d)|4(?:[013-9]|2\d)|5(?:[1-8]|[09]\d)"
    r"|6(?:[0-6]|[789]\d)|8(?:[1246]|[0578]\d)|9(?:[0-58]|[679]\d)"
)
_LENGTHS: Final = {
    "1": (10, 10),
    "7": (10, 10),
    "31": (9, 9),
    "32": (8, 9),
    "33": (9, 9),
    "34": (9, 9),
    "44": (9, 10),
    "49": (6, 11),
}
_OTHER_LENGTHS: Final = (7, 12)
_NORTH_AMERICAN: Final = re.compile(r"[2-9]\d\d[2-9]\d{6}")
_MOBILE: Final = re.compile(r"01[567]\d{8,9}|07[1-9]\d{8}")
"""German and British mobile numbers, which are longer than ten digits."""
_FEWEST_LABELLED: Final = 7
_FEWEST_NATIONAL: Final = 9
_MOST_DIGITS: Final = 17
"""With the two zeros that stand for a plus."""
_MARKS: Final = frozenset("+( ")
_NATIONAL: Final = 10
_LONG_NATIONAL: Final = 11


class Phone(NamedTuple):
    """Where a telephone number is in a text, and its digits without country code and zeros."""

    start: int
    end: int
    number: str


class _Candidate(NamedTuple):
    """Some groups of digits that may be a telephone number together."""

    groups: tuple[str, ...]
    separators: tuple[str, ...]
    has_plus: bool
    has_parenthesis: bool

    @property
    def digits(self) -> str:
        return "".join(self.groups)

    @property
    def lengths(self) -> tuple[int, ...]:
        return tuple(len(group) for group in self.groups)

    @property
    def is_round(self) -> bool:
        """Whether it is an increase by thousands, such as +49 500 000."""
        return set(self.lengths[1:]) == {3} and self.groups[-1] == "000"

    def first(self, count: int) -> "_Candidate":
        return self._replace(groups=self.groups[:count], separators=self.separators[: count - 1])


def phones_in(text: str) -> Iterator[Phone]:
    """The telephone numbers in a text, in their order; none overlaps another."""
    done = 0
    for digits in DIGITS.finditer(text):
        place = digits.start()
        if place < done:
            continue
        start = _start_of(text, place)
        # Most numbers of a text are none of these, which is told at once.
        is_marked = start < place or text[place] == "0" or _IN_GROUPS.match(text, place)
        if is_marked or may_be_labelled(text, start):
            phone = _phone_at(text, start)
            if phone is not None:
                done = phone.end
                yield phone


def _phone_at(text: str, start: int) -> Phone | None:
    """The telephone number that begins at a place."""
    if _is_inside(text, start):
        return None
    shape = _SHAPE.match(text, start)
    spans = [group.span() for group in _NUMBER.finditer(text, start, shape.end())] if shape else []
    sizes = list(accumulate(end - first for first, end in spans))
    if not sizes or sizes[-1] < _FEWEST_LABELLED:
        return None
    label = label_before(text, start)
    candidate = _candidate(text, start, spans)
    for count in range(len(spans), 0, -1):
        end = spans[count - 1][1]
        if sizes[count - 1] > _MOST_DIGITS or _AFTER.match(text, end):
            continue
        if sizes[count - 1] < _FEWEST_LABELLED:
            return None
        number = _number_of(candidate.first(count), label)
        if number and not is_amount(text, start, end):
            return Phone(start, end, number)
    return None


def _is_inside(text: str, start: int) -> bool:
    """Whether what begins at a place is a part of something longer."""
    one, two = text[max(0, start - 1) : start], text[max(0, start - 2) : start]
    return bool(_BEFORE.fullmatch(one) or _BEFORE.fullmatch(two))


def _start_of(text: str, place: int) -> int:
    """Where the marks begin that belong to a number: "+", "(", "(+"."""
    if text[max(0, place - 1) : place] in _MARKS:
        for marks in ("(+", "+(", "+ ", "+", "("):
            if text.endswith(marks, 0, place):
                return place - len(marks)
    return place


def _candidate(text: str, start: int, spans: Sequence[tuple[int, int]]) -> _Candidate:
    between = pairwise(spans)
    return _Candidate(
        groups=tuple(text[first:end] for first, end in spans),
        separators=tuple(text[end:first].strip(" ()") or " " for (_, end), (first, _) in between),
        has_plus="+" in text[start : spans[0][0]],
        has_parenthesis="(" in text[start : spans[0][0]],
    )


def _number_of(candidate: _Candidate, label: Label | None) -> str:
    """The digits without country code and zeros; empty if it is no telephone number."""
    digits = candidate.digits
    if candidate.has_plus:
        return "" if candidate.is_round else _international(digits)
    if candidate.groups[0].startswith("00"):
        return "" if label in (Label.THINGS, Label.KEYS) else _international(digits[2:])
    if label is Label.PHONES:
        return "" if _is_date(candidate) else digits.lstrip("0")
    # "account 0612345678" is a key, "account 06-12345678" is not.
    if label is Label.THINGS or (label is Label.KEYS and len(candidate.groups) == 1):
        return ""
    return _national(candidate)


def _national(candidate: _Candidate) -> str:
    digits = candidate.digits
    if digits[0] == "0":
        return digits[1:] if _is_national(candidate) else ""
    if _is_north_american(candidate):
        return digits[-10:]
    return digits if _is_spanish(candidate) else ""


def _international(digits: str) -> str:
    country = _COUNTRY.match(digits)
    if country is None:
        return ""
    fewest, most = _LENGTHS.get(country[0], _OTHER_LENGTHS)
    number = digits[country.end() :]
    if number.startswith("0") and country[0] != "39":  # "+31 (0)6"; Italy's zero is dialled
        number = number[1:]
    if country[0] == "1" and not _NORTH_AMERICAN.fullmatch(number):
        return ""
    return number if fewest <= len(number) <= most else ""


def _is_national(candidate: _Candidate) -> bool:
    """Whether it can be a number of the Netherlands, Belgium, Germany, France or Britain."""
    digits, lengths = candidate.digits, candidate.lengths
    if digits[1] == "0" or _is_date(candidate):
        return False
    if len(lengths) == 1:
        if len(digits) == _NATIONAL:
            return not _is_isbn(digits)
        return _MOBILE.fullmatch(digits) is not None
    is_long = len(digits) > _LONG_NATIONAL
    if len(digits) < _FEWEST_NATIONAL or (is_long and not _MOBILE.fullmatch(digits)):
        return False
    if not 2 <= lengths[0] <= 5 or min(lengths[1:]) < 2:  # noqa: PLR2004  # area codes
        return False
    is_enterprise_number = lengths == (4, 3, 3) and set(candidate.separators) == {"."}
    is_even = len(set(candidate.separators[1:])) <= 1
    return is_even and not is_enterprise_number and not _is_counting(candidate.groups)


def _is_north_american(candidate: _Candidate) -> bool:
    """Whether it is written as nothing else is: "(415) 555-2671", "415-555-2671"."""
    lengths, separators = candidate.lengths, candidate.separators
    if lengths[0] == 1 and candidate.groups[0] == "1":
        lengths, separators = lengths[1:], separators[1:]
    if lengths != (3, 3, 4) or not _NORTH_AMERICAN.fullmatch(candidate.digits[-10:]):
        return False
    return separators[1] in "-." and (candidate.has_parenthesis or separators[0] == separators[1])


def _is_spanish(candidate: _Candidate) -> bool:
    """Whether it is written as no amount is: "612 34 56 78", "91 123 45 67"."""
    is_even = len(set(candidate.separators)) == 1
    if candidate.lengths == (3, 2, 2, 2):
        return is_even and candidate.digits[0] in "6789"
    return candidate.lengths == (2, 3, 2, 2) and is_even and candidate.digits[0] in "89"


def _is_date(candidate: _Candidate) -> bool:
    lengths = candidate.lengths[:3]
    is_year_first = lengths in ((4, 2, 2), (4, 1, 2)) and candidate.digits[0] != "0"
    return is_year_first or lengths in ((2, 2, 4), (1, 2, 4), (2, 1, 4), (1, 1, 4))


def _is_counting(groups: Sequence[str]) -> bool:
    """Whether the groups count on: weeks 01 02 03 04 05."""
    numbers = [int(group) for group in groups]
    return all(after == before + 1 for before, after in pairwise(numbers))


def _is_isbn(digits: str) -> bool:
    """Whether it is an ISBN of ten digits, which may begin with a zero."""
    weighed = (weight * int(digit) for weight, digit in zip(range(10, 0, -1), digits, strict=True))
    return sum(weighed) % 11 == 0
