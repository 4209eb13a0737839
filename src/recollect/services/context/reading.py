"""What a context is made of: the end of its session, as far as the user may see it."""

from dataclasses import dataclass, replace
from typing import Final
from uuid import UUID

from recollect.domain.context.window import CUT_MARK
from recollect.domain.conversation.message import Visibility
from recollect.domain.identity.permissions import Access
from recollect.domain.identity.scope import Scope
from recollect.ports.conversations import MAX_WINDOW, StoredWindow
from recollect.services.access import Permissions
from recollect.services.conversations.messages import Messages

_RESUMMARISED: Final = 200  # messages read where their stored summary may not be shown


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextReading:
    """What was read for one context."""

    access: Access
    stored: StoredWindow
    """The visible part of the window."""
    is_resummarised: bool
    """Whether its summary is to be made anew."""


async def read_window(
    messages: Messages,
    permissions: Permissions,
    scope: Scope,
    session_id: UUID,
    *,
    access: Access,
    count: int,
    covers_all: bool,
) -> ContextReading:
    """Read what may be seen of the end of a session.

    A summary draws on all its tables at once. Where some of them may not be seen, it is left
    out and its messages are read instead.
    """
    stored = await messages.window(
        scope, session_id, count=min(count, MAX_WINDOW), covers_all=covers_all
    )
    summary = stored.summary
    is_withheld = summary is not None and (
        access.visibility_of(summary.tables) is not Visibility.ALL
    )
    if is_withheld:
        whole = await messages.window(scope, session_id, count=_RESUMMARISED, covers_all=True)
        stored = replace(whole, summary=None)
    visible = await permissions.for_model(access, stored.messages)
    # An answer that only quotes memory keeps its place alone: what it quoted may have been
    # deleted since, and that no model was set is no example to one.
    shown = (
        replace(message, content=CUT_MARK) if message.details.only_quotes else message
        for message in visible
    )
    stored = replace(stored, messages=tuple(shown))
    return ContextReading(access=access, stored=stored, is_resummarised=is_withheld)
