"""Talking to a memory that this process has opened."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from uuid import UUID

from recollect.domain.inquiry import Answered, Inquiry
from recollect.domain.message import Role
from recollect.domain.scope import Scope
from recollect.interfaces.cli.chatting.partner import Told
from recollect.interfaces.http.schemas.answers import ChatOut
from recollect.memory import Memory
from recollect.services.services import Services

_ASKED_BEFORE = 200


class EmbeddedPartner:
    """Asks the services themselves; no server is needed."""

    def __init__(
        self, memory: Memory, scope: Scope, *, session_id: UUID | None, model: str | None
    ) -> None:
        self._services: Services = memory.services
        self._scope = scope
        self._session_id = session_id
        self._model = model

    async def ask(self, question: str) -> AsyncGenerator[str | Told, None]:
        """The answer in pieces, and what is known of it as the last item."""
        inquiry = Inquiry(
            text=question,
            session_id=self._session_id,
            session_metadata={"created_via": "cli"},
            model=self._model,
        )
        turn = await self._services.chat.begin(self._scope, inquiry)
        self._session_id = turn.session_id
        async with aclosing(turn.stream()) as pieces:
            async for piece in pieces:
                yield _told(piece) if isinstance(piece, Answered) else piece

    async def asked_before(self) -> Sequence[str]:
        """The questions of the conversation that is resumed."""
        if self._session_id is None:
            return ()
        said = await self._services.messages.last(
            self._scope, self._session_id, count=_ASKED_BEFORE
        )
        return [message.content for message in said if message.role is Role.USER]

    def start_anew(self) -> None:
        """Begin another conversation with the next question."""
        self._session_id = None


def _told(answered: Answered) -> Told:
    return Told.of(ChatOut.of(answered).model_dump(mode="json"))
