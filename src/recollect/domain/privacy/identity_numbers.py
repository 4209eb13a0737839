"""Numbers that identify a person or an account, told by their form and their check digits."""

import re
from collections.abc import Callable, Iterator, Sequence
from datetime import date
from typing import Final, NamedTuple

from recollect.domain.privacy.kinds import PersonalDataKind

DIGITS: Final = re.compile(r"\d+")
_CARD: Final = re.compile(
    r"(?<![^\W_])(?<!\+)"
    r"(?:\d{4}([ -])\d{4}\1\d{4}\1\d{1,7}|\d{4}([ -])\d{6}\2\d{4,5}|\d{14,19})(?![^\W_])"
)
_CARDS: Final = (
    (re.compile(r"4"), {16, 19}),
    (re.compile(r"5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720"), {16}),
    (re.compile(r"3[47]"), {15}),
    (re.compile(r"30[0-5]|3[689]"), {14}),
    (re.compile(r"35(?:2[89]|[3-8])"), {16, 17, 18, 19}),
    (re.compile(r"6011|64[4-9]|65|62"), {16, 17, 18, 19}),
    (re.compile(r"50(?:18|20|38)|5893|6304|6759|676[1-3]"), {16, 17, 18, 19}),
)
"""How the numbers of each network begin and how many digits they have.

Visa's old numbers of 13 digits are left out: every tenth German EAN would be one.
"""
_IBAN: Final = re.compile(r"(?<![^\W_])([A-Za-z]{2})\d{2}(?:[ -]?[A-Za-z0-9]){11,32}")
_IBAN_COUNTRIES: Final = {
    15: "no",
    16: "be",
    18: "dk fi fk fo gl nl sd",
    19: "mk si",
    20: "at ba ee kz lt lu mn xk",
    21: "ch hr li lv",
    22: "bg bh cr de gb ge ie me rs va",
    23: "ae gi il iq om so tl",
    24: "ad cz es md pk ro sa se sk tn vg",
    25: "ly pt st",
    26: "is tr",
    27: "bi dj fr gr it mc mr sm",
    28: "al az by cy do gt hu lb ma ni pl sv",
    29: "br eg ps qa ua",
    30: "jo kw mu ye",
    31: "mt sc",
    32: "lc",
    33: "ru",
}
"""The countries of the registry by the length of their numbers."""
_IBAN_LENGTHS: Final = {
    country: length
    for length, countries in _IBAN_COUNTRIES.items()
    for country in countries.split()
}
_UUID: Final = re.compile(
    r"(?<![^\W_])[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}(?![^\W_])"
)
_UUID_LENGTH: Final = 36
_START: Final = r"(?<![^\W_])"
_ALONE: Final = r"(?<![\w+.,-])"
"""Not part of an amount, a version or a telephone number either."""
_END: Final = r"(?![^\W_]|[.,-]\d)"
_NIR: Final = re.compile(
    rf"{_START}[12] ?\d{{2}} ?\d{{2}} ?(?:\d{{2}}|2[ABab]) ?\d{{3}} ?\d{{3}} ?\d{{2}}{_END}"
)
_NINO: Final = rf"{_START}[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z]"
_NINO_DIGITS: Final = r"\d{2} ?\d{2} ?\d{2} ?[A-D]"
_NOT_LETTER_OR_DIGIT: Final = re.compile(r"[\W_]+")
_DNI_LETTERS: Final = "TRWAGMYFPDXBNJZSQVHLCKE"
_SVNR_WEIGHTS: Final = (2, 1, 2, 5, 7, 1, 2, 1, 2, 1, 2, 1)


class IdentityNumber(NamedTuple):
    """Where a number of a card, an account or a person is in a text."""

    kind: PersonalDataKind
    start: int
    end: int


def identity_numbers_in(text: str) -> Iterator[IdentityNumber]:
    """The numbers of cards, accounts and persons in a text; one may be found as two kinds."""
    for digits in DIGITS.finditer(text):
        for form in _FORMS_BY_DIGITS.get(digits.end() - digits.start(), ()):
            start = digits.start() - form.letters
            found = form.pattern.match(text, start) if start >= 0 else None
            length = form.length_of(found[0]) if found else 0
            if length and not _is_in_uuid(text, start, start + length):
                yield IdentityNumber(form.kind, start, start + length)


