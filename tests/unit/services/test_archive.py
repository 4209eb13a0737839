"""Expired sessions go into the archive before they are deleted, and come back from it."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from uuid import UUID, uuid4

import pytest
import zstandard

from recollect.archives.s3 import S3Objects
from recollect.domain.identity.scope import Scope
from recollect.domain.transfer.archive import (
    ArchiveAddress,
    ArchivedSession,
    ArchiveKind,
    noted_address,
)
from recollect.domain.transfer.records import SessionRecord
from recollect.engines.in_memory import in_memory_stores
from recollect.engines.in_memory.privacy.archive import InMemoryExpiredRecords
from recollect.errors import (
    ArchivedSessionNotFound,
    ArchiveUnavailable,
    ConfigurationError,
    ContentUnreadable,
    InvalidInput,
    SessionNotFound,
)
from recollect.interfaces.worker import _clean_up
from recollect.settings import load_settings
from recollect.testing import FIRST_MOMENT, FixedClock
from support.archives import (
    A_DAY,
    Erasure,
    Request,
    archive_of,
    archiving_services,
    erasing,
    files_in,
    folder_archive,
    talk,
    texts_of,
)
from support.examples import a_scope
from support.tables import for_each
from support.transfers import exported


async def test_an_expired_session_is_one_object_with_what_an_export_has(tmp_path: Path) -> None:
    clock = FixedClock()
    services = archiving_services(folder_archive(tmp_path), clock=clock)
    scope, session_id = a_scope(user="alice@example.org"), uuid4()
    await talk(services, scope, session_id, "What were the sales?", "They were 2.5M.")
    export = await exported(services, scope)
    assert await services.retention.clean_up() == 0
    clock.move(A_DAY)

    assert await services.retention.clean_up() == 1

    (file,) = files_in(tmp_path)
    assert file.parent == tmp_path / str(scope.owner_id) / str(session_id)
    assert "alice" not in str(file.relative_to(tmp_path))
    text = zstandard.ZstdDecompressor().stream_reader(file.read_bytes()).read()
    document = json.loads(text)
    assert document["sessions"] == export["sessions"]
    assert document["owner"] == export["owner"]
    assert file.stat().st_mode & 0o077 == 0, "nobody else may read it"
    assert await services.retention.count() == 0


async def test_restored_sessions_are_what_they_were_end_as_if_used_now_and_come_once(
    tmp_path: Path,
) -> None:
    clock = FixedClock()
    services = archiving_services(folder_archive(tmp_path), clock=clock)
    scope, other, session_id = a_scope(), a_scope(), uuid4()
    for owner in (scope, other):
        await talk(services, owner, session_id, f"Hello from {owner.tenant}?", "Hello.")
    clock.move(7 * A_DAY)
    assert await services.retention.clean_up() == 2
    with pytest.raises(SessionNotFound):
        await services.sessions.get(scope, session_id)

    first = await archive_of(services).restore(scope, session_id=session_id)
    again = await archive_of(services).restore(scope)

    assert (first.sessions.added, first.messages.added) == (1, 2)
    assert (again.sessions.added, again.messages.added) == (0, 0)
    assert (again.sessions.known, again.messages.known) == (1, 2)
    assert await texts_of(services, scope, session_id) == [f"Hello from {scope.tenant}?", "Hello."]
    session = await services.sessions.get(scope, session_id)
    assert session.expires_at == clock.now() + A_DAY
    with pytest.raises(SessionNotFound):
        await services.sessions.get(other, session_id)
    with pytest.raises(ArchivedSessionNotFound):
        await archive_of(services).restore(scope, session_id=uuid4())


async def test_a_restored_session_that_goes_on_and_expires_again_replaces_its_object(
    tmp_path: Path,
) -> None:
    clock = FixedClock()
    services = archiving_services(folder_archive(tmp_path), clock=clock, retention="sliding:1")
    scope, session_id = a_scope(), uuid4()
    await talk(services, scope, session_id, "One?", "One.")
    for _ in range(2):
        clock.move(2 * A_DAY)
        await services.retention.clean_up()
        await archive_of(services).restore(scope)
        await talk(services, scope, session_id, "More?", "More.")
    clock.move(2 * A_DAY)
    await services.retention.clean_up()
    assert len(files_in(tmp_path)) == 1
    restored = await archive_of(services).restore(scope)
    assert restored.messages.added == 6


async def test_two_sessions_of_one_id_are_two_objects_and_the_last_one_comes_back(
    tmp_path: Path,
) -> None:
    """A name such as 'chat-1' stands for one id for ever."""
    clock = FixedClock()
    services = archiving_services(folder_archive(tmp_path), clock=clock)
    scope, session_id = a_scope(), uuid4()
    for text in ("First?", "Second?", "Third?"):
        await talk(services, scope, session_id, text, "Yes.")
        clock.move(A_DAY)
        if text == "First?":
            await services.retention.clean_up()  # the second is still there when the third starts
    await services.retention.clean_up()
    assert len(files_in(tmp_path)) == 3
    restored = await archive_of(services).restore(scope)
    assert (restored.sessions.added, restored.messages.added, restored.older) == (1, 2, 2)
    assert await texts_of(services, scope, session_id) == ["Third?", "Yes."]


async def test_without_its_archive_no_expired_session_is_deleted_or_replaced(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    clock = FixedClock()
    folder = tmp_path / "not mounted"
    services = archiving_services(folder_archive(folder), clock=clock)
    scope, session_id = a_scope(), uuid4()
    await talk(services, scope, session_id, "Hello?", "Hello.")
    clock.move(A_DAY)

    with pytest.raises(ArchiveUnavailable):
        await services.retention.clean_up()
    with pytest.raises(ArchiveUnavailable):
        await talk(services, scope, session_id, "Again?")
    assert await _clean_up(services, timedelta(hours=24)) == 60, "it is tried again soon"
    assert "archive.unavailable" in caplog.messages
    assert await services.retention.count() == 1
    with pytest.raises(SessionNotFound):
        await services.sessions.get(scope, session_id)
    assert not folder.exists()

    folder.mkdir()
    assert await services.retention.clean_up() == 1
    assert len(files_in(folder)) == 1


@dataclass(frozen=True, slots=True)
class UnreadableRecords(InMemoryExpiredRecords):
    """Expired sessions of which those of some owners cannot be decrypted."""

    lost: set[UUID]

    async def record(self, scope: Scope, session_id: UUID) -> SessionRecord | None:
        if scope.owner_id in self.lost:
            raise ContentUnreadable("the key of its owner is not there")
        return await InMemoryExpiredRecords.record(self, scope, session_id)


async def test_sessions_that_cannot_be_read_stay_and_keep_nobody_elses_from_the_archive(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    clock = FixedClock()
    stores = in_memory_stores(clock)
    assert isinstance(stores.expired_records, InMemoryExpiredRecords)
    lost, also_lost, other = a_scope(), a_scope(), a_scope()
    unreadable = {lost.owner_id, also_lost.owner_id}
    records = UnreadableRecords(stores.expired_records.data, unreadable)
    services = archiving_services(
        folder_archive(tmp_path), clock=clock, stores=replace(stores, expired_records=records)
    )
    for scope, count in ((lost, 40), (also_lost, 20), (other, 3)):
        for _ in range(count):
            await talk(services, scope, uuid4(), "Hello?", "Hello.")
        clock.move(timedelta(minutes=1))
    clock.move(A_DAY)

    assert await services.retention.clean_up() == 3
    assert len(files_in(tmp_path)) == 3
    assert caplog.messages.count("archive.unreadable") == 2
    assert await services.retention.count() == 60
    unreadable.clear()
    assert await services.retention.clean_up() == 60


@pytest.mark.parametrize(
    ("damage", "problem"),
    [
        (lambda raw: raw[: len(raw) // 2], "no checksum"),
        (lambda raw: b"", "no checksum"),
        (lambda raw: raw[:20] + bytes([raw[20] ^ 1]) + raw[21:], "checksum does not fit"),
    ],
)
async def test_a_broken_object_is_named_and_nothing_of_it_is_restored(
    tmp_path: Path, damage: "object", problem: str
) -> None:
    clock = FixedClock()
    services = archiving_services(folder_archive(tmp_path), clock=clock)
    scope, broken_id, whole_id = a_scope(), uuid4(), uuid4()
    for session_id in (broken_id, whole_id):
        await talk(services, scope, session_id, "Hello?", "Hello.")
    clock.move(A_DAY)
    await services.retention.clean_up()
    (file,) = files_in(tmp_path / str(scope.owner_id) / str(broken_id))
    assert callable(damage)
    file.write_bytes(damage(file.read_bytes()))

    verified = await archive_of(services).verify(None)
    restored = await archive_of(services).restore(scope)

    assert (verified.objects, verified.messages) == (2, 2)
    (error,) = verified.broken
    assert error.name == str(file.relative_to(tmp_path))
    assert problem in error.problem
    assert [one.name for one in restored.broken] == [error.name]
    assert restored.sessions.added == 1
    with pytest.raises(SessionNotFound):
        await services.sessions.get(scope, broken_id)


async def test_an_object_under_somebody_elses_name_is_broken(tmp_path: Path) -> None:
    clock = FixedClock()
    services = archiving_services(folder_archive(tmp_path), clock=clock)
    scope, other = a_scope(), a_scope()
    await talk(services, scope, uuid4(), "Hello?", "Hello.")
    clock.move(A_DAY)
    await services.retention.clean_up()
    (tmp_path / str(scope.owner_id)).rename(tmp_path / str(other.owner_id))
    (tmp_path / "notes.txt").write_text("not ours")

    verified = await archive_of(services).verify(None)
    restored = await archive_of(services).restore(other)

    problems = [error.problem for error in verified.broken]
    assert len(problems) == 2
    assert any("owner must be the one" in problem for problem in problems)
    assert any("not that of an archived session" in problem for problem in problems)
    assert restored.sessions.added == 0
    assert len(restored.broken) == 1


async def test_the_archive_itself_forgets_after_its_own_time(tmp_path: Path) -> None:
    clock = FixedClock()
    archive = folder_archive(tmp_path)
    services = archiving_services(archive, clock=clock, keeps_for=30 * A_DAY)
    scope = a_scope()
    for days in (1, 20):
        await talk(services, scope, uuid4(), "Hello?", "Hello.")
        clock.move(days * A_DAY)
        await services.retention.clean_up()
        for file in files_in(tmp_path):
            if file.stat().st_mtime > FIRST_MOMENT.timestamp() + 90 * 86400:
                os.utime(file, (clock.now().timestamp(),) * 2)
    abandoned = tmp_path / "an-owner" / ".x.json.zst.0.part"
    abandoned.parent.mkdir()
    abandoned.write_bytes(b"half")
    os.utime(abandoned, (0, 0))
    clock.move(15 * A_DAY)

    assert await services.retention.count_archived() == 1
    assert len(files_in(tmp_path)) == 3, "counting deletes nothing"
    assert await services.retention.prune_archive() == 1
    assert len(files_in(tmp_path)) == 1
    assert not abandoned.parent.exists()
    assert await services.retention.prune_archive() == 0
    kept = archiving_services(archive, clock=clock)
    clock.move(5000 * A_DAY)
    assert await kept.retention.prune_archive() == 0, "without a time it keeps everything"


async def test_a_clean_up_without_the_folder_fails_although_nothing_has_expired(
    tmp_path: Path,
) -> None:
    clock = FixedClock()
    services = archiving_services(folder_archive(tmp_path / "missing"), clock=clock)
    with pytest.raises(ArchiveUnavailable):
        await services.retention.prune_archive()


async def test_everything_of_an_owner_or_one_session_is_erased_from_the_archive(
    tmp_path: Path,
) -> None:
    clock, recorded = FixedClock(), dict[str, int]()
    archive = folder_archive(tmp_path)
    services = archiving_services(archive, clock=clock)
    scope, other = a_scope(), a_scope()
    ids = [uuid4() for _ in range(4)]
    for owner in (scope, other):
        for session_id in ids:
            await talk(services, owner, session_id, "Hello?", "Hello.")
    clock.move(A_DAY)
    await services.retention.clean_up()
    half = tmp_path / str(scope.owner_id) / str(ids[1]) / ".half.part"
    half.write_bytes(b"Hello")
    place = erasing(archive, clock, recorded)

    one = Erasure(scope.owner_id, Request(session_id=ids[0]))
    assert await place.remaining(one) == {"sessions": 1, "messages": 0}
    assert not await place.erase_some(one, limit=10)
    assert await place.remaining(one) == {"sessions": 0, "messages": 0}
    everything = Erasure(scope.owner_id)
    assert await place.remaining(everything) == {"sessions": 3, "messages": 0}
    assert await place.erase_some(everything, limit=2), "there is more"
    assert not await place.erase_some(everything, limit=2)
    assert await place.remaining(everything) == {"sessions": 0, "messages": 0}
    assert recorded == {"archive.sessions": 4, "archive.messages": 0}
    assert not (tmp_path / str(scope.owner_id)).exists()
    assert len(files_in(tmp_path)) == 4, "those of the other owner"


async def test_what_was_said_before_a_time_is_erased_and_the_rest_stays(tmp_path: Path) -> None:
    clock, recorded = FixedClock(), dict[str, int]()
    archive = folder_archive(tmp_path)
    services = archiving_services(archive, clock=clock, retention="sliding:5")
    scope = a_scope()
    old, mixed, young = uuid4(), uuid4(), uuid4()
    for session_id in (old, mixed):
        await talk(services, scope, session_id, "An old secret?", "An old answer.")
    clock.move(2 * A_DAY)
    before = clock.now()
    for session_id in (mixed, young):
        await talk(services, scope, session_id, "A new thing?", "A new answer.")
    clock.move(9 * A_DAY)
    await services.retention.clean_up()
    for file in files_in(tmp_path):
        os.utime(file, (clock.now().timestamp(),) * 2)
    place = erasing(archive, clock, recorded)
    request = Erasure(scope.owner_id, Request(before=before))

    assert await place.remaining(request) == {"sessions": 1, "messages": 2}
    assert not await place.erase_some(request, limit=10)
    assert await place.remaining(request) == {"sessions": 0, "messages": 0}
    assert recorded == {"archive.sessions": 1, "archive.messages": 2}
    verified = await archive_of(services).verify(scope)
    assert (verified.objects, verified.messages, verified.broken) == (2, 4, [])
    await archive_of(services).restore(scope)
    assert await texts_of(services, scope, mixed) == ["A new thing?", "A new answer."]
    assert (await services.sessions.get(scope, mixed)).name is None, "it was the secret"
    assert (await services.sessions.get(scope, young)).name == "A new thing?"


KILLED_WHILE_WRITING = """
import asyncio, os, signal, sys
from pathlib import Path
from recollect.archives.compressed import CompressedArchive
from recollect.archives.folder import FolderObjects

