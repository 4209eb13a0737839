import asyncio
import logging
import os
import shutil
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import onnx
import pytest

from recollect.domain.recall.entry import Vector
from recollect.models.embedding.local_embedder import LocalEmbedder, lower_priority, mini_lm_folder
from recollect.models.embedding.onnx_model import find_graph
from recollect.models.embedding.quantised import quantised_file

TEXTS = [
    "What were the total sales by region in 2023?",
    "Welke klanten hebben vorig jaar meer dan drie keer besteld?",
    "North 2.5M, South 1.8M and East 0.9M.",
    "My sister Anna has moved to Porto with her two dogs.",
    "x",
]


async def vectors(kept_in: Path | None) -> tuple[Vector, ...]:
    async with LocalEmbedder.mini_lm(kept_in=kept_in) as embedder:
        return await embedder.embed(TEXTS)


def file_in(folder: Path) -> Path:
    (found,) = folder.iterdir()
    return found


def times(folder: Path) -> list[int]:
    return [path.stat().st_mtime_ns for path in folder.iterdir()]


def cosine(one: Vector, other: Vector) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache") / "recollect"


async def test_the_quantised_model_gives_nearly_the_same_vectors(folder: Path) -> None:
    whole, quantised = await vectors(None), await vectors(folder)
    assert quantised != whole
    for one, other in zip(whole, quantised, strict=True):
        assert cosine(one, other) > 0.97


def test_a_model_that_was_installed_by_hard_links_is_made_faster_too(tmp_path: Path) -> None:
    installed = mini_lm_folder()
    assert installed is not None
    linked = tmp_path / "linked"
    linked.mkdir()
    for part in find_graph(installed).parent.iterdir():
        shutil.copy(part, tmp_path)
        (linked / part.name).hardlink_to(tmp_path / part.name)
    graph = linked / find_graph(installed).name

    assert quantised_file(graph, kept_in=tmp_path / "cache") != graph


async def test_every_product_by_weights_is_one_of_whole_numbers_with_its_biases(
    folder: Path,
) -> None:
    await vectors(folder)
    nodes = onnx.load(file_in(folder)).graph.node
    products = [node for node in nodes if node.op_type == "DynamicQuantizeMatMul"]
    assert len(products) == 6 * len(("query", "key", "value", "out", "up", "down"))
    assert all(node.input[4].endswith("bias") for node in products)


async def test_the_quantised_model_is_written_once_and_reused(folder: Path) -> None:
    first, written = await vectors(folder), times(folder)
    assert len(written) == 1
    assert await vectors(folder) == first
    assert times(folder) == written


async def test_the_original_model_is_used_where_the_quantised_one_cannot_be_stored(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    no_folder = tmp_path / "file"
    no_folder.touch()
    with caplog.at_level(logging.WARNING):
        assert await vectors(no_folder) == await vectors(None)
    assert [record.message for record in caplog.records] == ["embedder.not_quantised"]


async def test_a_disk_that_is_full_keeps_no_half_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    assert await vectors(tmp_path) == await vectors(None)
    assert times(tmp_path) == []


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere threads have no priority")
async def test_background_threads_lower_their_priority() -> None:
    def priority() -> int:
        return os.getpriority(os.PRIO_PROCESS, threading.get_native_id())

    with ThreadPoolExecutor(max_workers=1, initializer=lower_priority) as threads:
        patient = await asyncio.wrap_future(threads.submit(priority))
    assert patient >= max(10, priority())


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere threads have no priority")
async def test_an_already_lower_thread_priority_is_not_raised(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[int] = []
    monkeypatch.setattr(os, "getpriority", lambda *_: 15)
    monkeypatch.setattr(os, "setpriority", lambda *given: asked.append(given[2]))
    lower_priority()
    assert asked == [15]
