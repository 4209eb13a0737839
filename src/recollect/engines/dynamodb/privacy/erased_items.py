"""What an erasure erases in the table: hidden at once, deleted in pieces, and looked for."""

from collections import Counter
from collections.abc import AsyncIterator, Iterable
from contextlib import suppress
from typing import Final
from uuid import UUID

from recollect.domain.conversation.message import Message
from recollect.domain.erasure.erasure import Erasure, ErasureKind, ErasureRequest
from recollect.engines.dynamodb.accounts import read_profile
from recollect.engines.dynamodb.conversations.conversation import Conversation
from recollect.engines.dynamodb.conversations.messages import remove_messages
from recollect.engines.dynamodb.conversations.purging import purge
from recollect.engines.dynamodb.conversations.store import DynamoStore
from recollect.engines.dynamodb.facts.owner_facts import OwnerFacts
from recollect.engines.dynamodb.facts.store import DynamoFacts
from recollect.engines.dynamodb.recall.removals import REMOVALS_PREFIX, put_removals
from recollect.engines.dynamodb.table.client import ConditionFailed
from recollect.engines.dynamodb.table.items import Item, time_text
from recollect.engines.dynamodb.table.keys import (
    ARCHIVES_PREFIX,
    LAST,
    PROFILE,
    SORT,
    STATE,
    entry_prefix,
    fact_history_key,
    fact_key,
    key_of,
    messages_prefix,
    session_key,
)
from recollect.engines.dynamodb.table.table import Table

_STAYS: Final = (
    "@audit",
    "@endedvisit#",
    "@erasure#",
    "@key#",
    "@owner",
    "@part#",
    "@receiptkey",
    "@settings",
)
"""What is kept of an owner: who did what, erasures and their receipts, a tenant's keys."""
_KINDS: Final = {
    "@entry#": "recall_entries",
    "@fact#": "facts",
    "@facthistory#": "fact_changes",
    "@job#": "jobs",
    "@profile": "profile_values",
    ARCHIVES_PREFIX: "archive_notes",
    REMOVALS_PREFIX: "recall_removals",
    "@state": "states",
}
_FIRST: Final = " "


