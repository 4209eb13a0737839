"""The one HTTP client: models, Denodo, OpenSearch, permission hooks and the command line use it.

It adds to aiohttp what decision 31 lists: proxies from the environment, certificates, one more
attempt when an idle connection turns out to be closed, and limits on the size of replies.
"""

import json
import os
import ssl
from abc import ABC, abstractmethod
from asyncio import Semaphore
from base64 import b64encode
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from io import BytesIO
from time import monotonic
from types import SimpleNamespace
from typing import TYPE_CHECKING, Final, Self
from urllib.parse import SplitResult, unquote, urlencode, urlsplit
from urllib.request import getproxies, proxy_bypass
from weakref import WeakSet

import orjson

from recollect.errors import ConfigurationError
from recollect.extras import require
from recollect.http_client.responses import HttpFailure, HttpReply, HttpResponse, http_failures
from recollect.ports.admission import waiting_outside
from recollect.ports.telemetry import traceparent

if TYPE_CHECKING:
    import aiohttp  # loaded with the first request: it takes 0.15 s that few programs need

_CLOSING_SECONDS: Final = 1.0
_LARGE_BYTES: Final = 2**20
_MAX_HEADER_BYTES: Final = 100_000


def http_address(text: str, problem: str) -> SplitResult:
    """Parse an http or https address; a `ConfigurationError` with that text if it is none."""
    stripped = text.strip()
    try:
        address = urlsplit(stripped)
        is_valid = (
            address.scheme in {"http", "https"} and bool(address.hostname) and address.port != 0
        )
    except ValueError:
        is_valid = False
    if not (is_valid and stripped.isprintable() and " " not in stripped):
        raise ConfigurationError(problem)
    return address


def bearer_header(secret: str | None, setting: str) -> dict[str, str]:
    """Return the Authorization header for a secret; no header where it is empty."""
    key = (secret or "").strip()
    if not all("!" <= character <= "~" for character in key):
        raise ConfigurationError(f"{setting} has characters that no header can have")
    return {"Authorization": f"Bearer {key}"} if key else {}


def json_bytes(body: object) -> bytes:
    """Serialise the body of a request, whatever characters its texts have."""
    try:
        return orjson.dumps(body, default=dict)
    except TypeError:  # half of a surrogate pair, which only the standard library escapes
        return json.dumps(body, default=dict).encode()


