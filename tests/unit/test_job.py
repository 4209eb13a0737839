from uuid import uuid4

from recollect.ports.jobs import JobKind, job_id_for


def test_the_same_work_on_a_session_has_one_id() -> None:
    session_id = uuid4()
    assert job_id_for(JobKind.COMPACT, session_id) == job_id_for(JobKind.COMPACT, session_id)


def test_work_on_another_session_has_another_id() -> None:
    session_id = uuid4()
    ids = {job_id_for(JobKind.COMPACT, session) for session in (session_id, uuid4())}
    assert len(ids | {session_id}) == 3
