"""Where an endpoint is, and what a request to it needs: headers, a proxy, certificates."""

import os
import ssl
from base64 import b64encode
from typing import Final
from urllib.request import getproxies, proxy_bypass

import certifi
from yarl import URL

from recollect.errors import ConfigurationError

_SCHEMES: Final = frozenset({"http", "https"})


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
