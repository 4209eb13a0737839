"""An archive in a bucket of S3, or of a server with the same interface."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from secrets import token_hex
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

import obstore
from obstore.exceptions import BaseError
from obstore.store import S3Store

from recollect.errors import (
    ArchivedSessionNotFound,
    ArchiveUnavailable,
    ConfigurationError,
)
from recollect.ports.privacy.archive import StoredObject

if TYPE_CHECKING:
    from obstore.store import S3Config

_PART: Final = 8 * 1024 * 1024
"""What is larger is sent in parts of this size."""
_AT_ONCE: Final = 2
"""Parts of one object that are sent at the same time."""
_SECONDS: Final = 30.0
_NOBODYS: Final = "00000000-0000-0000-0000-000000000000/"
"""What the names of no sessions begin with, but those of probes."""
_PROBE: Final = b"written, read and deleted to see whether that can be done"
_RETRIES: Final = 3


class S3Objects:
    """Implements `recollect.archives.objects.ObjectStore`.

    Credentials and the region come from the environment, as for Amazon's own tools.
    """

    def __init__(self, bucket: str, *, prefix: str = "", endpoint: str | None = None) -> None:
        self._is_probed = False
        self._address = "/".join(part for part in (f"s3://{bucket}", prefix) if part)
        if endpoint is not None:
            self._address += f" at {urlsplit(endpoint).netloc.rpartition('@')[2]}"
        config: S3Config = {} if endpoint is None else {"endpoint": endpoint}
        is_plain = endpoint is not None and endpoint.lower().startswith("http://")
        try:
            self._store = S3Store(
                bucket,
                prefix=prefix or None,
                config=config,
                client_options={
                    "allow_http": is_plain,
                    "connect_timeout": timedelta(seconds=5),
                    "timeout": timedelta(seconds=_SECONDS),
                },
                retry_config={
                    "max_retries": _RETRIES,
                    "retry_timeout": timedelta(seconds=_SECONDS),
                },
            )
        except (BaseError, ValueError) as error:
            raise ConfigurationError(f"MEMORY_ARCHIVE cannot be used: {error}") from error

    @property
    def address(self) -> str:
        """The bucket as `MEMORY_ARCHIVE` names it, and the server where it is not Amazon's."""
        return self._address

    async def check(self) -> None:
        """Look whether the bucket answers; at first also whether objects can be stored in it.

        Later looks only list: each probe is paid for, and a bucket with versions keeps all of them.
        """
        async for _ in self.list(_NOBODYS):
            break
        if not self._is_probed:
            await self._probe(f"{_NOBODYS}probe-{token_hex(8)}")
            self._is_probed = True

    async def _probe(self, name: str) -> None:
        """Write, read and delete an object, as archiving, restoring and erasures do."""
        step = "written to"
        try:
            with _reported():
                await obstore.put_async(self._store, name, _PROBE, use_multipart=False)
            step = "read from"
            read = b"".join([piece async for piece in self.read(name)])
            step = "deleted from"
            await self.delete(name)
        except (ArchiveUnavailable, ArchivedSessionNotFound) as error:
            problem = f"the bucket answers, but cannot be {step}"
            raise ArchiveUnavailable(problem, reason=_reason(error)) from error
        if read != _PROBE:
            raise ArchiveUnavailable("the archive does not return what was written")

    async def put(self, name: str, pieces: AsyncIterator[bytes]) -> None:
        """Send the bytes at once, or in parts if there are many; there is no half object."""
        first = bytearray()
        async for piece in pieces:
            first += piece
            if len(first) > _PART:
                break
        else:
            with _reported():
                await obstore.put_async(self._store, name, bytes(first), use_multipart=False)
            return
        await self._put_in_parts(name, bytes(first), pieces)

    async def _put_in_parts(self, name: str, first: bytes, rest: AsyncIterator[bytes]) -> None:
        failures: list[BaseException] = []

        async def all_pieces() -> AsyncIterator[bytes]:
            yield first
            try:
                async for piece in rest:
                    yield piece
            except (Exception, asyncio.CancelledError) as error:
                failures.append(error)
                raise

        try:
            with _reported():
                await obstore.put_async(
                    self._store,
                    name,
                    all_pieces(),
                    chunk_size=_PART,
                    max_concurrency=_AT_ONCE,
                )
        except Exception:
            if failures:  # what stopped it, in place of what the client made of that
                raise failures[0] from None
            raise

    async def read(self, name: str) -> AsyncGenerator[bytes, None]:
        """Receive an object piece by piece."""
        with _reported(name):
            result = await obstore.get_async(self._store, name)
            async for piece in result.stream():
                yield bytes(piece)

    async def list(self, prefix: str) -> AsyncIterator[StoredObject]:
        """List a page at a time."""
        with _reported():
            async for page in obstore.list(self._store, prefix=prefix.rstrip("/") or None):
                for one in page:
                    if one["path"].startswith(_NOBODYS):
                        continue
                    yield StoredObject(one["path"], one["size"], one["last_modified"])

    async def delete(self, name: str) -> None:
        """Delete an object, if it is there."""
        with _reported():
            try:
                await obstore.delete_async(self._store, name)
            except FileNotFoundError:
                return

    async def discard_unfinished(self, prefix: str, *, before: datetime) -> int:  # noqa: ARG002
        """Delete nothing: unfinished uploads are no objects; a rule of the bucket ends them."""
        return 0


@contextmanager
def _reported(name: str = "") -> Iterator[None]:
    """Turn the client's errors into ours."""
    try:
        yield
    except FileNotFoundError as error:
        if name:
            raise ArchivedSessionNotFound(name) from None
        raise _unavailable(error) from error
    except (BaseError, OSError) as error:
        raise _unavailable(error) from error


def _reason(error: ArchiveUnavailable | ArchivedSessionNotFound) -> str:
    return error.reason if isinstance(error, ArchiveUnavailable) else "it is not there again"


def _unavailable(error: Exception) -> ArchiveUnavailable:
    reason = str(error).partition("\n")[0]
    return ArchiveUnavailable("the archive does not answer as it should", reason=reason)
