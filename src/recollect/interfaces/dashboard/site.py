"""What all pages of the dashboard share."""

from dataclasses import dataclass, field
from functools import partial
from typing import Final

from fastapi import Request
from jinja2 import Environment

from recollect.domain.facts.stored import FactStats
from recollect.domain.identity.scope import Scope
from recollect.interfaces.dashboard.cookies import CookieCodec
from recollect.interfaces.dashboard.languages import Languages
from recollect.interfaces.dashboard.recent import Key, RecentResults
from recollect.memory import Memory
from recollect.services.services import Services
from recollect.settings import Settings

_CURRENT_SECONDS: Final = 3.0
_PURPOSE: Final = "cookie of the dashboard"


@dataclass(slots=True, kw_only=True)
class Site:
    """The memory that is shown, the settings, the templates and the texts."""

    memory: Memory
    settings: Settings
    templates: Environment
    languages: Languages
    recent: RecentResults = field(default_factory=lambda: RecentResults(seconds=_CURRENT_SECONDS))
    """Counts and figures that may be some seconds old."""
    _codec: CookieCodec | None = None

    @property
    def services(self) -> Services:
        """The use cases."""
        return self.memory.services

    async def fact_stats(self, scope: Scope, *, has_changed: bool = False) -> FactStats:
        """How many facts there are; as they are now where the visitor has changed some."""
        read = partial(self.services.facts.stats, scope)
        key = Key("facts", scope.owner_id, scope.actor)
        return await (self.recent.renewed if has_changed else self.recent.get)(key, read)

    async def codec(self) -> CookieCodec:
        """What writes and reads the cookie; its key is read from the database once."""
        if self._codec is None:
            key = await self.services.erasing.key_for(_PURPOSE)
            idle = self.settings.dashboard_idle_minutes * 60
            self._codec = CookieCodec(key, idle_seconds=idle)
        return self._codec


def site_of(request: Request) -> Site:
    """The dashboard that a request belongs to."""
    site: Site = request.app.state.dashboard
    return site