class Erased:
    """What one request erases of an owner."""

    def __init__(self, store: DynamoStore, owner_id: UUID, request: ErasureRequest) -> None:
        self._store = store
        self._table = store.table
        self._owner_id = owner_id
        self._request = request
        # What goes as a whole is not read: it may be unreadable, and has to go all the same.
        is_in_part = request.kind is ErasureKind.BEFORE
        self._data = store.data if is_in_part else store.sealed_data

    async def is_there(self) -> bool:
        """Whether readers find the session that is to be erased."""
        session_id = self._request.session_id
        assert session_id is not None  # noqa: S101  # of a session alone
        one = await self._data.stored(self._owner_id, session_id)
        return one is not None and one.is_visible(self._store.clock.now())

    async def count_messages(self) -> int:
        """How many messages there are to be erased."""
        if self._request.kind is ErasureKind.TENANT:
            return 0
        if self._request.kind is not ErasureKind.BEFORE:
            return sum(one.stored_count for one in await self._conversations())
        messages = [m for one in await self._conversations() for m in await self._old(one)]
        return len(messages)

    async def hide(self) -> dict[str, int]:
        """Hide sessions from readers, and delete what is small; how much that was."""
        if self._request.kind in {ErasureKind.TENANT, ErasureKind.BEFORE}:
            return {}
        for one in await self._conversations():
            if not one.is_being_erased:
                await self._data.hide(one)
        counts = await self._erase_facts()
        if self._request.kind is ErasureKind.EVERYTHING:
            counts += await self._erase_profile(everything=True)
        return dict(counts)

    async def erase(self, *, limit: int) -> tuple[dict[str, int], bool]:
        """Delete about so many messages with all around them; how much, and whether more is."""
        if self._request.kind is ErasureKind.TENANT:
            return {}, False
        counts = Counter(await self.hide())
        if self._request.kind is ErasureKind.BEFORE:
            # Facts first: what they were learnt from tells which ones.
            counts += await self._erase_facts()
            counts += await self._erase_profile(everything=False)
        for one in await self._conversations():
            if counts["messages"] >= limit:
                return dict(counts), True
            counts += await self._erase_session(one)
        if self._request.kind is ErasureKind.EVERYTHING:
            counts += await self._sweep()
        await self._purge_left()
        return dict(counts), False

    async def _conversations(self) -> list[Conversation]:
        session_id = self._request.session_id
        if session_id is None:
            return await self._data.of_owner(self._owner_id, hidden=True)
        one = await self._data.stored(self._owner_id, session_id)
        return [] if one is None else [one]

    async def _old(self, one: Conversation) -> list[Message]:
        messages = await self._store.data.all_messages(one)
        return [message for message in messages if self._request.has_message(message)]

    async def _erase_session(self, one: Conversation) -> Counter[str]:
        before = self._request.before
        if before is not None:
            return await self._erase_before(one)
        prefix = entry_prefix(one.session_id, one.incarnation)
        entries = [1 async for _ in self._table.sealed.items(self._owner_id, prefix)]
        counts = Counter(
            sessions=1,
            messages=one.stored_count,
            turns=len(one.turns),
            summaries=int(one.summary is not None),
            recall_entries=len(entries),
        )
        with suppress(ConditionFailed):  # another worker was faster
            await self._data.delete(one, None)
            return counts
        return Counter()

    async def _erase_before(self, one: Conversation) -> Counter[str]:
        """Delete the old messages of a session, and the session if it is old and empty then."""
        old = await self._old(one)
        turns = len(one.turns)
        if old:
            await remove_messages(
                self._store,
                one.scope,
                one.session_id,
                lambda messages: [m for m in messages if self._request.has_message(m)],
                lambda _: None,
                sees_hidden=True,
            )
        left = await self._store.data.stored(self._owner_id, one.session_id)
        counts = Counter(messages=len(old))
        if left is None:
            return counts
        counts["turns"] += turns - len(left.turns)
        before = self._request.before
        if before is not None and left.session.created_at < before and not left.stored_count:
            with suppress(ConditionFailed):
                await self._store.data.delete(left, None)
                counts["sessions"] += 1
        return counts

    async def _erase_facts(self) -> Counter[str]:
        if self._request.kind is ErasureKind.EVERYTHING:
            return await self._erase_all_facts()
        facts = DynamoFacts(self._store.table, self._store.clock)
        owner = await facts.read(self._owner_id)
        chosen = await self._chosen_facts(owner)
        if not chosen:
            return Counter()
        keys = [key_of(self._owner_id, of(one)) for one in chosen for of in _FACT_KEYS]
        await self._table.delete_all(keys)
        changes = sum(len(owner.histories.get(one, ())) for one in chosen)
        return Counter(facts=len(chosen), fact_changes=changes)

    async def _erase_all_facts(self) -> Counter[str]:
        table = self._table.sealed
        facts = [item async for item in table.items(self._owner_id, "@fact#")]
        histories = [item async for item in table.items(self._owner_id, "@facthistory#")]
        await self._table.delete_all([*facts, *histories])
        changes = sum(int(item["changeCount"]) for item in histories)
        return Counter(facts=len(facts), fact_changes=changes)

    async def _chosen_facts(self, owner: OwnerFacts) -> set[UUID]:
        """The facts that go with what is erased: learnt from it, citing it, or as old."""
        request = self._request
        if not owner.facts:
            return set()
        gone = {
            message.message_id
            for one in await self._conversations()
            for message in await self._old(one)
        }
        chosen = {change.fact_id for change in owner.changes if change.message_id in gone}
        for fact_id, known in owner.facts.items():
            evidence = known.fact.evidence
            is_cited = evidence is not None and (
                evidence.message_id in gone or evidence.session_id == request.session_id
            )
            is_old = request.before is not None and known.fact.created_at < request.before
            if is_cited or is_old:
                chosen.add(fact_id)
        return chosen

    async def _erase_profile(self, *, everything: bool) -> Counter[str]:
        values = await (self._erase_all_values() if everything else self._erase_old_values())
        counts = Counter(profile_values=values)
        before = self._request.before
        state = await self._table.get(self._owner_id, STATE)
        if state is not None and (
            everything or (before is not None and str(state["updatedAt"]) < time_text(before))
        ):
            await self._table.delete(state)
            counts["states"] += 1
        return counts

    async def _erase_all_values(self) -> int:
        profile = await self._table.sealed.get(self._owner_id, PROFILE)
        if profile is None:
            return 0
        await self._table.delete(profile)
        return int(profile["valueCount"])

    async def _erase_old_values(self) -> int:
        before = self._request.before
        profile = await read_profile(self._store, self._owner_id)
        old = [
            key
            for key, one in profile.values.items()
            if before is not None and one.updated_at < before
        ]
        if old:
            for key in old:
                del profile.values[key]
            transaction = self._table.transaction()
            profile.put(transaction, self._owner_id)
            await self._table.write(transaction)
        return len(old)

    async def _sweep(self) -> Counter[str]:
        """Delete whatever else there is of the owner."""
        # Notes of vectors outside and of archives go once these have nothing more.
        left = [
            item
            async for item in _others(self._table.sealed, self._owner_id)
            if not str(item[SORT]).startswith((REMOVALS_PREFIX, ARCHIVES_PREFIX))
        ]
        await put_removals(self._table, left)
        await self._table.delete_all(left)
        counts = Counter(kind for item in left if (kind := _kind_of(item)))
        return Counter({kind: number for kind, number in counts.items() if kind == "jobs"})

    async def _purge_left(self) -> None:
        async for marker in self._table.items(self._owner_id, "@purge#"):
            await purge(self._table, marker)


