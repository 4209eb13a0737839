"""An archive in a folder: a file an object, durable before it has its name."""

import asyncio
import os
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from secrets import token_hex
from typing import BinaryIO, Final

from recollect.errors import ArchivedSessionNotFound, ArchiveUnavailable
from recollect.ports.privacy.archive import StoredObject

_CHUNK: Final = 1024 * 1024
_UNFINISHED: Final = ".part"
_FOR_US_ALONE: Final = 0o700


class FolderObjects:
    """Implements `recollect.archives.objects.ObjectStore`.

    The folder itself is never made: one that is missing may be a disk that is not mounted.
    """

    def __init__(self, root: Path) -> None:
        self._root = root

    @property
    def address(self) -> str:
        """The folder as `MEMORY_ARCHIVE` names it."""
        return f"folder:{self._root}"

    async def check(self) -> None:
        """Look whether the folder is there, and ours to write to."""
        with _reported():
            await asyncio.to_thread(self._check_writable)

    async def put(self, name: str, pieces: AsyncIterator[bytes]) -> None:
        """Write a file beside, flush it to the disk, and give it its name."""
        path = self._root / name
        unfinished = path.with_name(f".{path.name}.{token_hex(8)}{_UNFINISHED}")
        with _reported():
            file = await asyncio.to_thread(self._begin, unfinished)
        try:
            async for piece in pieces:
                with _reported():
                    await asyncio.to_thread(file.write, piece)
            with _reported():
                await asyncio.to_thread(self._finish, file, unfinished, path)
        except BaseException:
            file.close()
            with suppress(OSError):
                unfinished.unlink()
            raise

    async def read(self, name: str) -> AsyncGenerator[bytes, None]:
        """Read a file piece by piece."""
        with _reported(name):
            file = await asyncio.to_thread((self._root / name).open, "rb")
            with file:
                while piece := await asyncio.to_thread(file.read, _CHUNK):
                    yield piece

    async def list(self, prefix: str) -> AsyncIterator[StoredObject]:
        """Walk through the folders in the order of their names; a folder at a time is read."""
        with _reported():
            await asyncio.to_thread(self._check_root)
        waiting: deque[Path | StoredObject] = deque([self._root / prefix])
        while waiting:
            first = waiting.popleft()
            if isinstance(first, StoredObject):
                yield first
                continue
            with _reported():
                waiting.extendleft(reversed(await asyncio.to_thread(self._entries, first)))

    async def delete(self, name: str) -> None:
        """Delete a file, and the folders that are empty then."""
        with _reported():
            await asyncio.to_thread(self._delete, self._root / name)

    async def discard_unfinished(self, prefix: str, *, before: datetime) -> int:
        """Delete files that never got their names."""
        with _reported():
            return await asyncio.to_thread(self._discard_unfinished, prefix, before)

    def _check_root(self) -> None:
        if not self._root.is_dir():
            raise FileNotFoundError(0, "the folder is not there", str(self._root))

    def _check_writable(self) -> None:
        self._check_root()
        if not os.access(self._root, os.R_OK | os.W_OK | os.X_OK):
            raise PermissionError(0, "the folder cannot be written to", str(self._root))

    def _begin(self, path: Path) -> BinaryIO:
        self._check_root()
        path.parent.mkdir(mode=_FOR_US_ALONE, parents=True, exist_ok=True)
        return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb")

    def _finish(self, file: BinaryIO, unfinished: Path, path: Path) -> None:
        file.flush()
        os.fsync(file.fileno())
        file.close()
        unfinished.replace(path)
        self._flush_folders(path)

    def _flush_folders(self, path: Path) -> None:
        """Flush the folders above a file: another process may have made them just now."""
        for folder in path.parents:
            with suppress(FileNotFoundError):
                descriptor = os.open(folder, os.O_RDONLY)
                try:
                    os.fsync(descriptor)
                finally:
                    os.close(descriptor)
            if folder == self._root:
                return

    def _entries(self, folder: Path) -> Sequence[Path | StoredObject]:
        """The folders and objects in a folder, in the order of objects; none if it is gone."""
        found: dict[str, Path | StoredObject] = {}
        with suppress(FileNotFoundError, NotADirectoryError), os.scandir(folder) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    found[f"{entry.name}/"] = Path(entry.path)
                elif not entry.name.endswith(_UNFINISHED):
                    with suppress(FileNotFoundError):
                        found[entry.name] = self._object(entry)
        return [found[name] for name in sorted(found)]

    def _object(self, entry: os.DirEntry[str]) -> StoredObject:
        status = entry.stat(follow_symlinks=False)
        name = Path(entry.path).relative_to(self._root).as_posix()
        stored_at = datetime.fromtimestamp(status.st_mtime, UTC)
        return StoredObject(name, status.st_size, stored_at)

    def _delete(self, path: Path) -> None:
        self._check_root()
        path.unlink(missing_ok=True)
        self._flush_folders(path)
        for folder in path.parents:
            if folder == self._root:
                return
            try:
                folder.rmdir()
            except OSError:  # it has other objects, or is gone
                return

    def _discard_unfinished(self, prefix: str, before: datetime) -> int:
        self._check_root()
        count = 0
        for folder, _, names in os.walk(self._root / prefix):
            for name in names:
                path = Path(folder, name)
                with suppress(FileNotFoundError):
                    is_left = name.endswith(_UNFINISHED)
                    if is_left and path.stat().st_mtime < before.timestamp():
                        self._delete(path)
                        count += 1
        return count


@contextmanager
def _reported(name: str = "") -> Iterator[None]:
    """Turn the errors of the file system into ours."""
    try:
        yield
    except OSError as error:
        if name and isinstance(error, FileNotFoundError):
            raise ArchivedSessionNotFound(name) from None
        raise ArchiveUnavailable(
            "the archive does not answer as it should",
            reason=f"{error.strerror or type(error).__name__}: {error.filename}",
        ) from error
