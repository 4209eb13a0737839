"""Jobs of versions to come, and of versions gone."""

from datetime import UTC, datetime, timedelta
from uuid import uuid4

from recollect.domain.conversation.session import NewSession
from recollect.domain.identity.scope import Scope
from recollect.engines.postgres.connection.database import Database
from recollect.ports import Stores

_BEFORE_ALL_OTHERS = datetime(1940, 1, 1, tzinfo=UTC)


async def test_a_job_of_an_unknown_kind_is_left_in_the_queue(
    stores: Stores, database: Database, scope: Scope
) -> None:
    await stores.sessions.start(scope, NewSession(session_id=uuid4()), now=_BEFORE_ALL_OTHERS)
    owner, job = scope.owner_id, uuid4()
    async with database.owned_by(owner) as connection:
        await connection.execute(
            "INSERT INTO jobs VALUES ($1, $2, 'from the future', '{}', 0, $3, $3)",
            *(owner, job, _BEFORE_ALL_OTHERS),
        )

    taken = await stores.jobs.take(now=_BEFORE_ALL_OTHERS, lease=timedelta(minutes=5))

    async with database.owned_by(owner) as connection:
        attempts = await connection.fetchval(
            "DELETE FROM jobs WHERE owner_id = $1 AND job_id = $2 RETURNING attempts", owner, job
        )
    assert taken is None
    assert attempts == 0
