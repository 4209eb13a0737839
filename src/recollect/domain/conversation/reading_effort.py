"""How much there is to read or to write, in characters of plain text."""

from collections.abc import Iterable
from typing import Final

from recollect.domain.conversation.message import NO_DETAILS, Message, NewMessage
from recollect.domain.conversation.session import Session
from recollect.domain.text import json_characters

OF_SQL: Final = 20
"""A character of SQL takes as long to read as so many of text."""
_SHORT_SQL: Final = 1_000
_OF_RECORD: Final = 200
"""A message or a session takes as long to write, whatever is in it."""


def characters_in(messages: Iterable[Message]) -> int:
    """How many characters there are to read in messages; long SQL counts for more."""
    return sum(
        len(message.content) + sql_characters(message.details.sql_query) for message in messages
    )


def sql_characters(sql: str | None) -> int:
    """What SQL counts as; short queries come again and again, and are read once."""
    length = len(sql or "")
    return length if length <= _SHORT_SQL else length * OF_SQL


def characters_to_write(messages: Iterable[Message], *, most: int) -> int:
    """How many characters there are to write of messages; counting ends soon after `most`."""
    counted = 0
    for message in messages:
        counted += _OF_RECORD + len(message.content)
        if message.metadata or message.details is not NO_DETAILS:
            counted += _json_of(message, most - counted)
        if counted > most:
            break
    return counted


def json_to_store(messages: Iterable[NewMessage], *, most: int) -> int:
    """The same for the JSON that comes with messages alone."""
    counted = 0
    for message in messages:
        if message.metadata or message.details is not NO_DETAILS:
            counted += _json_of(message, most - counted)
            if counted > most:
                break
    return counted


def session_characters(sessions: Iterable[Session], *, most: int) -> int:
    """How many characters there are to write of sessions; counting ends soon after `most`."""
    counted = 0
    for session in sessions:
        counted += _OF_RECORD + len(session.summary or "")
        if session.metadata:
            counted += json_characters(session.metadata, most=most - counted)
        if counted > most:
            break
    return counted


def _json_of(message: Message | NewMessage, most: int) -> int:
    counted = json_characters(message.metadata, most=most)
    if message.details is NO_DETAILS:
        return counted
    return counted + json_characters(message.details.to_json(), most=most - counted)
