"""Ending facts because the user says so, without a word of what they say: "forget my name"."""

import logging
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Final

from recollect.concurrency import off_loop
from recollect.domain.conversation.message import Message, Role
from recollect.domain.conversation.paging import MAX_LIMIT, PageRequest
from recollect.domain.facts.fact import Fact, FactSource, FactStatus, gist_of
from recollect.domain.facts.query import FactFilter, FactSort
from recollect.domain.facts.reading.commands.command import Command, CommandKind
from recollect.domain.facts.reading.commands.detection import commands_in
from recollect.domain.facts.reading.commands.named import NamedFacts, facts_named
from recollect.domain.facts.reading.commands.topics import facts_about
from recollect.domain.facts.reading.languages.slot_names import tells_slot
from recollect.domain.facts.reading.plain.replies import only_acknowledges
from recollect.domain.facts.slots import Slot
from recollect.domain.facts.statement import Statement
from recollect.domain.facts.updates.drafting import Draft
from recollect.domain.facts.updates.reconciling import Outcome
from recollect.domain.identity.audit import AuditAction
from recollect.domain.identity.scope import Scope
from recollect.domain.language import is_common_word, sentence_parts
from recollect.domain.speech.phrases import words_in
from recollect.ports.conversations import HistoryStore
from recollect.ports.facts import EDITS_AT_ONCE, FactStore
from recollect.ports.runtime import Clock, Ids
from recollect.services.audit.operations import Audited

