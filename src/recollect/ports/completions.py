"""An endpoint that answers requests in OpenAI's form."""

from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import Protocol

from recollect.domain.message import AnswerDetails


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
