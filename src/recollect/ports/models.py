"""Language models, as far as memory needs them."""

from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from typing import Protocol

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
