"""Numbers that identify a person or an account, told by their form and their check digits."""

import re
from collections.abc import Callable, Iterator
from datetime import date
from typing import Final

_DIGITS: Final = re.compile(r"\d+")
_MAX_NUMBERS: Final = 2_000
_CARD: Final = re.compile(
    r"(?<![\w+])(?:\d{4}([ -])\d{4}\1\d{4}\1\d{1,7}|\d{4}([ -])\d{6}\2\d{4,5}|\d{14,19})(?![^\W_])"
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
_IBAN_LENGTHS: Final = {
    "no": 15,
    "be": 16,
    "dk": 18,
    "fi": 18,
    "nl": 18,
    "mk": 19,
    "si": 19,
    "at": 20,
    "lt": 20,
    "lu": 20,
    "xk": 20,
    "ee": 20,
    "lv": 21,
    "li": 21,
    "hr": 21,
    "ch": 21,
    "bg": 22,
    "de": 22,
    "gb": 22,
    "ie": 22,
    "me": 22,
    "rs": 22,
    "ae": 23,
    "gi": 23,
    "il": 23,
    "cz": 24,
    "es": 24,
    "ro": 24,
    "sa": 24,
    "se": 24,
    "sk": 24,
    "tr": 26,
    "is": 26,
    "pt": 25,
    "fr": 27,
    "gr": 27,
    "it": 27,
    "mc": 27,
    "sm": 27,
    "al": 28,
    "cy": 28,
    "hu": 28,
    "pl": 28,
    "mt": 31,
    "ma": 28,
}
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


def identity_numbers_in(text: str) -> Iterator[tuple[int, int]]:
    """Where numbers of cards, accounts and persons begin and end in a text.

    A text with very many numbers is one itself: nobody looks at each of them.
    """
    for count, digits in enumerate(_DIGITS.finditer(text)):
        if count == _MAX_NUMBERS:
            yield 0, len(text)
            return
        yield from _numbers_at(text, digits.start())


def _numbers_at(text: str, place: int) -> Iterator[tuple[int, int]]:
    """The numbers whose first digit is at a place."""
    for letters, pattern, length_of in _NUMBERS:
        start = place - letters
        found = pattern.match(text, start) if start >= 0 else None
        if found and (length := length_of(found[0])):
            yield start, start + length


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


def _is_ssn(digits: str) -> bool:
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


_NUMBERS: Final[tuple[tuple[int, re.Pattern[str], Callable[[str], int]], ...]] = (
    (0, _CARD, _whole(_is_card)),
    (2, _IBAN, _iban_length),
    (0, re.compile(rf"{_ALONE}(?:\d{{9}}|\d{{3}}[. ]\d{{3}}[. ]\d{{3}}){_END}"), _whole(_is_bsn)),
    (0, re.compile(r"(?<![\w-])\d{3}-\d{2}-\d{4}(?![\w-])"), _whole(_is_ssn)),
    (0, re.compile(rf"{_ALONE}\d{{2}} ?\d{{3}} ?\d{{3}} ?\d{{3}}{_END}"), _whole(_is_steuer_id)),
    (0, re.compile(rf"{_START}\d{{2}} ?\d{{6}} ?[A-Za-z] ?\d{{3}}{_END}"), _whole(_is_svnr)),
    (0, _NIR, _whole(_is_nir)),
    (0, re.compile(rf"{_START}\d{{2}}\.?\d{{3}}\.?\d{{3}}[ -]?[A-Za-z]{_END}"), _whole(_is_dni)),
    (1, re.compile(rf"{_START}[XYZxyz]\d{{7}}[ -]?[A-Za-z]{_END}"), _whole(_is_dni)),
    (2, re.compile(rf"{_START}[XYZxyz][ -]\d{{7}}[ -]?[A-Za-z]{_END}"), _whole(_is_dni)),
    (2, re.compile(rf"{_NINO}{_NINO_DIGITS}{_END}"), _whole(_is_nino)),
    (3, re.compile(rf"{_NINO} {_NINO_DIGITS}{_END}"), _whole(_is_nino)),
    (
        0,
        re.compile(rf"{_START}\d{{2}}\.\d{{2}}\.\d{{2}}-\d{{3}}\.\d{{2}}{_END}"),
        _whole(_is_belgian),
    ),
)
"""How many letters stand before the first digit, the form, and how long the number is."""
