"""Load shedding: which questions the models read while more are asked than they can read."""

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from time import monotonic, thread_time
from typing import Final, TypeVar

Result = TypeVar("Result")

_NEWEST: Final = 0.1
"""The weight of the last measurement in the running mean."""
_LEAST: Final = 0.02
"""The share that is read in any case: without measurements nobody knew when there is time again."""
_GAIN: Final = 0.2
"""By how much the share grows in a second, while there is time."""
_LOSS: Final = 2.0
"""The part of the share that is lost in a second, while there is none; as a rate."""
_LONGEST_STEP: Final = 0.25
"""Seconds: what happened longer before the last measurement says nothing about it."""
_LONGEST_GAP: Final = 1.0
"""Seconds after which a question is chosen in any case: of few, one in fifty comes too late."""
_MOST: Final = 3.0
"""How many times the wanted time counts at most: the machine may have stood still meanwhile."""
_FADING: Final = 0.2
"""The part of the mean that is lost in each second of a longer gap; as a rate."""


@dataclass(slots=True)
class Work:
    """What a model does for one question, in a thread."""

    timer: Callable[[], float]
    work_timer: Callable[[], float]
    """Of the processor time of the thread that asks it."""
    began_at: float | None = None
    """None: it has not begun."""
    seconds: float | None = None
    """Of processor time; None: it is not done."""

    def do(self, work: Callable[[], Result]) -> Result:
        """Do the work, and measure it."""
        self.began_at = self.timer()
        began = self.work_timer()
        try:
            return work()
        finally:
            self.seconds = self.work_timer() - began

    def waited(self, since: float, now: float) -> float:
        """How long it waited, if its question came then; what is given up waited to begin."""
        if self.seconds is None:
            return (now if self.began_at is None else self.began_at) - since
        return max(0.0, now - since - self.seconds)


class Pace:
    """Chooses so many questions that they wait for a model no longer than wanted, on average.

    They wait while the model reads others, and while other work has the processor. The share of
    chosen questions then falls until the models keep pace, and grows again within seconds. How
    long the model itself works does not matter: on a slow machine with one user all are chosen.
    Requests that must wait before anything is done for them count as well: none should be refused
    for want of time that models take.
    """

    def __init__(
        self,
        wanted: float | None = None,
        *,
        timer: Callable[[], float] = monotonic,
        work_timer: Callable[[], float] = thread_time,
    ) -> None:
        """Want them to wait these seconds at most; None: choose all, however long they wait."""
        self._wanted = wanted
        self._timer = timer
        self._work_timer = work_timer
        self._mean = 0.0
        self._share = 1.0
        self._due = 0.0
        """How much of the next choice is due."""
        self._measured_at = self._chosen_at = timer()

    @property
    def share(self) -> float:
        """The share of questions that are chosen at present."""
        return self._share

    def chooses_next(self) -> bool:
        """Whether the next question is read by models; they are spread evenly."""
        now = self._timer()
        is_overdue = now - self._chosen_at >= _LONGEST_GAP
        self._due = 1.0 if is_overdue else self._due + self._share
        if self._due < 1:
            return False
        self._due -= 1
        self._chosen_at = now
        return True

    @contextmanager
    def measured(self) -> Iterator[Work]:
        """Measure how long a question waits for what a model does for it."""
        began = self._timer()
        work = Work(self._timer, self._work_timer)
        try:
            yield work
        finally:
            now = self._timer()
            self._learn(work.waited(began, now), now)

    def note_wait(self, seconds: float) -> None:
        """A request waited so long until it was begun, because of others."""
        self._learn(seconds, self._timer())

    def _learn(self, waited: float, now: float) -> None:
        if self._wanted is None:
            return
        elapsed = now - self._measured_at
        self._measured_at = now
        self._mean *= math.exp(-_FADING * max(0.0, elapsed - waited - _LONGEST_GAP))
        self._mean += _NEWEST * (min(waited, _MOST * self._wanted) - self._mean)
        if self._mean <= self._wanted:
            self._share = min(1.0, self._share + _GAIN * elapsed)
        else:
            lost = math.exp(-_LOSS * min(elapsed, _LONGEST_STEP))
            self._share = max(_LEAST, self._share * lost)
