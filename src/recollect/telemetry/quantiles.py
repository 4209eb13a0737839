"""Quantiles of histograms, as far as their buckets tell."""

from collections.abc import Mapping
from itertools import accumulate
from typing import Final

from recollect.telemetry.metrics import Series

INFINITE: Final = float("inf")


def quantile(totals: Mapping[float, float], share: float) -> float | None:
    """The value within which this share of what was observed lies; None without any.

    The totals are those up to each bound, ascending, the last of which is infinity. Within a
    bucket, values are taken to be spread evenly; the last one has no end: its begin stands for it.
    """
    rank = share * totals.get(INFINITE, 0.0)
    if not rank:
        return None
    lower, below = 0.0, 0.0
    for bound, total in totals.items():
        if total >= rank:
            if bound == INFINITE:
                break
            return lower + (bound - lower) * (rank - below) / (total - below)
        lower, below = bound, total
    return lower


def totals_of(series: Series) -> dict[float, float]:
    """How many observations of a histogram lie up to each bound."""
    bounds = (*series.metric.buckets, INFINITE)
    return dict(zip(bounds, accumulate(series.counts), strict=True))
