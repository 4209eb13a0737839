import asyncio
import math
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from recollect.errors import ConfigurationError, ModelUnavailable
from recollect.models.embedding.local_embedder import LocalEmbedder
from recollect.models.embedding.onnx_model import OnnxModel, Pooling
from recollect.models.weights import WEIGHTS

QUESTION = "When did she sign up for the pottery class?"
ANSWER = "I enrolled in a course for making ceramics yesterday."
OTHER = "The invoice of the second quarter has not been paid."


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def embedder() -> AsyncIterator[LocalEmbedder]:
    async with LocalEmbedder.built_in() as opened:
        yield opened


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A model as users bring one."""
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "tokenizer.json").symlink_to(WEIGHTS / "tokenizer.json")
    (tmp_path / "mine" / "model.onnx").symlink_to(WEIGHTS / "embedder.onnx")
    return tmp_path / "mine"


def cosine(left: tuple[float, ...], right: tuple[float, ...]) -> float:
    return math.fsum(one * other for one, other in zip(left, right, strict=True))


async def test_texts_that_mean_the_same_are_near_each_other(embedder: LocalEmbedder) -> None:
    question, answer, other = await embedder.embed([QUESTION, ANSWER, OTHER])
    assert cosine(question, question) == pytest.approx(1)
    assert cosine(question, answer) > cosine(question, other) + 0.3


async def test_the_vector_of_a_text_does_not_depend_on_its_batch(embedder: LocalEmbedder) -> None:
    (alone,) = await embedder.embed([QUESTION])
    texts = [OTHER * at for at in range(1, 12)]
    among = await embedder.embed([*texts, QUESTION])
    assert alone == among[-1]
    assert len(among) == 12
    assert await embedder.embed([]) == ()


async def test_the_model_name_includes_dimensions_and_pooling(embedder: LocalEmbedder) -> None:
    (vector,) = await embedder.embed(["a"])
    assert embedder.model == "recollect-multilingual-4:384:mean"
    assert embedder.dimensions == len(vector) == 384


async def test_unusual_texts_have_vectors_of_length_one(embedder: LocalEmbedder) -> None:
    texts = ["", "   ", "\ud800 \0", "x" * 1_000_000, "word " * 200_000, "日本語", "🙂"]
    for vector in await embedder.embed(texts):
        assert math.hypot(*vector) == pytest.approx(1)


async def test_only_the_beginning_of_a_long_text_counts(embedder: LocalEmbedder) -> None:
    long, longer = await embedder.embed(["word " * 300 + "end", "word " * 900])
    assert long == pytest.approx(longer)


async def test_the_event_loop_goes_on_meanwhile(embedder: LocalEmbedder) -> None:
    work = asyncio.create_task(embedder.embed([OTHER * 5] * 24))
    turns = 0
    while not work.done():
        turns += 1
        await asyncio.sleep(0)
    assert turns > 20
    await work


async def test_a_question_overtakes_a_long_batch(embedder: LocalEmbedder) -> None:
    await embedder.warm()
    batch = asyncio.create_task(embedder.embed([OTHER * 5] * 40))
    await asyncio.sleep(0.01)
    vector = await embedder.embed_question(QUESTION)
    assert not batch.done()
    await batch
    assert vector == await embedder.embed_question(QUESTION)


async def test_questions_that_come_at_once_each_get_their_own_vector(
    embedder: LocalEmbedder,
) -> None:
    questions = [f"{QUESTION} {OTHER * (number % 3)} {number}" for number in range(30)]
    vectors = await asyncio.gather(*map(embedder.embed_question, questions))
    for question, vector in zip(questions, vectors, strict=True):
        assert vector == await embedder.embed_question(question)


async def test_a_cancelled_question_does_not_affect_others(
    embedder: LocalEmbedder,
) -> None:
    tasks = [asyncio.create_task(embedder.embed_question(f"{QUESTION} {n}")) for n in range(20)]
    await asyncio.sleep(0)
    for task in tasks[::2]:
        task.cancel()
    found = await asyncio.gather(*tasks, return_exceptions=True)
    assert all(isinstance(one, asyncio.CancelledError) for one in found[::2])
    assert all(isinstance(one, tuple) for one in found[1::2])


async def test_all_questions_waiting_for_a_failing_model_get_its_error() -> None:
    def broken() -> OnnxModel:
        raise ConfigurationError("no such model")

    async with LocalEmbedder(broken, name="broken", dimensions=2) as embedder:
        asking = (embedder.embed_question(f"{number}?") for number in range(5))
        found = await asyncio.gather(*asking, return_exceptions=True)
    assert [type(one) for one in found] == [ConfigurationError] * 5


async def test_a_closed_embedder_raises_model_unavailable() -> None:
    embedder = LocalEmbedder.built_in()
    await embedder.aclose()
    with pytest.raises(ModelUnavailable, match="closed"):
        await embedder.embed(["a"])
    with pytest.raises(ModelUnavailable, match="closed"):
        await embedder.embed_question("a")


async def test_a_folder_is_taken_as_a_model(folder: Path, embedder: LocalEmbedder) -> None:
    expected = await embedder.embed_question(QUESTION)
    async with await LocalEmbedder.of_folder(folder) as mean:
        assert (await mean.embed([QUESTION]))[0] == pytest.approx(expected, abs=1e-5)
        assert mean.dimensions == 384
    async with await LocalEmbedder.of_folder(folder, pooling=Pooling.CLS) as first:
        assert first.dimensions == 384
    assert mean.model.startswith("mine-")
    assert mean.model.endswith(":384:mean")
    assert first.model == mean.model.replace("mean", "cls")


async def test_an_unusable_model_folder_is_refused_at_the_start(
    folder: Path, tmp_path: Path
) -> None:
    with pytest.raises(ConfigurationError, match="must hold tokenizer"):
        await LocalEmbedder.of_folder(tmp_path)
    (folder / "model.onnx").unlink()
    (folder / "model.onnx").write_bytes(b"no model")
    with pytest.raises(ConfigurationError, match="ONNX model"):
        await LocalEmbedder.of_folder(folder)
    (folder / "model.onnx").unlink()
    (folder / "model.onnx").symlink_to(WEIGHTS / "embedder.onnx")
    (folder / "tokenizer.json").unlink()
    (folder / "tokenizer.json").write_text("{}")
    with pytest.raises(ConfigurationError, match="no tokenizer"):
        await LocalEmbedder.of_folder(folder)
