"""What routes are given."""

from typing import Annotated

from fastapi import Depends, Header, Request

from recollect.memory import Memory
from recollect.services.services import Services


# Async, though they await nothing: FastAPI would send plain functions to a thread each.
async def _memory(request: Request) -> Memory:
    memory: Memory = request.app.state.memory
    return memory


async def _services(request: Request) -> Services:
    memory: Memory = request.app.state.memory
    return memory.services


OpenMemory = Annotated[Memory, Depends(_memory)]
UseCases = Annotated[Services, Depends(_services)]
IdempotencyKey = Annotated[
    str | None,
    Header(
        alias="Idempotency-Key",
        max_length=255,
        description="Any text of your own; a retry with the same one stores nothing twice.",
    ),
]
