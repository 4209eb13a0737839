import pytest

from recollect.domain.context.window import (
    AS_MANY_AS_FIT,
    LARGE,
    MEDIUM,
    SMALL,
    TIERS,
    TINY,
    BudgetShares,
    Tier,
    tier_for_size,
    tier_of,
)
from recollect.errors import InvalidInput
from support.tables import for_each


def test_the_tiers_are_those_of_the_specification() -> None:
    assert [tier.name for tier in TIERS] == ["tiny", "small", "medium", "large"]
    assert [tier.turns for tier in TIERS] == [AS_MANY_AS_FIT, 6, 10, 15]
    assert [tier.compacts_after for tier in TIERS] == [10, 6, 10, 15]
    assert [tier.kept_turns for tier in TIERS] == [2, 5, 8, 12]
    shares = [
        (tier.shares.system, tier.shares.history, tier.shares.retrieved, tier.shares.answer)
        for tier in TIERS
    ]
    assert shares == [(10, 10, 60, 20), (10, 15, 55, 20), (10, 15, 60, 15), (10, 15, 60, 15)]


@for_each(
    ("billions", "tier"),
    [
        (0.1, TINY),
        (3, TINY),
        (3.01, SMALL),
        (9, SMALL),
        (9.01, MEDIUM),
        (34, MEDIUM),
        (34.01, LARGE),
        (10_000, LARGE),
    ],
)
def test_a_size_on_the_boundary_belongs_to_the_smaller_tier(billions: float, tier: Tier) -> None:
    assert tier_for_size(billions) is tier


@for_each(
    ("name", "tier"),
    [
        ("llama3.2:3b", TINY),
        ("smollm2:360m", TINY),
        ("phi3:mini", SMALL),
        ("llama-3-4bit", SMALL),
        ("gemma-3n-E4B", SMALL),
        ("gemma2:9b", SMALL),
        ("qwen2.5-14b-instruct-q4_K_M", MEDIUM),
        ("Qwen3-30B-A3B", MEDIUM),
        ("mistral-small", MEDIUM),
        ("yi:34b", MEDIUM),
        ("mixtral-8x7b", LARGE),
        ("deepseek-r1:671b", LARGE),
        ("gpt-4o", LARGE),
        ("GPT-4O-MINI", LARGE),
        ("claude-sonnet-4-5", LARGE),
        ("google/gemini-2.5-flash", LARGE),
        ("acme/unheard-of", LARGE),
        ("unheard-of:latest", SMALL),
        ("unheard-of.Q4_K_M.gguf", SMALL),
        ("", SMALL),
        (None, SMALL),
    ],
)
def test_a_model_has_the_tier_of_its_name(name: str | None, tier: Tier) -> None:
    assert tier_of(name) is tier


def test_a_tier_can_be_overridden() -> None:
    assert tier_of("gpt-4o-mini", overrides={"gpt-4o-*": 8}) is SMALL
    assert tier_of("unheard-of:latest", overrides={"unheard-of*": 70}) is LARGE


@for_each("parts", [(10, 15, 60, 16), (-10, 35, 60, 15), (0, 0, 0, 0)])
def test_shares_that_are_not_a_whole_are_refused(parts: tuple[int, int, int, int]) -> None:
    system, history, retrieved, answer = parts
    with pytest.raises(InvalidInput, match="budget shares"):
        BudgetShares(system=system, history=history, retrieved=retrieved, answer=answer)