_TRIES: Final = 10
"""Others may change the same owner's facts meanwhile; each try sees what they did."""
_AT_ONCE: Final = timedelta(seconds=1)
"""Nobody reads an answer and says the next thing in so little time."""
_MOST_BESIDE: Final = 3
"""Words of a message beside its facts with which it still says nothing else: "remember that"."""
_LATELY: Final = 10
"""Turns before a command in which something like what it means may have been told."""
_LATELY_CHANGED: Final = MAX_LIMIT
"""Facts of each status that changed last, among which those are that changed since a message."""
_SLOWNESS: Final = 20
"""Commands take this many times as long to find as other work on as many characters takes."""
_READ: Final = 500
"""Characters of each message of these."""
_LONGEST_CORRECTED: Final = 500
"""Characters of a message that tells one thing, which the next one may set right."""
_UNTOLD: Final = frozenset({None, Slot.OTHER})
"""Slots of facts of which nobody has told what they are about."""
logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Withdrawing(Audited):
    """Withdraws facts on command; each can be restored."""

    store: FactStore
    history: HistoryStore
    clock: Clock
    ids: Ids

    async def obey(
        self,
        scope: Scope,
        command: Command,
        statement: Statement,
        message: Message,
        *,
        is_read_again: bool = False,
    ) -> bool:
        """Withdraw what a command of a message means, of what was known before it; whether any.

        The same message is read again when its turn is learnt from: then only what was learnt
        from earlier messages meanwhile is withdrawn, and nothing that was restored. Of what a noun
        may mean, what was known before is withdrawn then only if that has failed at once.
        """
        self.check_audit()
        if await self._is_of_old(scope, message):
            return False
        for _ in range(_TRIES):
            key = (statement.message_id, statement.gist)
            is_done = key in await self.store.learnt(scope, [statement.message_id])
            facts = await self._meant(scope, command, message)
            facts = [fact for fact in facts if _was_known(fact, message, is_done=is_done)]
            if command.kind is CommandKind.FORGET_NAMED and is_read_again:
                is_left = not is_done and await self._is_left(scope, facts, command, message)
                facts = facts if is_left else []
            if not facts:
                return False
            draft = Draft(
                statement=statement,
                message=message,
                tables=(),
                now=self.clock.now(),
                fact_id=self.ids.new_id(),
            )
            if await self._withdraw(scope, draft, facts, is_recorded=not is_done):
                return True
        logger.warning("facts.not_withdrawn", extra={"facts": {"tries": _TRIES}})
        return False

    async def _meant(self, scope: Scope, command: Command, message: Message) -> Sequence[Fact]:
        """The active facts that a command means."""
        known = [one.fact for one in await self.store.active(scope)]
        match command.kind:
            case CommandKind.FORGET_SLOTS:
                return [fact for fact in known if _is_about(fact, command.slots)]
            case CommandKind.FORGET_TOPIC:
                read = partial(facts_about, command.content, known)
                characters = _SLOWNESS * sum(len(one.content) for one in known)
                return await off_loop(read, characters=characters)
            case CommandKind.FORGET_NAMED:
                certain = (await _named(command, known)).certain
                is_sure = certain and not await self._is_told_beside(scope, certain, message)
                return [certain] if certain and is_sure else []
            case CommandKind.FORGET_EVERYTHING:
                return [fact for fact in known if fact.source is not FactSource.API]
            case CommandKind.FORGET_LAST | CommandKind.FORGET_THAT:
                is_sure = command.kind is CommandKind.FORGET_LAST
                before = await self.message_before(scope, message, is_sure=is_sure)
                return learnt_from(before, known) if before else []
            case _:
                return []

    async def _is_left(
        self, scope: Scope, facts: Sequence[Fact], command: Command, message: Message
    ) -> bool:
        """Whether what a noun means was learnt since, or is left of a command that has failed.

        Nothing is left where an answer of the memory itself has asked which is meant, and where a
        fact that may be meant has changed since: at the time of the message, it was another choice.
        """
        if all(one.created_at > message.created_at for one in facts):
            return True
        replies = [one for one in await self._turn(scope, message, 0) if one.role is Role.ASSISTANT]
        if not replies or any(one.details.only_quotes for one in replies):
            return False
        changed = await self._changed_since(scope, message.created_at)
        return changed is not None and not (await _named(command, changed)).possible

    async def _changed_since(self, scope: Scope, moment: datetime) -> list[Fact] | None:
        """The facts that were learnt, changed or ended since a moment; None if they are many."""
        changed: list[Fact] = []
        for status in FactStatus:
            page = await self.store.list(
                scope,
                PageRequest(limit=_LATELY_CHANGED),
                filters=FactFilter(status=status),
                sort=FactSort.UPDATED,
            )
            since = [one for one in page.items if one.updated_at > moment]
            if page.next_cursor and len(since) == len(page.items):
                return None
            changed += since
        return changed

    async def _is_told_beside(self, scope: Scope, fact: Fact, message: Message) -> bool:
        """Whether the user told something like a fact lately that taught nothing, or not yet.

        Of two allergies of which one was learnt, the other may be meant.
        """
        last = message.turn_number or 0
        turns = {(message.session_id, turn) for turn in range(max(1, last - _LATELY), last)}
        told = [
            one.content[:_READ]
            for one in (await self.history.of_turns(scope, turns) if turns else ())
            if one.role is Role.USER
            and one.is_active
            and (fact.evidence is None or one.message_id != fact.evidence.message_id)
        ]
        compare = partial(_tells_alike, told, fact)
        return await off_loop(compare, characters=_SLOWNESS * sum(map(len, told)))

    async def _is_of_old(self, scope: Scope, message: Message) -> bool:
        """Whether a message was stored together with a later one of the user's.

        Clients send conversations of old again, whose commands were done when they were given.
        """
        later = await self._turn(scope, message, 1)
        return any(
            one.role is Role.USER and one.created_at - message.created_at < _AT_ONCE
            for one in later
        )

    async def _turn(self, scope: Scope, message: Message, distance: int) -> list[Message]:
        """The active messages of the turn so many turns after that of a message."""
        if message.turn_number is None or message.turn_number + distance < 1:
            return []
        turn = {(message.session_id, message.turn_number + distance)}
        return [one for one in await self.history.of_turns(scope, turn) if one.is_active]

    async def message_before(
        self, scope: Scope, message: Message, *, is_sure: bool
    ) -> Message | None:
        """The user's message of the turn before; None if "that" may be what was answered."""
        found = await self._turn(scope, message, -1)
        users = [one for one in found if one.role is Role.USER]
        is_asked = any("?" in one.content for one in found if one.role is not Role.USER)
        return users[0] if len(users) == 1 and (is_sure or not is_asked) else None

    async def acknowledged_before(self, scope: Scope, message: Message) -> Message | None:
        """The user's message of the turn before; None if it is long or the reply says more."""
        found = await self._turn(scope, message, -1)
        users = [one for one in found if one.role is Role.USER]
        replies = [one.content for one in found if one.role is not Role.USER]
        if len(users) != 1 or len(users[0].content) > _LONGEST_CORRECTED:
            return None
        is_noted = all(only_acknowledges(one, users[0].content) for one in replies)
        return users[0] if is_noted else None

    async def _withdraw(
        self, scope: Scope, draft: Draft, facts: Sequence[Fact], *, is_recorded: bool
    ) -> bool:
        """Withdraw facts, as many at once as a store takes; the last ones record the command."""
        for start in range(0, len(facts), EDITS_AT_ONCE):
            batch = tuple(facts[start : start + EDITS_AT_ONCE])
            is_last = batch[-1] is facts[-1]
            edits = draft.edits(Outcome(retracts=batch), is_recorded=is_recorded and is_last)
            if not await self.store.commit(scope, edits, {}, learnt_from=draft.message.message_id):
                return False
            self.note(scope, AuditAction.FACT_CHANGED, items=[fact.fact_id for fact in batch])
        return True


