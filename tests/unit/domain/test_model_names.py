from fnmatch import fnmatchcase

import pytest

from recollect.domain.model_names import (
    FAMILIES,
    ModelFamily,
    context_window_of,
    family_name,
    is_at_least,
    is_hosted,
    model_size,
)
from support.tables import for_each


@for_each(
    ("name", "billions"),
    [
        ("llama3.2:3b", 3),
        ("qwen2.5-14b-instruct-q4_K_M", 14),
        ("smollm2:360m", 0.36),
        ("gemma3:270m", 0.27),
        ("deepseek-r1:671b", 671),
        ("Qwen/Qwen2.5-0.5B-Instruct", 0.5),
        ("gemma-3-4b-it", 4),
        ("gpt-neo-2.7B", 2.7),
        ("gpt-oss-120b", 120),
        ("LLAMA-3.1-405B", 405),
        ("ling-1t", 1000),
        ("meta.llama3-1-70b-instruct-v1:0", 70),
        ("accounts/fireworks/models/llama-v3p1-8b-instruct", 8),
        ("llama3-70b-8192", 70),
        ("hf.co/bartowski/gemma-2-27b-GGUF:Q4_K_M", 27),
        ("hf.co/someone/vicuna-13b/model-q4_0.gguf", 13),
        (r"C:\models\mistral_7b.gguf", 7),
        ("deepseek-r1-distill-llama-70b", 70),
        ("  llama3.2:1b ", 1),
    ],
)
def test_a_size_is_read_from_the_name(name: str, billions: float) -> None:
    assert model_size(name) == pytest.approx(billions)


@for_each(
    ("name", "billions"),
    [
        ("mixtral-8x7b", 46.7),
        ("mixtral:8x7b-instruct-v0.1-q3_K_S", 46.7),
        ("Qwen3-30B-A3B", 30),
        ("qwen3-235b-a22b:free", 235),
        ("llama-4-scout-17b-16e-instruct", 109),
        ("Llama-4-Maverick-17B-128E", 400),
    ],
)
def test_a_mixture_counts_with_its_total(name: str, billions: float) -> None:
    assert model_size(name) == pytest.approx(billions, rel=0.01)


def test_the_total_of_a_mixture_is_less_than_its_product() -> None:
    assert model_size("mixtral-8x22b") == pytest.approx(141, rel=0.05)


def test_an_effective_size_counts_as_it_claims() -> None:
    assert model_size("gemma-3n-E4B") == 4
    assert model_size("gemma3n:e2b-it-q4_K_M") == 2


@for_each(
    "name",
    [
        "mystery-4bit",
        "mystery-q4_K_M",
        "mystery-8bit",
        "mystery-3.5bpw",
        "mystery-1m",
        "mystery-128k",
        "mystery-0b",
        "mystery-a3b",
        "mystery-17b-16e",
    ],
)
def test_numbers_that_are_no_size_are_not_read_as_one(name: str) -> None:
    assert model_size(name) is None


def test_quantisation_leaves_the_size_to_the_family() -> None:
    assert model_size("llama-3-4bit") == model_size("llama-3") == 8


@for_each(
    ("name", "billions"),
    [
        ("phi3:mini", 3.8),
        ("microsoft/Phi-3-mini-4k-instruct", 3.8),
        ("phi-3-medium-128k-instruct", 14),
        ("phi4", 14),
        ("mistral-small", 24),
        ("mistralai/mistral-small-3.1:free", 24),
        ("mistral", 7),
        ("mistral-large-latest", 123),
        ("llama3.2", 3),
        ("llama3.3:latest", 70),
        ("deepseek-r1:latest", 8),
        ("deepseek/deepseek-r1:free", 671),
        ("deepseek-chat", 671),
        ("qwen2.5-coder:latest", 7),
        ("command-r-plus", 104),
        ("tinyllama", 1.1),
    ],
)
def test_a_known_family_has_a_size(name: str, billions: float) -> None:
    assert model_size(name) == billions


@for_each(
    "name", [None, "", "  ", "gpt-4o", "claude-sonnet-4-5", "gemini-2.5-pro", "o3-mini", "acme-1"]
)
def test_a_model_without_size_or_family_has_an_unknown_size(name: str | None) -> None:
    assert model_size(name) is None


@for_each(
    ("pattern", "name"),
    [
        ("gpt-4o-mini", "gpt-4o-mini"),
        ("gpt-4o*", "openai/GPT-4o-mini"),
        ("OpenAI/*", "openai/gpt-4o"),
        ("*:free", "acme/thing:free"),
        ("acme-7b", "acme-7b"),
        ("claude-*", "anthropic.claude-3-haiku-20240307-v1:0"),
    ],
)
def test_an_override_comes_before_all_else(pattern: str, name: str) -> None:
    assert model_size(name, overrides={pattern: 12.5}) == 12.5


