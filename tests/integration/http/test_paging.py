import pytest

from support.http.callers import Caller, Json

LISTS = ["sessions", "messages", "history"]


async def filled(caller: Caller, kind: str, count: int) -> tuple[str, list[Json]]:
    """A list of a kind: its path, and its items, oldest first."""
    if kind == "sessions":
        started = [await caller.start_session(name=f"session {n}") for n in range(count)]
        return "/api/v1/sessions", started
    session = await caller.start_session()
    messages = [await caller.add(session, f"message {n}") for n in range(count)]
    paths = {
        "messages": f"/api/v1/sessions/{session['session_id']}/messages",
        "history": "/api/v1/history",
    }
    return paths[kind], messages


async def walk(caller: Caller, path: str, *, order: str, limit: int) -> list[list[Json]]:
    """All pages from the first to the last."""
    pages: list[list[Json]] = []
    cursor = ""
    while True:
        page = (await caller.get(path, order=order, limit=limit, cursor=cursor)).json()
        assert set(page) == {"items", "next_cursor"}
        pages.append(page["items"])
        cursor = page["next_cursor"]
        if cursor is None:
            return pages


@pytest.mark.parametrize("limit", [1, 2, 6, 7, 8, 1000])
@pytest.mark.parametrize("order", ["asc", "desc"])
@pytest.mark.parametrize("kind", LISTS)
async def test_cursors_walk_through_everything_once_and_in_order(
    alice: Caller, kind: str, order: str, limit: int
) -> None:
    path, items = await filled(alice, kind, 7)

    pages = await walk(alice, path, order=order, limit=limit)

    expected = items if order == "asc" else items[::-1]
    assert [item for page in pages for item in page] == expected
    assert [len(page) for page in pages[:-1]] == [limit] * (len(pages) - 1)
    assert all(pages)


@pytest.mark.parametrize("kind", ["messages", "history"])
async def test_items_added_between_pages_do_not_shift_the_pages(alice: Caller, kind: str) -> None:
    path, items = await filled(alice, kind, 4)
    first = (await alice.get(path, limit=2)).json()
    await alice.add({"session_id": items[0]["session_id"]}, "late")

    second = (await alice.get(path, limit=2, cursor=first["next_cursor"])).json()

    assert second["items"] == items[1::-1]
    assert second["next_cursor"] is None


@pytest.mark.parametrize("kind", LISTS)
async def test_an_offset_leaves_out_the_first_items(alice: Caller, kind: str) -> None:
    path, items = await filled(alice, kind, 4)

    page = (await alice.get(path, limit=2, offset=1)).json()

    assert page["items"] == [items[2], items[1]]
    rest = (await alice.get(path, limit=2, cursor=page["next_cursor"])).json()
    assert rest == {"items": [items[0]], "next_cursor": None}
    beyond = (await alice.get(path, offset=10_000)).json()
    assert beyond == {"items": [], "next_cursor": None}


@pytest.mark.parametrize("kind", LISTS)
async def test_a_page_has_fifty_items_unless_asked_otherwise(alice: Caller, kind: str) -> None:
    path, items = await filled(alice, kind, 51)

    page = (await alice.get(path)).json()

    assert page["items"] == items[:0:-1]
    assert page["next_cursor"] is not None
    assert len((await alice.get(path, limit=1000)).json()["items"]) == 51


@pytest.mark.parametrize("path", ["/api/v1/sessions", "/api/v1/history"])
async def test_an_empty_list_is_one_empty_page(alice: Caller, path: str) -> None:
    assert (await alice.get(path)).json() == {"items": [], "next_cursor": None}