async def _named(command: Command, facts: Sequence[Fact]) -> NamedFacts:
    """What the thing that a command names may mean among facts; many are read in a thread."""
    if command.thing is None:
        return NamedFacts(certain=None, possible=())
    read = partial(facts_named, command.thing, facts)
    return await off_loop(read, characters=_SLOWNESS * sum(len(one.content) for one in facts))


def _tells_alike(texts: Sequence[str], fact: Fact) -> bool:
    """Whether a text tells something with a word of a fact, and not the same."""
    words = _meaning(fact.content)
    return any(
        not words.isdisjoint(_meaning(text))
        for text in texts
        if "?" not in text and not commands_in(text) and not fact.says(gist_of(text))
    )


def _meaning(text: str) -> frozenset[str]:
    """The words of a text that mean something."""
    return frozenset(one for one in words_in(text) if one.isalnum() and not is_common_word(one))


def _was_known(fact: Fact, message: Message, *, is_done: bool) -> bool:
    """Whether a fact held before a message; with `is_done`, whether it was learnt since."""
    if fact.evidence is not None and fact.evidence.message_id == message.message_id:
        return False
    if is_done:
        return fact.version == 1 and fact.valid_from < message.created_at
    return fact.valid_from <= message.created_at


def _is_about(fact: Fact, slots: Collection[Slot]) -> bool:
    """Whether a fact is about one of these slots; what has none is told by how it begins."""
    if fact.slot in slots:
        return True
    return fact.slot in _UNTOLD and any(tells_slot(fact.content, slot) for slot in slots)


def learnt_from(message: Message, known: Sequence[Fact]) -> list[Fact]:
    """The facts that a message taught, if it says nothing else."""
    facts = [
        fact
        for fact in known
        if fact.evidence and fact.evidence.message_id == message.message_id and fact.version == 1
    ]
    rest = message.content
    for fact in facts:
        rest = rest.replace(fact.evidence.quote if fact.evidence else "", " ")
    is_more = any(len(words_in(one)) >= _MOST_BESIDE for one in sentence_parts(rest))
    return facts if "?" not in rest and not is_more and len(words_in(rest)) <= _MOST_BESIDE else []


def told_in(message: Message, known: Sequence[Fact]) -> list[Fact]:
    """The facts that a message taught or only repeats, if it says nothing else."""
    facts = learnt_from(message, known)
    if facts or "?" in message.content:
        return facts
    gist = gist_of(message.content)
    return [fact for fact in known if fact.gist == gist]
