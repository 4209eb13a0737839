"""Which branch of a conversation a client shows, told by the messages it sends."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final
from uuid import UUID

from recollect.domain.chat.front_end_texts import user_words_in, without_thoughts
from recollect.domain.conversation.message import Message, NewMessage, Role
from recollect.domain.conversation.session import Stored, turn_number_of

_A_RUN: Final = 2  # a question and its reply: less than that may stand anywhere by chance


@dataclass(frozen=True, slots=True, kw_only=True)
class Branch:
    """A client's list beside what is stored."""

    path: tuple[Message, ...]
    """The stored messages that the list repeats, in its order."""
    unknown: tuple[NewMessage, ...]
    """What comes after them and is not stored."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Switch:
    """What to change so that a path, and nothing beside it, is active."""

    shown: tuple[Message, ...] = ()
    hidden: tuple[Message, ...] = ()
    parents: Mapping[int, int] = field(default_factory=dict)
    """What turns follow, by sequence number, where it must be stored now to stay known."""
    answered: tuple[int, ...] = ()
    """Turns that have an active reply."""
    open: int | None = None
    """The turn that waits for a reply."""

    @property
    def first_changed(self) -> int | None:
        """The first message that becomes active or inactive, by its number; None without one."""
        changed = (*self.shown, *self.hidden)
        return min((message.sequence for message in changed), default=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What an engine does so that a client's list is the active branch."""

    branch: Branch
    switch: Switch


def plan_branch(
    sent: Sequence[NewMessage], stored: Stored, *, continues: bool, goes_on: bool
) -> Plan:
    """Say how a client's list becomes the active branch.

    A list that `continues` has one new question for the active branch, of which the client sent
    nothing else. It is the last one again if that failed, which is how clients try again, if it
    has the same id, or if the client `goes_on` after the question, with results of tools or the
    beginning of an answer.
    """
    if continues:
        return _continued(sent, stored, goes_on=goes_on)
    branch = reconcile(sent, stored)
    is_next = bool(branch.unknown) and branch.unknown[0].role is Role.USER
    return Plan(branch=branch, switch=switch_to(branch.path, stored, goes_on=is_next))


def _continued(sent: Sequence[NewMessage], stored: Stored, *, goes_on: bool) -> Plan:
    active = stored.active
    last = next((m for m in reversed(active) if m.role is Role.USER), None)
    if last is not None and _is_same(last, sent[-1]):
        turn = turn_number_of(last)
        replies = tuple(reply for reply in stored.replies(turn) if reply.is_active)
        is_retry = last.message_id == sent[-1].message_id
        if goes_on or is_retry or (turn in stored.failed and not replies):
            path = tuple(m for m in active if m.sequence <= last.sequence)
            return Plan(
                branch=Branch(path=path, unknown=()), switch=Switch(hidden=replies, open=turn)
            )
    return Plan(branch=Branch(path=active, unknown=tuple(sent)), switch=Switch())


def reconcile(sent: Sequence[NewMessage], stored: Stored) -> Branch:
    """Find the longest stored path that a client's list repeats, and what the list adds to it.

    The list has what users and assistants sent, from a question on. It may be the whole branch,
    or the end of one whose beginning the client left out.
    """
    path = _walk(sent, stored, stored.first_questions())
    if len(path) < len(sent) - 1 >= _A_RUN:
        aligned = _walk(sent, stored, stored.questions())
        if len(aligned) >= len(sent) - 1:
            way = stored.way_to(aligned[0])
            return Branch(path=(*way, *aligned), unknown=tuple(sent[len(aligned) :]))
    return Branch(path=path, unknown=tuple(sent[len(path) :]))


def switch_to(path: Sequence[Message], stored: Stored, *, goes_on: bool) -> Switch:
    """Make a path the active branch; where it names no reply of a turn, all stay as they are.

    Except in its last turn, unless the client `goes_on` with another question: that one is asked
    again, so none of its replies is active.
    """
    turns = list(dict.fromkeys(turn_number_of(message) for message in path))
    named = {m.message_id for m in path}
    is_open = bool(path) and path[-1].role is Role.USER and not goes_on
    for turn in turns[:-1] if is_open else turns:
        replies = stored.replies(turn)
        if not any(reply.message_id in named for reply in replies):
            named |= {reply.message_id for reply in replies if reply.is_active}
    return _switch(stored, named, open_turn=turns[-1] if is_open else None)


def _switch(stored: Stored, named: Collection[UUID], *, open_turn: int | None) -> Switch:
    shown = tuple(m for m in stored.messages if m.message_id in named and not m.is_active)
    hidden = tuple(m for m in stored.messages if m.message_id not in named and m.is_active)
    return Switch(
        shown=shown,
        hidden=hidden,
        parents=stored.unwritten_parents if shown or hidden else {},
        answered=tuple(dict.fromkeys(turn_number_of(m) for m in shown if m.role is Role.ASSISTANT)),
        open=open_turn,
    )


@dataclass(frozen=True, slots=True)
class _Trail:
    """How far a list was followed, and by which way."""

    message: Message
    before: "_Trail | None" = None

    def path(self) -> tuple[Message, ...]:
        trail: _Trail | None = self
        way: list[Message] = []
        while trail is not None:
            way.append(trail.message)
            trail = trail.before
        return tuple(reversed(way))


def _walk(
    sent: Sequence[NewMessage], stored: Stored, starts: Sequence[Message]
) -> tuple[Message, ...]:
    """The longest path from one of the starts; of several the active one, then the newest."""
    last: list[_Trail] = []
    reached = [_Trail(message) for message in starts]
    for place, wanted in enumerate(sent):
        if place:
            reached = [_Trail(m, trail) for trail in last for m in stored.after(trail.message)]
        matching = [trail for trail in reached if _is_same(trail.message, wanted)]
        if not matching:
            break
        matching.sort(key=lambda trail: (trail.message.is_active, trail.message.sequence))
        # Several ways may lead to one message: the best of them is enough.
        last = list({trail.message.message_id: trail for trail in matching}.values())
    return last[-1].path() if last else ()


def gist(text: str) -> str:
    """What two copies of a message share: clients change blanks and drop a model's thoughts."""
    return " ".join(without_thoughts(text).split())


def _is_same(message: Message, wanted: NewMessage) -> bool:
    if message.role is not wanted.role:
        return False
    if message.content == wanted.content:
        return True
    stored, sent = message.content, wanted.content
    if message.role is Role.USER:  # a front end's prompt is the question it was made of
        stored, sent = user_words_in(stored), user_words_in(sent)
    return gist(stored) == gist(sent)
