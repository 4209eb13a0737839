"""Responses with messages: one that was stored, an exchange, or a page of many."""

from collections.abc import Callable
from http import HTTPStatus

from fastapi import Response
from pydantic import BaseModel

from recollect.domain.conversation.message import Message
from recollect.domain.conversation.paging import Page
from recollect.domain.conversation.reading_effort import characters_to_write
from recollect.interfaces.http.large_responses import WRITTEN_AT_ONCE, written
from recollect.interfaces.http.schemas.messages import message_page
from recollect.ports.conversations import Appended


async def written_append(appended: Appended, make: Callable[[], BaseModel]) -> Response:
    """What was stored; the status tells whether a retry had stored it before."""
    return await written(
        make,
        characters=characters_to_write(appended.messages, most=WRITTEN_AT_ONCE),
        status=HTTPStatus.CREATED if appended.is_new else HTTPStatus.OK,
    )


async def written_page(found: Page[Message]) -> Response:
    """A page of messages, written one by one where they are large."""
    characters = characters_to_write(found.items, most=WRITTEN_AT_ONCE)
    unwritten = [found]
    del found  # the thread that writes it frees it, too: a million values take 20 ms
    return await written(
        lambda: message_page(unwritten.pop()), characters=characters, parts=["items"]
    )
