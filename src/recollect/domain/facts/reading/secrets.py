"""Secrets in texts: keys, tokens, passwords, and the numbers of cards, accounts and persons.

None of them is ever stored as a fact, so that doubt means a secret: a password told in words is
one whatever it looks like, unless the words say something else about it ("is wrong").
"""

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from itertools import chain, islice
from typing import Final

from recollect.domain.facts.reading.languages.secret_words import WordSet, word_set
from recollect.domain.language import fold
from recollect.domain.privacy.identity_numbers import DIGITS, identity_numbers_in

Span = tuple[int, int]
_PREFIXES: Final = (
    *("sk-", "sk_", "rk_", "gho_", "ghp_", "ghr_", "ghs_", "ghu_", "github_pat_", "glpat-", "xox"),
    *("AKIA", "ASIA", "AIza", "hf_", "npm_", "pypi-", "SG.", "eyJ"),
)
_KNOWN: Final = re.compile(
    r"(?<![A-Za-z0-9_-])(?:sk-[A-Za-z0-9_-]{12,}|[sr]k_(?:live|test)_[A-Za-z0-9]{10,}"
    r"|gh[oprsu]_[A-Za-z0-9]{16,}|github_pat_[A-Za-z0-9_]{20,}|glpat-[A-Za-z0-9_-]{16,}"
    r"|xox[abeoprs]-[A-Za-z0-9-]{10,}|(?:AKIA|ASIA)[A-Z0-9]{12,}|AIza[A-Za-z0-9_-]{30,}"
    r"|(?:hf|npm)_[A-Za-z0-9]{20,}|pypi-[A-Za-z0-9_-]{20,}|SG\.[A-Za-z0-9_-]{16,}"
    r"|eyJ[A-Za-z0-9_-]{6,}+\.[A-Za-z0-9_-]{6,})"
)
"""Tokens that their makers mark, so that they can be found; they begin with the `_PREFIXES`."""
_CREDENTIALS: Final = re.compile(r"://[^\s:/@]{0,64}+:[^\s@/]{1,128}+@")
_PRIVATE_KEY: Final = re.compile(
    r"-----BEGIN [A-Z0-9 ]{0,30}PRIVATE KEY.*?(?:-----END|\Z)", re.DOTALL
)
_WORD: Final = re.compile(r"[Mm]ots? de passe|[^\W_]+")
_VALUE: Final = re.compile(r"[^\s,;\"“”„«»`]+")
_NUMBER: Final = re.compile(r"[A-Za-z]{0,3}\d[\d .-]{4,30}[A-Za-z]?")
_DATE: Final = re.compile(r"\d{1,2}[-./ ]\d{1,2}[-./ ]\d{2,4}|\d{4}[-./]\d{1,2}[-./]\d{1,2}")
_REACH: Final = 80
"""Characters after a word such as "password" in which its value may stand."""
_BEFORE: Final = 30
"""Characters before "code" in which it may be said what it opens."""
_MAX_LABELS: Final = 300
"""A text with more such words is a list of secrets."""
_MAX_NUMBERS: Final = 2_000
_MAX_FILLERS: Final = 7
_MIN_GENERATED: Final = 8
_MIN_MIXED: Final = 5
_SIGNS: Final = "!@#$%^&*_+~"
_COUNTED: Final = re.compile(r"\d++-?+[^\W\d_]*+")
"""Numbers, and what they count: "12-character"."""
_MAIL: Final = re.compile(r"[\w.+-]++@[\w-]++\.[\w.-]++")
_MIN_CODE: Final = 3
_MIN_NUMBER: Final = 6
_ENDINGS: Final = ("wachtwoord", "passwort", "kennwort", "password")
_JOINTS: Final = ":=>"
_ENDS: Final = ".!?)"


def holds_secret(text: str) -> bool:
    """Whether there is a secret in a text."""
    return any(True for _ in secrets_in(text))


def secrets_in(text: str) -> Iterator[Span]:
    """Where secrets begin and end in a text; some may be found twice."""
    is_marked = any(prefix in text for prefix in _PREFIXES)  # a tenth of the time of the pattern
    patterns = (_KNOWN, _CREDENTIALS, _PRIVATE_KEY) if is_marked else (_CREDENTIALS, _PRIVATE_KEY)
    return chain(
        (found.span() for pattern in patterns for found in pattern.finditer(text)),
        _identity_numbers(text),
        _told_secrets(text),
    )


def _identity_numbers(text: str) -> Iterator[Span]:
    """Numbers of cards, accounts and persons; a text with very many numbers is one itself."""
    if next(islice(DIGITS.finditer(text), _MAX_NUMBERS, None), None):
        yield 0, len(text)
        return
    yield from ((number.start, number.end) for number in identity_numbers_in(text))


def _told_secrets(text: str) -> Iterator[Span]:
    """Values that a word before them makes a secret: "the password is …"."""
    kinds = {
        word: kind
        for word in set(_WORD.findall(text))
        if (kind := _kind_of(fold(word).replace(" ", "_")))
    }
    if not kinds:
        return
    labels = 0
    for found in _WORD.finditer(text):
        if kind := kinds.get(found[0]):
            labels += 1
            if labels > _MAX_LABELS:
                yield 0, len(text)
                return
            if end := _END_OF_VALUE[kind](text, found):
                yield found.start(), end


