"""What `recollect.ports.privacy.archive.ArchiveNotes` promises, and what erasures make of it."""

import asyncio
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest

from recollect.composition import build_services
from recollect.domain.identity.scope import Scope
from recollect.errors import ArchiveUnavailable, ErasureUnderWay
from recollect.models.tokens import token_counter_for
from recollect.ports import Stores
from recollect.services.services import ServiceDependencies, Services
from recollect.system import RandomIds, SystemClock
from support.archives import files_in, folder_archive
from support.examples import a_message, a_scope, a_session, a_tenant_scope, append, start_session
from support.timeouts import PATIENCE
from support.transfers import transfer_services


class ArchiveNotesContract:
    """No receipt is signed while an archive that is not set may have sessions of the user."""

    async def test_an_archive_is_noted_once_for_an_owner_who_is_known(self, stores: Stores) -> None:
        notes, scope, now = stores.archive_notes, a_scope(), SystemClock().now()
        assert not await notes.add(scope, "folder:/a", now=now)
        await start_session(stores, scope)
        for archive in ("folder:/b", "folder:/a", "folder:/a"):
            assert await notes.add(scope, archive, now=now)
        assert await notes.of_owner(scope.owner_id) == ("folder:/a", "folder:/b")
        assert await notes.of_owner(a_scope().owner_id) == ()
        await notes.remove(scope.owner_id, "folder:/a")
        assert await notes.of_owner(scope.owner_id) == ("folder:/b",)

    async def test_an_owner_can_become_known_by_a_note_and_goes_with_the_tenant(
        self, stores: Stores
    ) -> None:
        tenant, archive = a_tenant_scope(), f"folder:/{uuid4()}"
        scope = a_scope(tenant.tenant)
        now = SystemClock().now()
        assert await stores.archive_notes.add(scope, archive, now=now, claims_owner=True)
        services = transfer_services(stores)
        begun = await services.erasing.begin_tenant(tenant)
        with pytest.raises(ArchiveUnavailable):
            await services.erasing.complete(begun)
        await services.erasing.forget_archive(archive)
        receipt = await services.erasing.complete(begun)
        assert receipt["erased"]["tenant"] == {"users": 1}  # type: ignore[index, call-overload]  # JSON

    async def test_another_archive_takes_the_place_of_one_for_all_owners(
        self, stores: Stores
    ) -> None:
        notes, now, old, new = stores.archive_notes, SystemClock().now(), str(uuid4()), str(uuid4())
        owners = [a_scope(), a_scope()]
        for scope in owners:
            await start_session(stores, scope)
            assert await notes.add(scope, old, now=now)
        assert await notes.add(owners[0], new, now=now)
        assert await notes.replace(old, by=new) == 2
        assert [await notes.of_owner(one.owner_id) for one in owners] == [(new,), (new,)]
        assert await notes.replace(new, by=None) == 2
        assert [await notes.of_owner(one.owner_id) for one in owners] == [(), ()]
        assert await notes.replace(old, by=None) == 0

    async def test_nothing_is_signed_before_the_archive_that_has_sessions_is_reached(
        self, stores: Stores, tmp_path: Path
    ) -> None:
        scope = a_scope()
        await _archived(stores, scope, tmp_path)
        without, address = transfer_services(stores), folder_archive(tmp_path).address
        begun = await without.erasing.begin(scope)
        with pytest.raises(ArchiveUnavailable) as refused:
            await without.erasing.complete(begun)
        assert "MEMORY_ARCHIVE" in str(refused.value)
        assert address in refused.value.explanation
        waiting = await without.erasing.get(scope, begun.erasure_id)
        assert (waiting.is_done, waiting.waits_for) == (False, str(refused.value))
        for archive in ("folder:/a", address):
            assert not await stores.archive_notes.add(scope, archive, now=SystemClock().now())
        with pytest.raises(ErasureUnderWay):
            await start_session(stores, scope)
        assert len(files_in(tmp_path)) == 1

        receipt: dict[str, Any] = dict(await _reaching(stores, tmp_path).erasing.complete(begun))
        assert receipt["erased"]["archive"]["sessions"] == 1
        assert receipt["verification"]["remaining"]["archive"] == {
            "sessions": 0,
            "messages": 0,
            "elsewhere": 0,
        }
        assert files_in(tmp_path) == []
        again: dict[str, Any] = dict(
            await without.erasing.complete(await without.erasing.begin(scope))
        )
        assert again["verification"]["remaining"]["archive"] == {"elsewhere": 0}

    async def test_another_archive_than_the_noted_one_is_not_enough(
        self, stores: Stores, tmp_path: Path
    ) -> None:
        first, second = tmp_path / "first", tmp_path / "second"
        first.mkdir()
        second.mkdir()
        scope = a_scope()
        await _archived(stores, scope, first)
        other = _reaching(stores, second)
        begun = await other.erasing.begin(scope)
        with pytest.raises(ArchiveUnavailable):
            await other.erasing.complete(begun)
        (file,) = files_in(first)
        moved = second / file.relative_to(first)
        moved.parent.mkdir(parents=True)
        file.rename(moved)
        assert await other.erasing.forget_archive(folder_archive(first).address) == 1
        receipt: dict[str, Any] = dict(await other.erasing.complete(begun))
        assert receipt["erased"]["archive"]["sessions"] == 1
        assert files_in(tmp_path) == []

    @pytest.mark.parametrize("part", ["session", "before"])
    async def test_a_part_needs_the_archive_too_which_stays_noted(
        self, stores: Stores, tmp_path: Path, part: str
    ) -> None:
        scope, session_id = a_scope(), uuid4()
        await _archived(stores, scope, tmp_path, session_id)
        request: dict[str, Any] = {
            "session": {"session_id": session_id},
            "before": {"before": SystemClock().now()},
        }[part]
        without = transfer_services(stores)
        begun = await without.erasing.begin(scope, **request)
        with pytest.raises(ArchiveUnavailable):
            await without.erasing.complete(begun)
        await _reaching(stores, tmp_path).erasing.complete(begun)
        assert files_in(tmp_path) == []
        address = folder_archive(tmp_path).address
        assert await stores.archive_notes.of_owner(scope.owner_id) == (address,)

    @pytest.mark.parametrize("part", ["session", "before"])
    async def test_a_part_is_done_when_each_of_two_archives_was_reached_once(
        self, stores: Stores, tmp_path: Path, part: str
    ) -> None:
        scope, session_id = a_scope(), uuid4()
        first, second = await _archived_in_two(stores, scope, tmp_path, session_id)
        request: dict[str, Any] = {
            "session": {"session_id": session_id},
            "before": {"before": SystemClock().now()},
        }[part]
        one, other = _reaching(stores, first), _reaching(stores, second)
        begun = await one.erasing.begin(scope, **request)
        with pytest.raises(ArchiveUnavailable) as refused:
            await transfer_services(stores).erasing.complete(begun)
        addresses = [folder_archive(folder).address for folder in (first, second)]
        assert f"'{addresses[0]}' and '{addresses[1]}'" in refused.value.explanation
        with pytest.raises(ArchiveUnavailable) as refused:
            await one.erasing.complete(begun)
        assert addresses[1] in refused.value.explanation
        assert addresses[0] not in refused.value.explanation
        begun = await other.erasing.get(scope, begun.erasure_id)
        receipt: dict[str, Any] = dict(await other.erasing.complete(begun))
        assert receipt["verification"]["remaining"]["archive"]["elsewhere"] == 0
        assert {*receipt["erased"]} <= {"archive", "database"}
        left = {"session": (0, 1), "before": (0, 0)}[part]
        assert (len(files_in(first)), len(files_in(second))) == left
        assert await stores.archive_notes.of_owner(scope.owner_id) == tuple(addresses)

    async def test_an_archive_that_another_was_moved_into_is_emptied_again(
        self, stores: Stores, tmp_path: Path
    ) -> None:
        scope = a_scope()
        first, second = await _archived_in_two(stores, scope, tmp_path, uuid4())
        one, without = _reaching(stores, first), transfer_services(stores)
        begun = await one.erasing.begin(scope, before=SystemClock().now())
        with pytest.raises(ArchiveUnavailable):
            await one.erasing.complete(begun)
        (file,) = files_in(second)
        moved = first / file.relative_to(second)
        moved.parent.mkdir(parents=True, exist_ok=True)
        file.rename(moved)
        assert await one.erasing.forget_archive(folder_archive(second).address) == 1
        begun = await without.erasing.get(scope, begun.erasure_id)
        with pytest.raises(ArchiveUnavailable):
            await without.erasing.complete(begun)
        await one.erasing.complete(begun)
        assert files_in(tmp_path) == []

    async def test_a_whole_tenant_waits_for_the_one_user_who_has_archived_sessions(
        self, stores: Stores, tmp_path: Path
    ) -> None:
        tenant = a_tenant_scope()
        archived, *others = [a_scope(tenant.tenant, user=f"user-{n}") for n in range(13)]
        await _archived(stores, archived, tmp_path)
        for scope in others:
            session = await start_session(stores, scope)
            await append(stores, scope, session.session_id, a_message())
        without = transfer_services(stores)
        begun = await without.erasing.begin_tenant(tenant)
        with pytest.raises(ArchiveUnavailable):
            await without.erasing.complete(begun)
        waiting = await without.erasing.get(tenant, begun.erasure_id)
        assert (waiting.is_done, waiting.counts["tenant"]) == (False, {"users": 12})
        receipt: dict[str, Any] = dict(await _reaching(stores, tmp_path).erasing.complete(begun))
        assert receipt["erased"]["tenant"] == {"users": 13}
        assert files_in(tmp_path) == []

    async def test_a_whole_tenant_waits_for_an_erasure_that_began_before_and_says_for_what(
        self, stores: Stores, tmp_path: Path
    ) -> None:
        tenant = a_tenant_scope()
        scope = a_scope(tenant.tenant)
        await _archived(stores, scope, tmp_path)
        without = transfer_services(stores)
        before = await without.erasing.begin(scope)
        begun = await without.erasing.begin_tenant(tenant)
        async with asyncio.timeout(PATIENCE):
            with pytest.raises(ArchiveUnavailable):
                await without.erasing.complete(begun)
            receipt = await _reaching(stores, tmp_path).erasing.complete(begun)
        assert receipt["what"] == "tenant"
        assert (await without.erasing.get(scope, before.erasure_id)).is_done
        assert files_in(tmp_path) == []


