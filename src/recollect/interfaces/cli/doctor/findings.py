"""What a check finds, and how a function that looks at something becomes a check."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import partial, wraps
from typing import Final, TypeAlias

from recollect.errors import RecollectError
from recollect.settings import Settings

LIMIT_SECONDS: Final = 10


class Status(StrEnum):
    """How a check came out."""

    OK = "ok"
    WARNING = "warning"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Finding:
    """What one check found, and what to do about it."""

    check: str = field(default="", kw_only=True)
    status: Status
    found: str
    advice: str = ""


ok: Final = partial(Finding, Status.OK)
warning: Final = partial(Finding, Status.WARNING)
"""Something to know; `serve` works all the same."""
failed: Final = partial(Finding, Status.FAILED)
"""Something that `serve` needs is not there."""
Look: TypeAlias = Callable[[Settings], AsyncIterator[Finding]]
Check: TypeAlias = Callable[[Settings], Iterator[Finding]]


def check(
    name: str, advice: str = "", *, seconds: float | None = LIMIT_SECONDS
) -> Callable[[Look], Check]:
    """Make a check of a function that looks at something; what does not answer has failed."""

    def decorate(look: Look) -> Check:
        @wraps(look)
        def check(settings: Settings) -> Iterator[Finding]:
            async def findings() -> list[Finding]:
                async with asyncio.timeout(seconds):
                    return [finding async for finding in look(settings)]

            try:
                made = asyncio.run(findings())
            except TimeoutError:
                made = [failed(f"no answer within {seconds:g} seconds", advice)]
            except RecollectError as error:
                made = [failed(error.explanation, advice)]
            except OSError as error:
                made = [failed(f"cannot be reached ({type(error).__name__})", advice)]
            yield from (replace(finding, check=finding.check or name) for finding in made)

        return check

    return decorate


def judged(
    check: str, is_well: object, otherwise: Status, *, observation: str, advice: str
) -> Finding:
    """What one of a check's findings is, by whether that is well."""
    return (
        ok(observation, check=check)
        if is_well
        else Finding(otherwise, observation, advice, check=check)
    )
