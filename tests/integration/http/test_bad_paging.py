import json
from base64 import urlsafe_b64encode
from typing import Final
from uuid import uuid4

import pytest

from support.http.bad_requests import HISTORY, MESSAGES, SESSIONS, Bystander, assert_refused
from support.http.callers import Caller, QueryValue, Tenant
from support.tables import for_each

LISTS: Final = [SESSIONS, MESSAGES, HISTORY]
NUMBERS: Final = [
    "-1",
    "1.5",
    "ten",
    "",
    " ",
    "1e3",
    "0x10",
    "NaN",
    "%00",
    "9" * 5000,
    "[1]",
]


@pytest.mark.parametrize("path", LISTS)
async def test_a_bad_limit_is_refused(
    subtests: pytest.Subtests, bystander: Bystander, path: str
) -> None:
    for value in [*NUMBERS, "0", "1001", str(2**31), str(2**63), str(2**64)]:
        with subtests.test(value=str(value)[:80]):
            assert_refused(await bystander.send("GET", path, params={"limit": value}), 422)


@pytest.mark.parametrize("path", LISTS)
async def test_a_bad_offset_is_refused(
    subtests: pytest.Subtests, bystander: Bystander, path: str
) -> None:
    for value in [*NUMBERS, "10001", str(2**31), str(2**63), str(2**64)]:
        with subtests.test(value=str(value)[:80]):
            assert_refused(await bystander.send("GET", path, params={"offset": value}), 422)


@pytest.mark.parametrize("path", LISTS)
async def test_a_bad_order_is_refused(
    subtests: pytest.Subtests, bystander: Bystander, path: str
) -> None:
    for value in ["", "up", "ASC", "desc ", "asc;--", "1", "\0"]:
        with subtests.test(value=str(value)[:80]):
            assert_refused(await bystander.send("GET", path, params={"order": value}), 422)


@for_each("value", [*NUMBERS, str(2**31), str(2**63)])
async def test_a_bad_number_of_messages_to_keep_is_refused(
    bystander: Bystander, value: str
) -> None:
    assert_refused(await bystander.send("DELETE", HISTORY, params={"keep_last": value}), 422)


def packed(value: object) -> str:
    return urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=").decode()


ID: Final = str(uuid4())
TIME: Final = "2024-01-01T00:00:00+00:00"
BROKEN: Final = {
    "words": "not a cursor",
    "one letter": "a",
    "not base64": "!!!!",
    "not ASCII": "ü",
    "NUL": "\0",
    "no JSON": urlsafe_b64encode(b"\xff\xfe\xfd").decode(),
    "too long": "a" * 501,
    "very long": "a" * 20_000,
    "sql": "' OR 1=1 --",
    "null": packed(None),
    "object": packed({"a": 1}),
    "empty list": packed([]),
    "deep list": urlsafe_b64encode(b"[" * 300).decode(),
    "unknown kind": packed(["Other", "desc", 1]),
    "kind is a list": packed([["MessagePosition"], "desc", 1]),
}
TAMPERED: Final[dict[str, tuple[str, list[object]]]] = {
    "message: nothing": (MESSAGES, ["MessagePosition", "desc"]),
    "message: too much": (MESSAGES, ["MessagePosition", "desc", 1, 2]),
    "message: text": (MESSAGES, ["MessagePosition", "desc", "1"]),
    "message: negative": (MESSAGES, ["MessagePosition", "desc", -1]),
    "message: fraction": (MESSAGES, ["MessagePosition", "desc", 1.5]),
    "message: beyond 64 bits": (MESSAGES, ["MessagePosition", "desc", 2**63]),
    "message: null": (MESSAGES, ["MessagePosition", "desc", None]),
    "message: other order": (MESSAGES, ["MessagePosition", "asc", 1]),
    "session: no time zone": (SESSIONS, ["SessionPosition", "desc", "2024-01-01", ID]),
    "session: no time": (SESSIONS, ["SessionPosition", "desc", "soon", ID]),
    "session: year 1": (SESSIONS, ["SessionPosition", "desc", "0001-01-01T00:00:00+14:00", ID]),
    "session: year 9999": (SESSIONS, ["SessionPosition", "desc", "9999-12-31T23:59:59-14:00", ID]),
    "session: no id": (SESSIONS, ["SessionPosition", "desc", TIME, "x"]),
    "session: null": (SESSIONS, ["SessionPosition", "desc", None, None]),
    "history: no id": (HISTORY, ["HistoryPosition", "desc", TIME, 7, 1]),
    "history: year 1": (HISTORY, ["HistoryPosition", "desc", "0001-01-01T00:00:00+14:00", ID, 1]),
    "history: text": (HISTORY, ["HistoryPosition", "desc", TIME, ID, "1"]),
    "history: a session's": (HISTORY, ["SessionPosition", "desc", TIME, ID]),
}


@pytest.mark.parametrize("path", LISTS)
async def test_a_broken_cursor_is_refused(
    subtests: pytest.Subtests, bystander: Bystander, path: str
) -> None:
    for label, cursor in BROKEN.items():
        with subtests.test(label=label):
            assert_refused(await bystander.send("GET", path, params={"cursor": cursor}), 400)


@for_each(("path", "values"), TAMPERED.values(), ids=TAMPERED)
async def test_a_tampered_cursor_is_refused(
    bystander: Bystander, path: str, values: list[object]
) -> None:
    assert_refused(await bystander.send("GET", path, params={"cursor": packed(values)}), 400)


async def cursors_of(caller: Caller) -> dict[str, str]:
    """A real cursor of each list."""
    session = await caller.start_session()
    for n in range(2):
        await caller.add(await caller.start_session(), f"elsewhere {n}")
        await caller.add(session, f"message {n}")
    messages = MESSAGES.replace("{session_id}", session["session_id"])
    paths = {SESSIONS: SESSIONS, HISTORY: HISTORY, MESSAGES: messages}
    return {
        kind: (await caller.get(path, limit=1)).json()["next_cursor"]
        for kind, path in paths.items()
    }


@pytest.mark.parametrize("path", LISTS)
async def test_a_cursor_is_for_the_list_and_the_order_it_came_from(
    other_tenant: Tenant, bystander: Bystander, path: str
) -> None:
    cursors = await cursors_of(await other_tenant.user("alice"))

    for kind, cursor in cursors.items():
        other_order = await bystander.send("GET", path, params={"cursor": cursor, "order": "asc"})
        assert_refused(other_order, 400)
        if kind != path:
            assert_refused(await bystander.send("GET", path, params={"cursor": cursor}), 400)
    beside_offset: dict[str, QueryValue] = {"cursor": cursors[path], "offset": 1}
    assert_refused(await bystander.send("GET", path, params=beside_offset), 422)


async def test_a_cursor_cut_short_or_changed_in_one_letter_never_fails_the_server(
    other_tenant: Tenant, bystander: Bystander
) -> None:
    cursor = (await cursors_of(await other_tenant.user("alice")))[HISTORY]
    for n in range(len(cursor)):
        swapped = "A" if cursor[n] != "A" else "B"
        for broken in (cursor[:n] + swapped + cursor[n + 1 :], cursor[: n + 1]):
            response = await bystander.send("GET", HISTORY, params={"cursor": broken})
            assert response.status_code in {200, 400}, broken
