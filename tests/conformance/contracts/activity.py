"""What `recollect.ports.statistics.ActivityStore` promises."""

from datetime import timedelta

from recollect.domain.activity import DayOfActivity, OwnerTotals
from recollect.domain.identity.audit import AuditAction, OwnedEntry
from recollect.ports import Stores
from recollect.testing import FIRST_MOMENT
from support.examples import a_scope, append, messages_of, start_session


class ActivityStoreContract:
    """Counts by day."""

    async def test_days_count_what_happened_on_them_to_the_owner_alone(
        self, stores: Stores
    ) -> None:
        assert stores.activity is not None
        scope, since = a_scope(), FIRST_MOMENT - timedelta(days=1)
        session = await start_session(stores, scope)
        await append(stores, scope, session.session_id, *messages_of("user", "assistant"))
        await stores.audit.append(
            [
                OwnedEntry.of(scope, AuditAction.CONTEXT_READ, count=count, at=FIRST_MOMENT)
                for count in (0, 3)
            ]
        )
        gone = OwnedEntry.of(scope, AuditAction.SESSION_EXPIRED, count=9, at=FIRST_MOMENT)
        await stores.audit.append([gone])
        assert await stores.activity.by_day(scope, since=since) == (
            DayOfActivity(
                day=FIRST_MOMENT.date(),
                sessions=1,
                messages=2,
                contexts=2,
                contexts_with_memory=1,
                expired=1,
            ),
        )
        later = FIRST_MOMENT + timedelta(days=2)
        assert await stores.activity.by_day(scope, since=later) == ()
        assert await stores.activity.by_day(a_scope(), since=since) == ()

    async def test_sessions_that_expire_until_a_time_are_counted(self, stores: Stores) -> None:
        assert stores.activity is not None
        scope = a_scope()
        far = FIRST_MOMENT + timedelta(days=36_500)
        await start_session(stores, scope, expires_at=far)
        await start_session(stores, scope)
        assert await stores.activity.expiring(scope, until=far) == 1
        assert await stores.activity.expiring(scope, until=far - timedelta(seconds=1)) == 0

    async def test_totals_are_of_what_the_owner_has_now(self, stores: Stores) -> None:
        assert stores.activity is not None
        scope = a_scope()
        assert await stores.activity.totals(scope) == OwnerTotals()
        later = FIRST_MOMENT + timedelta(days=1)
        for now in (FIRST_MOMENT, later):
            session = await start_session(stores, scope, now=now)
            await append(stores, scope, session.session_id, *messages_of("user", "assistant"))
        await start_session(stores, scope, now=FIRST_MOMENT, expires_at=later)
        await start_session(stores, a_scope(scope.tenant, user="bob"))
        totals = await stores.activity.totals(scope)
        assert (totals.sessions, totals.messages) == (2, 4)
        assert totals.last_active_at is not None
        assert totals.last_active_at >= later
