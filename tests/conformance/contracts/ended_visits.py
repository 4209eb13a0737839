"""What `recollect.ports.accounts.EndedVisits` promises."""

from datetime import UTC, datetime, timedelta
from uuid import uuid4

from recollect.ports import Stores

HOUR = timedelta(hours=1)


class EndedVisitsContract:
    """A visit that was ended stays so for as long as its cookie could be used.

    In the machine's own time: the visits of all tenants are ended in one place.
    """

    async def test_a_visit_is_ended_and_no_other_with_it(self, stores: Stores) -> None:
        visit_id, now = uuid4(), datetime.now(UTC)
        assert not await stores.ended_visits.has(visit_id)
        for _ in range(2):
            await stores.ended_visits.end(visit_id, now=now, expires_at=now + HOUR)
        assert await stores.ended_visits.has(visit_id)
        assert not await stores.ended_visits.has(uuid4())

    async def test_a_visit_that_ends_later_does_not_bring_it_back(self, stores: Stores) -> None:
        visit_id, now = uuid4(), datetime.now(UTC)
        await stores.ended_visits.end(visit_id, now=now, expires_at=now + HOUR)
        await stores.ended_visits.end(uuid4(), now=now + HOUR / 2, expires_at=now + 2 * HOUR)
        assert await stores.ended_visits.has(visit_id)
