"""Recollect: a memory server and library for conversational AI, on PostgreSQL.

    async with Memory.open() as memory:
        session = await memory.session("chat-1", user="alice")
        await session.add("user", "Show me total sales by region for 2024")

`recollect.blocking` has the same for programs without async.
"""

from recollect.conversation import Conversation
from recollect.domain.context import Context
from recollect.domain.followup.dialogue import Rewrite
from recollect.domain.message import AnswerDetails, Message, Role
from recollect.domain.paging import Page
from recollect.domain.session import Session
from recollect.errors import (
    DatabaseUnavailable,
    IdAlreadyUsed,
    InvalidInput,
    InvalidRole,
    NotFound,
    RecollectError,
)
from recollect.history import History
from recollect.memory import Memory
from recollect.settings import Settings

__all__ = [
    "AnswerDetails",
    "Context",
    "Conversation",
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
    "Settings",
]
