"""Language models, embedders, token counters and answerers."""

from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import Protocol

from recollect.domain.chat.answers import Answer, AnswerRequest
from recollect.domain.conversation.message import AnswerDetails
from recollect.domain.identity.scope import Scope
from recollect.domain.recall.entry import Vector


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """One message of a prompt."""

    role: str
    content: str


class ChatModel(Protocol):
    """Answers prompts."""

    async def complete(
        self,
        messages: Sequence[Prompt],
        *,
        max_tokens: int,
        timeout: float,  # noqa: ASYNC109  # for all tries together, which only the adapter knows
    ) -> str:
        """The model's answer, never blank; `ModelUnavailable` if there is none in that time."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Sampling:
    """How a model is to answer; None leaves it to the endpoint."""

    temperature: float | None = None
    max_tokens: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Completion:
    """A model's whole answer, never blank, without its thoughts."""

    text: str
    model: str
    tokens: int | None = None
    """How many were used, if the endpoint says so."""


class AnsweringModel(Protocol):
    """Answers users, at once or in pieces."""

    def named(self, model: str) -> "AnsweringModel":
        """Another model of the same endpoint, through the same connections."""
        ...

    async def reply(
        self,
        messages: Sequence[Prompt],
        sampling: Sampling,
        *,
        timeout: float,  # noqa: ASYNC109  # as ChatModel's
    ) -> Completion:
        """The whole answer; `ModelUnavailable` if there is none in that time."""
        ...

    def stream(
        self,
        messages: Sequence[Prompt],
        sampling: Sampling,
        *,
        timeout: float,
    ) -> AsyncGenerator[str | Completion, None]:
        """The answer in pieces, and as the last item the whole; it must begin within that time.

        `ModelUnavailable` if it does not, or if the model stops before it has finished.
        """
        ...


class Embedder(Protocol):
    """Turns texts into vectors that are near each other when the texts mean the same."""

    @property
    def model(self) -> str:
        """Names what made the vectors; only vectors of the same name can be compared."""
        ...

    @property
    def dimensions(self) -> int | None:
        """How long its vectors are; None until it has made one."""
        ...

    async def warm(self) -> None:
        """Load what the first text would have to wait for; nothing where nothing is loaded."""
        ...

    async def embed(self, texts: Sequence[str]) -> tuple[Vector, ...]:
        """A vector for each text, in their order; `ModelUnavailable` if it cannot now.

        Never blocks the event loop.
        """
        ...

    async def embed_question(self, question: str) -> Vector:
        """The vector of one text for which somebody waits: it goes before all others."""
        ...


class TokenCounter(Protocol):
    """Counts tokens as one family of models does."""

    @property
    def is_ready(self) -> bool:
        """Whether it counts at once: the first count may load a vocabulary."""
        ...

    def count(self, text: str, *, limit: int | None = None) -> int:
        """How many tokens the text is, whatever it holds; 0 for an empty one.

        Takes time in proportion to the text's length, and holds no other thread up meanwhile.
        With a limit, a text over it may be counted only so far that this is known: the result
        is then some number above the limit.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class EndpointReply:
    """What an endpoint sends back, as it comes."""

    status: int
    pieces: AsyncIterator[bytes]
    """The body; `ModelUnavailable` when it ends too early."""
    headers: Mapping[str, str] = field(default_factory=dict)
    """Those that mean something to the client."""
    details: AnswerDetails | None = None
    """What is told about the answer, where it is one of ours."""


class Completions(Protocol):
    """Passes requests on without looking at them; errors of the endpoint are replies, too."""

    def complete(self, body: bytes) -> AbstractAsyncContextManager[EndpointReply]:
        """Ask for a completion; `ModelUnavailable` if nothing answers.

        The reply may be read inside the block; leaving it ends the endpoint's work.
        """
        ...

    def models(self) -> AbstractAsyncContextManager[EndpointReply]:
        """Ask which models there are; as `complete`."""
        ...


class Answerer(Protocol):
    """Answers a question that memory has put into its context.

    No connection to the database is held while it works. Its errors are `ModelUnavailable` and
    what else `recollect.errors` lists below `RecollectError`; never an upstream's traceback.
    """

    async def answer(self, scope: Scope, asked: AnswerRequest) -> Answer:
        """The whole answer at once; its content is never blank."""
        ...

    def stream(self, scope: Scope, asked: AnswerRequest) -> AsyncGenerator[str | Answer, None]:
        """The answer in pieces of text as they come, and the whole `Answer` as the last item.

        Whoever stops listening closes it, and it stops working.
        """
        ...


class SqlReader(Protocol):
    """Understands queries in the dialects that answers are written in.

    It never guesses: a query that it cannot read for certain it does not read at all.
    """

    def tables_in(self, sql: str) -> tuple[str, ...] | None:
        """The tables (views) that a query reads, normalised; None if it cannot be read.

        Names that the query itself defines (`WITH …`) are not among them.
        """
        ...

    def has_read(self, sql: str) -> bool:
        """Whether `tables_in` knows the answer already; to read a query takes milliseconds."""
        ...

    def shape_of(self, sql: str) -> str | None:
        """The query with every value in it as `?`; None if it cannot be read."""
        ...


class UnreadSql:
    """A `SqlReader` that reads nothing: every query draws on all tables it may have used."""

    def tables_in(self, sql: str) -> None:
        """Nobody knows."""

    def has_read(self, sql: str) -> bool:  # noqa: ARG002  # the port's
        """There is nothing to read."""
        return True

    def shape_of(self, sql: str) -> None:
        """Nobody knows."""
