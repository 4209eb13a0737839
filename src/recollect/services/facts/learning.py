"""Learning facts from what users say, each once, however often a message is read."""

import logging
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Final
from uuid import UUID

from recollect.concurrency import off_loop
from recollect.domain.conversation.message import Message, Role
from recollect.domain.conversation.session import TurnStatus
from recollect.domain.facts.fact import (
    MAX_CONTENT,
    MAX_QUOTE,
    ChangeKind,
    Fact,
    FactEdit,
    FactSource,
)
from recollect.domain.facts.reading.belongings import with_own_slot
from recollect.domain.facts.reading.commands.bare_statements import naming_sentence
from recollect.domain.facts.reading.commands.command import Command, CommandKind
from recollect.domain.facts.reading.commands.detection import commands_in
from recollect.domain.facts.reading.gate import only_asks, refuses
from recollect.domain.facts.reading.plain.corrections import correction_in
from recollect.domain.facts.reading.plain.denying.reasons import denied_reason
from recollect.domain.facts.reading.plain.events import Event
from recollect.domain.facts.reading.plain.slots import leaves_subject_open, plain_statements
from recollect.domain.facts.reading.standing.detection import standing_slot
from recollect.domain.facts.reading.subordinate import main_clause
from recollect.domain.facts.reading.wording import content_of
from recollect.domain.facts.slots import Slot
from recollect.domain.facts.statement import Operation, Statement
from recollect.domain.facts.stored import EmbeddedFact, similarities_to
from recollect.domain.facts.updates.denied_reasons import spare_reasons
from recollect.domain.facts.updates.drafting import Draft
from recollect.domain.facts.updates.ending import Compared
from recollect.domain.facts.updates.events import (
    known_before,
    may_end_something,
    outcome_of,
    slot_after,
)
from recollect.domain.facts.updates.reconciling import placed, reconcile, worth_comparing
from recollect.domain.identity.audit import AuditAction
from recollect.domain.identity.scope import Scope
from recollect.domain.language import guess_language
from recollect.domain.policy import FactExtractorKind
from recollect.domain.recall.entry_maker import speaker_in
from recollect.domain.vectors import Vector
from recollect.errors import ModelUnavailable
from recollect.ports.conversations import HistoryStore
from recollect.ports.facts import FactExtractor, FactStore, RelationModel
from recollect.ports.jobs import DueTurn
from recollect.ports.models import Embedder
from recollect.ports.profiles import ProfileStore
from recollect.ports.runtime import Clock, Ids
from recollect.services.audit.operations import Audited
from recollect.services.facts.exact_statements import (
    corrected_statement,
    events_of,
    exact_statements_of,
)
from recollect.services.facts.withdrawing.edited_messages import EditedMessages
from recollect.services.facts.withdrawing.jokes import Jokes
from recollect.services.facts.withdrawing.on_command import Withdrawing, told_in
from recollect.services.languages import phrases_loaded
from recollect.services.redaction import Redaction
from recollect.services.tenants.policies import TenantPolicies

