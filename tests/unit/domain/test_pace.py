"""How many questions models read while more are asked than they can."""

from contextlib import suppress
from itertools import pairwise

import pytest

from recollect.domain.pace import Pace
from support.tables import for_each


class Timer:
    """A clock that is moved by hand."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def read(pace: Pace, timer: Timer, *, waiting: float, questions: int = 1) -> None:
    for _ in range(questions):
        with pace.measured():
            timer.now += waiting


def chosen(pace: Pace, questions: int = 100) -> int:
    return sum(pace.chooses_next() for _ in range(questions))


def test_all_questions_are_chosen_while_none_waits_too_long() -> None:
    timer = Timer()
    pace = Pace(0.1, timer=timer)
    read(pace, timer, waiting=0.09, questions=50)
    assert chosen(pace) == 100


def test_one_long_wait_changes_nothing() -> None:
    timer = Timer()
    pace = Pace(0.1, timer=timer)
    read(pace, timer, waiting=0.9)
    assert chosen(pace) == 100


def test_fewer_are_chosen_the_longer_questions_wait() -> None:
    timer = Timer()
    pace = Pace(0.1, timer=timer)
    read(pace, timer, waiting=0.3, questions=8)
    some = chosen(pace)
    read(pace, timer, waiting=0.3, questions=4)
    assert 0 < chosen(pace) < some < 100


def test_a_few_are_chosen_in_any_case() -> None:
    timer = Timer()
    pace = Pace(0.1, timer=timer)
    read(pace, timer, waiting=1.0, questions=200)
    assert chosen(pace) == 2


def test_all_are_chosen_again_some_seconds_after_the_load() -> None:
    timer = Timer()
    pace = Pace(0.1, timer=timer)
    read(pace, timer, waiting=1.0, questions=200)
    for _ in range(40):
        timer.now += 1.0  # somebody asks once a second
        read(pace, timer, waiting=0.0)
    assert chosen(pace) == 100


@for_each(("seconds", "questions"), [(1.0, 25), (2.0, 12), (60.0, 1), (3600.0, 1)])
def test_who_asks_alone_after_the_load_is_soon_read_by_models(
    seconds: float, questions: int
) -> None:
    timer = Timer()
    pace = Pace(0.05, timer=timer)
    read(pace, timer, waiting=0.5, questions=200)
    for _ in range(questions):
        timer.now += seconds
        if pace.chooses_next():
            read(pace, timer, waiting=0.0, questions=2)
    assert pace.share == 1.0


def test_while_the_load_lasts_one_question_a_second_is_chosen_at_least() -> None:
    timer = Timer()
    pace = Pace(0.05, timer=timer)
    read(pace, timer, waiting=0.5, questions=200)
    number = 0
    for _ in range(100):
        timer.now += 0.1
        if pace.chooses_next():
            number += 1
            read(pace, timer, waiting=0.5)
    assert 9 <= number <= 20  # in 15 to 20 seconds
    assert pace.share == pytest.approx(0.02)


def test_the_chosen_are_spread_evenly() -> None:
    timer = Timer()
    pace = Pace(0.1, timer=timer)
    while pace.share > 0.5:
        read(pace, timer, waiting=0.2)
    choices = [pace.chooses_next() for _ in range(40)]
    assert not any(one and another for one, another in pairwise(choices))
    assert sum(choices) == pytest.approx(40 * pace.share, abs=1)


def test_without_a_limit_all_are_chosen() -> None:
    timer = Timer()
    pace = Pace(timer=timer)
    read(pace, timer, waiting=60.0, questions=20)
    assert chosen(pace) == 100


def test_the_work_itself_is_no_waiting() -> None:
    timer = Timer()
    pace = Pace(0.1, timer=timer, work_timer=timer)

    def work_for_long() -> str:
        timer.now += 5.0
        return "done"

    for _ in range(20):
        with pace.measured() as work:
            assert work.do(work_for_long) == "done"
    assert chosen(pace) == 100


def test_what_is_given_up_while_the_model_works_did_not_wait() -> None:
    timer = Timer()
    pace = Pace(0.1, timer=timer, work_timer=timer)

    def give_up() -> None:
        timer.now += 5.0
        raise TimeoutError

    for _ in range(20):
        with suppress(TimeoutError), pace.measured() as work:
            work.began_at = timer.now
            give_up()
    assert chosen(pace) == 100


def test_what_fails_counts_as_well() -> None:
    timer = Timer()
    pace = Pace(0.1, timer=timer)
    for _ in range(20):
        with suppress(TimeoutError), pace.measured():
            timer.now += 5.0
            raise TimeoutError
    assert chosen(pace) < 100


def test_requests_that_wait_to_begin_leave_no_time_for_models() -> None:
    timer = Timer()
    pace = Pace(0.05, timer=timer)
    for _ in range(100):
        timer.now += 0.1
        pace.note_wait(0.5)
    assert pace.share == pytest.approx(0.02)


def test_a_machine_that_stood_still_for_long_is_soon_forgotten() -> None:
    timer = Timer()
    pace = Pace(0.05, timer=timer)
    for _ in range(20):
        pace.note_wait(60.0)
    read(pace, timer, waiting=0.0, questions=15)
    timer.now += 5.0
    read(pace, timer, waiting=0.0)
    assert pace.share == 1.0