def _is_in_uuid(text: str, start: int, end: int) -> bool:
    """Whether a number is part of a UUID: one in 10,000 begins or ends like an account number."""
    around = _UUID.finditer(text, max(0, start - _UUID_LENGTH), end + _UUID_LENGTH)
    return any(found.start() <= start and end <= found.end() for found in around)


def _whole(is_number: Callable[[str], bool]) -> Callable[[str], int]:
    """How long a number is that has no more than its form allows; 0 if it is none."""
    return lambda text: len(text) if is_number(_digits(text)) else 0


def _digits(text: str) -> str:
    return _NOT_LETTER_OR_DIGIT.sub("", text).upper()


def _is_card(digits: str) -> bool:
    fits = any(len(digits) in lengths and begins.match(digits) for begins, lengths in _CARDS)
    return fits and len(set(digits)) > 1 and _passes_luhn(digits)


def _passes_luhn(digits: str) -> bool:
    doubled = (sum(divmod(2 * int(digit), 10)) for digit in digits[-2::-2])
    return (sum(doubled) + sum(int(digit) for digit in digits[-1::-2])) % 10 == 0


def _iban_length(text: str) -> int:
    """How many characters of a text are an IBAN; 0 if it begins with none."""
    needed = _IBAN_LENGTHS.get(text[:2].lower(), 0)
    places = [at for at, character in enumerate(text) if character.isalnum()]
    if not needed or len(places) < needed:
        return 0
    end = places[needed - 1] + 1
    if end < len(text) and text[end].isalnum():
        return 0
    iban = _digits(text[:end])
    value = int("".join(str(int(character, 36)) for character in iban[4:] + iban[:4]))
    return end if value % 97 == 1 else 0


def _is_bsn(digits: str) -> bool:
    """Whether the elevens test holds, for numbers that were given out or are for tests.

    Other numbers of nine digits are mostly telephone numbers of Spain and France.
    """
    weighed = sum(
        int(digit) * weight for digit, weight in zip(digits, range(9, 1, -1), strict=False)
    )
    is_in_range = digits[0] in "0123" or digits.startswith("999")
    return is_in_range and len(set(digits)) > 1 and (weighed - int(digits[8])) % 11 == 0


def is_ssn(digits: str) -> bool:
    """Whether nine digits can be a social security number of the United States."""
    area, group, serial = digits[:3], digits[3:5], digits[5:]
    return area not in ("000", "666") and area[0] != "9" and group != "00" and serial != "0000"


def _is_steuer_id(digits: str) -> bool:
    """Whether one digit of the first ten is there two or three times and the check digit fits."""
    counts = sorted(digits[:10].count(digit) for digit in set(digits[:10]))
    if digits[0] == "0" or counts[-1] not in (2, 3) or counts[-2] != 1:
        return False
    product = 10
    for digit in digits[:10]:
        product = 2 * ((int(digit) + product) % 10 or 10) % 11
    return (11 - product) % 10 == int(digits[10])


def _is_svnr(text: str) -> bool:
    """Whether a German social security number has a day of birth and its check digit."""
    try:
        date(2000, int(text[4:6]), max(1, int(text[2:4]) % 50))
    except ValueError:
        return False
    numbers = text[:8] + f"{ord(text[8]) - 64:02}" + text[9:11]
    products = (int(digit) * weight for digit, weight in zip(numbers, _SVNR_WEIGHTS, strict=True))
    return sum(sum(divmod(product, 10)) for product in products) % 10 == int(text[11])


def _is_nir(text: str) -> bool:
    """Whether the key of a French social security number fits; 2A and 2B are Corsica."""
    number = int(text[:13].replace("2A", "19").replace("2B", "18"))
    return 97 - number % 97 == int(text[13:])


