"""Waiting for what is known of languages, which nobody may load on the event loop."""

import asyncio
from collections.abc import Callable
from concurrent.futures import Future
from functools import cache
from typing import Final

from recollect.concurrency import in_daemon_thread
from recollect.domain.facts.reading.commands.detection import commands_in
from recollect.domain.facts.reading.moves import moves_in
from recollect.domain.facts.reading.plain.corrections import correction_in
from recollect.domain.facts.reading.plain.events import events_in
from recollect.domain.facts.reading.standing.detection import standing_instructions_in
from recollect.domain.followup.language import load_languages

_SENTENCES: Final = ("I moved to Leeds and left my job.", "Please forget my old bike.")
"""Read once, for the phrases of all languages by which commands and statements are told."""


async def languages_loaded() -> None:
    """Wait until languages can be detected; the first caller loads that, most of a second."""
    await _loaded(load_languages)


async def phrases_loaded() -> None:
    """Wait until commands and statements can be read; the first caller loads their phrases."""
    await _loaded(_load_phrases)


async def _loaded(load: Callable[[], None]) -> None:
    """Wait for a load in a thread; everybody who comes meanwhile waits for the same one."""
    loading = _loading(load)
    if not loading.done():
        await asyncio.wrap_future(loading)


@cache
def _loading(load: Callable[[], None]) -> "Future[None]":
    return in_daemon_thread(load, name="languages")


def _load_phrases() -> None:
    for sentence in _SENTENCES:
        for read in (commands_in, correction_in, moves_in, events_in, standing_instructions_in):
            read(sentence)