_FACT_KEYS: Final = (fact_key, fact_history_key)


async def _others(table: Table, owner_id: UUID) -> AsyncIterator[Item]:
    """All items of an owner but those that stay."""
    async for item in table.items(owner_id, _FIRST, LAST):
        if not str(item[SORT]).startswith(_STAYS):
            yield item


def _kind_of(item: Item) -> str | None:
    sort = str(item[SORT])
    if sort.endswith("#session"):
        return "sessions"
    if "#message#" in sort and not sort.startswith("@"):
        return "messages"
    return next((kind for prefix, kind in _KINDS.items() if sort.startswith(prefix)), None)


async def items_left(store: DynamoStore, erasure: Erasure) -> dict[str, int]:
    """How much is left of what an erasure erases, by kind."""
    request = erasure.request
    match request.kind:
        case ErasureKind.TENANT:
            return {}
        case ErasureKind.EVERYTHING:
            items = [item async for item in _others(store.table.sealed, erasure.owner_id)]
            return _counted(items)
        case ErasureKind.SESSION:
            return await _left_of_session(store, erasure)
        case ErasureKind.BEFORE:
            messages = [
                message
                for one in await store.data.of_owner(erasure.owner_id, hidden=True)
                for message in await store.data.all_messages(one)
                if request.has_message(message)
            ]
            return {"messages": len(messages)}


async def _left_of_session(store: DynamoStore, erasure: Erasure) -> dict[str, int]:
    session_id = erasure.request.session_id
    assert session_id is not None  # noqa: S101  # of a session alone
    table, owner_id = store.table.sealed, erasure.owner_id
    prefix = messages_prefix(session_id)
    messages = [item async for item in table.items(owner_id, prefix)]
    entries = [item async for item in table.items(owner_id, f"@entry#{session_id}#")]
    is_there = await table.get(owner_id, session_key(session_id)) is not None
    return {**_counted([*messages, *entries]), "sessions": int(is_there)}


def _counted(items: Iterable[Item]) -> dict[str, int]:
    counts = dict.fromkeys(("messages", "sessions", "recall_entries", "facts"), 0)
    for item in items:
        kind = _kind_of(item)
        if kind is not None:
            counts[kind] = counts.get(kind, 0) + 1
    return counts


async def texts_left(store: DynamoStore, erasure: Erasure) -> AsyncIterator[str]:
    """Yield every text that is still stored of an owner."""
    # Once everything is erased so is the key: what were left could not be decrypted.
    is_whole = erasure.request.kind is ErasureKind.EVERYTHING
    table = store.table.as_stored if is_whole else store.table
    async for item in _others(table, erasure.owner_id):
        for value in item.values():
            if isinstance(value, str):
                yield value