def _is_dni(text: str) -> bool:
    number = text[:-1].replace("X", "0").replace("Y", "1").replace("Z", "2")
    return _DNI_LETTERS[int(number) % 23] == text[-1]


def _is_nino(text: str) -> bool:
    return text[:2] not in ("BG", "GB", "NK", "KN", "TN", "NT", "ZZ")


def _is_belgian(digits: str) -> bool:
    number, key = int(digits[:9]), int(digits[9:])
    return key in (97 - number % 97, 97 - (2_000_000_000 + number) % 97)


class _Form(NamedTuple):
    """How numbers of a kind are written."""

    kind: PersonalDataKind
    letters: int
    """How many letters stand before the first digit."""
    digits: Sequence[int]
    """How many digits may follow each other at the beginning."""
    pattern: re.Pattern[str]
    length_of: Callable[[str], int]
    """How long the number is that a text begins with; 0 if it is none."""


_KIND = PersonalDataKind
_FORMS: Final = (
    _Form(_KIND.CARD, 0, (4, *range(14, 20)), _CARD, _whole(_is_card)),
    _Form(_KIND.IBAN, 2, range(2, 35), _IBAN, _iban_length),
    _Form(
        _KIND.BSN,
        0,
        (3, 9),
        re.compile(rf"{_ALONE}(?:\d{{9}}|\d{{3}}[. ]\d{{3}}[. ]\d{{3}}){_END}"),
        _whole(_is_bsn),
    ),
    _Form(
        _KIND.SSN,
        0,
        (3,),
        re.compile(r"(?<![\w-])\d{3}-\d{2}-\d{4}(?![\w-])"),
        _whole(is_ssn),
    ),
    _Form(
        _KIND.NATIONAL_ID,
        0,
        (2, 5, 8, 11),
        re.compile(rf"{_ALONE}\d{{2}} ?\d{{3}} ?\d{{3}} ?\d{{3}}{_END}"),
        _whole(_is_steuer_id),
    ),
    _Form(
        _KIND.NATIONAL_ID,
        0,
        (2, 8),
        re.compile(rf"{_START}\d{{2}} ?\d{{6}} ?[A-Za-z] ?\d{{3}}{_END}"),
        _whole(_is_svnr),
    ),
    _Form(_KIND.NATIONAL_ID, 0, (1, 3, 5, 6, 7, 10, 13, 15), _NIR, _whole(_is_nir)),
    _Form(
        _KIND.NATIONAL_ID,
        0,
        (2, 5, 8),
        re.compile(rf"{_START}\d{{2}}\.?\d{{3}}\.?\d{{3}}[ -]?[A-Za-z]{_END}"),
        _whole(_is_dni),
    ),
    _Form(
        _KIND.NATIONAL_ID,
        1,
        (7,),
        re.compile(rf"{_START}[XYZxyz]\d{{7}}[ -]?[A-Za-z]{_END}"),
        _whole(_is_dni),
    ),
    _Form(
        _KIND.NATIONAL_ID,
        2,
        (7,),
        re.compile(rf"{_START}[XYZxyz][ -]\d{{7}}[ -]?[A-Za-z]{_END}"),
        _whole(_is_dni),
    ),
    _Form(
        _KIND.NATIONAL_ID,
        2,
        (2, 4, 6),
        re.compile(rf"{_NINO}{_NINO_DIGITS}{_END}"),
        _whole(_is_nino),
    ),
    _Form(
        _KIND.NATIONAL_ID,
        3,
        (2, 4, 6),
        re.compile(rf"{_NINO} {_NINO_DIGITS}{_END}"),
        _whole(_is_nino),
    ),
    _Form(
        _KIND.NATIONAL_ID,
        0,
        (2,),
        re.compile(rf"{_START}\d{{2}}\.\d{{2}}\.\d{{2}}-\d{{3}}\.\d{{2}}{_END}"),
        _whole(_is_belgian),
    ),
)
_FORMS_BY_DIGITS: Final = {
    count: tuple(form for form in _FORMS if count in form.digits) for count in range(1, 36)
}
"""The forms that may begin with so many digits: most numbers of a text fit none."""
