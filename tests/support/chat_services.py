"""Chat services on an empty memory, for tests of the turn pipeline."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, field, replace
from typing import Final
from uuid import UUID, uuid4

from recollect.composition import build_services
from recollect.domain.chat.answers import Answered, Inquiry
from recollect.domain.conversation.session import TurnStatus
from recollect.domain.identity.scope import Scope
from recollect.domain.policy import Policies
from recollect.engines.in_memory import in_memory_stores
from recollect.models.tokens import token_counter_for
from recollect.ports.models import Answerer
from recollect.ports.privacy.names import NameFinder
from recollect.ports.telemetry import UNMEASURED, Telemetry
from recollect.services.chat.chat import ChatTurn
from recollect.services.services import ServiceDependencies, Services
from recollect.testing import CountingIds, FakeFollowUpModel, FixedClock
from support.scripted_answerer import ScriptedAnswerer

SCOPE: Final = Scope(tenant="acme", user="alice")
SESSION: Final = uuid4()


@dataclass(frozen=True, kw_only=True)
class Setup:
    """Services on an empty memory."""

    answerer: ScriptedAnswerer = field(default_factory=ScriptedAnswerer)
    policies: Policies = field(default_factory=Policies)
    timeout: float = 60
    names: NameFinder | None = None
    telemetry: Telemetry = UNMEASURED
    follow_ups: FakeFollowUpModel = field(
        default_factory=lambda: FakeFollowUpModel(
            {"What about 2023?": "Show me total sales by region for 2023"}
        )
    )
    services: Services = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "services", self.build(self.answerer))

    def build(self, answerer: Answerer | None) -> Services:
        clock = FixedClock()
        around = ServiceDependencies(
            clock=clock,
            ids=CountingIds(),
            counter_for=token_counter_for,
            follow_up_model=self.follow_ups,
            answerer=answerer,
            answer_timeout=self.timeout,
            names=self.names,
            telemetry=self.telemetry,
        )
        return build_services(in_memory_stores(clock), around, self.policies)

    async def ask(self, text: str, session_id: UUID | None = SESSION, **more: object) -> Answered:
        inquiry = replace(Inquiry(text=text, session_id=session_id), **more)  # type: ignore[arg-type]
        return await self.services.chat.ask(SCOPE, inquiry)

    async def begin(self, text: str) -> ChatTurn:
        return await self.services.chat.begin(SCOPE, Inquiry(text=text, session_id=SESSION))

    async def stored_texts(self) -> list[tuple[str, str]]:
        messages = await self.services.messages.last(SCOPE, SESSION, count=100)
        return [(message.role, message.content) for message in messages]

    async def status(self, turn_number: int) -> TurnStatus:
        return await self.services.messages.turn_status(SCOPE, SESSION, turn_number)


async def pieces_of(stream: AsyncIterator[str | Answered]) -> list[str | Answered]:
    return [piece async for piece in stream]
