"""Users who ask when they are ready to, whether or not others are answered, and what they got."""

import asyncio
import heapq
import json
import random
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Final, NamedTuple, TypeAlias

from lean_http import LeanClient, Reply
from prepared_users import questions_in_sessions, user_name
from recollect.services.chat.degradation import NOT_STORED, REPLY_NOT_STORED, SESSION_GONE
from recollect.services.context.contexts import HURRIED

CHAT: Final = "chat"
DIRECT: Final = "the model directly"
BRIEF: Final = "chat that expires"
PLAIN: Final[Mapping[str, float]] = {CHAT: 1.0}
MIXED: Final[Mapping[str, float]] = {
    CHAT: 0.55,
    "recall": 0.12,
    "context": 0.12,
    "list of messages": 0.1,
    "deleted message": 0.03,
    "deleted session": 0.03,
    BRIEF: 0.05,
}
"""What users do in a soak, and how often."""
_DIRECT_SHARE: Final = 0.05
"""Of all arrivals; these calls of the model come on top."""
_PATIENCE: Final = 60.0
_NOT_STORED: Final = frozenset({NOT_STORED, REPLY_NOT_STORED, SESSION_GONE})
SessionKey: TypeAlias = tuple[str, str]
"""A user, and the id of a session."""


class Outcome(NamedTuple):
    """What became of one request."""

    kind: str
    due: float
    """When it was to be sent."""
    seconds: float
    """From then until it was answered: what waits in the client counts."""
    status: str


@dataclass(slots=True)
class Ledger:
    """What the server has acknowledged."""

    answers: defaultdict[SessionKey, set[str]] = field(default_factory=lambda: defaultdict(set))
    """The answers that are stored by session, as the responses say."""
    not_stored: int = 0
    """Answers that say themselves that they could not be stored."""
    hurried: int = 0
    """Answers whose context was built without models."""
    deleted: dict[SessionKey, set[str]] = field(default_factory=dict)
    """Sessions that were deleted, and the answers that were in them."""
    deleted_messages: set[str] = field(default_factory=set)
    brief: dict[SessionKey, float] = field(default_factory=dict)
    """Sessions that expire, and when they were last asked in: one that has expired begins anew."""

    @property
    def count(self) -> int:
        """How many answers must be there."""
        return sum(map(len, self.answers.values()))


@dataclass(slots=True)
class User:
    """A user, and the session they are in."""

    number: int
    session_id: str = ""
    questions: Iterator[tuple[str, str]] = field(default_factory=questions_in_sessions)

    @property
    def name(self) -> str:
        """What the server knows them by."""
        return user_name(self.number)


