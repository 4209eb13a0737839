"""Archives of expired sessions in folders, and sessions to be archived."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from uuid import UUID

from recollect.archives.compressed import CompressedArchive
from recollect.archives.folder import FolderObjects
from recollect.composition import build_services
from recollect.domain.conversation.session import NewSession
from recollect.domain.identity.scope import Scope
from recollect.domain.policy import Policies
from recollect.engines.in_memory import in_memory_stores
from recollect.models.tokens import token_counter_for
from recollect.ports import Stores
from recollect.ports.privacy.archive import ArchiveStore
from recollect.services.privacy.archive_access import ArchiveAccess
from recollect.services.privacy.archive_erasure import ArchivePlace, Counts
from recollect.services.services import ServiceDependencies, Services
from recollect.settings import load_settings
from recollect.testing import CountingIds, FixedClock
from support.examples import a_message

A_DAY = timedelta(days=1)


def folder_archive(folder: Path) -> CompressedArchive:
    return CompressedArchive(FolderObjects(folder))


def archiving_services(
    archive: ArchiveStore | None,
    *,
    clock: FixedClock,
    stores: Stores | None = None,
    retention: str = "fixed:1",
    keeps_for: timedelta | None = None,
) -> Services:
    """The use cases with an archive, on an engine or in memory."""
    around = ServiceDependencies(
        clock=clock,
        ids=CountingIds(),
        counter_for=token_counter_for,
        archive=archive,
        archive_retention=keeps_for,
    )
    policies: Policies = load_settings(retention=retention).policies()
    return build_services(stores or in_memory_stores(clock), around, policies)


def archive_of(services: Services) -> ArchiveAccess:
    assert services.archive is not None
    return services.archive


async def talk(services: Services, scope: Scope, session_id: UUID, *texts: str) -> None:
    """Start a session of that id if there is none, and say something in it by turns."""
    await services.sessions.start(scope, NewSession(session_id=session_id))
    roles = ("user", "assistant")
    messages = [a_message(roles[at % 2], text) for at, text in enumerate(texts)]
    await services.messages.append(scope, session_id, messages)


async def texts_of(services: Services, scope: Scope, session_id: UUID) -> list[str]:
    return [
        message.content for message in await services.messages.last(scope, session_id, count=100)
    ]


def files_in(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


@dataclass(frozen=True)
class Request:
    """What is to be erased."""

    session_id: UUID | None = None
    before: datetime | None = None


@dataclass(frozen=True)
class Erasure:
    """Of whom."""

    owner_id: UUID
    request: Request = field(default_factory=Request)


def erasing(
    archive: ArchiveStore, clock: FixedClock, recorded: dict[str, int]
) -> ArchivePlace[Erasure]:
    """The archive as a place of erasures, which adds up what is erased."""

    async def count(_: Erasure, place: str, counts: Counts) -> None:
        for kind, number in counts.items():
            key = f"{place}.{kind}"
            recorded[key] = recorded.get(key, 0) + number

    return ArchivePlace(store=archive, clock=clock, count=count)
