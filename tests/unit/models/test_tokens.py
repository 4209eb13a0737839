import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rs_bpe.bpe import openai

from recollect.models.tokens import (
    ApproximateTokenCounter,
    Encoding,
    ExactTokenCounter,
    count_with_bpe_openai,
    token_counter_for,
)
from support.hostile.texts import TEXTS
from support.tables import for_each

ENGLISH = (
    "Which region sold the most bicycles last year? The northern region did: it sold 4,812 of "
    "them, 12% more than in 2023, mostly thanks to the new shop in Leeds. I can't tell from these "
    "tables whether the discount in March mattered; if you'd like, I can compare the weeks before "
    "and after it. Please note that returns are not subtracted, because the warehouse books them "
    "a month later."
)
DUTCH = (
    "Welke regio verkocht vorig jaar de meeste fietsen? Dat was regio Noord: 4.812 stuks, 12% "
    "meer dan in 2023, vooral dankzij de nieuwe winkel in Groningen. Uit deze tabellen blijkt niet "
    "of de voorjaarskorting daaraan heeft bijgedragen; desgewenst vergelijk ik de weken ervoor en "
    "erna. Let op: teruggestuurde bestellingen zijn niet afgetrokken, omdat het magazijn die pas "
    "een maand later boekt."
)
SQL = (
    "SELECT r.region_name, COUNT(*) AS orders, SUM(s.amount) AS total_sales\n"
    "FROM dwh.fact_sales AS s\n"
    "JOIN dwh.dim_region AS r ON r.region_id = s.region_id\n"
    "LEFT JOIN dwh.dim_product AS p USING (product_id)\n"
    "WHERE s.sale_date BETWEEN DATE '2024-01-01' AND DATE '2024-12-31'\n"
    "  AND p.category IN ('bicycle', 'e-bike')\n"
    "GROUP BY r.region_name\n"
    "HAVING SUM(s.amount) > 100000\n"
    "ORDER BY total_sales DESC\n"
    "LIMIT 10;"
)
CL100K = ExactTokenCounter(Encoding.CL100K)
O200K = ExactTokenCounter(Encoding.O200K)
WHOLE = {CL100K: openai.cl100k_base().count, O200K: openai.o200k_base().count}
CHINESE = "数据库里有三张表。它们都很大。"
LIST = "Don't stop.\n\n  - item\r\n"
ALPHABETS = st.sampled_from(
    ["-", "-=", "ab", "etaoinshr", "_", " \n", "09", "数据库", "a\u0301", "'s", "<"]
)


# The counts are tiktoken's own, taken with the ranks that OpenAI publishes.
@for_each(
    ("text", "cl100k", "o200k"),
    [
        (ENGLISH, 89, 87),
        (DUTCH, 123, 98),
        (SQL, 121, 119),
        ("", 0, 0),
        ("<|endoftext|>", 7, 7),
        ("<|fim_prefix|>x\0y", 10, 9),
        ("👩‍👩‍👧", 13, 8),
    ],
)
def test_exact_counts_are_those_of_tiktoken(text: str, cl100k: int, o200k: int) -> None:
    assert (CL100K.count(text), O200K.count(text)) == (cl100k, o200k)


# The real counts are those of the families' own tokenizers, as published by their makers.
@for_each(
    ("model", "real_counts", "most_too_many"),
    [
        ("llama3.1:8b", (89, 123, 121), 0.0),
        ("llama4:scout", (87, 104, 121), 0.19),
        ("qwen2.5:7b", (94, 128, 134), 0.06),
        ("mistral-nemo", (94, 118, 149), 0.36),
        ("mistral:7b", (100, 141, 182), 0.33),
        ("llama2:13b", (100, 141, 182), 0.33),
        ("claude-2.1", (86, 142, 144), 0.38),
    ],
)
def test_an_approximation_counts_rather_too_many_within_its_declared_error(
    model: str, real_counts: tuple[int, ...], most_too_many: float
) -> None:
    counter = token_counter_for(model)
    for text, real in zip((ENGLISH, DUTCH, SQL), real_counts, strict=True):
        assert real <= counter.count(text) <= real * (1 + most_too_many)


