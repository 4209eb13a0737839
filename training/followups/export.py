"""Write a trained span editor as the files that the package ships.

    python export.py STATE.pt TOKENIZER.json OUT_FOLDER

The embeddings become bytes with a scale for each row, the matrices bytes with a scale for each
column: a quarter of the size, and quicker on a CPU. Nothing is padded at run time, so the graph
knows no mask.
"""

import json
import shutil
import sys
import tempfile
from pathlib import Path

import torch
from torch import Tensor, nn

from export_bytes import ByteEmbedding, quantise
from function_words import (
    CONNECTORS,
    CONNECTORS_OF,
    DISCARDABLE,
    FUNCTION_WORDS,
    OPENERS,
    POINTERS,
)
from network import Scores, SpanEditor

OUTPUTS = Scores._fields[:-1]  # judging a rewrite is for training alone
INPUTS = ("token_ids", "token_types", "gap_tokens", "previous_tokens")


class _Inference(nn.Module):
    """A span editor for one question at a time."""

    def __init__(self, network: SpanEditor) -> None:
        super().__init__()
        self.network = network

    def forward(self, *inputs: Tensor) -> tuple[Tensor, ...]:
        token_ids, token_types, gap_tokens, previous_tokens = inputs
        scores = self.network(token_ids, token_types, None, gap_tokens, previous_tokens)
        return tuple(scores[: len(OUTPUTS)])


def export(network: SpanEditor, path: Path) -> None:
    """Write the network as a quantised ONNX file."""
    network = network.float().eval()
    network.encoder.words = ByteEmbedding(network.encoder.words)
    example = tuple(torch.ones(1, n, dtype=torch.long) for n in (40, 40, 8, 8))
    axes = {name: {1: "tokens" if "token_" in name else "gaps"} for name in INPUTS}
    axes |= {
        "delete": {1: "gaps"},
        "start": {1: "gaps", 3: "tokens"},
        "end": {1: "gaps", 3: "tokens"},
        "pair": {1: "tokens", 2: "tokens"},
        "connect": {1: "gaps"},
        "connect_start": {1: "tokens"},
    }
    with tempfile.TemporaryDirectory() as folder:
        whole = Path(folder) / "whole.onnx"
        torch.onnx.export(
            _Inference(network),
            example,
            whole,
            input_names=list(INPUTS),
            output_names=list(OUTPUTS),
            dynamic_axes=axes,
            opset_version=17,
            dynamo=False,
        )
        quantise(whole, path)


def main(state: Path, tokenizer: Path, out: Path) -> None:
    """Write the graph, the tokenizer and the words beside them."""
    weights = {name: value.float() for name, value in torch.load(state).items()}
    network = SpanEditor(len(weights["encoder.words.weight"]))
    network.load_state_dict(weights)
    out.mkdir(parents=True, exist_ok=True)
    export(network, out / "followup.onnx")
    shutil.copy(tokenizer, out / "tokenizer.json")
    words = {
        "connectors": CONNECTORS,
        "connectors_of": CONNECTORS_OF,
        "pointers": sorted(POINTERS),
        "discardable": sorted(DISCARDABLE),
        "function_words": sorted(FUNCTION_WORDS | OPENERS),
    }
    (out / "words.json").write_text(json.dumps(words, ensure_ascii=False), "utf-8")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:4]))
