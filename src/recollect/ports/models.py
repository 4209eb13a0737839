"""Language models, as far as memory needs them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


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
