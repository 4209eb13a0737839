"""Language models, embedders, token counters and answerers."""

from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

from recollect.domain.chat.answers import Answer, AnswerRequest
from recollect.domain.conversation.message import AnswerDetails
from recollect.domain.followup.dialogue import HistoryMessage, Proposal
from recollect.domain.identity.scope import Scope
from recollect.domain.vectors import Vector


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """One message of a prompt."""

    role: str
    content: str


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonSchema:
    """The JSON that an answer is to be: a name, and the JSON Schema of an object."""

    name: str
    definition: Mapping[str, object]


class ChatModel(Protocol):
    """Answers prompts."""

    async def complete(
        self,
        messages: Sequence[Prompt],
        *,
        max_tokens: int,
        timeout: float,  # noqa: ASYNC109  # for all tries together, which only the adapter knows
        schema: JsonSchema | None = None,
    ) -> str:
        """Return the model's answer, never blank; `ModelUnavailable` if it is late.

        With a `schema` the answer fits it where the model can be held to it; check it.
        """


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
    """How many were used, if the endpoint reports it."""
    input_tokens: int | None = None
    output_tokens: int | None = None


class AnsweringModel(Protocol):
    """Answers users, at once or in pieces."""

    def named(self, model: str) -> "AnsweringModel":
        """Return another model of the same endpoint, on the same connections."""

    async def reply(
        self,
        messages: Sequence[Prompt],
        sampling: Sampling,
        *,
        timeout: float,  # noqa: ASYNC109  # as ChatModel's
    ) -> Completion:
        """Return the whole answer; `ModelUnavailable` if it does not come in time."""

    def stream(
        self, messages: Sequence[Prompt], sampling: Sampling, *, timeout: float
    ) -> AsyncGenerator[str | Completion, None]:
        """Yield the answer in pieces, and the whole as the last item; it must begin in time.

        `ModelUnavailable` if it does not, or if the model stops before it has finished.
        """


class Embedder(Protocol):
    """Turns texts into vectors that are near each other when the texts mean the same."""

    @property
    def model(self) -> str:
        """The name of what made the vectors; only vectors of one name can be compared."""

    @property
    def dimensions(self) -> int | None:
        """How long its vectors are; None until it has made one."""

    async def warm(self) -> None:
        """Load what the first text would have to wait for."""

    async def embed(self, texts: Sequence[str]) -> tuple[Vector, ...]:
        """Return a vector for each text, in order; `ModelUnavailable` if it cannot now.

        Never blocks the event loop.
        """

    async def embed_question(self, question: str) -> Vector:
        """Return the vector of one text, before all texts that wait in `embed`."""


class Reranker(Protocol):
    """A cross-encoder: it reads a question together with a text, and tells whether they match."""

    @property
    def model(self) -> str:
        """The name of the model."""

    @property
    def languages(self) -> frozenset[str] | None:
        """The codes of the languages it reads; None: any."""

    async def warm(self) -> None:
        """Load what the first question would have to wait for."""

    async def scores(self, question: str, texts: Sequence[str]) -> tuple[float, ...]:
        """Return how well each text answers the question, in their order; higher is better.

        A score is a logarithm of odds, and does not depend on the other texts. Only the beginning
        of a long text is read. Never blocks the event loop; questions that come at once wait for
        each other. `ModelUnavailable` or `ConfigurationError` if the model cannot be used.
        """


class FollowUpModel(Protocol):
    """Proposes standalone questions. It blocks: the services call it in a thread of its own."""

    def load(self) -> None:
        """Load what the first question would wait for; a second call does nothing."""

    def propose(
        self, question: str, history: Sequence[HistoryMessage], *, language: str
    ) -> Proposal:
        """Return the likeliest standalone question; takes some milliseconds.

        The history is what users and assistants said, oldest message first; `language` is that
        of the question. A question that stands alone comes back as it is, and so does one without
        a history. Several threads may call it.
        """


class TokenCounter(Protocol):
    """Counts tokens as one family of models does."""

    @property
    def is_ready(self) -> bool:
        """Whether it counts at once: the first count may load a vocabulary."""

    def count(self, text: str, *, limit: int | None = None) -> int:
        """Return how many tokens the text has; 0 for an empty one.

        Takes time in proportion to the text's length, and blocks no other thread meanwhile.
        With a limit, the count of a text over it may be any number above the limit.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class EndpointReply:
    """The reply of an endpoint, while it arrives."""

    status: int
    pieces: AsyncIterator[bytes]
    """The body; `ModelUnavailable` when it ends too early."""
    headers: Mapping[str, str] = field(default_factory=dict)
    """Those that are passed on to the client."""
    details: AnswerDetails | None = None
    """The details of the answer, where it is one of ours."""


class Completions(Protocol):
    """Passes requests on unread; errors of the endpoint are replies, too."""

    def complete(self, body: bytes) -> AbstractAsyncContextManager[EndpointReply]:
        """Ask for a completion; `ModelUnavailable` if nothing answers.

        The reply may be read inside the block; leaving it ends the endpoint's work.
        """

    def models(self) -> AbstractAsyncContextManager[EndpointReply]:
        """Ask which models there are; as `complete`."""


class Answerer(Protocol):
    """Answers a question that memory has put into its context.

    No connection to the database is held while it works. Its errors are `ModelUnavailable` and
    what else `recollect.errors` lists below `RecollectError`; never an upstream's traceback.
    """

    async def answer(self, scope: Scope, request: AnswerRequest) -> Answer:
        """Return the whole answer; its content is never blank."""

    def stream(self, scope: Scope, request: AnswerRequest) -> AsyncGenerator[str | Answer, None]:
        """Yield the answer in pieces of text as they come, and the `Answer` as the last item.

        Closing it stops the work.
        """


@runtime_checkable
class QuotingAnswerer(Answerer, Protocol):
    """An answerer that quotes memory itself, and so is told what was forgotten (`UserFacts`)."""

    @property
    def quotes_memory(self) -> bool:
        """Whether it does."""


class SqlReader(Protocol):
    """Understands queries in the dialects that answers are written in.

    It never guesses: a query that it cannot read for certain it does not read at all.
    """

    def tables_in(self, sql: str) -> tuple[str, ...] | None:
        """Return the tables (views) that a query reads, normalised; None if it cannot be read.

        Names that the query itself defines (`WITH …`) are not among them.
        """

    def has_read(self, sql: str) -> bool:
        """Tell whether `tables_in` has the answer cached; to read a query takes milliseconds."""

    def shape_of(self, sql: str) -> str | None:
        """Return the query with every value in it as `?`; None if it cannot be read."""


class UnreadSql:
    """A `SqlReader` that reads nothing: every query draws on all tables it may have used."""

    def tables_in(self, sql: str) -> None:
        """Return None: unknown."""

    def has_read(self, sql: str) -> bool:  # noqa: ARG002  # the port's
        """Return True: there is nothing to read."""
        return True

    def shape_of(self, sql: str) -> None:
        """Return None: unknown."""