@dataclass(slots=True, kw_only=True)
class Traffic:
    """Sends requests when they are due, and notes what became of them."""

    server: LeanClient
    model: LeanClient
    brief: LeanClient | None = None
    """The same server, as a tenant whose sessions expire soon."""
    ledger: Ledger = field(default_factory=Ledger)
    outcomes: list[Outcome] = field(default_factory=list)
    in_flight: int = 0
    latest: float = 0.0
    """The longest that a request was sent after it was due: how far this program is behind."""
    _tasks: set["asyncio.Task[None]"] = field(default_factory=set)

    async def run(
        self, users: Sequence[User], *, rate: float, seconds: float, mix: Mapping[str, float]
    ) -> None:
        """Let users ask for so long, each again and again; all together so often a second."""
        chance = random.Random()  # noqa: S311  # no secrets
        think = len(users) / rate
        began = time.perf_counter()
        due = [(began + chance.expovariate(1 / think), user.number) for user in users]
        heapq.heapify(due)
        kinds, shares = list(mix), list(mix.values())
        while due[0][0] < began + seconds:
            at, number = due[0]
            await asyncio.sleep(max(0.0, at - time.perf_counter()))
            self.latest = max(self.latest, time.perf_counter() - at)
            (kind,) = chance.choices(kinds, shares)
            self._start(kind, users[number], at)
            if chance.random() < _DIRECT_SHARE:
                self._start(DIRECT, users[number], at)
            heapq.heapreplace(due, (at + chance.expovariate(1 / think), number))

    async def finish(self) -> None:
        """Wait for what is not answered yet."""
        while self._tasks:
            await asyncio.wait(self._tasks)

    def _start(self, kind: str, user: User, due: float) -> None:
        task = asyncio.create_task(self._act(kind, user, due))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _act(self, kind: str, user: User, due: float) -> None:
        self.in_flight += 1
        try:
            async with asyncio.timeout(_PATIENCE):
                status = _status(await self._actions[kind](self, user))
        except (OSError, EOFError) as error:  # of which a timeout is one
            status = type(error).__name__
        finally:
            self.in_flight -= 1
        self.outcomes.append(Outcome(kind, due, time.perf_counter() - due, status))

    async def _chat(self, user: User) -> Reply:
        user.session_id, question = next(user.questions)
        key = user.name, user.session_id
        reply = await _ask(self.server, user, key[1], question)
        if reply.is_success:
            self._acknowledge(key, json.loads(reply.body))
        return reply

    def _acknowledge(self, key: SessionKey, answer: Mapping[str, object]) -> None:
        warnings = answer["warnings"]
        assert isinstance(warnings, list)  # noqa: S101
        self.ledger.hurried += HURRIED in warnings
        if not _NOT_STORED.isdisjoint(warnings):
            self.ledger.not_stored += 1
        else:
            self.ledger.answers[key].add(str(answer["answer"]))

    async def _ask_model(self, user: User) -> Reply:
        messages = [{"role": "user", "content": next(user.questions)[1]}]
        body = json.dumps({"model": "stub:7b", "messages": messages}).encode()
        return await self.model.send("POST /v1/chat/completions", user=user.name, body=body)

    async def _recall(self, user: User) -> Reply:
        body = json.dumps({"query": next(user.questions)[1]}).encode()
        return await self.server.send("POST /api/v1/recall", user=user.name, body=body)

    async def _context(self, user: User) -> Reply:
        if not user.session_id:
            return await self._recall(user)
        body = json.dumps({"question": next(user.questions)[1]}).encode()
        request = f"POST /api/v1/sessions/{user.session_id}/context"
        return await self.server.send(request, user=user.name, body=body)

    async def _list(self, user: User) -> Reply:
        request = "GET /api/v1/history?limit=10"
        if user.session_id:
            request = f"GET /api/v1/sessions/{user.session_id}/messages?limit=10"
        return await self.server.send(request, user=user.name)

    async def _delete_message(self, user: User) -> Reply:
        listed = await self._list(user)
        items = json.loads(listed.body).get("items", []) if listed.is_success else []
        if not items:
            return listed
        message = items[-1]
        # Before it is asked for: a deletion may be done though its answer is lost.
        self.ledger.deleted_messages.add(message["content"])
        request = f"DELETE /api/v1/history/{message['message_id']}"
        return await self.server.send(request, user=user.name)

    async def _delete_session(self, user: User) -> Reply:
        key = user.name, user.session_id
        if key not in self.ledger.answers:
            return await self._list(user)
        user.questions = questions_in_sessions()  # the next question begins another session
        user.session_id = ""
        answers = self.ledger.answers.pop(key)
        reply = await self.server.send(f"DELETE /api/v1/sessions/{key[1]}", user=key[0])
        if reply.is_success:
            self.ledger.deleted[key] = answers
        return reply

    async def _chat_briefly(self, user: User) -> Reply:
        session_id, question = next(user.questions)
        reply = await _ask(self.brief or self.server, user, session_id, question)
        self.ledger.brief[user.name, session_id] = time.time()
        return reply

    _actions: ClassVar = {
        CHAT: _chat,
        DIRECT: _ask_model,
        "recall": _recall,
        "context": _context,
        "list of messages": _list,
        "deleted message": _delete_message,
        "deleted session": _delete_session,
        BRIEF: _chat_briefly,
    }


def _status(reply: Reply) -> str:
    if reply.status == 503 and not reply.header("retry-after"):  # noqa: PLR2004  # unavailable
        return "503 without Retry-After"
    return str(reply.status)


async def _ask(client: LeanClient, user: User, session_id: str, question: str) -> Reply:
    body = json.dumps({"question": question, "session_id": session_id}).encode()
    return await client.send("POST /memoryChat", user=user.name, body=body)
