"""How much of owners' entries the engine on DynamoDB holds in memory, and for how long."""

from datetime import UTC, datetime
from uuid import UUID, uuid4

from recollect.domain.recall.entry import Entry, IndexedEntry
from recollect.engines.dynamodb.recall.entry_cache import EntryCache
from recollect.engines.dynamodb.recall.entry_items import entry_item
from recollect.engines.dynamodb.recall.owner_entries import OwnerEntries

DIMENSIONS = 384


def some_entries(owner_id: UUID, count: int) -> OwnerEntries:
    """Entries of one session with vectors."""
    session_id = uuid4()
    items = []
    for number in range(1, count + 1):
        entry = Entry(
            session_id=session_id,
            turn_number=number,
            sequence=number,
            message_ids=(uuid4(),),
            text=f"sales of week {number}",
            said_at=datetime(2026, 1, 1, tzinfo=UTC),
        )
        vector = (1.0,) + (0.0,) * (DIMENSIONS - 1)
        indexed = IndexedEntry(entry=entry, terms={"sales": 1}, model="m", vector=vector)
        written = entry_item(owner_id, "1", indexed, [number], kept_in=None)
        items.append({name: value for name, value in written.items() if value is not None})
    return OwnerEntries.of(items, changes=1)


def test_the_owners_who_searched_longest_ago_make_room() -> None:
    first, second, third = (uuid4() for _ in range(3))
    entries = {owner: some_entries(owner, 5) for owner in (first, second, third)}
    cache = EntryCache(2 * entries[first].size)
    for owner in (first, second):
        cache.put(owner, entries[owner], drops=cache.drops)
    assert cache.get(first) is entries[first]
    cache.put(third, entries[third], drops=cache.drops)
    assert cache.get(second) is None
    assert cache.get(first) is entries[first]
    assert cache.size == entries[first].size + entries[third].size
    cache.put(third, some_entries(third, 6), drops=cache.drops)
    assert cache.get(first) is None, "an owner whose entries have grown counts anew"


def test_entries_larger_than_the_cache_are_the_only_ones_cached() -> None:
    small, large = uuid4(), uuid4()
    cache = EntryCache(some_entries(small, 2).size)
    cache.put(small, some_entries(small, 1), drops=cache.drops)
    cache.put(large, some_entries(large, 9), drops=cache.drops)
    assert cache.get(small) is None
    assert cache.get(large) is not None


def test_entries_that_were_read_before_their_owner_was_dropped_are_not_cached() -> None:
    owner, cache = uuid4(), EntryCache(1_000_000)
    drops = cache.drops
    cache.drop(owner)
    cache.put(owner, some_entries(owner, 1), drops=drops)
    assert cache.get(owner) is None
    assert cache.size == 0


def test_a_vector_takes_four_bytes_a_dimension() -> None:
    owner = uuid4()
    ten, twenty = some_entries(owner, 10), some_entries(owner, 20)
    assert 4 * DIMENSIONS < (twenty.size - ten.size) / 10 < 4 * DIMENSIONS + 3_000
