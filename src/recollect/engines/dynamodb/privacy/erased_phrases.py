"""Phrases of what is erased, and the search for them in all that is left of the owner."""

from collections.abc import Sequence
from typing import Final

from recollect.domain.erasure.erasure import (
    Erasure,
    ErasureKind,
)
from recollect.domain.erasure.phrases import phrases_of
from recollect.engines.dynamodb.conversations.conversation import Conversation
from recollect.engines.dynamodb.conversations.store import (
    DynamoStore,
)
from recollect.engines.dynamodb.privacy.erased_items import texts_left

_SAMPLED_SESSIONS: Final = 20


class DynamoErasedPhrases(DynamoStore):
    """Implements `recollect.ports.privacy.erasure.ErasedPhrases`."""

    async def sample(self, erasure: Erasure, *, limit: int) -> tuple[str, ...]:
        if erasure.request.kind is ErasureKind.TENANT:
            return ()
        conversations = await self._conversations(erasure)
        texts: list[str] = []
        for one in conversations[:_SAMPLED_SESSIONS]:
            async for message in self.data.messages(one, limit=limit):
                if erasure.request.has_message(message):
                    texts.append(message.content)
                if len(texts) >= limit * 4:
                    break
        phrases = phrases_of(texts)[:limit]
        return tuple(await self._only_erased(erasure, phrases))

    async def found(self, erasure: Erasure, phrases: Sequence[str]) -> int:
        gone = await self._only_erased(erasure, phrases)
        left = [text async for text in texts_left(self, erasure)] if gone else []
        return sum(any(phrase in text for text in left) for phrase in gone)

    async def _conversations(self, erasure: Erasure) -> list[Conversation]:
        found = await self.data.of_owner(erasure.owner_id, hidden=True)
        session_id = erasure.request.session_id
        return [one for one in found if session_id in {None, one.session_id}]

    async def _only_erased(self, erasure: Erasure, phrases: Sequence[str]) -> list[str]:
        """The phrases that no message has which stays."""
        if not phrases or erasure.request.kind is ErasureKind.EVERYTHING:
            return [*phrases]
        staying: list[str] = []
        for one in await self.data.of_owner(erasure.owner_id, hidden=True):
            staying += [
                message.content
                async for message in self.data.messages(one)
                if not erasure.request.has_message(message)
            ]
        return [one for one in phrases if not any(one in text for text in staying)]
