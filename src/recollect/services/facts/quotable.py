"""What an answer without a model may quote: not what its user had the memory forget."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final
from uuid import UUID

from recollect.domain.chat.answers import UserFacts
from recollect.domain.conversation.message import Message
from recollect.domain.conversation.paging import MAX_LIMIT, PageRequest
from recollect.domain.facts.fact import ChangeKind, Fact, FactChange, FactStatus
from recollect.domain.facts.query import FactFilter, FactSort
from recollect.domain.facts.reading.commands.detection import commands_in
from recollect.domain.facts.slots import Slot
from recollect.domain.identity.scope import Scope
from recollect.ports.facts import FactStore
from recollect.services.access import Permissions
from recollect.services.facts.visibility import visible

_MOST_KNOWN: Final = 200
"""Of the facts that hold, those that changed last: they are listed, or name what may be meant."""
_LONGEST_COMMAND: Final = 300
"""Characters of a message that names a thing to forget, and says nothing else."""
_BY_ITSELF: Final = "extractor"
"""Who ends facts because of what users tell, without being told to."""
_ONE_VALUE: Final = frozenset(slot.value for slot in Slot if slot.has_one_value)


@dataclass(frozen=True, slots=True, kw_only=True)
class QuotableFacts:
    """Reads the facts of an owner for an answerer that quotes memory itself."""

    store: FactStore
    permissions: Permissions

    async def read(self, scope: Scope, question: Message | None) -> UserFacts:
        """The facts that hold, those that a question has just ended, and what not to quote.

        All that hold, where the question names a thing to forget: any of them may be meant. A fact
        that is restored is quoted again.
        """
        question_id = question.message_id if question else None
        known = await self.store.list(
            scope,
            PageRequest(limit=_MOST_KNOWN),
            filters=FactFilter(status=FactStatus.ACTIVE),
            sort=FactSort.UPDATED,
        )
        facts: Sequence[Fact] = known.items
        if known.next_cursor and question and _names_thing(question.content):
            facts = await self._all(scope, FactStatus.ACTIVE)
        retracted = await self._all(scope, FactStatus.RETRACTED)
        histories = await self.store.histories(scope, [one.fact_id for one in retracted])
        forgotten = [one for one in retracted if _is_forgotten(histories.get(one.fact_id, ()))]
        just_now = [
            one for one in forgotten if histories[one.fact_id][-1].message_id == question_id
        ]
        access = await self.permissions.allowed(scope)
        return UserFacts(
            known=visible(facts, access),
            forgotten=visible(just_now, access) if question_id else (),
            withheld=_messages_of(forgotten, histories)
            | await self._replaced(scope, _forgotten_at(forgotten, histories)),
        )

    async def _replaced(
        self, scope: Scope, forgotten_at: Mapping[str | None, datetime]
    ) -> frozenset[UUID]:
        """The messages of earlier values: "forget where I live" means former homes, too.

        Not those that came and went after it: users told them to a memory that had forgotten.
        """
        if not forgotten_at:
            return frozenset()
        superseded = await self._all(scope, FactStatus.SUPERSEDED)
        former = [one for one in superseded if one.slot in forgotten_at]
        histories = await self.store.histories(scope, [one.fact_id for one in former])
        before = [one for one in former if _ended_at(one, histories) <= forgotten_at[one.slot]]
        return _messages_of(before, histories)

    async def _all(self, scope: Scope, status: FactStatus) -> Sequence[Fact]:
        """All facts of a status: what was forgotten long ago stays so."""
        facts: list[Fact] = []
        page: PageRequest | None = PageRequest(limit=MAX_LIMIT)
        while page is not None:
            listed = await self.store.list(scope, page, filters=FactFilter(status=status))
            facts += listed.items
            page = replace(page, cursor=listed.next_cursor) if listed.next_cursor else None
        return facts


def _names_thing(text: str) -> bool:
    """Whether a message tells to forget a thing that it names by a noun."""
    return len(text) <= _LONGEST_COMMAND and any(one.thing for one in commands_in(text))


def _is_forgotten(history: Sequence[FactChange]) -> bool:
    """Whether a user or a program has withdrawn a fact, and it was not merely told to be over."""
    return (
        bool(history)
        and history[-1].kind is ChangeKind.RETRACTED
        and history[-1].actor != _BY_ITSELF
    )


def _forgotten_at(
    forgotten: Iterable[Fact], histories: Mapping[UUID, Sequence[FactChange]]
) -> dict[str | None, datetime]:
    """When slots that have one value were last forgotten."""
    by_time = sorted(forgotten, key=lambda one: histories[one.fact_id][-1].at)
    return {one.slot: histories[one.fact_id][-1].at for one in by_time if one.slot in _ONE_VALUE}


def _ended_at(fact: Fact, histories: Mapping[UUID, Sequence[FactChange]]) -> datetime:
    history = histories.get(fact.fact_id)
    return history[-1].at if history else fact.updated_at


def _messages_of(
    facts: Iterable[Fact], histories: Mapping[UUID, Sequence[FactChange]]
) -> frozenset[UUID]:
    """The messages that taught facts, repeated them or ended them."""
    messages: set[UUID] = set()
    for fact in facts:
        changes = histories.get(fact.fact_id, ())
        messages.update(change.message_id for change in changes if change.message_id)
        if fact.evidence:
            messages.add(fact.evidence.message_id)
    return frozenset(messages)
