"""Chats of BEAM and the questions about them, read from a checkout of its repository."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from recall_measuring import Json

_DATE: Final = "%B-%d-%Y"
_MARK: Final = "->->"
"""Before the place of a message in the plan it was generated from, at its end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatMessage:
    """A message; messages of a chat are numbered."""

    number: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """A user's message and its reply."""

    question: ChatMessage
    answer: ChatMessage

    @property
    def messages(self) -> tuple[ChatMessage, ChatMessage]:
        """Both, in order."""
        return self.question, self.answer


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatSession:
    """The exchanges of one date."""

    moment: datetime
    exchanges: tuple[Exchange, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question about a chat, and the numbers of the messages that answer it."""

    text: str
    category: str
    sources: frozenset[int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Chat:
    """A chat and the questions about it."""

    chat_id: str
    sessions: tuple[ChatSession, ...]
    questions: tuple[Question, ...]

    @property
    def exchanges(self) -> tuple[Exchange, ...]:
        """The exchanges of all sessions, in order."""
        return _exchanges(self.sessions)


def read_chats(checkout: Path) -> Iterator[Chat]:
    """The chats of about 100,000 tokens, in the order of their numbers.

    Questions that name no message of the chat as a source are left out.
    """
    folders = [path.parent for path in (checkout / "chats" / "100K").glob("*/chat.json")]
    if not folders:
        raise SystemExit(f"{checkout} has no chats/100K/*/chat.json: is it a checkout of BEAM?")
    for folder in sorted(folders, key=lambda one: int(one.name)):
        sessions = tuple(map(_chat_session, _read_json(folder / "chat.json")))
        numbers = {one.number for pair in _exchanges(sessions) for one in pair.messages}
        rows = _read_json(folder / "probing_questions" / "probing_questions.json")
        questions = tuple(_questions(rows, numbers))
        yield Chat(chat_id=folder.name, sessions=sessions, questions=questions)


def _exchanges(sessions: Iterable[ChatSession]) -> tuple[Exchange, ...]:
    return tuple(exchange for session in sessions for exchange in session.exchanges)


def _read_json(path: Path) -> Any:  # noqa: ANN401  # JSON
    return json.loads(path.read_text("utf-8"))


def _chat_session(batch: Json) -> ChatSession:
    messages = [message for turn in batch["turns"] for message in turn]
    moment = datetime.strptime(messages[0]["time_anchor"], _DATE).replace(tzinfo=UTC)
    pairs = zip(messages[::2], messages[1::2], strict=True)
    return ChatSession(moment=moment, exchanges=tuple(_exchange(*pair) for pair in pairs))


def _exchange(question: Json, answer: Json) -> Exchange:
    if (question["role"], answer["role"]) != ("user", "assistant"):
        raise ValueError(f"message {question['id']} is not a user's with an assistant's reply")
    return Exchange(question=_message(question), answer=_message(answer))


def _message(row: Json) -> ChatMessage:
    text = row["content"].partition(_MARK)[0].rstrip()
    return ChatMessage(number=row["id"], text=text)


def _questions(rows: Mapping[str, Sequence[Json]], numbers: set[int]) -> Iterator[Question]:
    for category, questions in rows.items():
        for row in questions:
            sources = numbers.intersection(_source_ids(row.get("source_chat_ids")))
            if sources:
                yield Question(text=row["question"], category=category, sources=frozenset(sources))


def _source_ids(value: object) -> Iterator[int]:
    """The numbers in lists and objects of any depth."""
    if isinstance(value, int):
        yield value
    elif isinstance(value, (list, dict)):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _source_ids(part)
