"""A context as plain values: for templates, and for other programs."""

from datetime import datetime

from recollect.domain.context.parts import ContextParts
from recollect.domain.context.rendering.chat import chat_messages
from recollect.domain.conversation.message import Message, Visibility
from recollect.domain.recall.recalled import Recalled
from recollect.domain.text import JsonValue


def template_variables(context: ContextParts) -> dict[str, JsonValue]:
    """What a prompt template asks for: history, summary, what was recalled, the question."""
    return {
        "history": [{"role": str(m.role), "content": m.content} for m in context.window],
        "summary": context.summary or "",
        "recalled": [
            {"text": found.text, "speaker": found.speaker, "created_at": _time(found.created_at)}
            for found in context.recalled
        ],
        "question": context.question,
    }


def plain_object(context: ContextParts) -> dict[str, JsonValue]:
    """Everything a context holds, as JSON, for an agent of another making."""
    return {
        "question": context.question,
        "summary": context.summary,
        "window": [_message(message) for message in context.window],
        "recalled": [recalled_object(found) for found in context.recalled],
        "facts": [],
        "messages": chat_messages(context),
        "tokens": context.tokens.total,
        "max_tokens": context.tokens.limit,
        "truncated": context.is_truncated,
        "sources": {
            "messages": [str(identifier) for identifier in context.sources.messages],
            "summary": _range(context.sources.summary),
            "recalled": [str(identifier) for identifier in context.sources.recalled],
        },
        "warnings": list(context.warnings),
    }


def recalled_object(found: Recalled) -> dict[str, JsonValue]:
    """What was found again, as JSON."""
    return {
        "score": found.score,
        "session_id": str(found.session_id),
        "message_ids": [str(identifier) for identifier in found.message_ids],
        "text": found.text,
        "speaker": found.speaker,
        "tables": list(found.tables),
        "created_at": _time(found.created_at),
        "lexical": found.lexical,
        "semantic": found.semantic,
    }


def _range(ends: tuple[int, int] | None) -> JsonValue:
    return None if ends is None else {"first_sequence": ends[0], "last_sequence": ends[1]}


def _time(moment: datetime) -> str:
    return moment.isoformat().replace("+00:00", "Z")


def _message(message: Message) -> dict[str, JsonValue]:
    return {
        "message_id": str(message.message_id),
        "sequence": message.sequence,
        "role": str(message.role),
        "content": message.content,
        "metadata": message.metadata,
        "created_at": _time(message.created_at),
        **message.details.to_json(),
        **({} if message.visibility is Visibility.ALL else {"visibility": "shape"}),
    }
