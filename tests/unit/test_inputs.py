"""What callers of the library give by name."""

import pytest

from recollect.memory import Memory


async def test_a_mistyped_filter_is_refused_and_does_not_find_everything() -> None:
    async with Memory.in_memory() as memory:
        session = await memory.session("talk", user="ann")
        await session.add("user", "I like rye bread.")
        with pytest.raises(TypeError, match="'sinse'; known are since, until"):
            await memory.recall("bread", user="ann", sinse="2024")  # type: ignore[call-arg]
        with pytest.raises(TypeError, match="'speker'"):
            await session.recall("bread", speker="Ann")  # type: ignore[call-arg]
        with pytest.raises(TypeError, match="'stat'; known are type, priority, status, q"):
            await memory.facts(user="ann").list(stat="any")  # type: ignore[call-arg]
