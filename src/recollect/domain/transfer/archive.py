"""Archived sessions: where an archive is, and what its objects are called."""

from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import PurePath
from typing import Final, Self
from uuid import UUID

from recollect.domain.identity.scope import Scope
from recollect.domain.text import JsonObject
from recollect.domain.transfer.document import check_header
from recollect.errors import InvalidInput

_SUFFIX: Final = "Z.json.zst"
_CREATED: Final = "%Y%m%dT%H%M%S.%f"
_PARTS: Final = 3
_FORMS: Final = "must be off, folder:PATH or s3://BUCKET/PREFIX"


class ArchiveKind(StrEnum):
    """What an archive is kept in."""

    FOLDER = "folder"
    S3 = "s3"


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchiveAddress:
    """Where expired sessions are archived."""

    kind: ArchiveKind
    place: str
    """The absolute path of a folder, or the name of a bucket."""
    prefix: str = ""
    """What the names of objects begin with in a bucket."""

    @classmethod
    def parse(cls, text: str) -> Self | None:
        """Read 'folder:PATH' or 's3://BUCKET/PREFIX'; None for 'off'.

        Raises:
            InvalidInput: it is neither, or the path is not absolute.
        """
        given = text.strip()
        if given.lower() == "off":
            return None
        if given.lower().startswith("s3://"):
            bucket, _, prefix = given[len("s3://") :].partition("/")
            if not bucket:
                raise InvalidInput("archive", _FORMS)
            return cls(kind=ArchiveKind.S3, place=bucket, prefix=prefix.strip("/"))
        kind, _, path = given.partition(":")
        if kind.lower() != ArchiveKind.FOLDER or not path:
            raise InvalidInput("archive", _FORMS)
        if not PurePath(path).is_absolute():
            raise InvalidInput("archive", "must name the folder by an absolute path")
        return cls(kind=ArchiveKind.FOLDER, place=path)


def noted_address(given: str) -> str:
    """Write the address of an archive as it is noted: without slashes at its end."""
    address = given.strip()
    kind, _, path = address.partition(":")
    if kind.lower() == ArchiveKind.FOLDER and path:
        return f"{ArchiveKind.FOLDER}:{PurePath(path)}"
    bucket, at, server = address.partition(" at ")
    return f"{bucket.rstrip('/')}{at}{server}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchivedSession:
    """An archived session as its object's name tells: nobody is named in it.

    A session that is started again under its old id is another one, told apart by its creation.
    """

    owner_id: UUID
    session_id: UUID
    created_at: datetime

    @property
    def name(self) -> str:
        """What the object is called; the same whenever the session is archived."""
        created = self.created_at.astimezone(UTC).strftime(_CREATED)
        return f"{prefix_of(self.owner_id, self.session_id)}{created}{_SUFFIX}"

    @classmethod
    def parse(cls, name: str) -> Self | None:
        """Read the name of an object; None for what is no archived session."""
        parts = name.split("/")
        if len(parts) != _PARTS or not parts[-1].endswith(_SUFFIX):
            return None
        owner, session, created = parts
        try:
            moment = datetime.strptime(created.removesuffix(_SUFFIX), _CREATED).replace(tzinfo=UTC)
            read = cls(
                owner_id=UUID(owner),
                session_id=UUID(session),
                created_at=moment,
            )
        except ValueError:
            return None
        return read if read.name == name else None

    def check_header(self, header: JsonObject) -> None:
        """Refuse a document of another owner than the name tells."""
        check_header(header)
        owner = header.get("owner")
        names = owner if isinstance(owner, dict) else {}
        of_document = Scope(
            tenant=str(names.get("tenant")), user=str(names.get("user")), is_stored=True
        )
        if of_document.owner_id != self.owner_id:
            raise InvalidInput("owner", "must be the one that the name of the object stands for")

    def check_session(self, session_id: UUID, *, created_at: datetime) -> None:
        """Refuse another session than the name tells."""
        if (session_id, created_at) != (self.session_id, self.created_at):
            raise InvalidInput("session_id", "must be that of the name of the object")


def prefix_of(owner_id: UUID | None, session_id: UUID | None = None) -> str:
    """What the names of an owner's objects begin with, or those of one session; None: all."""
    if owner_id is None:
        return ""
    return f"{owner_id}/" if session_id is None else f"{owner_id}/{session_id}/"
