"""The connections to one endpoint: its address, headers, proxy and certificates."""

import os
import ssl
from base64 import b64encode
from io import BytesIO
from time import monotonic
from types import SimpleNamespace
from typing import Final
from urllib.request import getproxies, proxy_bypass
from weakref import WeakSet

import aiohttp
import certifi
from yarl import URL

from recollect.errors import ConfigurationError

_SCHEMES: Final = frozenset({"http", "https"})
_CONNECT_SECONDS: Final = 5.0
_IDLE_SECONDS: Final = 5.0
_CLOSING_SECONDS: Final = 1.0
_LARGE_BYTES: Final = 2**20
_MAX_HEADER_BYTES: Final = 100_000
_MAX_HEADERS: Final = 1_000
_TROUBLES: Final[tuple[tuple[type[Exception], str], ...]] = (
    (aiohttp.ConnectionTimeoutError, "ConnectTimeout"),
    (aiohttp.ServerTimeoutError, "ReadTimeout"),
    (aiohttp.ClientConnectorError, "ConnectError"),
    (aiohttp.ClientHttpProxyError, "ProxyError"),
    (aiohttp.ClientOSError, "ReadError"),
    (aiohttp.ServerDisconnectedError, "RemoteProtocolError"),
    (aiohttp.ClientPayloadError, "RemoteProtocolError"),
    (aiohttp.ClientResponseError, "RemoteProtocolError"),
    (TimeoutError, "WriteTimeout"),
)
_HANGING_UP: Final = (
    aiohttp.ClientConnectionResetError,
    aiohttp.ClientOSError,
    aiohttp.ServerDisconnectedError,
)


def endpoint_address(base_url: str, settings: str) -> URL:
    """Where an endpoint is; `settings` is what its settings start with."""
    given = base_url.strip().rstrip("/")
    try:
        url = URL(given if given.isprintable() else "")
    except ValueError:
        url = URL()
    if url.scheme not in _SCHEMES or not url.host:
        raise ConfigurationError(
            f"{settings}_BASE_URL must be an address such as http://127.0.0.1:11434/v1"
        )
    return url


def endpoint_headers(url: URL, api_key: str | None, settings: str) -> dict[str, str]:
    """What every request to an endpoint carries; a name and password in its address come first."""
    # Uncompressed, so that the limit on the answer's size is one on memory too.
    headers = {
        "Accept": "*/*",
        "Accept-Encoding": "identity",
        "Content-Type": "application/json",
        "User-Agent": "recollect",
    }
    key = (api_key or "").strip()
    if not (key.isascii() and all("!" <= character <= "~" for character in key)):
        raise ConfigurationError(f"{settings}_API_KEY has characters that no API key has")
    if url.raw_user or url.raw_password:
        named = f"{url.user or ''}:{url.password or ''}".encode()
        return headers | {"Authorization": f"Basic {b64encode(named).decode()}"}
    return headers | ({"Authorization": f"Bearer {key}"} if key else {})


def proxy_for(url: URL) -> URL | None:
    """The proxy that HTTP_PROXY, HTTPS_PROXY or ALL_PROXY name, unless NO_PROXY has the host."""
    host = url.host or ""
    known = getproxies()
    address = known.get(url.scheme) or known.get("all")
    if not address or proxy_bypass(host if ":" in host else f"{host}:{url.port}"):
        return None
    try:
        proxy = URL(address if "://" in address else f"http://{address}")
    except ValueError:
        proxy = URL()
    if proxy.scheme not in _SCHEMES or not proxy.host:
        raise ConfigurationError(
            f"the proxy that is set for {url.scheme} addresses must be an address such as "
            "http://proxy.example.com:3128; to use none for a host, name it in NO_PROXY"
        )
    return proxy


def trusted_certificates() -> ssl.SSLContext:
    """Those of SSL_CERT_FILE or SSL_CERT_DIR alone; without them the system's and Mozilla's."""
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


class _Attempt:
    """What becomes known of a request on its way."""

    def __init__(self) -> None:
        self._began = monotonic()
        self.is_on_kept_connection = False

    @property
    def was_on_closing_connection(self) -> bool:
        """Whether the endpoint hung up on the connection; later, it did on the request."""
        return self.is_on_kept_connection and monotonic() - self._began < _CLOSING_SECONDS


