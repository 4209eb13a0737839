"""What every store of vectors outside the database must do."""

from uuid import UUID, uuid4

import pytest

from recollect.errors import InvalidInput
from recollect.ports.recall import EntryKey, VectorStore


def _key(number: int, session: UUID | None = None) -> EntryKey:
    return EntryKey(session_id=session or UUID(int=1), number=number)


_EAST, _NORTH, _NORTH_EAST, _WEST = (1.0, 0.0), (0.0, 1.0), (0.6, 0.8), (-1.0, 0.0)


class VectorStoreContract:
    """Subclass it, with a fixture `vectors` that gives your empty store."""

    async def test_the_nearest_come_with_their_cosines(self, vectors: VectorStore) -> None:
        owner = uuid4()
        await vectors.put(owner, {_key(1): _EAST, _key(2): _NORTH_EAST, _key(3): _WEST}, model="m")

        found = await vectors.nearest(owner, _EAST, model="m", count=10)

        assert found == pytest.approx({_key(1): 1.0, _key(2): 0.6, _key(3): -1.0}, abs=1e-3)

    async def test_a_search_returns_at_most_the_requested_number_of_vectors(
        self, vectors: VectorStore
    ) -> None:
        owner = uuid4()
        await vectors.put(owner, {_key(1): _EAST, _key(2): _NORTH_EAST, _key(3): _WEST}, model="m")

        found = await vectors.nearest(owner, _NORTH, model="m", count=1)

        assert list(found) == [_key(2)]

    async def test_nobody_finds_the_vectors_of_another_owner(self, vectors: VectorStore) -> None:
        ours, theirs = uuid4(), uuid4()
        await vectors.put(ours, {_key(1): _EAST}, model="m")
        await vectors.put(theirs, {_key(2): _EAST, _key(3): _EAST}, model="m")

        assert list(await vectors.nearest(ours, _EAST, model="m", count=10)) == [_key(1)]
        assert await vectors.keys(ours, model="m") == {_key(1)}

    async def test_vectors_of_different_models_are_never_compared(
        self, vectors: VectorStore
    ) -> None:
        owner = uuid4()
        await vectors.put(owner, {_key(1): _EAST}, model="short")
        await vectors.put(owner, {_key(1): (0.0, 0.0, 1.0)}, model="long")

        assert list(await vectors.nearest(owner, (0.0, 0.0, 1.0), model="long", count=9)) == [
            _key(1)
        ]
        assert await vectors.nearest(owner, _EAST, model="unheard of", count=9) == {}

    async def test_a_vector_takes_the_place_of_the_one_before(self, vectors: VectorStore) -> None:
        owner = uuid4()
        await vectors.put(owner, {_key(1): _EAST}, model="m")
        await vectors.put(owner, {_key(1): _NORTH}, model="m")

        found = await vectors.nearest(owner, _NORTH, model="m", count=9)

        assert found == pytest.approx({_key(1): 1.0}, abs=1e-3)

    async def test_a_session_can_be_searched_alone(self, vectors: VectorStore) -> None:
        owner, session = uuid4(), uuid4()
        await vectors.put(owner, {_key(1): _EAST, _key(1, session): _NORTH}, model="m")

        found = await vectors.nearest(owner, _EAST, model="m", count=9, session_id=session)

        assert list(found) == [_key(1, session)]

    async def test_a_vector_of_another_length_is_refused(self, vectors: VectorStore) -> None:
        owner = uuid4()
        await vectors.put(owner, {_key(1): _EAST}, model="m")

        with pytest.raises(InvalidInput, match="long"):
            await vectors.put(owner, {_key(2): (0.0, 0.0, 1.0)}, model="m")

        assert await vectors.keys(owner, model="m") == {_key(1)}

    async def test_removing_a_key_removes_its_vectors_of_every_model(
        self, vectors: VectorStore
    ) -> None:
        owner = uuid4()
        for model in ("old", "new"):
            await vectors.put(owner, {_key(1): _EAST, _key(2): _NORTH}, model=model)

        await vectors.remove(owner, [_key(1), _key(99)])

        for model in ("old", "new"):
            assert await vectors.keys(owner, model=model) == {_key(2)}
            assert list(await vectors.nearest(owner, _EAST, model=model, count=9)) == [_key(2)]

    async def test_erasing_an_owner_leaves_the_others(self, vectors: VectorStore) -> None:
        ours, theirs = uuid4(), uuid4()
        for owner in (ours, theirs):
            await vectors.put(owner, {_key(1): _EAST}, model="m")

        assert await vectors.count(ours) > 0
        others = await vectors.count(theirs)
        await vectors.erase(ours)
        await vectors.erase(ours)
        assert (await vectors.count(ours), await vectors.count(theirs)) == (0, others)

        assert await vectors.keys(ours, model="m") == frozenset()
        assert await vectors.nearest(ours, _EAST, model="m", count=9) == {}
        assert await vectors.keys(theirs, model="m") == {_key(1)}

    async def test_only_one_model_can_be_kept(self, vectors: VectorStore) -> None:
        ours, theirs = uuid4(), uuid4()
        await vectors.keep_only("new")
        for owner, model in ((ours, "old"), (ours, "new"), (theirs, "old")):
            await vectors.put(owner, {_key(1): _EAST}, model=model)

        await vectors.keep_only("new")

        assert await vectors.keys(ours, model="new") == {_key(1)}
        for owner in (ours, theirs):
            assert await vectors.keys(owner, model="old") == frozenset()
        await vectors.put(ours, {_key(2): (0.0, 0.0, 1.0)}, model="old")
        assert await vectors.keys(ours, model="old") == {_key(2)}

    async def test_owners_lists_every_owner_that_has_vectors(self, vectors: VectorStore) -> None:
        assert await vectors.owners() == frozenset()
        owners = [uuid4() for _ in range(3)]
        for owner in owners:
            await vectors.put(owner, {_key(1): _EAST}, model="m")
        await vectors.put(owners[0], {_key(1): _EAST}, model="another")

        assert await vectors.owners() == set(owners)

        await vectors.erase(owners[0])
        assert await vectors.owners() == set(owners[1:])

    async def test_removing_from_an_empty_store_is_no_error(self, vectors: VectorStore) -> None:
        await vectors.remove(uuid4(), [_key(1)])
        await vectors.put(uuid4(), {}, model="m")

    async def test_many_vectors_are_all_kept(self, vectors: VectorStore) -> None:
        owner = uuid4()
        many = {_key(number): _EAST for number in range(1, 2_502)}
        await vectors.put(owner, many, model="m")

        assert await vectors.keys(owner, model="m") == set(many)

        await vectors.remove(owner, list(many)[1:])
        assert await vectors.keys(owner, model="m") == {_key(1)}

    @pytest.mark.parametrize("dimensions", [2, 384, 4000])
    async def test_vectors_may_be_short_and_long(
        self, vectors: VectorStore, dimensions: int
    ) -> None:
        owner = uuid4()
        vector = (1.0,) + (0.0,) * (dimensions - 1)
        await vectors.put(owner, {_key(1): vector}, model=f"m{dimensions}")

        found = await vectors.nearest(owner, vector, model=f"m{dimensions}", count=1)

        assert found == pytest.approx({_key(1): 1.0}, abs=1e-3)
