"""How much of a conversation a model can make use of, by its size."""

import math
from dataclasses import dataclass
from typing import Final

from recollect.domain.model_names import NO_OVERRIDES, SizeOverrides, is_hosted, model_size
from recollect.errors import InvalidInput

AS_MANY_AS_FIT: Final = 50
"""Turns of a window that only its tokens bound: more than that do not fit, or say nothing."""
_WHOLE: Final = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetShares:
    """How a model's context window is parted, in percent."""

    system: int
    history: int
    retrieved: int
    answer: int

    def __post_init__(self) -> None:
        parts = (self.system, self.history, self.retrieved, self.answer)
        if min(parts) < 0 or sum(parts) != _WHOLE:
            raise InvalidInput("budget shares", f"must be 0 or more and add up to {_WHOLE}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Tier:
    """Models of about one size, and what a conversation may cost them."""

    name: str
    max_billions: float
    """The largest model of the tier, itself included."""
    turns: int
    """How many of the last turns the window holds, as far as its tokens allow."""
    compacts_after: int
    """How many turns without a summary are summarised."""
    kept_turns: int
    """How many turns stay word for word when older ones are summarised."""
    shares: BudgetShares


TINY: Final = Tier(
    name="tiny",
    max_billions=3,
    turns=AS_MANY_AS_FIT,
    compacts_after=10,
    kept_turns=2,
    shares=BudgetShares(system=10, history=10, retrieved=60, answer=20),
)
SMALL: Final = Tier(
    name="small",
    max_billions=9,
    turns=6,
    compacts_after=6,
    kept_turns=5,
    shares=BudgetShares(system=10, history=15, retrieved=55, answer=20),
)
MEDIUM: Final = Tier(
    name="medium",
    max_billions=34,
    turns=10,
    compacts_after=10,
    kept_turns=8,
    shares=BudgetShares(system=10, history=15, retrieved=60, answer=15),
)
LARGE: Final = Tier(
    name="large",
    max_billions=math.inf,
    turns=15,
    compacts_after=15,
    kept_turns=12,
    shares=BudgetShares(system=10, history=15, retrieved=60, answer=15),
)

TIERS: Final = (TINY, SMALL, MEDIUM, LARGE)


def tier_of(model: str | None, *, overrides: SizeOverrides = NO_OVERRIDES) -> Tier:
    """The tier of the model of that name.

    Where its size is not known a hosted model is large and any other one small; so is a model
    without a name, since a small context suits every model.
    """
    size = model_size(model, overrides=overrides)
    if size is None:
        return LARGE if is_hosted(model) else SMALL
    return tier_for_size(size)


def tier_for_size(billions: float) -> Tier:
    """The tier of a model with so many billions of parameters."""
    return next((tier for tier in TIERS if billions <= tier.max_billions), LARGE)
