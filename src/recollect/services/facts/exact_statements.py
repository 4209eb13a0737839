"""Statements that exact rules find in what users say, whichever extractor reads it, too."""

from collections.abc import Iterator, Sequence
from typing import Final

from recollect.domain.conversation.message import Message, Role
from recollect.domain.facts.fact import Fact, FactSource
from recollect.domain.facts.reading.favourites import favourites_in
from recollect.domain.facts.reading.gate import refuses
from recollect.domain.facts.reading.moves import moves_in
from recollect.domain.facts.reading.own_words.detection import readable_parts
from recollect.domain.facts.reading.plain.corrections import Correction, corrected
from recollect.domain.facts.reading.plain.events import Event, EventKind, events_in
from recollect.domain.facts.reading.standing.detection import slot_of, standing_instructions_in
from recollect.domain.facts.reading.wording import content_of
from recollect.domain.facts.slots import Slot
from recollect.domain.facts.statement import Operation, Statement
from recollect.domain.language import guess_language
from recollect.domain.recall.entry_maker import speaker_in
from recollect.domain.text import without_breaks

_SURE: Final = 0.95
_SLOTS: Final = {
    EventKind.MOVED: Slot.SCHEDULE,
    EventKind.JOB_ENDED: Slot.ROLE,
    EventKind.DIVORCED: Slot.FAMILY,
}
"""What an event is about that becomes a fact."""


def exact_statements_of(messages: Sequence[Message]) -> tuple[Statement, ...]:
    """What may be stored of instructions, moves and favourites; in a log, people talk to others."""
    spoken = [m for m in messages if m.role is Role.USER and not speaker_in(m, messages)]
    return tuple(
        statement
        for message in spoken
        for statement in (
            *_instructions_of(message),
            *_moves_of(message),
            *_favourites_of(message),
        )
        if refuses(statement, message.content) is None
    )


def events_of(messages: Sequence[Message]) -> tuple[tuple[Event, Statement], ...]:
    """What users say is over, each with its statement."""
    spoken = [m for m in messages if m.role is Role.USER and not speaker_in(m, messages)]
    found = ((event, message) for message in spoken for event in events_in(message.content))
    statements = ((event, _event_statement(event, message), message) for event, message in found)
    return tuple(
        (event, statement)
        for event, statement, message in statements
        if refuses(statement, message.content) is None
    )


def corrected_statement(
    correction: Correction, message: Message, facts: Sequence[Fact]
) -> Statement | None:
    """What a correction makes of one of some facts; None if it may not be stored."""
    found = corrected(correction, facts)
    if found is None:
        return None
    fact, content = found
    statement = Statement(
        message_id=message.message_id,
        quote=correction.quote,
        content=content,
        slot=Slot(fact.slot) if fact.slot else Slot.OTHER,
        has_exact_slot=True,
        operation=Operation.CHANGE,
        confidence=_SURE,
        language=fact.language,
    )
    return statement if refuses(statement, message.content) is None else None


def _event_statement(event: Event, message: Message) -> Statement:
    is_fact = event.kind is EventKind.MOVED or event.is_state
    return Statement(
        message_id=message.message_id,
        quote=event.quote,
        content=content_of(event.quote, asked=None),
        slot=_SLOTS.get(event.kind, Slot.OTHER) if is_fact else Slot.OTHER,
        is_event=True,
        operation=Operation.CHANGE if is_fact else Operation.RETRACT,
        confidence=_SURE,
        language=guess_language(message.content),
    )


def _instructions_of(message: Message) -> Iterator[Statement]:
    for text in standing_instructions_in(message.content):
        yield Statement(
            message_id=message.message_id,
            quote=text,
            content=without_breaks(text),
            slot=slot_of(text),
            source=FactSource.STATED,
            language=guess_language(message.content),
        )


def _moves_of(message: Message) -> Iterator[Statement]:
    for part in readable_parts(message.content):
        for move in moves_in(part.text):
            yield _change(message, quote=move.quote, content=move.content, slot=Slot.HOME)


def _favourites_of(message: Message) -> Iterator[Statement]:
    for part in readable_parts(message.content):
        for one in favourites_in(part.text):
            yield _change(message, quote=one.quote, content=one.content, slot=Slot.OTHER)


def _change(message: Message, *, quote: str, content: str, slot: Slot) -> Statement:
    return Statement(
        message_id=message.message_id,
        quote=quote,
        content=content,
        slot=slot,
        has_exact_slot=True,
        operation=Operation.CHANGE,
        confidence=_SURE,
        language=guess_language(message.content),
    )
