"""What chat front ends say of themselves and their chats, in headers."""

from typing import Final

from starlette.datastructures import Headers

from recollect.domain.text import JsonObject, storable
from recollect.interfaces.http.auth import (
    OPENWEBUI_TOKEN_HEADER,
    OPENWEBUI_USER_HEADER,
    header_text,
)

OPENWEBUI_CHAT_HEADER: Final = "X-OpenWebUI-Chat-Id"
OPENWEBUI_MESSAGE_HEADER: Final = "X-OpenWebUI-Message-Id"
OPENWEBUI: Final = "openwebui"
_OPENWEBUI_HEADERS: Final = (OPENWEBUI_CHAT_HEADER, OPENWEBUI_USER_HEADER, OPENWEBUI_TOKEN_HEADER)
_MAX_LENGTH: Final = 255


def is_openwebui(headers: Headers) -> bool:
    """Whether OpenWebUI calls, by its own headers or its name."""
    agent = headers.get("User-Agent", "").lower().replace("-", "").replace(" ", "")
    return OPENWEBUI in agent or any(headers.get(name, "").strip() for name in _OPENWEBUI_HEADERS)


def session_metadata(headers: Headers, *, created_via: str) -> JsonObject:
    """What is noted of whoever starts a session: the program, and its id of the conversation."""
    told = {
        "created_via": OPENWEBUI if is_openwebui(headers) else created_via,
        "openwebui_conversation_id": header_text(headers, OPENWEBUI_CHAT_HEADER),
        "user_agent": headers.get("User-Agent", ""),
    }
    return {name: storable(text)[:_MAX_LENGTH] for name, text in told.items() if text}
