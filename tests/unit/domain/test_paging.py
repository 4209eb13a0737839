import json
from base64 import urlsafe_b64encode
from datetime import datetime
from uuid import UUID

import pytest

from recollect.domain.conversation.paging import (
    HistoryPosition,
    MessagePosition,
    Order,
    PageRequest,
    SessionPosition,
)
from recollect.errors import InvalidCursor, InvalidInput
from recollect.testing import FIRST_MOMENT
from support.tables import for_each

AN_ID = UUID("0b7a3f52-93c4-4f0e-8a7d-51d2c6e94a20")


def cursor_of(*values: object) -> str:
    return urlsafe_b64encode(json.dumps(values).encode()).rstrip(b"=").decode()


def cursor_after(position: MessagePosition, order: Order = Order.DESC) -> str:
    rows = [("shown", position), ("one more", position)]
    cursor = PageRequest(limit=1, order=order).page(rows).next_cursor
    assert cursor is not None
    return cursor


def test_by_default_a_page_is_the_fifty_newest() -> None:
    request = PageRequest()
    assert (request.limit, request.order, request.offset) == (50, Order.DESC, 0)
    assert request.position(MessagePosition) is None


def test_a_request_is_read_from_words() -> None:
    request = PageRequest.of(limit=5, order="asc", cursor=None, offset=2)
    assert request == PageRequest(limit=5, order=Order.ASC, offset=2)


@for_each("order", ["", "ASC", "newest"])
def test_another_order_is_refused(order: str) -> None:
    with pytest.raises(InvalidInput, match=r"^order must be asc or desc$"):
        PageRequest.of(limit=5, order=order, cursor=None, offset=0)


@for_each("limit", [0, -1, 1001, 10**30])
def test_a_limit_out_of_bounds_is_refused(limit: int) -> None:
    with pytest.raises(InvalidInput, match=r"^limit must lie between 1 and 1000"):
        PageRequest(limit=limit)


@for_each("offset", [-1, 10_001, 10**30])
def test_an_offset_out_of_bounds_is_refused(offset: int) -> None:
    with pytest.raises(InvalidInput, match=r"^offset must lie between 0 and 10000; use cursor"):
        PageRequest(offset=offset)


def test_cursor_and_offset_exclude_each_other() -> None:
    with pytest.raises(InvalidInput, match=r"^offset cannot be combined with cursor"):
        PageRequest(cursor="x", offset=1)


def test_a_page_shows_no_more_than_its_limit() -> None:
    rows = [(f"item {n}", MessagePosition(n)) for n in (1, 2, 3)]
    page = PageRequest(limit=2).page(rows)
    assert page.items == ("item 1", "item 2")
    assert page.next_cursor is not None
    following = PageRequest(limit=2, cursor=page.next_cursor)
    assert following.position(MessagePosition) == MessagePosition(2)


@for_each("count", [0, 1, 2])
def test_the_last_page_has_no_cursor(count: int) -> None:
    rows = [(f"item {n}", MessagePosition(n)) for n in range(count)]
    page = PageRequest(limit=2).page(rows)
    assert (len(page.items), page.next_cursor) == (count, None)


def test_a_cursor_of_another_list_is_refused() -> None:
    request = PageRequest(cursor=cursor_after(MessagePosition(1)))
    with pytest.raises(InvalidCursor):
        request.position(SessionPosition)
    with pytest.raises(InvalidCursor):
        request.position(HistoryPosition)


def test_a_cursor_of_the_other_order_is_refused() -> None:
    cursor = cursor_after(MessagePosition(1), Order.DESC)
    with pytest.raises(InvalidCursor):
        PageRequest(cursor=cursor, order=Order.ASC).position(MessagePosition)


@pytest.mark.parametrize(
    "cursor",
    [
        "",
        " ",
        "=",
        "A",
        "broken",
        "é",
        "\ud800",
        "\0",
        pytest.param("A" * 501, id="too long"),
        urlsafe_b64encode(b"\xff\xfe\xff").decode(),
        urlsafe_b64encode(b"[" * 300).decode(),
        urlsafe_b64encode(b'{"a": 1}').decode(),
        urlsafe_b64encode(b"NaN").decode(),
        cursor_of(),
        cursor_of("MessagePosition"),
        cursor_of("MessagePosition", "desc"),
        cursor_of("MessagePosition", "desc", 1, 2),
        cursor_of("MessagePosition", "desc", -1),
        cursor_of("MessagePosition", "desc", 2**63),
        cursor_of("MessagePosition", "desc", 1.5),
        cursor_of("MessagePosition", "desc", "1"),
        cursor_of("MessagePosition", "desc", None),
        cursor_of("MessagePosition", "desc", [1]),
    ],
)
def test_a_broken_or_tampered_cursor_is_refused(cursor: str) -> None:
    with pytest.raises(InvalidCursor, match="start again without it"):
        PageRequest(cursor=cursor).position(MessagePosition)


@for_each(
    ("time", "session_id"),
    [
        ("yesterday", str(AN_ID)),
        ("2026-01-01T00:00:00", str(AN_ID)),
        ("99999-01-01T00:00:00+00:00", str(AN_ID)),
        (17, str(AN_ID)),
        (None, str(AN_ID)),
        (FIRST_MOMENT.isoformat(), "no uuid"),
        (FIRST_MOMENT.isoformat(), None),
        (FIRST_MOMENT.isoformat(), 1),
    ],
)
def test_a_cursor_with_a_broken_time_or_id_is_refused(time: object, session_id: object) -> None:
    sessions = PageRequest(cursor=cursor_of("SessionPosition", "desc", time, session_id))
    with pytest.raises(InvalidCursor):
        sessions.position(SessionPosition)
    history = PageRequest(cursor=cursor_of("HistoryPosition", "desc", time, session_id, 1))
    with pytest.raises(InvalidCursor):
        history.position(HistoryPosition)


def test_a_cursor_keeps_the_time_to_the_microsecond() -> None:
    moment = datetime.fromisoformat("2026-03-29T02:30:00.123456+00:00")
    position = SessionPosition(moment, AN_ID)
    page = PageRequest(limit=1).page([("shown", position), ("one more", position)])
    assert PageRequest(cursor=page.next_cursor).position(SessionPosition) == position


def test_a_time_before_all_times_in_utc_is_refused() -> None:
    tampered = cursor_of("SessionPosition", "desc", "0001-01-01T00:00:00+23:59", str(AN_ID))
    with pytest.raises(InvalidCursor):
        PageRequest(cursor=tampered).position(SessionPosition)


def test_a_cursor_that_was_written_differently_is_refused() -> None:
    """One position has one cursor: nothing is taken that this list did not give out."""
    tampered = urlsafe_b64encode(b'["MessagePosition", "desc", 7]').rstrip(b"=").decode()
    with pytest.raises(InvalidCursor):
        PageRequest(cursor=tampered).position(MessagePosition)
