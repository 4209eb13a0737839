"""The users of a tenant, for those who operate it."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from recollect.domain.activity import ListedUser
from recollect.domain.conversation.paging import OwnerPosition, Page, PageRequest
from recollect.domain.facts.fact import FactStatus
from recollect.domain.identity.audit import AuditAction
from recollect.domain.identity.scope import Scope, TenantScope
from recollect.errors import ContentUnreadable
from recollect.ports.facts import FactStore
from recollect.ports.privacy.transfer import OwnerDirectory, OwnerPlace
from recollect.ports.statistics import ActivityStore
from recollect.services.audit.operations import Audited, audited


@dataclass(frozen=True, slots=True)
class _Place:
    """An owner of a tenant by the id alone."""

    tenant: str
    owner_id: UUID


@dataclass(frozen=True, slots=True, kw_only=True)
class Users(Audited):
    """Lists who has something stored, and how much; no text of it is read."""

    owners: OwnerDirectory
    activity: ActivityStore | None
    """None for an engine that does not count."""
    facts: FactStore

    @audited(AuditAction.USER_READ)
    async def list(self, scope: TenantScope, page: PageRequest) -> Page[ListedUser]:
        """A page of a tenant's users, by their pseudonyms; not of those who are being erased."""
        position = page.position(OwnerPosition)
        after = None if position is None else _Place(scope.tenant, position.owner_id)
        users = await self._users(scope.tenant, after, page.limit + 1)
        shown = page.page([(user, OwnerPosition(user.owner_id)) for user in users])
        listed = [await self._listed(user) for user in shown.items]
        return Page(items=tuple(listed), next_cursor=shown.next_cursor)

    async def _users(self, tenant: str, after: OwnerPlace | None, limit: int) -> Sequence[Scope]:
        found: list[Scope] = []
        while len(found) < limit:
            owners = await self.owners.owners(after=after, limit=limit, tenant=tenant)
            if not owners:
                break
            found += [one for one in owners if isinstance(one, Scope)]
            after = owners[-1]
        return found[:limit]

    async def _listed(self, user: Scope) -> ListedUser:
        totals = None if self.activity is None else await self.activity.totals(user)
        return ListedUser(
            user=user.user,
            owner_id=user.owner_id,
            sessions=None if totals is None else totals.sessions,
            messages=None if totals is None else totals.messages,
            facts=await self._active_facts(user),
            last_active_at=None if totals is None else totals.last_active_at,
        )

    async def _active_facts(self, user: Scope) -> int | None:
        try:
            stats = await self.facts.stats(user)
        except ContentUnreadable:
            return None
        return stats.by_status.get(FactStatus.ACTIVE, 0)