def test_figures_are_not_undercounted_for_families_that_split_digits() -> None:
    figures = "\n".join(f"{n * 37},{n * 131357}" for n in range(60))
    assert token_counter_for("qwen3:8b").count(figures) >= sum(map(str.isdigit, figures))
    grouped = ApproximateTokenCounter(factor=1.0, splits_digits=False)
    assert grouped.count(figures) == CL100K.count(figures)


@for_each(
    ("model", "counter"),
    [
        ("gpt-4o", O200K),
        ("GPT-4o-mini-2024-07-18", O200K),
        ("openai/gpt-4.1-nano", O200K),
        ("azure/gpt-5", O200K),
        ("gpt-oss:20b", O200K),
        ("o3", O200K),
        ("o4-mini", O200K),
        ("ft:gpt-4o:acme::x1", O200K),
        ("gpt-4", CL100K),
        ("gpt-4-turbo", CL100K),
        ("gpt-35-turbo", CL100K),
        ("gpt-3.5-turbo-16k", CL100K),
    ],
)
def test_openai_models_are_counted_exactly(model: str, counter: ExactTokenCounter) -> None:
    assert token_counter_for(model) == counter


@for_each("model", [None, "", "claude-sonnet-4", "gemma3:4b", "opus", "o12"])
def test_any_other_model_is_counted_approximately(model: str | None) -> None:
    assert isinstance(token_counter_for(model), ApproximateTokenCounter)


@for_each("model", ["gpt-4o", "gpt-4", "llama3", "anything"])
def test_every_text_can_be_counted(model: str) -> None:
    counter = token_counter_for(model)
    assert counter.count("") == 0
    for text in ("\ud800", "a\udfffb", "<|endoftext|><|im_start|>", "\0", " " * 5000, "数" * 5000):
        assert counter.count(text) > 0


def test_a_vocabulary_is_loaded_only_when_something_is_counted() -> None:
    program = (
        "import sys; from recollect.models.tokens import token_counter_for;"
        "counter = token_counter_for('gpt-4o'); assert not counter.count('');"
        "assert 'rs_bpe' not in sys.modules; counter.count('hi'); assert 'rs_bpe' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


@pytest.mark.filterwarnings("ignore:open_binary:DeprecationWarning")  # of that library
@pytest.mark.parametrize("encoding", list(Encoding))
def test_both_libraries_count_alike(encoding: Encoding) -> None:
    count = count_with_bpe_openai(encoding)
    exact = ExactTokenCounter(encoding)
    for text in ("", "Hello, wereld!", "SELECT 1 FROM t WHERE x = 2024", "<|endoftext|> 🧠 数据"):
        assert count(text) == exact.count(text)


@for_each("counter", [CL100K, O200K])
@for_each("text", [ENGLISH, DUTCH, SQL, CHINESE, LIST])
def test_a_long_text_counts_as_it_does_in_one_piece(counter: ExactTokenCounter, text: str) -> None:
    long = text * 200
    assert counter.count(long) == WHOLE[counter](long)


@pytest.mark.parametrize("counter", [CL100K, O200K])
@given(alphabet=ALPHABETS, data=st.data())
def test_a_text_that_cannot_be_parted_never_counts_too_little(
    counter: ExactTokenCounter, alphabet: str, data: st.DataObject
) -> None:
    part = data.draw(st.text(alphabet, min_size=1, max_size=30))
    text = part * (7_000 // len(part))
    assert counter.count(text) >= WHOLE[counter](text)


@for_each("name", TEXTS)
def test_a_hostile_text_counts_neither_too_little_nor_half_too_much(name: str) -> None:
    text = TEXTS[name](20_000)
    assert WHOLE[CL100K](text) <= CL100K.count(text) <= 1.5 * WHOLE[CL100K](text)


@for_each("model", ["gpt-4o", "gpt-4", "qwen3:8b", "anything"])
def test_a_text_over_a_limit_is_counted_only_so_far(model: str) -> None:
    counter = token_counter_for(model)
    text = f"{ENGLISH} " * 1_000
    assert 500 < counter.count(text, limit=500) < 5_000
    assert counter.count(text, limit=1_000_000) == counter.count(text)
    assert counter.count(ENGLISH, limit=500) == counter.count(ENGLISH)
