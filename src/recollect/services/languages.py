"""Waiting for the detection of languages, which nobody may load on the event loop."""

import asyncio
from concurrent.futures import Future
from functools import cache

from recollect.concurrency import in_daemon_thread
from recollect.domain.followup.language import load_languages


async def languages_loaded() -> None:
    """Wait until languages can be detected; the first caller loads that, in a thread.

    Loading takes most of a second. Everybody who comes meanwhile waits for the same load.
    """
    loading = _loading()
    if not loading.done():
        await asyncio.wrap_future(loading)


@cache
def _loading() -> "Future[None]":
    return in_daemon_thread(load_languages, name="languages")
