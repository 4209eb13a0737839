"""Personal data in a text: what it is, where, and its one way of being written."""

import re
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from recollect.domain.privacy.addresses import emails_in, ip_addresses_in
from recollect.domain.privacy.identity_numbers import identity_numbers_in, is_ssn
from recollect.domain.privacy.kinds import PersonalDataKind
from recollect.domain.privacy.labels import Label, is_amount, label_before
from recollect.domain.privacy.phones import phones_in

_KIND = PersonalDataKind
_SHORTEST: Final = 7
"""Characters of the shortest number that may be one."""
_READ_AT_ONCE: Final = 50_000
"""A pattern that searches more characters holds Python's interpreter lock for too long."""
_CONTEXT: Final = 64
"""Characters before a part that are read with it: they may label what it begins with."""
_LONGEST: Final = 400
"""Characters after a part that are read with it: what begins in it may end there."""
_CHECKED_BY_FORM: Final = frozenset({_KIND.CARD, _KIND.IBAN})
"""Kinds whose form and check digits leave no doubt, whatever stands around them."""
_NINE_DIGITS: Final = re.compile(r"(?<![\w+.,-])\d{3}([ -]?)\d{2}\1\d{4}(?![^\W_]|[.,-]\d)")
_NOT_WRITTEN: Final = re.compile(r"[\W_]+")
_BLANKS: Final = "\u00a0\u202f\u3000" + "".join(map(chr, range(0x2000, 0x200B)))
_HYPHENS: Final = "\u2010\u2011\u2012\u2013\u2014\u2212\ufe63\uff0d"
_PLAIN: Final = str.maketrans(
    {
        **dict.fromkeys(_BLANKS, " "),
        **dict.fromkeys(_HYPHENS, "-"),
        **{chr(0xFEE0 + code): chr(code) for code in range(0x21, 0x7F)},  # of full width
    }
)


class PersonalData(NamedTuple):
    """One piece of personal data in a text."""

    kind: PersonalDataKind
    start: int
    end: int
    written: str
    """The same however it is written: without blanks, marks and case."""


def personal_data_in(text: str, *, label: str = "") -> list[PersonalData]:
    """The personal data in a text, in order; no two pieces overlap.

    `label` is what names the text, such as the key of a value, and counts as words before it.
    """
    if text.isdigit() and len(text) < _SHORTEST:
        return []
    found: list[PersonalData] = []
    start = 0
    while start < len(text):
        end = start + _READ_AT_ONCE
        before = text[max(0, start - _CONTEXT) : start] or (f"{label}: " if label else "")
        shift = start - len(before)
        found += (
            one._replace(start=one.start + shift, end=one.end + shift)
            for one in _read(before + text[start : end + _LONGEST])
            if start <= one.start + shift < end
        )
        start = max(end, found[-1].end) if found else end
    return found


def _read(text: str) -> list[PersonalData]:
    plain = text if text.isascii() else text.translate(_PLAIN)
    found = _without_overlaps(_found_in(plain), len(plain))
    spans = ((one.start, one.end) for one in found)
    phones = phones_in(blanked_out(plain, spans, by="\0"))
    found += [PersonalData(_KIND.PHONE, *phone) for phone in phones]
    return sorted(found, key=lambda one: one.start)


def _without_overlaps(found: Iterator[PersonalData], length: int) -> list[PersonalData]:
    """Of two that overlap, the first."""
    is_taken = bytearray(length)
    chosen: list[PersonalData] = []
    for one in found:
        if not any(is_taken[one.start : one.end]):
            is_taken[one.start : one.end] = b"\1" * (one.end - one.start)
            chosen.append(one)
    return chosen


def blanked_out(text: str, spans: Iterable[tuple[int, int]], *, by: str) -> str:
    """The text of the same length with one character all over the spans."""
    parts: list[str] = []
    done = 0
    for start, end in sorted(spans):
        parts += text[done:start], by * (end - max(start, done))
        done = max(done, end)
    return "".join((*parts, text[done:])) if parts else text


def _found_in(text: str) -> Iterator[PersonalData]:
    """All but telephone numbers, the surest kinds first."""
    for email in emails_in(text):
        yield PersonalData(_KIND.EMAIL, *email)
    for address in ip_addresses_in(text):
        yield PersonalData(_KIND.IP, *address)
    yield from _labelled_ssns(text)
    for kind, start, end in identity_numbers_in(text):
        if kind in _CHECKED_BY_FORM or _is_of_person(text, kind, start, end):
            yield PersonalData(kind, start, end, _written(text[start:end]))


def _labelled_ssns(text: str) -> Iterator[PersonalData]:
    """Social security numbers without hyphens, where a word before them says what they are."""
    for found in _NINE_DIGITS.finditer(text):
        written = _written(found[0])
        if is_ssn(written) and label_before(text, found.start()) is Label.SSN:
            yield PersonalData(_KIND.SSN, *found.span(), written)


def _is_of_person(text: str, kind: PersonalDataKind, start: int, end: int) -> bool:
    """Whether a number is not rather an amount, or the number of an order."""
    label = label_before(text, start)
    if kind is _KIND.BSN and not text[start:end].isdigit():
        return label is Label.BSN  # with dots or blanks it is more often an amount
    return label is not Label.THINGS and not is_amount(text, start, end)


def _written(text: str) -> str:
    return _NOT_WRITTEN.sub("", text).upper()
