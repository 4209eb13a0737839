"""Who says whether credentials are valid."""

from typing import Protocol


class CredentialChecker(Protocol):
    """An upstream that knows users and their passwords."""

    async def user_of(self, authorization: str) -> str | None:
        """Check the value of an Authorization header; the user's name, if that is told.

        `Unauthenticated` if it is not valid, `IdentityUnavailable` if nobody can tell now.
        """
        ...
