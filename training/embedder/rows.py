"""Rows that the embedder learns to find memories from.

A row of `rows/*.jsonl`: `id`, `language`, `user` (what was said), `assistant` (the reply, or null
in a log), `questions` (each `language` and `text`), `near_misses`. A row of `rows/log_*.jsonl` is a
chat of two people: `id`, `language`, `messages` (each the speaker and the text) and `questions`
(each the text and the places of the messages that answer it). Rows of the follow-up model
(`../followups/rows`) serve, too, if they are copied beside: the standalone question of a follow-up
asks for the exchange before.
"""

import json
import random
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

_SUMMARY: Final = 200
_HELD_OUT: Final = 12  # one conversation in so many is held out


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A question and the exchange that answers it."""

    source: str
    conversation: str
    """Rows of one conversation are held out together."""
    group: str
    """Rows of one group may answer each other's questions."""
    language: str
    question_language: str
    question: str
    memory: str
    reply: str | None
    near_misses: tuple[str, ...] = ()

    @property
    def is_held_out(self) -> bool:
        """Whether the row is for evaluation."""
        return zlib.crc32(self.conversation.encode()) % _HELD_OUT == 0

    @property
    def whole(self) -> str:
        """The exchange as it is indexed."""
        if self.reply is None:
            return self.memory
        return f"{self.memory}\n{self.reply[:_SUMMARY]}"

    def passage(self) -> str:
        """The exchange, sometimes without its reply: near misses have none to be known by."""
        return self.whole if random.random() < (0.6 if self.near_misses else 0.9) else self.memory

    def some_near_misses(self, most: int) -> list[str]:
        """At most so many near misses, any of them."""
        return random.sample(self.near_misses, min(most, len(self.near_misses)))


def load_rows(folder: Path) -> list[Row]:
    """All rows of a folder."""
    rows: list[Row] = []
    for path in sorted(folder.glob("*.jsonl")):
        for line in path.read_text("utf-8").splitlines():
            row = json.loads(line)
            kind = _follow_up if "history" in row else _log if "messages" in row else _memory
            rows += kind(row)
    return rows


def _memory(row: dict[str, Any]) -> Iterator[Row]:
    for question in row["questions"]:
        yield Row(
            source="memory",
            conversation=row["id"],
            group=row["id"],
            language=row["language"],
            question_language=question["language"],
            question=question["text"],
            memory=row["user"],
            reply=row["assistant"],
            near_misses=tuple(row["near_misses"]),
        )


def _log(row: dict[str, Any]) -> Iterator[Row]:
    said = [f"{speaker}: {text}" for speaker, text in row["messages"]]
    for question, places in row["questions"]:
        for place in places:
            yield Row(
                source="log",
                conversation=row["id"],
                group=f"{row['id']} {places}",
                language=row["language"],
                question_language=row["language"],
                question=question,
                memory=said[place],
                reply=None,
                near_misses=tuple(text for i, text in enumerate(said) if i not in places),
            )


def _follow_up(row: dict[str, Any]) -> Iterator[Row]:
    history = row["history"]
    said = [m["content"] for m in history if m["role"] == "user"]
    replied = [m["content"] for m in history if m["role"] == "assistant"]
    if not (row["needs_rewrite"] and said and replied):
        return
    yield Row(
        source="follow-up",
        conversation=history[0]["content"],
        group=history[0]["content"],
        language=row["language"],
        question_language=row["language"],
        question=row["reference"],
        memory=said[-1],
        reply=replied[-1],
    )