def test_the_first_override_that_matches_counts() -> None:
    overrides = {"nothing*": 1.0, "gpt-4o-mini*": 8.0, "gpt-*": 200.0}
    assert model_size("gpt-4o-mini", overrides=overrides) == 8
    assert model_size("gpt-4o", overrides=overrides) == 200
    assert model_size("llama3.2:3b", overrides=overrides) == 3


@for_each(
    "name",
    [
        "gpt-4o",
        "gpt-9-ultra",
        "acme/wonder",
        "acme/wonder:free",
        "ft:gpt-4o-mini:acme::x1",
        "anthropic.claude-3-sonnet-20240229-v1:0",
        "us.anthropic.claude-3-sonnet-20240229-v1:0:200k",
        "claude-opus-4-1",
        "models/gemini-2.0-flash",
    ],
)
def test_a_name_without_marks_of_a_local_runner_is_a_hosted_model(name: str) -> None:
    assert is_hosted(name)


@for_each(
    "name",
    [
        None,
        "",
        "wonder:latest",
        "acme/wonder:instruct",
        "wonder.gguf",
        "/models/wonder",
        "./wonder",
        "~/wonder",
        r"D:\models\wonder",
        "wonder-q4_K_M",
        "wonder-IQ2_XS",
        "wonder-4bit",
        "wonder-AWQ",
        "ollama/wonder",
        "lm_studio/wonder",
        "mlx-community/wonder",
    ],
)
def test_a_name_with_marks_of_a_local_runner_is_a_local_model(name: str | None) -> None:
    assert not is_hosted(name)


@for_each(
    ("name", "tokens"),
    [
        ("gpt-4o", 128_000),
        ("gpt-4", 8192),
        ("gpt-4-32k", 32_768),
        ("gpt-4-1106-preview", 128_000),
        ("gpt-4.1-mini", 1_047_576),
        ("o3-mini", 200_000),
        ("claude-sonnet-4", 200_000),
        ("anthropic/claude-3.5-haiku", 200_000),
        ("gemini-1.5-pro-002", 2_097_152),
        ("llama3:8b", 8192),
        ("llama3.2:3b", 131_072),
        ("phi3:mini", 4096),
        ("phi3:mini-128k", 131_072),
        ("qwen2.5-14b-instruct-1m", 1_000_000),
        ("smollm2:360m", 8192),
        ("wonder-16k", 16_384),
        ("wonder", None),
        ("wonder:360m", None),
        (None, None),
    ],
)
def test_a_context_window_is_known_from_name_or_family(
    name: str | None, tokens: int | None
) -> None:
    assert context_window_of(name) == tokens


def test_a_family_is_named_alike_however_it_is_written() -> None:
    names = ("llama3.2:3b", "Meta/Llama-3.2:3B", "llama_3.2:3b", "meta.llama3.2:3b")
    assert {family_name(name) for name in names} == {"llama3.2:3b"}


@for_each(
    ("family", "pattern"),
    [(family, pattern) for family in FAMILIES for pattern in family.patterns.split()],
)
def test_no_row_of_the_table_is_hidden_by_one_before_it(family: ModelFamily, pattern: str) -> None:
    name = pattern.replace("*", "").replace("[134]", "3")
    assert (
        next(one for one in FAMILIES if any(fnmatchcase(name, p) for p in one.patterns.split()))
        is family
    )


@for_each(
    "name",
    [
        *("gpt-4o", "openai/gpt-4o-mini", "gpt-4.1", "gpt-5", "gpt-3.5-turbo", "chatgpt-4o-latest"),
        *("o1", "o3-mini", "o4-mini", "anthropic/claude-sonnet-4", "claude-3-5-haiku-latest"),
        *("anthropic.claude-3-5-sonnet-20240620-v1:0", "gemini-2.0-flash", "grok-3"),
        *("mistral-medium-latest", "qwen-max", "amazon.nova-pro-v1:0", "sonar-pro"),
        *("llama3.3", "mistral-large-latest", "deepseek-chat", "qwen2.5:14b", "gpt-oss"),
    ],
)
def test_hosted_models_of_large_families_count_as_large(name: str) -> None:
    assert is_at_least(name, 14)


@for_each(
    "name",
    [
        *("gpt-4.1-nano", "gpt-5-nano", "claude-instant-1.2", "gemini-1.5-flash-8b", "nova-micro"),
        *("llama3.2:3b", "phi3:mini", "gpt-neo-2.7B", "wonder", "my-deployment", "", None),
    ],
)
def test_small_and_unknown_models_do_not_count_as_large(name: str | None) -> None:
    assert not is_at_least(name, 14)


def test_a_given_size_decides_before_the_family() -> None:
    assert not is_at_least("gpt-4o-internal", 14, overrides={"gpt-4o*": 8})
    assert is_at_least("my-deployment", 14, overrides={"my-*": 70})
