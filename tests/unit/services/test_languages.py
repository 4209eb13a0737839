"""The detection of languages is loaded once, and never on the event loop."""

import asyncio
import threading
from collections.abc import Awaitable, Callable
from functools import cache
from typing import Final

import pytest

from recollect import Memory
from recollect.domain.followup import language
from recollect.services import languages

UNCLEAR: Final = "Klarna"
"""A word that no small word tells the language of."""


@pytest.fixture
def loads(monkeypatch: pytest.MonkeyPatch) -> list[threading.Thread]:
    """The threads that load the detection of languages, of which nothing is loaded yet."""
    threads: list[threading.Thread] = []
    load = language._identifier.__wrapped__

    def recorded() -> object:
        threads.append(threading.current_thread())
        return load()

    monkeypatch.setattr(language, "_identifier", cache(recorded))
    monkeypatch.setattr(languages, "_loading", cache(languages._loading.__wrapped__))
    return threads


async def rewritten(memory: Memory) -> None:
    await memory.services.rewriting.after([], UNCLEAR, by_rules_alone=True)


async def recalled(memory: Memory) -> None:
    await memory.recall(UNCLEAR, user="alice")


async def with_facts(memory: Memory) -> None:
    session = await memory.session(user="alice")
    await session.context(UNCLEAR)


async def asked(memory: Memory) -> None:
    await (await memory.session(user="alice")).ask("Klarna Klarna Klarna Klarna")


async def without_memory(memory: Memory) -> None:
    await memory.services.contexts.bare(UNCLEAR)


@pytest.mark.parametrize("use", [rewritten, recalled, with_facts, asked, without_memory])
async def test_what_comes_first_loads_the_languages_beside_the_event_loop(
    loads: list[threading.Thread], use: Callable[[Memory], Awaitable[None]]
) -> None:
    async with Memory.in_memory() as memory:
        await memory.facts("alice").add(UNCLEAR)
        await asyncio.gather(*(use(memory) for _ in range(5)))

    assert len(loads) == 1, "everybody waits for the same load"
    assert loads[0] is not threading.main_thread()


async def test_the_phrases_of_commands_are_read_once_beside_the_event_loop(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    threads: list[threading.Thread] = []
    monkeypatch.setattr(languages, "_loading", cache(languages._loading.__wrapped__))

    def recorded() -> None:
        threads.append(threading.current_thread())

    monkeypatch.setattr(languages, "_load_phrases", recorded)
    async with Memory.in_memory() as memory:
        session = await memory.session(user="alice")
        for _ in range(2):
            await session.add("user", "Remember that I live in Ghent.")

    assert len(threads) == 1
    assert threads[0] is not threading.main_thread()


async def test_a_question_that_is_given_up_does_not_end_the_load_of_the_others(
    loads: list[threading.Thread],
) -> None:
    first = asyncio.create_task(languages.languages_loaded())
    second = asyncio.create_task(languages.languages_loaded())
    await asyncio.sleep(0)
    first.cancel()
    await second
    assert first.cancelled()
    assert len(loads) == 1
