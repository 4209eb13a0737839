"""What one of the doctor's checks found."""

from dataclasses import dataclass
from enum import StrEnum


class Status(StrEnum):
    """How a check came out."""

    OK = "ok"
    WARNING = "warning"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What one check found, and what to do about it."""

    check: str
    status: Status
    found: str
    advice: str = ""


def ok(check: str, found: str) -> Finding:
    """All is well."""
    return Finding(check=check, status=Status.OK, found=found)


def warning(check: str, found: str, advice: str) -> Finding:
    """Something to know; `serve` works all the same."""
    return Finding(check=check, status=Status.WARNING, found=found, advice=advice)


def failed(check: str, found: str, advice: str) -> Finding:
    """Something that `serve` needs is not there."""
    return Finding(check=check, status=Status.FAILED, found=found, advice=advice)
