"""Tables of words stay in their file, and the network computes the same with them."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from recollect.models.embedding.onnx_model import OnnxModel, Pooling
from recollect.models.followup.span_editor import SpanEditor
from recollect.models.networks import open_network, open_tokenizer
from recollect.models.weights import TOKENS, WEIGHTS

TEXTS = ("Where do kiwis grow?", "Waar groeien kiwi's? " * 100)


def test_a_network_computes_the_same_whether_its_table_is_copied_or_read_in_the_file(
    tmp_path: Path,
) -> None:
    graph = WEIGHTS / "embedder.onnx"
    (tmp_path / "model.onnx").symlink_to(graph)
    (tmp_path / "tokenizer.json").symlink_to(WEIGHTS / "tokenizer.json")
    read = OnnxModel(WEIGHTS, pooling=Pooling.MEAN, max_tokens=TOKENS, graph=graph)
    copied = OnnxModel(tmp_path, pooling=Pooling.MEAN, max_tokens=TOKENS)
    for text in TEXTS:
        assert read.encode(text) == copied.encode(text)


@pytest.mark.parametrize("name", ["embedder.onnx", "followup.onnx"])
def test_the_rows_of_words_are_read_in_the_file(name: str) -> None:
    (table,) = open_network(WEIGHTS / name, is_installed=True).tables
    assert table.shape()[1] == 384
    assert open_network(WEIGHTS / name).tables == ()


def test_networks_with_the_same_tokenizer_share_it() -> None:
    assert open_tokenizer(WEIGHTS, TOKENS) is open_tokenizer(WEIGHTS, TOKENS)


def test_memories_of_one_process_share_the_network_of_follow_ups() -> None:
    assert SpanEditor()._ready()._network is SpanEditor()._ready()._network


def test_a_network_reports_nothing_and_leaves_no_file_behind(tmp_path: Path) -> None:
    """The library that runs it would store a number of this machine, and send what it does."""
    open_one = (
        "from recollect.models.networks import installed_network as opened\n"
        "from recollect.models.weights import WEIGHTS\n"
        "import os\n"
        "opened(WEIGHTS / 'facts.onnx')\n"
        "print(len(os.listdir('/proc/self/task')))\n"
    )
    kept = {name: os.environ[name] for name in ("PATH", "PYTHONPATH") if name in os.environ}
    env = {**kept, "HOME": str(tmp_path), "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, "-c", open_one], env=env, capture_output=True, text=True, check=True
    )
    assert done.stdout == "1\n"
    assert list(tmp_path.rglob("*")) == []
