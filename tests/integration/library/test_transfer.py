"""Everything of a user out of one engine and into another, with the library."""

import io
import json
from pathlib import Path
from uuid import uuid4

import pytest

from recollect import InvalidInput, Memory, blocking
from support.transfers import Document, essence


async def document_of(memory: Memory, user: str) -> Document:
    pieces = [piece async for piece in memory.export(user=user)]
    document: Document = json.loads(b"".join(pieces))
    return document


@pytest.mark.parametrize("form", ["json", "zip"])
async def test_a_user_moves_from_one_engine_to_another_and_back(
    memory: Memory, tmp_path: Path, form: str
) -> None:
    user, file = f"user-{uuid4()}", tmp_path / "export"
    session = await memory.session("chat-1", user=user)
    await session.add_exchange("What were the sales of 2024?", "They were 2.5M.")
    await session.add_exchange("What about 2023?", "They were 2.1M.")
    await memory.facts(user).add("Works in the north.")
    await memory.profile(user).set("units", {"large": 1e17})
    await memory.set_state("busy", user=user)
    before = await document_of(memory, user)
    file.write_bytes(b"".join([piece async for piece in memory.export(user=user, format=form)]))
    async with Memory.in_memory() as other:
        report = await other.import_from(file, user=user)
        assert (report.sessions.added, report.messages.added, report.facts.added) == (1, 4, 1)
        assert essence(await document_of(other, user)) == essence(before)
        returned = b"".join([piece async for piece in other.export(user=user, format=form)])
        copy = await other.session("chat-1", user=user)
        assert await copy.last() == await session.last(), "it is the same session under its name"
        await other.catch_up()
        (found,) = (await other.recall("sales of 2024", user=user, k=1)).items
        assert "2.5M" in found.text
        assert len((await other.facts(user).list()).items) == 1, "nothing is learnt twice"
    newcomer = f"user-{uuid4()}"
    await memory.import_from(io.BytesIO(returned), user=newcomer)
    assert essence(await document_of(memory, newcomer)) == essence(before)


async def test_a_file_that_is_not_there_and_a_format_that_is_none_are_refused() -> None:
    async with Memory.in_memory() as memory:
        with pytest.raises(InvalidInput, match="file '/no/such/file' cannot be read"):
            await memory.import_from("/no/such/file", user="alice")
        with pytest.raises(InvalidInput, match="format must be one of: json, zip"):
            await anext(memory.export(user="alice", format="xml"))


def test_the_blocking_memory_exports_and_imports(tmp_path: Path) -> None:
    file = tmp_path / "alice.zip"
    with blocking.Memory.in_memory() as memory:
        memory.session("chat-1", user="alice").add_exchange("Hello?", "Hello.")
        with file.open("wb") as target:
            for piece in memory.export(user="alice", format="zip"):
                target.write(piece)
        assert memory.import_from(str(file), user="bob").messages.added == 2
        assert memory.history("bob").count() == 2
