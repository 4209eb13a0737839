"""More requests than a process can do: some wait, the others are refused early, nobody is lost."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable

import pytest
from starlette.types import Message, Receive, Scope, Send

from recollect.interfaces.http.admission import Admission, OverloadGuard
from recollect.ports.admission import give_way, waiting_outside
from recollect.ports.metrics import HTTP_REFUSED
from support.recorded_telemetry import RecordedTelemetry

PATIENCE = 0.1
Work = Callable[[], Awaitable[object]]


async def _soon() -> None:
    """Let every other task do what it can."""
    for _ in range(5):
        await asyncio.sleep(0)


def _guard(
    work: Work, *, admission: Admission, telemetry: RecordedTelemetry | None = None
) -> OverloadGuard:
    async def app(_scope: Scope, _receive: Receive, send: Send) -> None:
        await work()
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    return OverloadGuard(app, admission=admission, telemetry=telemetry or RecordedTelemetry())


async def _ask(guard: OverloadGuard, path: str = "/chat") -> Message:
    """The start of the response."""
    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    async def receive() -> Message:
        return {"type": "http.request"}

    await guard({"type": "http", "path": path, "method": "POST", "headers": []}, receive, send)
    return sent[0]


async def test_those_who_wait_are_admitted_in_the_order_they_came() -> None:
    admission = Admission(max_at_work=1, patience=10)
    assert await admission.enter()
    order: list[int] = []

    async def enter(number: int) -> None:
        assert await admission.enter()
        order.append(number)
        admission.leave()

    waiting = [asyncio.create_task(enter(number)) for number in range(3)]
    await _soon()
    assert order == []
    admission.leave()
    await asyncio.gather(*waiting)
    assert order == [0, 1, 2]


async def test_of_those_who_come_together_two_are_begun_and_the_next_when_one_has_left() -> None:
    admission = Admission(max_at_work=16, patience=10)
    begun: list[int] = []
    ends = [asyncio.Event() for _ in range(4)]

    async def work(number: int) -> None:
        assert await admission.enter()
        begun.append(number)
        await ends[number].wait()
        admission.leave()

    working = [asyncio.create_task(work(number)) for number in range(4)]
    await _soon()
    assert begun == [0, 1]
    ends[1].set()
    await _soon()
    assert begun == [0, 1, 2]
    for end in ends:
        end.set()
    await asyncio.gather(*working)


async def test_who_is_back_at_once_has_let_nobody_in() -> None:
    admission = Admission(max_at_work=16, patience=10)
    entering = [asyncio.create_task(admission.enter()) for _ in range(3)]
    await _soon()
    admission.leave()
    admission.come_back()
    await _soon()
    assert [one.done() for one in entering] == [True, True, False]
    admission.leave()
    assert await entering[2]


async def test_while_none_leaves_one_more_is_begun_every_moment_up_to_the_limit() -> None:
    loads: list[int] = []
    admission = Admission(max_at_work=4, patience=10, note_load=loads.append)
    entering = [asyncio.create_task(admission.enter()) for _ in range(6)]
    await _soon()
    assert [one.done() for one in entering] == [True, True, False, False, False, False]
    assert loads[-1] == 6
    assert await asyncio.gather(*entering[:4]) == [True] * 4
    await asyncio.sleep(PATIENCE)
    assert not any(one.done() for one in entering[4:])
    admission.leave()
    admission.leave()
    assert await asyncio.gather(*entering[4:]) == [True, True]


@pytest.mark.parametrize("patience", [0.5, 10])
async def test_work_that_waits_long_for_the_database_is_done_as_often_as_it_is_asked(
    patience: float,
) -> None:
    """Two hundred a second that take a twentieth of one: ten are at work."""
    admission = Admission(max_at_work=16, patience=patience)

    async def work() -> bool:
        if not await admission.enter():
            return False
        await asyncio.sleep(0.05)
        admission.leave()
        return True

    working = []
    for _ in range(200):
        working.append(asyncio.create_task(work()))
        await asyncio.sleep(0.005)
    assert all(await asyncio.gather(*working))


async def test_two_that_stand_still_do_not_stand_in_the_way_of_others() -> None:
    admission = Admission(max_at_work=16, patience=10)
    assert await admission.enter()
    assert await admission.enter()
    for _ in range(10):
        async with asyncio.timeout(1):
            assert await admission.enter()
        admission.leave()


async def test_one_is_begun_though_many_before_it_have_given_up() -> None:
    admission = Admission(max_at_work=16, patience=10)
    entering = [asyncio.create_task(admission.enter()) for _ in range(9)]
    await _soon()
    for one in entering[2:8]:
        one.cancel()
    assert await entering[8]


async def test_who_waits_too_long_is_refused_with_a_time_to_come_back_and_counted() -> None:
    telemetry = RecordedTelemetry()
    admission = Admission(max_at_work=1, patience=PATIENCE)
    assert await admission.enter()
    response = await _ask(_guard(_soon, admission=admission, telemetry=telemetry))

    assert response["status"] == 503
    headers = dict(response["headers"])
    assert 1 <= int(headers[b"retry-after"]) <= 3
    assert telemetry.value(HTTP_REFUSED) == 1


async def test_a_queue_that_stands_is_refused_after_a_tenth_of_the_time() -> None:
    admission = Admission(max_at_work=1, patience=PATIENCE)
    assert await admission.enter()
    first = asyncio.create_task(admission.enter())
    await asyncio.sleep(PATIENCE * 0.8)
    second = asyncio.create_task(admission.enter())  # so the queue is never empty
    assert not await first
    await asyncio.sleep(PATIENCE * 0.3)
    admission.leave()

    assert second.done() or not await second
    assert await admission.enter()  # the place is free


async def test_a_short_queue_is_none_that_stands_however_long_there_is_one() -> None:
    admission = Admission(max_at_work=16, patience=PATIENCE)
    assert await admission.enter()
    waiting = deque[asyncio.Task[bool]]()
    for _ in range(10):  # there is always somebody who waits, for a half of what one may
        waiting.append(asyncio.create_task(admission.enter()))
        await asyncio.sleep(PATIENCE / 4)
        if len(waiting) > 2:
            admission.leave()
            assert await waiting.popleft()
    for one in waiting:
        admission.leave()
        assert await one


async def test_how_long_somebody_waited_is_told_to_whoever_can_do_less() -> None:
    waits: list[float] = []
    admission = Admission(max_at_work=1, patience=10, note_wait=waits.append)
    assert await admission.enter()
    waiting = asyncio.create_task(admission.enter())
    await asyncio.sleep(PATIENCE)
    assert waits == []
    admission.leave()
    assert await waiting
    assert waits == [pytest.approx(PATIENCE, rel=0.9)]


async def test_who_waits_in_vain_is_told_of_as_well() -> None:
    waits: list[float] = []
    admission = Admission(max_at_work=1, patience=PATIENCE, note_wait=waits.append)
    assert await admission.enter()
    assert not await admission.enter()
    assert waits == [PATIENCE]


async def test_probes_are_answered_however_much_there_is_to_do() -> None:
    admission = Admission(max_at_work=1, patience=0)
    assert await admission.enter()
    assert (await _ask(_guard(_soon, admission=admission), "/readyz"))["status"] == 200


async def test_a_request_that_waits_for_a_model_leaves_its_place_to_others() -> None:
    answered = asyncio.Event()

    async def ask_model() -> None:
        with waiting_outside():
            await answered.wait()

    admission = Admission(max_at_work=1, patience=10)
    slow = [asyncio.create_task(_ask(_guard(ask_model, admission=admission))) for _ in range(5)]
    await _soon()
    assert (await _ask(_guard(_soon, admission=admission)))["status"] == 200
    answered.set()
    assert {one["status"] for one in await asyncio.gather(*slow)} == {200}


@pytest.mark.parametrize("moment", ["while it waits", "when it is admitted"])
async def test_a_cancelled_request_takes_no_place_with_it(moment: str) -> None:
    admission = Admission(max_at_work=1, patience=10)
    assert await admission.enter()
    waiting = asyncio.create_task(admission.enter())
    await _soon()
    if moment == "when it is admitted":
        admission.leave()
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    if moment == "while it waits":
        admission.leave()

    async with asyncio.timeout(1):
        assert await admission.enter()


async def test_long_work_waits_for_the_others_and_goes_on_when_they_have_left() -> None:
    admission = Admission(max_at_work=2, patience=10, longest_pause=10)
    assert await admission.enter()
    export = asyncio.create_task(_ask(_guard(give_way, admission=admission)))
    await _soon()
    assert not export.done()
    assert await admission.enter()  # the place of the export is free meanwhile
    admission.leave()
    admission.leave()
    async with asyncio.timeout(1):
        assert (await export)["status"] == 200


async def test_long_work_goes_on_one_piece_at_a_time_while_others_are_always_at_work() -> None:
    admission = Admission(max_at_work=5, patience=10, longest_pause=0.01)
    assert await admission.enter()
    loop = asyncio.get_running_loop()
    began = loop.time()
    work = [asyncio.create_task(_ask(_guard(give_way, admission=admission))) for _ in range(3)]
    await asyncio.wait(work, return_when=asyncio.FIRST_COMPLETED)
    assert [one.done() for one in work] == [True, False, False]
    await asyncio.gather(*work)
    assert loop.time() - began >= 0.03
