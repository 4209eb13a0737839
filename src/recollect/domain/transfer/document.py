"""The document of an export: its format, its parts, and what became of them in an import."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final, Self

from recollect.domain.identity.scope import Scope
from recollect.domain.text import JsonObject, JsonValue
from recollect.errors import InvalidInput

FORMAT: Final = "recollect-export"
VERSION: Final = 1
MANIFEST: Final = "manifest.json"


class ExportFormat(StrEnum):
    """How a document is written."""

    JSON = "json"
    """One JSON document."""
    ZIP = "zip"
    """An archive with a file of JSON Lines for each part."""

    @property
    def media_type(self) -> str:
        """What HTTP calls it."""
        return f"application/{self}"


class Part(StrEnum):
    """The parts of a document, in their order."""

    PROFILE = "profile"
    STATE = "state"
    API_KEYS = "api_keys"
    FACTS = "facts"
    SESSIONS = "sessions"
    MESSAGES = "messages"
    """In one JSON document, those of each session are in it."""
    RECALL_ENTRIES = "recall_entries"
    AUDIT = "audit"

    @property
    def file_name(self) -> str:
        """The file of an archive that has it."""
        return f"{self}.jsonl"


IMPORTED: Final = (Part.PROFILE, Part.STATE, Part.FACTS, Part.SESSIONS, Part.MESSAGES)
"""The parts that an import stores: keys and the audit log stay, and turns are indexed anew."""
Counts = Mapping[Part, int]
"""How many items of each part there are."""


def header_of(scope: Scope, *, at: datetime) -> dict[str, JsonValue]:
    """What a document begins with."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "exported_at": at.isoformat().replace("+00:00", "Z"),
        "owner": {"tenant": scope.tenant, "user": scope.user},
    }


def check_header(header: JsonObject) -> None:
    """Refuse what is no export, or one of a version that is not known here."""
    if header.get("format") != FORMAT:
        raise InvalidInput("format", f"must be '{FORMAT}', before everything else")
    version = header.get("version")
    if not isinstance(version, int) or isinstance(version, bool):
        raise InvalidInput("version", f"must be {VERSION}, before everything else")
    if version != VERSION:
        problem = f"is {version}, and this version of Recollect reads {VERSION} alone"
        raise InvalidInput("version", problem)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What became of the items of one part."""

    added: int = 0
    known: int = 0
    """There already, and left as they were."""
    conflicting: int = 0
    """Not stored: another item has their place, or what they belong to is not there."""

    def __add__(self, other: Self) -> "Outcome":
        return Outcome(
            added=self.added + other.added,
            known=self.known + other.known,
            conflicting=self.conflicting + other.conflicting,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class TransferReport:
    """What became of a document that was imported."""

    profile: Outcome = Outcome()
    state: Outcome = Outcome()
    facts: Outcome = Outcome()
    sessions: Outcome = Outcome()
    messages: Outcome = Outcome()
    expired: int = 0
    """Sessions that have come to their end, and were left out with their messages."""
    withheld: int = 0
    """Messages that the export itself has not whole: their owner could not see their tables."""

    @property
    def added(self) -> int:
        """How many items are new here."""
        parts = (self.profile, self.state, self.facts, self.sessions, self.messages)
        return sum(part.added for part in parts)

    def __add__(self, other: Self) -> "TransferReport":
        return TransferReport(
            profile=self.profile + other.profile,
            state=self.state + other.state,
            facts=self.facts + other.facts,
            sessions=self.sessions + other.sessions,
            messages=self.messages + other.messages,
            expired=self.expired + other.expired,
            withheld=self.withheld + other.withheld,
        )