async def pieces():
    yield os.urandom(3_000_000)
    os.kill(os.getpid(), signal.SIGKILL)

asyncio.run(CompressedArchive(FolderObjects(Path(sys.argv[1]))).put(sys.argv[2], pieces()))
"""


async def test_a_writer_that_is_killed_leaves_no_object_and_the_one_before_untouched(
    tmp_path: Path,
) -> None:
    archive = folder_archive(tmp_path)
    clock = FixedClock()
    services = archiving_services(archive, clock=clock)
    scope = a_scope()
    await talk(services, scope, uuid4(), "Hello?", "Hello.")
    clock.move(A_DAY)
    await services.retention.clean_up()
    (file,) = files_in(tmp_path)
    before = file.read_bytes()
    name = str(file.relative_to(tmp_path))

    killed = subprocess.run(  # noqa: ASYNC221  # nothing else is going on
        [sys.executable, "-c", KILLED_WHILE_WRITING, str(tmp_path), name], check=False
    )

    assert killed.returncode == -9
    assert file.read_bytes() == before
    assert [stored.name async for stored in archive.list("")] == [name]
    assert len(files_in(tmp_path)) == 2, "what it had written is cleaned up later"
    assert await archive.discard_unfinished("", before=clock.now() + 100_000 * A_DAY) == 1
    assert files_in(tmp_path) == [file]


@for_each(
    ("given", "noted"),
    [
        ("folder:/srv/a", "folder:/srv/a"),
        (" folder:/srv//a/", "folder:/srv/a"),
        ("folder:/", "folder:/"),
        ("s3://bucket/", "s3://bucket"),
        ("s3://bucket/a/ at storage:9000", "s3://bucket/a at storage:9000"),
        ("folder:", "folder:"),
    ],
)
def test_an_archive_is_named_with_or_without_a_slash_at_its_end(given: str, noted: str) -> None:
    assert noted_address(given) == noted


def test_an_archive_is_known_by_its_address_without_secrets() -> None:
    assert folder_archive(Path("/srv/archive/")).address == "folder:/srv/archive"
    assert S3Objects("bucket").address == "s3://bucket"
    elsewhere = S3Objects("bucket", prefix="old", endpoint="http://me:secret@minio:9000/")
    assert elsewhere.address == "s3://bucket/old at minio:9000"


@for_each(
    ("text", "address"),
    [
        ("off", None),
        ("folder:/srv/archive", ArchiveAddress(kind=ArchiveKind.FOLDER, place="/srv/archive")),
        ("s3://bucket", ArchiveAddress(kind=ArchiveKind.S3, place="bucket")),
        ("S3://b/a/c/", ArchiveAddress(kind=ArchiveKind.S3, place="b", prefix="a/c")),
    ],
)
def test_an_archive_is_off_a_folder_or_a_bucket(text: str, address: ArchiveAddress | None) -> None:
    assert load_settings(archive=text).archive_address == address


@for_each("text", ["", "on", "folder:", "folder:relative", "s3://", "gs://bucket"])
def test_anything_else_is_no_archive(text: str) -> None:
    with pytest.raises(InvalidInput):
        ArchiveAddress.parse(text)
    with pytest.raises(ConfigurationError, match="MEMORY_ARCHIVE"):
        load_settings(archive=text)


def test_settings_of_an_archive_need_one() -> None:
    with pytest.raises(ConfigurationError, match="MEMORY_ARCHIVE_RETENTION_DAYS needs"):
        load_settings(archive_retention_days=3)


@for_each("change", [str.upper, lambda name: f"{name}.part", lambda name: name[1:]])
def test_only_the_very_name_stands_for_an_archived_session(change: "object") -> None:
    one = ArchivedSession(owner_id=uuid4(), session_id=uuid4(), created_at=FIRST_MOMENT)
    assert ArchivedSession.parse(one.name) == one
    assert callable(change)
    assert ArchivedSession.parse(change(one.name)) is None
