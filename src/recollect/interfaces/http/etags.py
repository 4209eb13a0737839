"""Versions as ETags: a change can be made to depend on the version that was read."""

import re
from typing import Annotated, Final

from fastapi import Depends, Header

from recollect.errors import InvalidInput

_ETAG: Final = re.compile(r'"?([0-9]{1,18})"?')
IfMatch = Annotated[
    str | None,
    Header(
        alias="If-Match",
        description='The ETag that it must have, such as `"3"`; else 412, nothing is done.',
    ),
]


# Async, though it awaits nothing: FastAPI would send a plain function to a thread.
async def _expected_version(if_match: IfMatch = None) -> int | None:
    if if_match is None:
        return None
    etag = _ETAG.fullmatch(if_match.strip())
    if etag is None:
        raise InvalidInput("If-Match", 'must be one ETag that it had, such as "3"')
    return int(etag[1])


ExpectedVersion = Annotated[int | None, Depends(_expected_version)]
"""The version that the caller expects; None: any."""


def etag(version: int) -> dict[str, str]:
    """The header that tells a version."""
    return {"ETag": f'"{version}"'}
