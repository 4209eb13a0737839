"""Permissions told by a service of your own over HTTP."""

from collections.abc import Mapping
from http import HTTPStatus

from recollect.domain.access import Access
from recollect.domain.scope import Scope
from recollect.errors import ConfigurationError
from recollect.permissions.grants import access_from
from recollect.permissions.posting import HttpService, service_url


class PermissionsHook(HttpService):
    """A `PermissionSource` that asks `{"tenant", "user"}` and is told lists of tables."""

    def __init__(self, url: str, *, secret: str | None = None, time_limit: float = 5.0) -> None:
        headers = _headers(secret)
        super().__init__(name="the permission hook", time_limit=time_limit, headers=headers)
        self._url = service_url(url)

    async def access_of(self, scope: Scope) -> Access:
        """What the service says about the owner; see `PermissionSource.access_of`."""
        asked = {"tenant": scope.tenant, "user": scope.user}
        status, told = await self.post(self._url, asked)
        if status != HTTPStatus.OK:
            raise self.failure(f"answered with status {status}")
        try:
            return access_from(told)
        except ValueError as error:
            raise self.failure(f"sent an answer that {error}") from None


def _headers(secret: str | None) -> Mapping[str, str]:
    key = (secret or "").strip()
    if not (key.isascii() and all("!" <= character <= "~" for character in key)):
        raise ConfigurationError("MEMORY_PERMISSIONS_SECRET has characters that no header takes")
    return {"Authorization": f"Bearer {key}"} if key else {}
