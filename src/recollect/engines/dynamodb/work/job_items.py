"""Jobs as items of the table."""

from collections.abc import Mapping
from datetime import datetime
from typing import Final
from uuid import UUID

from recollect.engines.dynamodb.conversations.conversation import Conversation
from recollect.engines.dynamodb.conversations.session_items import stored_scope
from recollect.engines.dynamodb.table.items import Attribute, time_from, time_text
from recollect.engines.dynamodb.table.keys import WORK_DUE, WORK_QUEUE, job_key, key_of, queue_of
from recollect.engines.dynamodb.table.transaction import Transaction
from recollect.ports.jobs import Job, JobKind, job_id_for

JOBS: Final = "job"


def queue_compaction(transaction: Transaction, one: Conversation, *, now: datetime) -> None:
    """Queue the compaction of a conversation, unless it waits already."""
    job_id = job_id_for(JobKind.COMPACT, one.session_id)
    values: dict[str, Attribute] = {
        "tenant": one.scope.tenant,
        "user": one.scope.user,
        "kind": JobKind.COMPACT.value,
        "jobId": str(job_id),
        "sessionId": str(one.session_id),
        "attempts": 0,
        WORK_QUEUE: queue_of(JOBS, one.owner_id),
        WORK_DUE: time_text(now),
    }
    settings = ", ".join(f"#{name} = if_not_exists(#{name}, :{name})" for name in values)
    transaction.update(
        key_of(one.owner_id, job_key(job_id)),
        f"SET {settings}",
        {f":{name}": value for name, value in values.items()},
        names={f"#{name}": name for name in values},
    )


def job_from(item: Mapping[str, Attribute]) -> Job:
    """Read the item of a job."""
    return Job(
        job_id=UUID(str(item["jobId"])),
        kind=JobKind(str(item["kind"])),
        scope=stored_scope(item),
        session_id=UUID(str(item["sessionId"])),
        attempts=int(item["attempts"]),
        scheduled_at=time_from(item[WORK_DUE]),
    )