class AsyncCloseable(ABC):
    """An async context manager that calls `aclose` at its end."""

    @abstractmethod
    async def aclose(self) -> None:
        """Close the connections."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()


class HttpClient(AsyncCloseable):
    """Sends requests to one address through one pool of connections; close it with `aclose`.

    It can be made without an event loop, and belongs to the one that sends the first request.
    Redirects are not followed and cookies not stored: what a service sends for one user must not
    go with another's request. A name and password in the address are sent as basic credentials.
    """

    def __init__(
        self,
        address: SplitResult,
        *,
        setting: str,
        headers: Mapping[str, str] | None = None,
        connections: int = 100,
        connect_seconds: float = 5.0,
        silence: float | None = None,
        verifies_tls: bool = True,
    ) -> None:
        """Prepare the requests.

        `setting` names the address in errors. `connections` is the most at once; `silence` the
        longest pause between two bytes.
        """
        require("aiohttp", setting)
        host = address.netloc.rpartition("@")[2]
        self.address: Final = address._replace(netloc=host).geturl()
        """Where requests go, without a name and password."""
        # Uncompressed, so that the limit on a reply's size limits the memory it takes.
        self._headers = {
            "Accept": "*/*",
            "Accept-Encoding": "identity",
            "User-Agent": "recollect",
            **(headers or {}),
            **_basic_credentials(address),
        }
        self._proxy = proxy_for(address)
        is_encrypted = "https" in {address.scheme, urlsplit(self._proxy or "").scheme}
        self._ssl: ssl.SSLContext | bool = verifies_tls
        if is_encrypted and verifies_tls:
            self._ssl = trusted_certificates()
        # Not aiohttp's limit: waiting for a connection must not count as connecting.
        self._slots = Semaphore(connections)
        self._connect_seconds = connect_seconds
        self._silence = silence
        self._session: aiohttp.ClientSession | None = None
        self._responses: WeakSet[aiohttp.ClientResponse] = WeakSet()
        self.is_closed = False

    async def aclose(self) -> None:
        """Close the connections; responses that are being read fail."""
        self.is_closed = True
        for response in tuple(self._responses):
            response.close()  # the session would leave their readers waiting
        if self._session is not None:
            await self._session.close()

    async def fetch(
        self,
        method: str,
        path: str,
        body: bytes | None = None,
        *,
        headers: Mapping[str, str] | None = None,
        query: Mapping[str, str] | None = None,
        limit: int,
    ) -> HttpReply:
        """Send a request and read the whole reply; see `request`."""
        if query:
            path = f"{path}?{urlencode(query)}"
        async with self.request(method, path, body, headers=headers) as response:
            return await response.read(limit)

    @asynccontextmanager
    async def request(
        self,
        method: str,
        path: str,
        body: bytes | None = None,
        *,
        headers: Mapping[str, str] | None = None,
        unpacks: bool = True,
    ) -> AsyncIterator[HttpResponse]:
        """Send a request; the response as soon as it begins, closed at the end of the block.

        `unpacks`: decompress a body that was compressed although nobody asked for that.
        Raises `HttpFailure`.
        """
        # Not the session's headers: those go to the proxy, too.
        sent = {**self._headers, **(headers or {})}
        if trace := traceparent.get():
            sent["traceparent"] = trace
        url = self.address.rstrip("/") + path if path else self.address
        async with self._slots:
            with waiting_outside():
                with http_failures():
                    response = await self._send(method, url, body, headers=sent, unpacks=unpacks)
                try:
                    yield HttpResponse(response)
                finally:
                    response.close()

    async def _send(
        self, method: str, url: str, body: bytes | None, *, headers: dict[str, str], unpacks: bool
    ) -> "aiohttp.ClientResponse":
        """Send a request, and once more if it was sent on a connection that was being closed."""
        import aiohttp  # noqa: PLC0415  # see above

        for is_last in (False, True):
            attempt = SimpleNamespace(began=monotonic(), is_on_reused_connection=False)
            try:
                response = await self._opened().request(
                    method,
                    url,
                    # A large body is sent in portions, so that other tasks get their turn.
                    data=BytesIO(body) if body and len(body) > _LARGE_BYTES else body,
                    headers=headers,
                    allow_redirects=False,
                    auto_decompress=unpacks,
                    trace_request_ctx=attempt,
                )
            except (
                aiohttp.ClientConnectionResetError,
                aiohttp.ClientOSError,
                aiohttp.ServerDisconnectedError,
            ):
                # The service closed an idle connection; later, it would have closed the request.
                is_soon = monotonic() - attempt.began < _CLOSING_SECONDS
                was_closing = attempt.is_on_reused_connection and is_soon
                if is_last or self.is_closed or not was_closing:
                    raise
            else:
                self._responses.add(response)
                return response
        raise AssertionError  # pragma: no cover  # the last attempt returns or raises

    def _opened(self) -> "aiohttp.ClientSession":
        import aiohttp  # noqa: PLC0415  # see above

        if self.is_closed:
            raise HttpFailure("closed")
        if self._session is not None:
            return self._session
        tracing = aiohttp.TraceConfig()
        tracing.on_connection_reuseconn.append(_note_reuse)
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=0, keepalive_timeout=5.0, ssl=self._ssl),
            cookie_jar=aiohttp.DummyCookieJar(),
            timeout=aiohttp.ClientTimeout(
                total=None, connect=self._connect_seconds, sock_read=self._silence
            ),
            proxy=self._proxy,
            trace_configs=[tracing],
            max_line_size=_MAX_HEADER_BYTES,
            max_field_size=_MAX_HEADER_BYTES,
            max_headers=1_000,
        )
        return self._session


async def _note_reuse(_: object, context: SimpleNamespace, __: object) -> None:
    context.trace_request_ctx.is_on_reused_connection = True


def _basic_credentials(address: SplitResult) -> dict[str, str]:
    if not (address.username or address.password):
        return {}
    pair = f"{unquote(address.username or '')}:{unquote(address.password or '')}"
    return {"Authorization": f"Basic {b64encode(pair.encode()).decode()}"}


def proxy_for(address: SplitResult) -> str | None:
    """The proxy that HTTP_PROXY, HTTPS_PROXY or ALL_PROXY name, unless NO_PROXY has the host."""
    host = address.hostname or ""
    port = address.port or (443 if address.scheme == "https" else 80)
    proxies = getproxies()
    proxy = proxies.get(address.scheme) or proxies.get("all")
    if not proxy or proxy_bypass(host if ":" in host else f"{host}:{port}"):
        return None
    problem = (
        f"the proxy that is set for {address.scheme} addresses must be an address such as "
        "http://proxy.example.com:3128; to use none for a host, name it in NO_PROXY"
    )
    return http_address(proxy if "://" in proxy else f"http://{proxy}", problem).geturl()


def trusted_certificates() -> ssl.SSLContext:
    """Those of SSL_CERT_FILE or SSL_CERT_DIR alone; without them the system's and Mozilla's."""
    import certifi  # noqa: PLC0415  # only those who encrypt need it

    # Not settings of ours: every program with OpenSSL knows these two.
    file, folder = os.environ.get("SSL_CERT_FILE"), os.environ.get("SSL_CERT_DIR")
    try:
        context = ssl.create_default_context(cafile=file, capath=None if file else folder)
    except OSError as error:
        name = "SSL_CERT_FILE" if file else "SSL_CERT_DIR"
        raise ConfigurationError(
            f"the certificates of {name} cannot be read ({file or folder}): {error}"
        ) from None
    if not (file or folder):  # small images have no certificates of their own
        context.load_verify_locations(cafile=certifi.where())
    context.set_alpn_protocols(["http/1.1"])
    return context
