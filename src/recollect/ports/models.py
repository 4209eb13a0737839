"""Language models, as far as memory needs them."""

from collections.abc import Sequence
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

    async def embed(self, texts: Sequence[str]) -> tuple[Vector, ...]:
        """A vector for each text, in their order; `ModelUnavailable` if it cannot now.

        Never blocks the event loop.
        """
        ...
