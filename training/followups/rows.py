"""Training rows: conversations with a follow-up and its standalone form, and their variations."""

import importlib.util
import json
import random
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType
from typing import Final
from zlib import crc32

from align import is_content, stem
from recollect.domain.conversation.message import Role
from recollect.domain.followup.dialogue import HistoryMessage
from recollect.domain.followup.edits import words_of

OURS: Final = "ours"
HELD_OUT: Final = 8
"""One conversation in eight is for calibration and choice, and never trained on."""
_NUMBER: Final = re.compile(r"(?<![\w.,])\d{1,4}(?![\w.,]*\w)")
_YEARS: Final = (1950, 2030)
_CONSONANTS: Final = "bdfgklmnprstvz"
_VOWELS: Final = "aeiou"


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A question after a history, and the question as it reads without it."""

    history: tuple[HistoryMessage, ...]
    question: str
    reference: str
    source: str
    language: str = "en"
    weight: float = 1.0
    identity: str = ""
    phenomenon: str = ""

    @property
    def needs_rewrite(self) -> bool:
        """Whether reference and question differ in more than case, signs and spaces."""
        return _bare(self.question) != _bare(self.reference)

    @property
    def conversation(self) -> int:
        """A number that rows with the same first message share: never split those."""
        return crc32(self.history[0].content.encode()) if self.history else 0


def read_rows(paths: Iterable[Path], *, source: str | None = None) -> list[Row]:
    """Rows of JSON Lines files, in our own format or in the short one of public sets."""
    return [
        _row(json.loads(line), source or path.stem)
        for path in paths
        for line in path.read_text(encoding="utf-8").splitlines()
    ]


def _row(fields: dict, source: str) -> Row:
    history = fields.get("history", fields.get("h"))
    return Row(
        history=tuple(
            HistoryMessage(role=Role(m["role"]), content=m["content"], sql_query=m.get("sql"))
            for m in history
            if m["content"]
        ),
        question=fields.get("question", fields.get("q")),
        reference=fields.get("reference", fields.get("r")),
        source=source,
        language=fields.get("language", "en"),
        identity=fields.get("id", ""),
        phenomenon=fields.get("phenomenon", ""),
    )


def _bare(text: str) -> list[str]:
    return [word.text.lower() for word in words_of(text) if not word.is_sign]


def verdict(row: Row, rewrite: str) -> str:
    """Right, harm, miss or other, by content words; for rows without marks of their own.

    A rewrite is right if it brings in most of what the reference does and hardly anything else.
    """
    given, wanted, asked = _content(rewrite), _content(row.reference), _content(row.question)
    if rewrite == row.question:
        return "miss" if row.needs_rewrite else "right"
    if not row.needs_rewrite:
        return "right" if given == asked else "harm"
    new, needed = given - asked, wanted - asked
    wrong = len(new - needed) + len((asked & wanted) - given) + len((asked & given) - wanted)
    if wrong == 0 and len(new) >= 0.6 * len(needed):
        return "right"
    if len(new & needed) >= 0.75 * len(needed) and wrong <= 0.34 * max(1, len(new)):
        return "right"
    return "harm" if wrong else "other"


def _content(text: str) -> set[str]:
    stems = (stem(word.text) for word in words_of(text))
    return {word for word in stems if is_content(word)}


def load_module(path: Path) -> ModuleType:
    """A program beside the data, such as the scorer of the natural rows."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise ImportError(path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Variations:
    """Makes more rows of few, in ways that leave the right rewrite as it is."""

    def __init__(self, rows: Sequence[Row], rng: random.Random) -> None:
        self._rng = rng
        self._by_language: dict[str, list[Row]] = {}
        for row in rows:
            self._by_language.setdefault(row.language, []).append(row)
        self._is_common = _common_words(rows)

    def of(self, row: Row) -> Row:
        """One variation of a row, which may be the row itself."""
        chance = self._rng.random
        if chance() < 0.35:
            row = self.with_older_topic(row)
        if chance() < 0.35:
            row = self.with_other_numbers(row)
        if chance() < 0.3:
            row = self.with_other_names(row)
        if chance() < 0.35:
            row = self.typed_carelessly(row)
        return row

    def standalone_elsewhere(self, row: Row) -> Row:
        """A question that needs nothing, after somebody else's conversation."""
        other = self._rng.choice(self._by_language[row.language])
        return replace(row, history=other.history)

    def already_standalone(self, row: Row) -> Row:
        """The reference asked as a question: it needs nothing more."""
        return replace(row, question=row.reference)

    def with_older_topic(self, row: Row) -> Row:
        """The same after an earlier conversation on something else: the newest topic counts."""
        other = self._rng.choice(self._by_language[row.language])
        if other.conversation == row.conversation or len(row.history) > 6:
            return row
        return replace(row, history=(*other.history[:2], *row.history))

    def with_other_numbers(self, row: Row) -> Row:
        """Each number replaced by another one, everywhere in the row."""
        numbers = {n for text in _texts(row) for n in _NUMBER.findall(text)}
        return _substituted(row, {number: self._number_like(number) for number in numbers})

    def _number_like(self, number: str) -> str:
        value = int(number)
        if _YEARS[0] <= value <= _YEARS[1]:
            return str(value + self._rng.randint(-8, 4))
        if number.startswith("0") or value < 4:
            return number
        low = 10 ** (len(number) - 1)
        return str(self._rng.randint(max(low, 4), low * 10 - 1))

    def with_other_names(self, row: Row) -> Row:
        """Rare capitalised words replaced by invented ones, so that no name is learnt by heart."""
        names = {
            word.text
            for text in _texts(row)
            for word in words_of(text)
            if word.text[0].isupper() and word.text.isalpha() and len(word.text) > 3
            if word.text.lower() not in self._is_common
        }
        return _substituted(row, {name: self._name_like(name) for name in names})

    def _name_like(self, name: str) -> str:
        size = max(4, min(9, len(name) + self._rng.randint(-2, 2)))
        letters = (self._rng.choice(_CONSONANTS if n % 2 == 0 else _VOWELS) for n in range(size))
        made = "".join(letters)
        return made.upper() if name.isupper() else made.capitalize()

    def typed_carelessly(self, row: Row) -> Row:
        """Small letters, and no sign at the end; the reference keeps its content."""
        question = row.question
        if self._rng.random() < 0.6:
            question = question[:1].lower() + question[1:]
        if self._rng.random() < 0.2:
            question = question.lower()
        if self._rng.random() < 0.5:
            question = question.rstrip("?!. ").lstrip("¿¡ ")
        return replace(row, question=question or row.question)


def _texts(row: Row) -> Iterator[str]:
    yield row.question
    yield row.reference
    yield from (one.content for one in row.history)


def _substituted(row: Row, values: dict[str, str]) -> Row:
    if not values:
        return row
    pattern = re.compile(r"(?<!\w)(?:" + "|".join(map(re.escape, values)) + r")(?!\w)")

    def put(text: str) -> str:
        return pattern.sub(lambda match: values[match.group()], text)

    history = tuple(replace(one, content=put(one.content)) for one in row.history)
    return replace(row, history=history, question=put(row.question), reference=put(row.reference))


def _common_words(rows: Iterable[Row]) -> frozenset[str]:
    """Words that stand somewhere in small letters, or in several conversations."""
    small: set[str] = set()
    seen: dict[str, set[int]] = {}
    for row in rows:
        for text in _texts(row):
            for word in words_of(text):
                if word.text[0].islower():
                    small.add(word.text)
                else:
                    seen.setdefault(word.text.lower(), set()).add(row.conversation)
    often = {word for word, where in seen.items() if len(where) > 5}
    return frozenset(small | often)
