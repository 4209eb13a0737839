"""A client that shows a branch of its conversation, for tests of engines."""

from uuid import UUID

from recollect.domain.conversation.message import Message, NewMessage, parse_role
from recollect.domain.conversation.paging import Order, PageRequest
from recollect.domain.conversation.session import TurnStatus
from recollect.domain.identity.scope import Scope
from recollect.ports import Stores
from recollect.ports.conversations import Followed
from support.examples import a_message, a_scope, seconds_on, start_session


class Talk:
    """A client that shows one branch and sends all of it with every question."""

    def __init__(self, stores: Stores, scope: Scope, session_id: UUID) -> None:
        self.stores = stores
        self.scope = scope
        self.session_id = session_id

    @classmethod
    async def start(cls, stores: Stores) -> "Talk":
        scope = a_scope()
        return cls(stores, scope, (await start_session(stores, scope)).session_id)

    async def follow(
        self, *contents: str, continues: bool = False, goes_on: bool = False
    ) -> Followed:
        """Send a list: questions and replies in turn."""
        followed = await self.stores.branches.follow(
            self.scope,
            self.session_id,
            listed(*contents),
            continues=continues,
            goes_on=goes_on,
            now=seconds_on(1),
        )
        assert followed is not None
        return followed

    async def say(self, *contents: str) -> Message:
        """Send a list that ends with a question, and have it answered by `re: …`."""
        followed = await self.follow(*contents)
        return await self.reply(followed, f"re: {contents[-1]}")

    async def reply(self, followed: Followed, content: str) -> Message:
        reply = await self.stores.branches.reply(
            self.scope,
            self.session_id,
            followed.question.message_id,
            a_message("assistant", content),
            now=seconds_on(2),
        )
        assert reply is not None
        return reply

    async def shown(self, *, include_inactive: bool = False) -> list[str]:
        page = await self.stores.messages.list(
            self.scope,
            self.session_id,
            PageRequest(order=Order.ASC),
            include_inactive=include_inactive,
        )
        assert page is not None
        assert all(m.is_active for m in page.items) or include_inactive
        return [message.content for message in page.items]

    async def everything(self) -> list[Message]:
        """All messages of all branches."""
        page = await self.stores.messages.list(
            self.scope, self.session_id, PageRequest(order=Order.ASC), include_inactive=True
        )
        assert page is not None
        return list(page.items)

    async def window(self) -> list[str]:
        window = await self.stores.messages.window(
            self.scope, self.session_id, count=50, covers_all=False
        )
        assert window is not None
        return [message.content for message in window.messages]

    async def status(self, turn_number: int | None) -> TurnStatus | None:
        assert turn_number is not None
        return await self.stores.messages.turn_status(self.scope, self.session_id, turn_number)

    async def counts(self) -> tuple[int, int]:
        session = await self.stores.sessions.get(self.scope, self.session_id)
        assert session is not None
        return session.message_count, session.turn_count


def listed(*contents: str) -> list[NewMessage]:
    """Messages in turn of a user and an assistant."""
    roles = (parse_role("assistant" if place % 2 else "user") for place in range(len(contents)))
    return [a_message(role, content) for role, content in zip(roles, contents, strict=True)]
