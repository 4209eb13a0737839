"""Who may call, where, and what they may see."""

import asyncio
import errno
from collections.abc import AsyncIterator
from urllib.parse import urlsplit

from recollect.adapters import open_permissions
from recollect.domain.identity.permissions import PermissionKind
from recollect.domain.identity.scope import Scope
from recollect.errors import ConfigurationError
from recollect.extras import require
from recollect.interfaces.cli.doctor.findings import Finding, check, failed, ok, warning
from recollect.interfaces.http.serving.listener import listening
from recollect.settings import Settings


@check("access")
async def check_access(settings: Settings) -> AsyncIterator[Finding]:
    """Who may call."""
    if settings.is_local_mode:
        observation = f"one local user ({settings.local_user}), loopback only"
        yield ok(observation, "to serve others, set MEMORY_USER_ID_SOURCE")
    else:
        yield ok(f"users told by {settings.user_id_source}")
    if settings.allow_anonymous:
        advice = "meant? MEMORY_ALLOW_ANONYMOUS=false refuses them"
        yield warning("callers without credentials are served, too", advice)


@check("token keys", "check MEMORY_JWT_JWKS_URL")
async def check_token_keys(settings: Settings) -> AsyncIterator[Finding]:
    """Whether the keys that tokens are checked with can be fetched."""
    if settings.jwt_jwks_url:
        # Loaded here: it is an extra's.
        require("jwt", "MEMORY_JWT_JWKS_URL")
        from recollect.interfaces.http.credentials import fetch_keys  # noqa: PLC0415

        yield ok(f"{await asyncio.to_thread(fetch_keys, settings)} keys")


@check("address")
async def check_address(settings: Settings) -> AsyncIterator[Finding]:
    """Whether the server's address is free."""
    place = f"{settings.host}:{settings.port}"
    try:
        listening(settings.host, settings.port)[0].close()
    except ConfigurationError as error:
        if isinstance(error.__cause__, OSError) and error.__cause__.errno == errno.EADDRINUSE:
            advice = "well, if it is this server; otherwise choose another MEMORY_PORT"
            yield warning(f"a program listens on {place} already", advice)
            return
        observation, _, advice = str(error).partition("; ")
        yield failed(observation, advice)
    else:
        yield ok(f"{place} is free")


@check(
    "permissions",
    "check MEMORY_PERMISSIONS; until it answers nothing that draws on a table is shown",
)
async def check_permissions(settings: Settings) -> AsyncIterator[Finding]:
    """Whether the source of permissions answers."""
    address = settings.permission_address
    if address is not None and address.kind is PermissionKind.DENODO:
        # It answers only those who log in.
        url = urlsplit(address.target)
        port = url.port or (443 if url.scheme == "https" else 80)
        _, writer = await asyncio.open_connection(url.hostname, port)
        writer.close()
        yield ok("the Data Catalog can be reached")
        return
    async with open_permissions(settings) as source:
        if source is not None:
            await source.access_of(Scope(tenant=settings.tenant, user=settings.local_user))
            yield ok("the source answers")