LEARNS_FACTS: Final = "learn_facts"
"""The key of a user's profile that opts out of learning, with the value false."""
_TRIES: Final = 10
"""Other workers may change the same owner's facts meanwhile; each try sees what they did."""
_SLOWNESS: Final = 20
"""Commands take this many times as long to find as other work on as many characters takes."""
_AT_ONCE: Final = 2_000
"""Characters of a message whose commands are done as soon as it is stored."""
_MAX_STATEMENTS: Final = 50
"""Of one turn, and as many that exact rules find; nobody tells more at once."""
_ENDINGS: Final = frozenset({ChangeKind.SUPERSEDED, ChangeKind.RETRACTED})
Passage = tuple[UUID, str]
"""The id of a message, and some of its words."""
logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Learning(Audited):
    """Makes facts of what users say about themselves."""

    store: FactStore
    extractor: FactExtractor
    relations: RelationModel
    embedder: Embedder | None
    history: HistoryStore
    profiles: ProfileStore
    tables_of: Callable[[Message], tuple[str, ...]]
    withdrawing: Withdrawing
    editing: EditedMessages
    jokes: Jokes
    clock: Clock
    ids: Ids
    redaction: Redaction = field(default_factory=Redaction)
    tenants: TenantPolicies = field(default_factory=TenantPolicies)
    extractors: Mapping[FactExtractorKind, FactExtractor] = field(default_factory=dict)
    """Those that tenants may choose; `extractor` is for all others."""

    async def is_on(self, scope: Scope) -> bool:
        """Whether anything is learnt about the users of a tenant."""
        return (await self.tenants.of(scope)).learns

    async def learn(self, scope: Scope, session_id: UUID, turns: Sequence[DueTurn]) -> int:
        """Learn from the complete ones of some turns; how many statements changed a fact."""
        complete = [turn for turn in turns if _is_complete(turn)]
        if not complete:
            return 0
        may_learn = await self._may_learn(scope)
        changed = 0
        for turn in complete:
            if not any(one.role is Role.USER for one in turn.messages):
                changed += await self.editing.leave(scope, session_id, turn.turn_number)
            elif may_learn:
                changed += await self._learn_turn(scope, session_id, turn)
            else:
                told = await self._commands(turn.messages)
                changed += await self._obey(scope, told, is_read_again=True) if told else 0
        return changed

    async def obey_at_once(self, scope: Scope, messages: Sequence[Message]) -> None:
        """Do what short messages tell the memory, so that the next context knows it.

        Never raises: what fails is done when the turn is learnt from, unless its answer has said
        that nothing is forgotten.
        """
        short = [one for one in messages if len(one.content) <= _AT_ONCE]
        try:
            await self.obey(scope, short)
        except Exception as error:  # noqa: BLE001  # the message is stored all the same
            facts = {"problem": type(error).__name__}
            logger.warning("facts.command_failed", extra={"facts": facts})

    async def obey(self, scope: Scope, messages: Sequence[Message]) -> int:
        """Do at once what messages tell the memory to remember or forget; how many changes.

        The same messages are learnt from later, and then change nothing more.
        """
        told = await self._commands(messages)
        return await self._obey(scope, told) if told else 0

    async def _commands(self, messages: Sequence[Message]) -> list[tuple[Message, Command]]:
        """What users tell the memory; long messages are read in a thread."""
        await phrases_loaded()
        characters = _SLOWNESS * sum(len(one.content) for one in messages)
        return await off_loop(partial(_commands_of, messages), characters=characters)

    async def _obey(
        self,
        scope: Scope,
        told: Sequence[tuple[Message, Command]],
        *,
        is_read_again: bool = False,
    ) -> int:
        """Do what users tell; those of whom nothing may be learnt can still make it forget."""
        may_learn = await self._may_learn(scope)
        changed = 0
        for message, command in told:
            if not may_learn and command.kind is CommandKind.REMEMBER:
                continue
            statement = await off_loop(
                partial(_statement_of, message, command),
                characters=_SLOWNESS * len(message.content),
            )
            if statement is None:
                continue
            if command.is_sweeping:
                changed += await self.withdrawing.obey(
                    scope, command, statement, message, is_read_again=is_read_again
                )
                continue
            for one in plain_statements(statement):
                changed += await self._take_in(scope, one, message, tables=())
        return changed

    async def _learn_turn(self, scope: Scope, session_id: UUID, turn: DueTurn) -> int:
        messages = turn.messages
        told = await self._commands(messages)
        changed = await self._obey(scope, told, is_read_again=True) if told else 0
        changed += await self.jokes.take_back(scope, messages)
        passages = {(message.message_id, command.content) for message, command in told}
        changed += await self._take_in_events(scope, messages)
        exact = (await self._exact_statements(messages))[:_MAX_STATEMENTS]
        exact += await self._corrections(scope, messages)
        changed += await self._take_in_all(scope, messages, exact, beside=passages)
        passages |= {(one.message_id, one.quote) for one in exact}
        found = await self._statements(scope, session_id, turn)
        return changed + await self._take_in_all(scope, messages, found, beside=passages)

    async def _statements(
        self, scope: Scope, session_id: UUID, turn: DueTurn
    ) -> tuple[Statement, ...]:
        """What the extractor finds in a turn; it does not read one that only asks."""
        users = (one.content for one in turn.messages if one.role is Role.USER)
        if all(map(only_asks, users)):
            return ()
        before = await self._messages_before(scope, session_id, turn.turn_number)
        chosen = (await self.tenants.of(scope)).extractor
        extractor = self.extractors.get(chosen, self.extractor)
        statements = await extractor.extract(turn.messages, before=before)
        return statements[:_MAX_STATEMENTS]

    async def _exact_statements(self, messages: Sequence[Message]) -> tuple[Statement, ...]:
        """What exact rules find; long messages are read in a thread."""
        characters = _SLOWNESS * sum(len(one.content) for one in messages)
        return await off_loop(partial(exact_statements_of, messages), characters=characters)

    async def _corrections(
        self, scope: Scope, messages: Sequence[Message]
    ) -> tuple[Statement, ...]:
        """What a message that only sets right the one before says of what that taught."""
        users = [one for one in messages if one.role is Role.USER]
        correction = correction_in(users[0].content) if len(users) == 1 else None
        if correction is None:
            return ()
        before = await self.withdrawing.acknowledged_before(scope, users[0])
        if before is None:
            return ()
        known = [one.fact for one in await self.store.active(scope)]
        read = partial(told_in, before, known)
        facts = await off_loop(read, characters=_SLOWNESS * _characters_of(known))
        statement = corrected_statement(correction, users[0], facts)
        return (statement,) if statement else ()

    async def _take_in_events(self, scope: Scope, messages: Sequence[Message]) -> int:
        """Let what users say is over end the facts that it plainly means."""
        characters = _SLOWNESS * sum(len(one.content) for one in messages)
        found = await off_loop(partial(events_of, messages), characters=characters)
        known = [one.fact for one in await self.store.active(scope)] if found else []
        by_id = {message.message_id: message for message in messages}
        changed = 0
        for event, statement in found[:_MAX_STATEMENTS]:
            message = by_id[statement.message_id]
            may_end = partial(may_end_something, event, known)
            if not await off_loop(may_end, characters=_SLOWNESS * _characters_of(known)):
                continue
            changed += await self._take_in(scope, statement, message, tables=(), event=event)
        return changed

    async def _take_in_all(
        self,
        scope: Scope,
        messages: Sequence[Message],
        statements: Sequence[Statement],
        *,
        beside: Collection[Passage],
    ) -> int:
        """Take in what these messages say beside some passages of theirs."""
        tables = tuple(sorted({table for one in messages for table in self.tables_of(one)}))
        by_id = {message.message_id: message for message in messages}
        changed = 0
        for statement in statements:
            message = by_id.get(statement.message_id)
            if message is None or _overlaps(statement, message, beside):
                continue
            if not leaves_subject_open(statement.content):
                for own in plain_statements(with_own_slot(statement)):
                    changed += await self._take_in(scope, own, message, tables=tables)
        return changed

    async def _take_in(
        self,
        scope: Scope,
        statement: Statement,
        message: Message,
        *,
        tables: tuple[str, ...],
        event: Event | None = None,
    ) -> bool:
        """Let a statement, or the event that it tells, change what is known; whether it did."""
        read = partial(denied_reason, statement.quote, message.content)
        reason = await off_loop(read, characters=_SLOWNESS * len(message.content))
        # Of a message that was stored before masking was set; others are masked already.
        content, quote = await self.redaction.texts(scope, [statement.content, statement.quote])
        statement = replace(statement, content=content[:MAX_CONTENT], quote=quote[:MAX_QUOTE])
        self.check_audit()
        vector = await self._vector(statement.content)
        for _ in range(_TRIES):
            key = (statement.message_id, statement.gist)
            if key in await self.store.learnt(scope, [statement.message_id]):
                return False
            known = await self.store.active(scope)
            compared = [] if event else await self._compare(statement, vector, known)
            if event:
                before = known_before(message, [one.fact for one in known])
                end = partial(outcome_of, event, before)
                outcome = await off_loop(end, characters=_SLOWNESS * _characters_of(before))
                statement = slot_after(event, statement, outcome)
            else:
                outcome = reconcile(statement, compared, said=message.content)
            if reason:
                facts = [one.fact for one in known]
                spare = partial(spare_reasons, outcome, reason, facts)
                outcome = await off_loop(spare, characters=_SLOWNESS * _characters_of(facts))
            draft = Draft(
                statement=placed(statement, outcome, compared),
                message=message,
                tables=tables,
                now=self.clock.now(),
                fact_id=self.ids.new_id(),
            )
            edits = draft.edits(outcome)
            if not edits:
                return False
            vectors = await self._vectors(edits, vector)
            if await self.store.commit(scope, edits, vectors, learnt_from=message.message_id):
                self._note(scope, edits)
                return True
        logger.warning("facts.not_learnt", extra={"facts": {"tries": _TRIES}})
        return False

    def _note(self, scope: Scope, edits: Sequence[FactEdit]) -> None:
        """Record what was learnt, and what no longer holds since."""
        ended = [one.fact.fact_id for one in edits if one.change.kind in _ENDINGS]
        learnt = [one.fact.fact_id for one in edits if one.change.kind not in _ENDINGS]
        for action, ids in ((AuditAction.FACT_LEARNT, learnt), (AuditAction.FACT_CHANGED, ended)):
            if ids:
                self.note(scope, action, items=ids)

    async def _compare(
        self, statement: Statement, vector: Vector | None, known: Sequence[EmbeddedFact]
    ) -> list[Compared]:
        """The known facts that may have to do with the statement, and how it stands to them."""
        model = self.embedder.model if self.embedder else None
        compare = partial(similarities_to, vector, known, model=model)
        similarities = await off_loop(compare, characters=len(known) * len(vector or ()))
        facts = [one.fact for one in known]
        similar = [(one, similarities[one.fact_id]) for one in facts]
        choose = partial(worth_comparing, statement, similar)
        near = await off_loop(choose, characters=_SLOWNESS * _characters_of(facts))
        if not near:
            return []
        texts = [fact.content for fact in near]
        judgements = await self.relations.relations(statement.content, texts)
        return [
            Compared(fact=fact, similarity=similarities[fact.fact_id], judgement=judgement)
            for fact, judgement in zip(near, judgements, strict=True)
        ]

    async def _vectors(
        self, edits: Sequence[FactEdit], vector: Vector | None
    ) -> Mapping[UUID, EmbeddedFact]:
        """The vectors of new and of merged content."""
        if self.embedder is None or vector is None:
            return {}
        model, vectors = self.embedder.model, {}
        for edit in edits:
            if edit.is_new:
                vectors[edit.fact.fact_id] = vector
            elif edit.is_rewritten:
                merged = await self._vector(edit.fact.content)
                if merged is not None:
                    vectors[edit.fact.fact_id] = merged
        facts = {edit.fact.fact_id: edit.fact for edit in edits}
        return {
            fact_id: EmbeddedFact(fact=facts[fact_id], model=model, vector=one)
            for fact_id, one in vectors.items()
        }

    async def _vector(self, text: str) -> Vector | None:
        if self.embedder is None:
            return None
        try:
            (vector,) = await self.embedder.embed([text])
        except ModelUnavailable:
            return None  # found by its words until it is embedded
        return vector

    async def _may_learn(self, scope: Scope) -> bool:
        if not await self.is_on(scope):
            return False
        choices = await self.profiles.list(scope, keys=[LEARNS_FACTS])
        return all(choice.value is not False for choice in choices)

    async def _messages_before(
        self, scope: Scope, session_id: UUID, turn_number: int
    ) -> Sequence[Message]:
        """The turn before, whose last message the user may answer; memory's own asks nothing.

        Its examples of what can be told would be read as if they were what is talked about.
        """
        if turn_number <= 1:
            return ()
        found = await self.history.of_turns(scope, {(session_id, turn_number - 1)})
        active = [one for one in found if one.is_active]
        if any(one.details.only_quotes for one in active):
            return ()
        return sorted(active, key=lambda one: one.sequence)


