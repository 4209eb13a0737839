"""Long conversations about data, services for them, and models that misbehave."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from uuid import UUID

from recollect.composition import build_services
from recollect.domain.conversation.message import AnswerDetails, Message, NewMessage, Role
from recollect.domain.identity.scope import Scope
from recollect.domain.policy import Policies
from recollect.models.tokens import token_counter_for
from recollect.ports import Stores
from recollect.ports.models import ChatModel, Prompt
from recollect.ports.runtime import Clock
from recollect.services.services import ServiceDependencies, Services
from recollect.settings import load_settings
from recollect.sql_reading import SqlglotReader
from recollect.system import RandomIds, SystemClock
from support.examples import a_message, a_session

A_SUMMARY = "The user asked about the sales of several regions and got them."


def policies_of(preset: str, **settings: object) -> Policies:
    """How a server of that preset behaves; only deletions are in its audit log."""
    return load_settings(preset=preset, log_memory_operations=False, **settings).policies()


def services_on(
    stores: Stores,
    policies: Policies,
    *,
    model: ChatModel | None = None,
    timeout: float = 60,
    clock: Clock | None = None,
) -> Services:
    """The use cases, summarising with a model if there is one."""
    around = ServiceDependencies(
        clock=clock or SystemClock(),
        ids=RandomIds(),
        counter_for=token_counter_for,
        sql=SqlglotReader(),
        summarising_model=model,
        model_timeout=timeout,
    )
    return build_services(stores, around, policies)


async def started(services: Services, scope: Scope) -> UUID:
    """A new session."""
    session, _ = await services.sessions.start(scope, a_session())
    return session.session_id


def sql_of(turn: int) -> str:
    """The query of a turn's answer, which differs from that of any other turn."""
    return (
        f"SELECT region, SUM(amount) AS total FROM sales_{turn}\n"  # noqa: S608  # never run
        f"WHERE year = {2000 + turn} GROUP BY region ORDER BY total DESC"
    )


def turns_about_sales(count: int, *, first: int = 1) -> list[NewMessage]:
    """So many questions and answers, with their SQL and tables."""
    return [
        message
        for turn in range(first, first + count)
        for message in (
            a_message("user", f"How much did shop number {turn} sell in its best region?"),
            a_message(
                "assistant",
                f"Shop number {turn} sold most in the north. The other regions follow far behind.",
                details=AnswerDetails(sql_query=sql_of(turn), tables_used=(f"sales_{turn}",)),
            ),
        )
    ]


async def all_messages(stores: Stores, scope: Scope, session_id: UUID) -> tuple[Message, ...]:
    """Every message of a session, whole, oldest first; up to a thousand of them."""
    messages = await stores.messages.last(scope, session_id, count=1000)
    assert messages is not None
    return messages


async def work_until_idle(services: Services) -> int:
    """Do all jobs that wait, and say how many there were."""
    done = 0
    while await services.work.do_one():
        done += 1
    return done


@dataclass
class ScriptedModel:
    """Says what it is told to, one after the other, then the last again; an error is raised."""

    script: Sequence[str | Exception] = (A_SUMMARY,)
    prompts: list[str] = field(default_factory=list)

    async def complete(
        self,
        messages: Sequence[Prompt],
        *,
        max_tokens: int,
        timeout: float,  # noqa: ASYNC109  # the port's signature
    ) -> str:
        """The next line of the script."""
        self.prompts.append("\n".join(message.content for message in messages))
        line = self.script[min(len(self.prompts), len(self.script)) - 1]
        if isinstance(line, Exception):
            raise line
        return line


@dataclass
class HeldModel:
    """Answers when it is let go, and tells when it has been asked."""

    answer: str = A_SUMMARY
    asked: asyncio.Event = field(default_factory=asyncio.Event)
    let_go: asyncio.Event = field(default_factory=asyncio.Event)

    async def complete(
        self,
        messages: Sequence[Prompt],
        *,
        max_tokens: int,
        timeout: float,  # noqa: ASYNC109  # the port's signature
    ) -> str:
        """Wait, then answer."""
        self.asked.set()
        await self.let_go.wait()
        return self.answer


def spoken(count: int) -> list[NewMessage]:
    """So many messages of answered turns; where they are odd, a system message is the first."""
    lead = [a_message("system", "You are kind.")] if count % 2 else []
    talk = [
        a_message(role, f"{role} of turn {turn}")
        for turn in range(1, count // 2 + 1)
        for role in (Role.USER, Role.ASSISTANT)
    ]
    return [*lead, *talk]
