"""Replies that are read whole stay small enough to be parsed."""

import json

import pytest

from recollect.domain.chat.replies import MAX_REPLY_VALUES
from recollect.errors import ReplyUnusable
from recollect.services.chat.proxied_reply import each, read_whole


async def test_a_reply_of_too_many_values_is_refused() -> None:
    body = json.dumps({"choices": [], "logprobs": [0.5] * (MAX_REPLY_VALUES + 1)}).encode()
    with pytest.raises(ReplyUnusable, match="200,000 values"):
        await read_whole(each([body[:1000], body[1000:]]))


async def test_a_long_answer_is_one_value() -> None:
    body = json.dumps({"content": ',[{"' * MAX_REPLY_VALUES}).encode()
    assert await read_whole(each([body])) == body
