"""The languages of the dashboard: English in the templates, others by a table of texts.

The table of English has the words for names that are written for programs.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import Final

import orjson

ENGLISH: Final = "en"
NAMES: Final[Mapping[str, str]] = {ENGLISH: "English", "nl": "Nederlands"}
SPOKEN: Final[Mapping[str, str]] = {
    ENGLISH: "English",
    "nl": "Dutch",
    "de": "German",
    "fr": "French",
    "es": "Spanish",
}
"""The languages in which questions are understood."""
_THOUSANDS: Final = {ENGLISH: ",", "nl": "."}
_DECIMAL: Final = {ENGLISH: ".", "nl": ","}
_VALUES: Final = re.compile(r'(?<=one of: ).*|"[^"]*"|\d[\d.,]*\d|\d', re.DOTALL)
"""What differs from one sentence of a kind to the next: names, quotations and numbers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Language:
    """One language: what stands in the place of an English text."""

    code: str
    texts: Mapping[str, str]

    def text(self, english: str, **values: object) -> str:
        """The text in this language, with values in the place of their names."""
        wording = self.texts.get(english, english)
        return wording.format(**values) if values else wording

    def sentence(self, english: str) -> str:
        """A sentence that a service wrote, in this language.

        In the table `{0}`, `{1}` … stand for its names, quotations and numbers. One that is not
        there stays English.
        """
        numbers = iter(range(len(english)))
        kind = _VALUES.sub(lambda _: f"{{{next(numbers)}}}", english)
        wording = self.texts.get(kind)
        return wording.format(*_VALUES.findall(english)) if wording else english

    def count(self, number: int, one: str, many: str, **values: object) -> str:
        """A text about a number of things; `{n}` stands for the number."""
        return self.text(one if number == 1 else many, n=self.number(number), **values)

    def number(self, value: float, *, digits: int = 0) -> str:
        """A number as it is written in this language."""
        whole, _, rest = f"{value:,.{digits}f}".partition(".")
        text = whole.replace(",", _THOUSANDS[self.code])
        return text + _DECIMAL[self.code] + rest if rest else text


@dataclass(frozen=True, slots=True, kw_only=True)
class Languages:
    """All languages there are."""

    known: Mapping[str, Language]

    def choose(self, chosen: str | None, accepted: str) -> Language:
        """The language that a visitor chose, or the first that the browser's header names."""
        if chosen is not None and chosen in self.known:
            return self.known[chosen]
        for part in accepted.split(","):
            code = part.partition(";")[0].strip().partition("-")[0].lower()
            if code in self.known:
                return self.known[code]
        return self.known[ENGLISH]


def load_languages() -> Languages:
    """Read the tables of texts from the package."""
    known = {}
    for code in NAMES:
        table = files(__package__).joinpath(f"{code}.json").read_bytes()
        known[code] = Language(code=code, texts=orjson.loads(table))
    return Languages(known=known)
