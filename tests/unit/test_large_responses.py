"""A large response says the same as a small one, and as pydantic writes it."""

import json
from datetime import UTC, datetime
from typing import Final
from uuid import uuid4

import pytest
from pydantic import BaseModel, ConfigDict

from recollect.domain.conversation.message import AnswerDetails, Message, Role, Visibility
from recollect.domain.conversation.paging import Page
from recollect.interfaces.http.large_json import WRITTEN_AT_ONCE, written
from recollect.interfaces.http.schemas.conversations import ListOf
from recollect.interfaces.http.schemas.messages import MessageOut

SIZES: Final = pytest.mark.parametrize(
    "characters", [0, WRITTEN_AT_ONCE + 1], ids=["small", "large"]
)
PAGE: Final = Page(
    items=tuple(
        Message(
            message_id=uuid4(),
            session_id=uuid4(),
            sequence=sequence,
            turn_number=None,
            role=Role.ASSISTANT,
            content='Größe "42" \u2028 \x7f \U0001f600',
            metadata={"a": [1.0, 1e22, -0.0, None, {"b": []}], "": True},
            details=AnswerDetails(sql_query="SELECT 1", citations=({"page": 3}, "text", None)),
            created_at=datetime(2026, 1, 2, 3, 4, 5, microsecond, tzinfo=UTC),
            visibility=visibility,
        )
        for sequence, microsecond, visibility in [(1, 0, Visibility.ALL), (2, 60, Visibility.SHAPE)]
    ),
    next_cursor="next",
)


class Open(BaseModel):
    model_config = ConfigDict(extra="allow")

    number: int = 1
    inner: "Open | None" = None


@SIZES
async def test_a_page_is_written_as_pydantic_writes_it(characters: int) -> None:
    response = await written(
        lambda: ListOf.of(PAGE, MessageOut.of), characters=characters, parts=["items"]
    )
    expected = ListOf.of(PAGE, MessageOut.of).model_dump_json(exclude_unset=True)
    assert json.loads(response.body) == json.loads(expected)
    assert response.headers["content-type"] == "application/json"


@SIZES
async def test_defaults_and_unknown_fields_are_written_where_they_are_wanted(
    characters: int,
) -> None:
    model = Open.model_validate({"new": [1], "inner": {}})
    whole = await written(lambda: model, characters=characters, with_defaults=True)
    assert json.loads(whole.body) == {
        "number": 1,
        "inner": {"number": 1, "inner": None},
        "new": [1],
    }


@SIZES
async def test_an_integer_beyond_64_bits_is_written(characters: int) -> None:
    model = Open.model_validate({"large": 2**70})
    response = await written(lambda: model, characters=characters, with_defaults=True)
    assert json.loads(response.body)["large"] == 2**70
