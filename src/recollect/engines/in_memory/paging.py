"""Pages cut out of plain lists."""

from collections.abc import Callable, Iterable

from recollect.domain.paging import Item, Order, Page, PageRequest, Position


def cut_page(
    items: Iterable[Item],
    request: PageRequest,
    kind: type[Position],
    *,
    position_of: Callable[[Item], Position],
) -> Page[Item]:
    """Sort the items by their positions and return the page that was asked for."""
    after = request.position(kind)
    is_descending = request.order is Order.DESC
    rows = [(item, position_of(item)) for item in items]
    if after is not None:
        rows = [row for row in rows if (row[1] < after if is_descending else row[1] > after)]
    rows.sort(key=lambda row: row[1], reverse=is_descending)
    return request.page(rows[request.offset : request.offset + request.limit + 1])
