"""Stored messages and turns for tests of rules that need no store."""

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from uuid import UUID

from recollect.domain.context.rendering import message_text
from recollect.domain.context.window import ConversationTurn, Cost, conversation_turns
from recollect.domain.conversation.message import NO_DETAILS, AnswerDetails, Message, Role
from recollect.testing import FIRST_MOMENT

A_SESSION = UUID("0b7a3f52-93c4-4f0e-8a7d-51d2c6e94a20")
ROLES = {"u": Role.USER, "a": Role.ASSISTANT, "s": Role.SYSTEM}


def a_stored_message(
    sequence: int,
    *,
    role: Role = Role.USER,
    turn_number: int | None = 1,
    content: str | None = None,
    sql: str | None = None,
) -> Message:
    """A message whose id and text follow from its sequence number."""
    return Message(
        message_id=UUID(int=sequence),
        session_id=A_SESSION,
        sequence=sequence,
        turn_number=turn_number,
        role=role,
        content=f"{role} {sequence}" if content is None else content,
        metadata={},
        details=NO_DETAILS if sql is None else AnswerDetails(sql_query=sql),
        created_at=FIRST_MOMENT,
    )


def stored_messages(roles: str) -> list[Message]:
    """Messages for roles such as `suaua`: user, assistant, system; each `u` opens a turn."""
    return list(_stored(roles))


def stored_turns(roles: str) -> tuple[ConversationTurn, ...]:
    """The turns of `stored_messages`."""
    return conversation_turns(stored_messages(roles))


def a_turn(number: int, question: str, answer: str, *, sql: str | None = None) -> ConversationTurn:
    """A complete turn of two messages, the first with sequence number 2n - 1."""
    first = number * 2 - 1
    return ConversationTurn(
        number=number,
        messages=(
            a_stored_message(first, turn_number=number, content=question),
            a_stored_message(
                first + 1, role=Role.ASSISTANT, turn_number=number, content=answer, sql=sql
            ),
        ),
    )


def sequences(turns: Sequence[ConversationTurn]) -> list[int]:
    """The sequence numbers of all messages, turn after turn."""
    return [message.sequence for turn in turns for message in turn.messages]


def _stored(roles: str) -> Iterator[Message]:
    turn: int | None = None
    for sequence, letter in enumerate(roles, start=1):
        role = ROLES[letter]
        if role is Role.USER:
            turn = (turn or 0) + 1
        number = None if role is Role.SYSTEM else turn
        yield a_stored_message(sequence, role=role, turn_number=number)


def cost_by(
    count: Callable[[str], int],
    *,
    render: Callable[[Message], str] = message_text,
    tokens_per_message: int = 0,
) -> Cost:
    """What a message costs: the count of its rendered text, and what its role takes."""
    counted = cache(count)
    return lambda message: counted(render(message)) + tokens_per_message
