"""What clients say in headers, and what they are told in them."""

from typing import Final

from starlette.datastructures import Headers

from recollect.domain.chat.requests import ClientIds
from recollect.domain.identity.accounts import MemoryPolicy, parse_memory_policy
from recollect.interfaces.http.client_headers import (
    OPENWEBUI_CHAT_HEADER,
    OPENWEBUI_MESSAGE_HEADER,
    SESSION_HEADER,
    header_text,
)
from recollect.services.chat.streamed_reply import StreamedReply

MEMORY_HEADER: Final = "X-Memory"
WARNING_HEADER: Final = "X-Memory-Warning"
_MAX_ID: Final = 255


def client_ids(headers: Headers) -> ClientIds:
    """The ids that a client gives; an empty header is an absent one."""

    def told(*names: str) -> str | None:
        texts = (header_text(headers, name) for name in names)
        return next((text for text in texts if text), None)

    def noted(*names: str) -> str | None:
        text = told(*names)
        return None if text is None else text[:_MAX_ID]

    from_openwebui = told(OPENWEBUI_CHAT_HEADER)
    return ClientIds(
        session=told(SESSION_HEADER) or from_openwebui,
        task=noted("X-Memory-Task"),
        message=noted("X-Memory-Message-ID", OPENWEBUI_MESSAGE_HEADER),
        user_message=noted("X-Memory-User-Message-ID"),
        parent=noted("X-Memory-Parent-ID"),
        idempotency_key=told("Idempotency-Key"),
        is_front_end=from_openwebui is not None,
    )


def wanted_memory(headers: Headers) -> MemoryPolicy:
    """How much memory a request wants to use: all, unless it says otherwise."""
    text = header_text(headers, MEMORY_HEADER)
    return parse_memory_policy(text, MEMORY_HEADER) if text else MemoryPolicy.FULL


def headers_for(passing: StreamedReply) -> dict[str, str]:
    """What a client is told beside the endpoint's own headers."""
    told = {**passing.reply.headers, MEMORY_HEADER: str(passing.memory)}
    if passing.session_id is not None:
        told[SESSION_HEADER] = str(passing.session_id)
    if passing.attempts.warnings:
        told[WARNING_HEADER] = " ".join(passing.attempts.warnings)
    return told
