"""Recollect: a memory server and library for conversational AI, on PostgreSQL.

    async with Memory.open() as memory:
        session = await memory.session("chat-1", user="alice")
        await session.add("user", "Show me total sales by region for 2024")

`recollect.blocking` has the same for programs without async.
"""

from recollect.domain.context.context import Context
from recollect.domain.conversation.message import AnswerDetails, Message, Role
from recollect.domain.conversation.paging import Page
from recollect.domain.conversation.session import Session
from recollect.domain.followup.dialogue import Rewrite
from recollect.errors import (
    DatabaseUnavailable,
    IdAlreadyUsed,
    InvalidInput,
    InvalidRole,
    NotFound,
    RecollectError,
)
from recollect.memory import Memory
from recollect.session_handle import History, SessionHandle
from recollect.settings import Settings

__all__ = [
    "AnswerDetails",
    "Context",
    "DatabaseUnavailable",
    "History",
    "IdAlreadyUsed",
    "InvalidInput",
    "InvalidRole",
    "Memory",
    "Message",
    "NotFound",
    "Page",
    "RecollectError",
    "Rewrite",
    "Role",
    "Session",
    "SessionHandle",
    "Settings",
]