class HttpConnections:
    """Sends requests to the paths of one address; close it with `aclose`.

    It can be made anywhere, and belongs to the event loop that sends the first request. Redirects
    are not followed and cookies not kept: what an endpoint gives one user must not go with
    another's request.
    """

    def __init__(
        self,
        base_url: str,
        *,
        settings: str,
        api_key: str | None = None,
        limit: int = 0,
        silence: float | None = None,
    ) -> None:
        """`limit`: so many at once; `silence`: so many seconds without a byte are trouble."""
        address = endpoint_address(base_url, settings)
        self._headers = endpoint_headers(address, api_key, settings)
        self._address = address.with_user(None)
        self._proxy = proxy_for(address)
        is_encrypted = "https" in {address.scheme, self._proxy.scheme if self._proxy else ""}
        self._certificates = trusted_certificates() if is_encrypted else None
        self._limit = limit
        self._silence = silence
        self._session: aiohttp.ClientSession | None = None
        self._responses: WeakSet[aiohttp.ClientResponse] = WeakSet()
        self.is_closed = False

    def url(self, path: str) -> URL:
        """Where a path is."""
        return URL(f"{self._address}{path}")

    async def send(
        self, method: str, url: URL, body: bytes | None = None, *, unpacks: bool = False
    ) -> aiohttp.ClientResponse:
        """The response as soon as it begins; whoever asked closes it.

        `unpacks`: a body that comes compressed, though nobody asked for it, is read all the same.
        An endpoint may close a kept connection in the moment it is used: then the request is sent
        once more, on another. Raises `aiohttp.ClientError`; `trouble` says which.
        """
        attempt = _Attempt()
        try:
            return await self._try(attempt, method, url, body, unpacks=unpacks)
        except _HANGING_UP:
            if self.is_closed or not attempt.was_on_closing_connection:
                raise
        return await self._try(_Attempt(), method, url, body, unpacks=unpacks)

    async def _try(
        self, attempt: _Attempt, method: str, url: URL, body: bytes | None, *, unpacks: bool
    ) -> aiohttp.ClientResponse:
        response = await self._opened().request(
            method,
            url,
            data=_in_portions(body),
            headers=self._headers,  # not the session's: it would give them to the proxy, too
            allow_redirects=False,
            auto_decompress=unpacks,
            trace_request_ctx=attempt,
        )
        self._responses.add(response)
        return response

    async def aclose(self) -> None:
        """Close the connections; nothing is sent any more, and what is being read ends here."""
        self.is_closed = True
        for response in tuple(self._responses):
            response.close()  # the session would leave its reader waiting
        if self._session is not None:
            await self._session.close()

    def _opened(self) -> aiohttp.ClientSession:
        if self.is_closed:
            raise aiohttp.ClientConnectionError("the connections to the endpoint were closed")
        if self._session is None:
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(
                    limit=self._limit,
                    keepalive_timeout=_IDLE_SECONDS,
                    ssl=self._certificates or True,
                ),
                cookie_jar=aiohttp.DummyCookieJar(),
                timeout=aiohttp.ClientTimeout(
                    total=None, connect=_CONNECT_SECONDS, sock_read=self._silence
                ),
                proxy=self._proxy,
                trace_configs=[_tracing()],
                max_line_size=_MAX_HEADER_BYTES,
                max_field_size=_MAX_HEADER_BYTES,
                max_headers=_MAX_HEADERS,
            )
        return self._session


def _in_portions(body: bytes | None) -> bytes | BytesIO | None:
    """A large body is sent bit by bit, so that others get their turn."""
    return BytesIO(body) if body and len(body) > _LARGE_BYTES else body


def _tracing() -> aiohttp.TraceConfig:
    tracing = aiohttp.TraceConfig()
    tracing.on_connection_reuseconn.append(_note_kept)
    return tracing


async def _note_kept(_session: aiohttp.ClientSession, context: SimpleNamespace, _: object) -> None:
    context.trace_request_ctx.is_on_kept_connection = True


def trouble(error: Exception) -> str:
    """What went wrong, in a word: the error's own text may quote headers."""
    kinds = (name for kind, name in _TROUBLES if isinstance(error, kind))
    return next(kinds, type(error).__name__)
