"""Going through a list page by page, as a caller does."""

from collections.abc import Awaitable, Callable
from dataclasses import replace

from recollect.domain.conversation.paging import Item, Page, PageRequest


async def walk(
    list_page: Callable[[PageRequest], Awaitable[Page[Item] | None]], request: PageRequest
) -> list[Item]:
    """All items of a list, fetched page after page by cursor from the given request on."""
    found: list[Item] = []
    while True:
        page = await list_page(request)
        assert page is not None, "the list should exist"
        assert len(page.items) <= request.limit
        found += page.items
        if page.next_cursor is None:
            return found
        assert page.items, "a page that is not the last one should not be empty"
        assert page.next_cursor != request.cursor, "a page should lead on to the next one"
        request = replace(request, cursor=page.next_cursor, offset=0)
