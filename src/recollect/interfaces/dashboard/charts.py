"""The geometry of charts: templates draw it as SVG, so that no script is needed."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final

from recollect.domain.context.context import Tokens

WIDTH: Final = 600
HEIGHT: Final = 140
_GAP: Final = 0.25
_FEWEST_PIXELS: Final = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """A bar of a chart, with what it stands for."""

    label: str
    value: int
    x: float
    y: float
    width: float
    height: float


def columns(values: Sequence[tuple[str, int]]) -> list[Bar]:
    """Upright bars side by side, all on the same ground."""
    most = max((value for _, value in values), default=0) or 1
    step = WIDTH / max(len(values), 1)
    bars = []
    for place, (label, value) in enumerate(values):
        height = max(value / most * HEIGHT, _FEWEST_PIXELS) if value else 0.0
        bars.append(
            Bar(
                label=label,
                value=value,
                x=round(place * step + step * _GAP / 2, 2),
                y=round(HEIGHT - height, 2),
                width=round(step * (1 - _GAP), 2),
                height=round(height, 2),
            )
        )
    return bars


def shares(values: Iterable[tuple[str, int]], *, whole: int | None = None) -> list[Bar]:
    """Parts of one long bar, one after the other; `whole` is what the full length stands for."""
    parts = list(values)
    length = max(whole or 0, sum(value for _, value in parts)) or 1
    bars, x = [], 0.0
    for label, value in parts:
        width = value / length * WIDTH
        bars.append(
            Bar(label=label, value=value, x=round(x, 2), y=0, width=round(width, 2), height=1)
        )
        x += width
    return bars


def percent(value: float, most: float) -> float:
    """How much of the most a value is, from 0 to 100."""
    return round(100 * min(max(value / most, 0), 1), 1) if most else 0.0


def by_day(counts: Mapping[date, int], *, last: date, days: int) -> list[tuple[str, int]]:
    """The counts of the last days, also of those on which nothing happened."""
    first = last - timedelta(days=days - 1)
    all_days = (first + timedelta(days=n) for n in range(days))
    return [(day.isoformat(), counts.get(day, 0)) for day in all_days]


def weeks(counts: Mapping[str, int], *, last: date, number: int) -> list[tuple[str, int]]:
    """The counts of the last weeks, named by their Mondays, also of those without any."""
    monday = last - timedelta(days=last.weekday())
    mondays = (monday - timedelta(weeks=n) for n in reversed(range(number)))
    return [(day.isoformat(), counts.get(day.isoformat(), 0)) for day in mondays]


def token_parts(tokens: Tokens) -> list[tuple[str, int]]:
    """What a context's tokens are spent on, in the order in which a model reads it."""
    return [
        ("standing instructions", tokens.standing_instructions),
        ("profile", tokens.profile),
        ("summary", tokens.summary),
        ("window", tokens.window),
        ("facts", tokens.facts),
        ("recalled", tokens.recalled),
        ("question", tokens.question),
        ("headings", tokens.frame),
    ]
