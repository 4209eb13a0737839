"""Answering a share of sessions without memory, so that both can be compared."""

from enum import StrEnum
from hashlib import blake2b
from typing import Final
from uuid import UUID

_BYTES: Final = 8


class ExperimentArm(StrEnum):
    """How the questions of a session are answered while an experiment runs."""

    MEMORY = "memory"
    CONTROL = "control"
    """Without memory; what is said is stored all the same."""


def arm_of(session_id: UUID, *, share: float) -> ExperimentArm | None:
    """The arm of a session, the same on every server; None while no experiment runs.

    `share` is the part of all sessions that are answered without memory. A session of the control
    group stays in it when the share grows.
    """
    if share <= 0:
        return None
    number = int.from_bytes(blake2b(session_id.bytes, digest_size=_BYTES).digest())
    is_control = number < share * 2 ** (8 * _BYTES)
    return ExperimentArm.CONTROL if is_control else ExperimentArm.MEMORY
