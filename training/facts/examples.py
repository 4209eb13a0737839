"""Training rows as examples: messages with the statements in them, and pairs of statements."""

import hashlib
import json
import random
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from recollect.domain.conversation.message import Role

_BLOCK = 8
"""Rows written one after the other are often alike: they stay on one side of the split."""
_HELD_OUT = 8


@dataclass(frozen=True, slots=True)
class Span:
    """A statement in a message."""

    start: int
    end: int
    slots: frozenset[str]
    operation: str


@dataclass(frozen=True, slots=True)
class Example:
    """A user's message after others, newest first, and the statements in it."""

    language: str
    text: str
    before: tuple[tuple[Role, str], ...] = ()
    spans: tuple[Span, ...] = ()
    is_held_out: bool = False
    row: str = ""


@dataclass(frozen=True, slots=True)
class Pair:
    """A known fact, a new statement, and how this stands to that."""

    language: str
    old: str
    new: str
    relation: str
    is_held_out: bool = False


def load_examples(folder: Path) -> list[Example]:
    """The user's messages of all conversations in a folder."""
    examples: list[Example] = []
    for path in sorted(folder.glob("*.jsonl")):
        if "pairs" in path.name:
            continue
        for number, row in enumerate(_rows(path)):
            examples += _examples_of(row, is_held_out=_is_held_out(path, number))
    return examples


def load_statements(folder: Path) -> list[Example]:
    """The known facts of pairs that are in a user's own words: plain statements, each once."""
    statements: dict[str, Example] = {}
    for pair in load_pairs(folder):
        if not pair.old.endswith("."):  # as those in the third person do
            span = Span(0, len(pair.old), frozenset(), "add")
            known = Example(pair.language, pair.old, spans=(span,), is_held_out=pair.is_held_out)
            statements.setdefault(pair.old, known)
    return list(statements.values())


def load_pairs(folder: Path) -> list[Pair]:
    """The pairs in a folder."""
    pairs = []
    for path in sorted(folder.glob("*pairs*.jsonl")):
        for number, row in enumerate(_rows(path)):
            held_out = _is_held_out(path, number)
            pairs.append(Pair(row["language"], row["old"], row["new"], row["relation"], held_out))
    return pairs


def _rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]


def _is_held_out(path: Path, number: int) -> bool:
    # The writers of the languages worked in the same order: their blocks go together.
    name = f"{path.stem[:3]} {number // _BLOCK}"
    return int(hashlib.sha256(name.encode()).hexdigest(), 16) % _HELD_OUT == 0


def _examples_of(row: dict[str, Any], *, is_held_out: bool) -> list[Example]:
    messages = [(Role(m["role"]), m["content"]) for m in row["messages"]]
    return [
        Example(
            language=row["language"],
            text=text,
            before=tuple(reversed(messages[max(0, number - 2) : number])),
            spans=_merged(
                [
                    Span(start, start + len(f["evidence"]), frozenset({f["slot"]}), f["operation"])
                    for f in row["facts"]
                    if f["message"] == number
                    for start in [text.index(f["evidence"])]
                ]
            ),
            is_held_out=is_held_out,
            row=row["id"],
        )
        for number, (role, text) in enumerate(messages)
        if role is Role.USER
    ]


def _merged(spans: list[Span]) -> tuple[Span, ...]:
    """Spans of which none overlap: those that do become one with the slots of both."""
    merged: list[Span] = []
    for span in sorted(spans, key=lambda one: (one.start, one.end)):
        last = merged[-1] if merged else None
        if last is None or span.start >= last.end:
            merged.append(span)
            continue
        end = max(last.end, span.end)
        merged[-1] = Span(last.start, end, last.slots | span.slots, last.operation)
    return tuple(merged)


@dataclass(slots=True)
class Variations:
    """Makes other examples of one: careless typing, and other messages around it."""

    fillers: dict[str, list[str]] = field(default_factory=dict)
    """Messages without statements, by language."""
    chance: random.Random = field(default_factory=random.Random)

    @classmethod
    def of(cls, examples: list[Example]) -> "Variations":
        """Variations with the messages of these."""
        made = cls()
        for one in examples:
            if not one.spans and not one.before and len(one.text) < 200:
                made.fillers.setdefault(one.language, []).append(one.text)
        return made

    def vary(self, example: Example) -> Example:
        """The example, most often changed in a way that leaves its statements as they are."""
        roll = self.chance.random()
        if roll < 0.12:
            return self._lowered(example)
        if roll < 0.24:
            return self._beside_another(example)
        if roll < 0.30:
            return self._without_end(example)
        return example

    def _lowered(self, example: Example) -> Example:
        lowered = example.text.lower()
        same = len(lowered) == len(example.text)
        return replace(example, text=lowered) if same else example

    def _without_end(self, example: Example) -> Example:
        text = example.text.rstrip(".!? ")
        whole = all(span.end <= len(text) for span in example.spans)
        return replace(example, text=text) if text and whole else example

    def _beside_another(self, example: Example) -> Example:
        fillers = self.fillers.get(example.language)
        if not fillers or len(example.text) > 500:
            return example
        other = self.chance.choice(fillers)
        if self.chance.random() < 0.5:
            return replace(example, text=f"{example.text} {other}")
        shift = len(other) + 1
        spans = tuple(replace(s, start=s.start + shift, end=s.end + shift) for s in example.spans)
        return replace(example, text=f"{other} {example.text}", spans=spans)