def _reaching(stores: Stores, folder: Path, *, clock: SystemClock | None = None) -> Services:
    """The use cases of a process with the archive in this folder."""
    needs = ServiceDependencies(
        clock=clock or SystemClock(),
        ids=RandomIds(),
        counter_for=token_counter_for,
        archive=folder_archive(folder),
    )
    return build_services(stores, needs)


async def _archived_in_two(
    stores: Stores, scope: Scope, folder: Path, session_id: UUID
) -> tuple[Path, Path]:
    """Archive this session of the owner in one archive, and another one in a second."""
    first, second = folder / "first", folder / "second"
    for place, archived in ((first, session_id), (second, uuid4())):
        place.mkdir()
        await _archived(stores, scope, place, archived)
    return first, second


async def _archived(
    stores: Stores, scope: Scope, folder: Path, session_id: UUID | None = None
) -> None:
    """Archive a session of the owner, and nobody else's, by starting another one of its id."""
    now = SystemClock().now()
    given = a_session(session_id)
    await stores.sessions.start(scope, given, now=now, expires_at=now + timedelta(seconds=5))
    await append(stores, scope, given.session_id, a_message())
    later = _reaching(stores, folder, clock=_Later())
    await later.sessions.start(scope, given)
    assert len(files_in(folder)) == 1


class _Later(SystemClock):
    """A clock that is a minute ahead."""

    def now(self) -> datetime:
        """Return the time in a minute."""
        return super().now() + timedelta(minutes=1)
