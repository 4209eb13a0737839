"""The real clock and real chance."""

import secrets
from datetime import UTC, datetime
from uuid import UUID, uuid4


class SystemClock:
    """Tells the machine's time."""

    def now(self) -> datetime:
        """The current time, aware, in UTC."""
        return datetime.now(UTC)


class RandomIds:
    """Gives out random ids and secrets."""

    def new_id(self) -> UUID:
        """A random UUID."""
        return uuid4()

    def new_secret(self, size: int) -> bytes:
        """So many bytes from the system's generator."""
        return secrets.token_bytes(size)
