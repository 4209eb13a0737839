"""Recollect as a library, as it is by default."""

import asyncio
import sys
from collections.abc import Mapping
from pathlib import Path
from uuid import UUID

from protocol import serve

from recollect.handles.session import SessionHandle
from recollect.memory import Memory
from recollect.settings import load_settings


class RecollectMemory:
    """A session for each user, a message of a log for each turn."""

    def __init__(self, memory: Memory, runner: asyncio.Runner) -> None:
        self._memory = memory
        self._runner = runner
        self._sessions: dict[str, SessionHandle] = {}
        self._turn_ids: dict[UUID, str] = {}

    def add(self, user: str, turn: Mapping[str, str]) -> None:
        """Add a message."""
        self._runner.run(self._add(user, turn))

    async def _add(self, user: str, turn: Mapping[str, str]) -> None:
        if user not in self._sessions:
            self._sessions[user] = await self._memory.session(user=user)
        session = self._sessions[user]
        metadata = {"speaker": turn["speaker"]}
        message = await session.add("user", turn["text"], metadata=metadata)
        self._turn_ids[message.message_id] = turn["id"]

    def settle(self) -> None:
        """Index what was added, as the worker does."""
        self._runner.run(self._memory.catch_up())

    def search(self, user: str, query: str, k: int) -> list[str]:
        """The entries that fit best."""
        results = self._runner.run(self._memory.recall(query, user=user, k=k))
        found = (message_id for item in results.items for message_id in item.message_ids)
        return [self._turn_ids[message_id] for message_id in found]

    def context(self, user: str, question: str, k: int) -> str:
        """A whole context, ready for a prompt."""
        context = self._runner.run(self._sessions[user].context(question, recall_k=k))
        return context.conversation_block()


if __name__ == "__main__":
    settings = load_settings(home=Path(sys.argv[1]))
    with asyncio.Runner() as running:
        opening = Memory.open(settings)
        opened = running.run(opening.__aenter__())
        try:
            serve(RecollectMemory(opened, running))
        finally:
            running.run(opening.__aexit__(None, None, None))
