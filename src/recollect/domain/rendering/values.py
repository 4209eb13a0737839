"""A context as plain values: for templates, and for other programs."""

from typing import TYPE_CHECKING

from recollect.domain.message import Message
from recollect.domain.rendering.chat import chat_messages
from recollect.domain.text import JsonValue

if TYPE_CHECKING:
    from recollect.domain.context import Context


def template_variables(context: "Context") -> dict[str, JsonValue]:
    """What a prompt template asks for: the history in order, its summary and the question."""
    return {
        "history": [{"role": str(m.role), "content": m.content} for m in context.window],
        "summary": context.summary or "",
        "question": context.question,
    }


def plain_object(context: "Context") -> dict[str, JsonValue]:
    """Everything a context holds, as JSON, for an agent of another making."""
    return {
        "question": context.question,
        "summary": context.summary,
        "window": [_message(message) for message in context.window],
        "recalled": [],
        "facts": [],
        "messages": chat_messages(context),
        "tokens": context.tokens.total,
        "max_tokens": context.tokens.limit,
        "truncated": context.is_truncated,
        "sources": {
            "messages": [str(identifier) for identifier in context.sources.messages],
            "summary": _range(context.sources.summary),
        },
    }


def _range(ends: tuple[int, int] | None) -> JsonValue:
    return None if ends is None else {"first_sequence": ends[0], "last_sequence": ends[1]}


def _message(message: Message) -> dict[str, JsonValue]:
    return {
        "message_id": str(message.message_id),
        "sequence": message.sequence,
        "role": str(message.role),
        "content": message.content,
        "metadata": message.metadata,
        "created_at": message.created_at.isoformat().replace("+00:00", "Z"),
        **message.details.to_json(),
    }
