"""Operations and stages: one log line each, slow ones with what was slow."""

import asyncio
import json
import logging
from hashlib import blake2b
from uuid import uuid4

import pytest

from recollect.errors import SessionNotFound
from recollect.instrumentation import share_pseudonyms
from recollect.memory import Memory
from recollect.ports.telemetry import Stage, TracedUsers
from recollect.telemetry.logging import JsonFormatter, trace_id, transaction_id
from recollect.telemetry.measuring import Measuring
from support.examples import a_scope
from support.logs import records_of


@pytest.fixture(autouse=True)
def _logs(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)


def test_an_operation_is_one_line_without_content(caplog: pytest.LogCaptureFixture) -> None:
    scope, session_id = a_scope(), uuid4()
    measuring = Measuring(pseudonym_key=b"a key of our own")
    tokens = transaction_id.set("t-1"), trace_id.set("f" * 32)
    with measuring.operation(
        "message.written", owner_id=scope.owner_id, session_id=session_id
    ) as doing:
        doing.counted(2)
    (record,) = records_of(caplog, "operation")
    line = json.loads(JsonFormatter().format(record))
    transaction_id.reset(tokens[0])
    trace_id.reset(tokens[1])
    assert line.pop("time")
    assert line.pop("milliseconds") >= 0
    assert line == {
        "level": "info",
        "event": "operation.done",
        "transaction_id": "t-1",
        "trace_id": "f" * 32,
        "operation": "message.written",
        "outcome": "ok",
        "owner": measuring.pseudonym(scope.owner_id),
        "session_id": str(session_id),
        "items": 2,
    }
    assert str(scope.owner_id) not in str(line)


async def test_a_slow_operation_warns_with_its_slowest_stage(
    caplog: pytest.LogCaptureFixture,
) -> None:
    measuring = Measuring(slow_seconds=0.2)  # more than a busy machine takes for nothing

    async def stage(stage: Stage, seconds: float) -> None:
        with measuring.stage(stage):
            await asyncio.sleep(seconds)

    with measuring.operation("context.read"):
        await asyncio.gather(stage(Stage.RECALL, 0.25), stage(Stage.FACTS, 0.001))
    with measuring.operation("session.read"):
        pass
    slow, quick = records_of(caplog, "operation")
    facts = slow.__dict__["facts"]
    assert (slow.levelname, slow.getMessage()) == ("WARNING", "operation.slow")
    assert (facts["slow_stage"], facts["stage_milliseconds"] >= 250) == ("recall", True)
    assert (quick.levelname, quick.getMessage()) == ("INFO", "operation.done")


def test_an_operation_that_fails_says_how(caplog: pytest.LogCaptureFixture) -> None:
    with pytest.raises(SessionNotFound), Measuring().operation("session.read"):
        raise SessionNotFound(uuid4())
    (record,) = records_of(caplog, "operation")
    assert record.__dict__["facts"]["outcome"] == "SessionNotFound"


def test_a_pseudonym_depends_on_its_key_and_can_be_left_out() -> None:
    scope = a_scope()
    one, other = Measuring(pseudonym_key=b"one"), Measuring(pseudonym_key=b"other")
    assert one.user_id(scope) == one.pseudonym(scope.owner_id) != other.user_id(scope)
    assert Measuring(traced_users=TracedUsers.NAME).user_id(scope) == scope.user
    assert Measuring(traced_users=TracedUsers.OFF).user_id(scope) == ""


async def test_pseudonyms_have_a_secret_by_default_that_processes_share() -> None:
    owner_id = a_scope().owner_id
    one, other, alone = Measuring(), Measuring(), Measuring()
    async with Memory.in_memory() as memory:
        for measuring in (one, other):
            await share_pseudonyms(measuring, memory.services.erasing)
    assert one.pseudonym(owner_id) == other.pseudonym(owner_id)
    unkeyed = blake2b(owner_id.bytes, digest_size=8).hexdigest()
    assert len({one.pseudonym(owner_id), alone.pseudonym(owner_id), unkeyed}) == 3
