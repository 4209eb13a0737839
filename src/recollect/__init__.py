"""Recollect: a memory server and library for conversational AI, on PostgreSQL.

    async with Memory.open() as memory:
        session = await memory.session("chat-1", user="alice")
        await session.add("user", "Show me total sales by region for 2024")

`recollect.blocking` has the same for programs without async.
"""

import logging
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from recollect.domain.context.context import Context
    from recollect.domain.conversation.message import AnswerDetails, Message, Role
    from recollect.domain.conversation.paging import Page
    from recollect.domain.conversation.session import Session
    from recollect.domain.facts.fact import Fact
    from recollect.domain.followup.dialogue import Rewrite
    from recollect.domain.profile.profile import ProfileItem
    from recollect.errors import (
        DatabaseUnavailable,
        FactConflict,
        IdAlreadyUsed,
        InvalidInput,
        InvalidRole,
        NotFound,
        RecollectError,
        VersionConflict,
    )
    from recollect.handles.facts import Facts
    from recollect.handles.profile import Profile
    from recollect.handles.session import History, SessionHandle
    from recollect.memory import Memory
    from recollect.settings import Settings

__all__ = [
    "AnswerDetails",
    "Context",
    "DatabaseUnavailable",
    "Fact",
    "FactConflict",
    "Facts",
    "History",
    "IdAlreadyUsed",
    "InvalidInput",
    "InvalidRole",
    "Memory",
    "Message",
    "NotFound",
    "Page",
    "Profile",
    "ProfileItem",
    "RecollectError",
    "Rewrite",
    "Role",
    "Session",
    "SessionHandle",
    "Settings",
    "VersionConflict",
]

# Programs that set up no logging would see bare events on stderr.
logging.getLogger(__name__).addHandler(logging.NullHandler())

if not TYPE_CHECKING:  # type checkers see the imports above, and refuse names that are not there
    _ERRORS = (
        *("DatabaseUnavailable", "FactConflict", "IdAlreadyUsed", "InvalidInput", "InvalidRole"),
        *("NotFound", "RecollectError", "VersionConflict"),
    )
    _MODULES = {
        **dict.fromkeys(_ERRORS, "errors"),
        **dict.fromkeys(("AnswerDetails", "Message", "Role"), "domain.conversation.message"),
        "Context": "domain.context.context",
        "Fact": "domain.facts.fact",
        "Facts": "handles.facts",
        "History": "handles.session",
        "Memory": "memory",
        "Page": "domain.conversation.paging",
        "Profile": "handles.profile",
        "ProfileItem": "domain.profile.profile",
        "Rewrite": "domain.followup.dialogue",
        "Session": "domain.conversation.session",
        "SessionHandle": "handles.session",
        "Settings": "settings",
    }

    def __getattr__(name: str) -> object:
        """Load a public name when it is first used: all of them together take half a second."""
        if name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
        globals()[name] = value
        return value

    def __dir__() -> list[str]:
        return [*globals(), *__all__]
