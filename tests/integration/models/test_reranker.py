import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from recollect.adapters import open_adapters
from recollect.domain.recall.reranking import AUTO, RerankPolicy
from recollect.errors import ConfigurationError, ModelUnavailable
from recollect.interfaces.cli.doctor.models import check_reranker
from recollect.models.reranking.cross_encoder import MAX_TOKENS
from recollect.models.reranking.rerankers import LocalReranker, RerankChoice, open_reranker
from recollect.models.weights import WEIGHTS
from recollect.settings import load_settings
from support.recall.overlap_model import write_overlap_model

QUESTION = "when was the pottery class"
TEXTS = ("the invoice was paid", "pottery class", "no word of it", "the pottery class was paid")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_overlap_model(tmp_path_factory.mktemp("models") / "overlap")


@pytest_asyncio.fixture(loop_scope="session")
async def reranker(folder: Path) -> AsyncIterator[LocalReranker]:
    async with await LocalReranker.of_folder(folder) as opened:
        yield opened


def install(monkeypatch: pytest.MonkeyPatch, folder: Path | None) -> None:
    """Pretend that the package of the default model has this folder."""
    monkeypatch.setattr("recollect.models.reranking.rerankers.ms_marco_folder", lambda: folder)


async def test_each_text_is_scored_together_with_the_question(reranker: LocalReranker) -> None:
    assert await reranker.scores(QUESTION, TEXTS) == (2.0, 2.0, 0.0, 4.0)
    assert await reranker.scores("invoice", TEXTS) == (1.0, 0.0, 0.0, 0.0)
    assert await reranker.scores(QUESTION, ()) == ()


async def test_only_the_beginning_of_a_long_text_is_read(reranker: LocalReranker) -> None:
    long = "other " * MAX_TOKENS + QUESTION
    (score,) = await reranker.scores(QUESTION, [long])
    assert score == 0


async def test_unusual_texts_have_scores(reranker: LocalReranker) -> None:
    texts = ("", " ", "\ud800 \0", "x" * 1_000_000, "word " * 200_000, "日本語", "🙂")
    assert await reranker.scores(QUESTION * 1000, texts) == (0.0,) * len(texts)


async def test_questions_that_come_at_once_each_get_their_own_scores(
    reranker: LocalReranker,
) -> None:
    both = await asyncio.gather(*(reranker.scores(one, TEXTS) for one in (QUESTION, "invoice")))
    assert both == [(2.0, 2.0, 0.0, 4.0), (1.0, 0.0, 0.0, 0.0)]


async def test_a_closed_reranker_raises_model_unavailable(folder: Path) -> None:
    async with open_reranker(RerankChoice(folder=folder)) as opened:
        assert opened is not None
        assert (opened.model, opened.languages) == ("overlap", None)
    with pytest.raises(ModelUnavailable, match="closed"):
        await opened.scores(QUESTION, TEXTS)


async def test_an_unusable_folder_is_refused_at_the_start(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="to be used as MEMORY_RERANK_MODEL"):
        await LocalReranker.of_folder(tmp_path)


async def test_an_embedding_model_is_no_cross_encoder(tmp_path: Path) -> None:
    folder = tmp_path / "embedder"
    folder.mkdir()
    (folder / "tokenizer.json").symlink_to(WEIGHTS / "tokenizer.json")
    (folder / "model.onnx").symlink_to(WEIGHTS / "embedder.onnx")
    with pytest.raises(ConfigurationError, match="must be a cross-encoder"):
        await LocalReranker.of_folder(folder)


async def test_without_the_package_auto_does_without_and_a_number_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("recollect.models.reranking.rerankers.find_spec", lambda _: None)
    async with open_reranker(RerankChoice(policy=AUTO)) as reranker:
        assert reranker is None
    with pytest.raises(ConfigurationError, match=r"recollect\[rerank\]"):
        async with open_reranker(RerankChoice(policy=RerankPolicy(candidates=10))):
            pass


async def test_a_file_that_is_not_the_known_model_is_not_used(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(monkeypatch, folder)
    async with open_reranker(RerankChoice()) as reranker:
        assert reranker is not None
        assert reranker.languages == {"en"}
        with pytest.raises(ConfigurationError, match="is not the ms-marco"):
            await reranker.warm()


@pytest.mark.parametrize("settings", [{"rerank": "off"}, {"recall": "off"}])
async def test_nothing_is_opened_where_nothing_is_reranked(
    folder: Path, settings: dict[str, object]
) -> None:
    async with open_adapters(load_settings(rerank_model=folder, **settings)) as adapters:
        assert adapters.dependencies.reranker is None


async def test_settings_choose_the_model_and_the_number(folder: Path) -> None:
    settings = load_settings(rerank="12", rerank_model=str(folder), embedding_model="none")
    async with open_adapters(settings) as adapters:
        assert adapters.dependencies.reranker is not None
        assert adapters.dependencies.reranker.model == "overlap"
        assert adapters.dependencies.reranking == RerankPolicy(candidates=12)


def test_another_setting_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="MEMORY_RERANK: must be off, auto or a number"):
        load_settings(rerank="all")


async def test_doctor_shows_the_model_and_its_time(folder: Path) -> None:
    settings = load_settings(rerank_model=folder)
    (finding,) = await asyncio.to_thread(list, check_reranker(settings))
    assert (finding.status, "overlap reads a question" in finding.found) == ("ok", True)
    (finding,) = await asyncio.to_thread(list, check_reranker(load_settings(rerank="off")))
    assert (finding.status, finding.advice) == ("ok", "")