def _is_complete(turn: DueTurn) -> bool:
    """Whether no answer is to come: it is there, or the conversation has gone on."""
    return turn.status is not TurnStatus.PENDING or not turn.is_latest


def _commands_of(messages: Sequence[Message]) -> list[tuple[Message, Command]]:
    """Commands of the user; in a log, people tell each other to forget what they know."""
    users = [one for one in messages if one.role is Role.USER]
    return [
        (one, command)
        for one in users
        for command in commands_in(one.content)
        if not (command.is_sweeping and speaker_in(one, messages))
    ]


def _overlaps(statement: Statement, message: Message, passages: Collection[Passage]) -> bool:
    """Whether the statement shares words with a passage of its message."""
    start = message.content.find(statement.quote)
    places = (
        (message.content.find(text), len(text))
        for message_id, text in passages
        if message_id == message.message_id
    )
    return any(at < start + len(statement.quote) and start < at + length for at, length in places)


def _characters_of(facts: Sequence[Fact]) -> int:
    return sum(len(one.content) for one in facts)


def _statement_of(message: Message, command: Command) -> Statement | None:
    """What a command says; None if it may not be stored."""
    is_kept = command.kind is CommandKind.REMEMBER
    statement = Statement(
        message_id=message.message_id,
        quote=command.content,
        content=content_of(_sentence_of(message, command), asked=None),
        slot=(standing_slot(command.content) if is_kept else None) or Slot.OTHER,
        operation=Operation.ADD if is_kept else Operation.RETRACT,
        source=FactSource.STATED,
        language=guess_language(message.content),
    )
    return statement if refuses(statement, message.content) is None else None


def _sentence_of(message: Message, command: Command) -> str:
    """What a command tells as a sentence: "my wife Ann" is who she is."""
    before = message.content[: command.start]
    return naming_sentence(command.content) or main_clause(command.content, before)