def _kind_of(word: str) -> WordSet | None:
    """Which of the lists has a word; "wifi" and the like may be written together with it."""
    labels = _labels()
    return labels.get(word) or (WordSet.PASSWORDS if word.endswith(_ENDINGS) else None)


@cache
def _labels() -> Mapping[str, WordSet]:
    return {word: kind for kind in _END_OF_VALUE for word in word_set(kind)}


def _end_of_password(text: str, label: re.Match[str]) -> int:
    """Where a password ends: what follows "is" or a mark, or what is no plain word.

    Dutch and German have the verb last: "that my password for the router Zomer2024 is".
    """
    is_joined = False
    for count, value in enumerate(_values_after(text, label)):
        word = fold(value[0].strip("-'*" + _JOINTS + _ENDS))
        is_joined = is_joined or value[0][0] in _JOINTS
        if word in word_set(WordSet.NOT_PASSWORDS):
            return 0
        if word in word_set(WordSet.JOINTS):
            is_joined = True
        elif word and word not in word_set(WordSet.FILLERS):
            looks_so = not word.replace("-", "").replace("'", "").isalpha()
            if is_joined or (looks_so and count == 0) or _is_mixed(value[0]):
                return value.end()
        is_joined = is_joined or value[0][-1] in _JOINTS
    return 0


def _is_mixed(value: str) -> bool:
    """Whether a value has letters beside digits or signs, as few words and no addresses have."""
    letters = value.strip(_JOINTS + _ENDS + "'*")
    is_word = _COUNTED.fullmatch(letters) or _MAIL.fullmatch(letters)
    if len(letters) < _MIN_MIXED or is_word or not any(map(str.isalpha, letters)):
        return False
    return any(one.isdigit() or one in _SIGNS for one in letters)


def _end_of_login(text: str, label: re.Match[str]) -> int:
    """Where a name or a password ends that opens something, behind "is", a mark, or as the last."""
    values = [*_values_after(text, label)]
    is_joined = False
    for place, value in enumerate(values):
        rest = [fold(one[0].strip(_JOINTS + _ENDS)) for one in values[place + 1 :]]
        is_last = all(word in word_set(WordSet.JOINTS) for word in rest)
        if (is_joined or is_last) and _is_mixed(value[0]):
            return value.end()
        word = fold(value[0].strip(_JOINTS + _ENDS))
        is_joined = is_joined or word in word_set(WordSet.JOINTS) or value[0][-1] in _JOINTS
    return 0


def _end_of_key(text: str, label: re.Match[str]) -> int:
    """Where a value that looks generated ends."""
    return next((one.end() for one in _values_after(text, label) if _is_generated(one[0])), 0)


def _is_generated(value: str) -> bool:
    letters = value.strip(_JOINTS + _ENDS + "'")
    digits = _digits(letters)
    has_letters = any(character.isalpha() for character in letters)
    is_name = "_" in letters and letters.replace("_", "").islower()
    return len(letters) >= _MIN_GENERATED and digits > 1 and has_letters and not is_name


def _end_of_code(text: str, label: re.Match[str]) -> int:
    """Where the digits of a code end."""
    codes = (one.end() for one in _values_after(text, label) if _digits(one[0]) >= _MIN_CODE)
    return next(codes, 0)


def _end_of_door_code(text: str, label: re.Match[str]) -> int:
    """The same of a code that is said to open something."""
    end = _end_of_code(text, label)
    near = _WORD.findall(fold(text[max(0, label.start() - _BEFORE) : end])) if end else ()
    return end if any(word in word_set(WordSet.LOCKS) for word in near) else 0


def _end_of_number(text: str, label: re.Match[str]) -> int:
    """Where the number of a document ends; a date beside it is none."""
    for found in _NUMBER.finditer(_line_after(text, label)):
        if _digits(found[0]) >= _MIN_NUMBER and not _DATE.match(found[0].strip()):
            return label.end() + found.end()
    return 0


def _values_after(text: str, label: re.Match[str]) -> Iterator[re.Match[str]]:
    """The words after a label, up to the end of its sentence."""
    end = label.end() + len(_line_after(text, label))
    for value in islice(_VALUE.finditer(text, label.end(), end), _MAX_FILLERS):
        yield value
        if value[0][-1] in ".!?":
            return


def _line_after(text: str, label: re.Match[str]) -> str:
    return text[label.end() : label.end() + _REACH].split("\n", 1)[0]


def _digits(text: str) -> int:
    return sum(character.isdigit() for character in text)


_END_OF_VALUE: Final[Mapping[WordSet, Callable[[str, re.Match[str]], int]]] = {
    WordSet.PASSWORDS: _end_of_password,
    WordSet.LOGINS: _end_of_login,
    WordSet.KEYS: _end_of_key,
    WordSet.CODES: _end_of_code,
    WordSet.DOOR_CODES: _end_of_door_code,
    WordSet.NUMBERS: _end_of_number,
}
