"""Responses to requests of the HTTP client, read whole, in pieces or in lines, and failures."""

from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING, Final

import orjson

from recollect.domain.text import JsonValue

if TYPE_CHECKING:
    import aiohttp  # loaded with the first request: it takes 0.15 s that few programs need

_FAILURES: Final = {
    "ConnectionTimeoutError": "ConnectTimeout",
    "ServerTimeoutError": "ReadTimeout",
    "ClientConnectorError": "ConnectError",
    "ClientHttpProxyError": "ProxyError",
    "ClientOSError": "ReadError",
    "ClientConnectionResetError": "WriteError",
    "ServerDisconnectedError": "RemoteProtocolError",
    "ClientPayloadError": "RemoteProtocolError",
    "ClientResponseError": "RemoteProtocolError",
    "ValueError": "LocalProtocolError",
}
"""aiohttp's errors and what messages call them; the name nearest to the error's class counts."""


class HttpFailure(Exception):
    """No response, or not the whole of it; says how it failed in one word, such as ConnectError.

    The text of the error behind it is left out: it may quote headers.
    """


class ReplyTooLarge(Exception):
    """A response is larger than its limit."""

    def __init__(self, limit: int) -> None:
        super().__init__(f"sent more than {limit:,} bytes")


@contextmanager
def http_failures() -> Iterator[None]:
    """Raise `HttpFailure` for what goes wrong between us and the service."""
    import aiohttp  # noqa: PLC0415  # see above

    try:
        yield
    except (aiohttp.ClientError, ValueError) as error:
        classes = (kind.__name__ for kind in type(error).__mro__)
        names = (_FAILURES[name] for name in classes if name in _FAILURES)
        raise HttpFailure(next(names, type(error).__name__)) from None


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpReply:
    """A response that was read to its end."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def is_success(self) -> bool:
        """Whether the status is one of 200 to 299."""
        return HTTPStatus.OK <= self.status < HTTPStatus.MULTIPLE_CHOICES

    @property
    def content_type(self) -> str:
        """The value of the Content-Type header; empty if there is none."""
        return self.headers.get("Content-Type", "")

    def json(self) -> JsonValue:
        """Parse the body; None if it is no JSON."""
        try:
            value: JsonValue = orjson.loads(self.body)
        except ValueError:
            return None
        return value


class HttpResponse:
    """A response whose body has yet to be read."""

    def __init__(self, response: "aiohttp.ClientResponse") -> None:
        self._response = response
        self.status = response.status
        self.headers: Mapping[str, str] = response.headers

    def raw_headers(self) -> Iterator[tuple[str, str]]:
        """All headers as Latin-1, their names in lower case, repeated ones too."""
        for name, value in self._response.raw_headers:
            yield name.decode("latin-1").lower(), value.decode("latin-1")

    async def pieces(self, limit: int | None = None) -> AsyncIterator[bytes]:
        """The body in pieces as they arrive; `ReplyTooLarge` beyond the limit."""
        received = 0
        with http_failures():
            while piece := await self._response.content.readany():
                received += len(piece)
                if limit is not None and received > limit:
                    raise ReplyTooLarge(limit)
                yield piece

    async def lines(self, limit: int | None = None) -> AsyncIterator[str]:
        """The lines of the body, each as soon as it is complete."""
        lines = LineSplitter()
        async for piece in self.pieces(limit):
            for line in lines.add(piece):
                yield line
        for line in lines.rest():
            yield line

    async def read(self, limit: int) -> HttpReply:
        """Read the whole body."""
        body = b"".join([piece async for piece in self.pieces(limit)])
        return HttpReply(status=self.status, headers=self.headers, body=body)


class LineSplitter:
    r"""Splits at `\n`, `\r\n` and `\r` only; a line may be of any length.

    The other line ends of Unicode stay in their line: models write them in answers.
    """

    def __init__(self) -> None:
        self._begun: list[bytes] = []

    def add(self, piece: bytes) -> list[str]:
        """The lines that this piece completes."""
        may_have_ended = bool(self._begun) and self._begun[-1].endswith(b"\r")
        self._begun.append(piece)
        if b"\n" not in piece and b"\r" not in piece and not may_have_ended:
            return []
        lines = b"".join(self._begun).splitlines(keepends=True)
        # A `\r` at the end may be the first half of `\r\n`.
        self._begun = [] if lines[-1].endswith(b"\n") else [lines.pop()]
        return [line.rstrip(b"\r\n").decode(errors="replace") for line in lines]

    def rest(self) -> list[str]:
        """The last line, if nothing ended it."""
        return [line.decode(errors="replace") for line in b"".join(self._begun).splitlines()]
