"""Write a trained embedder as the file that the package ships.

    PYTHONPATH=../followups python export.py STATE.pt OUT.onnx

As for the follow-up model, embeddings and matrices become bytes with scales. The graph gives one
vector of length 1 a text.
"""

import sys
import tempfile
from pathlib import Path

import torch
from teacher import mean_pooled
from torch import Tensor, nn

from export_bytes import ByteEmbedding, quantise
from network import Encoder

INPUTS = ("input_ids", "attention_mask", "token_type_ids")


class _Inference(nn.Module):
    def __init__(self, encoder: Encoder) -> None:
        super().__init__()
        self.encoder = encoder

    def forward(self, ids: Tensor, mask: Tensor, types: Tensor) -> Tensor:
        return mean_pooled(self.encoder(ids, types, mask > 0), mask)


def export(encoder: Encoder, path: Path) -> None:
    """Write the encoder as a quantised ONNX file."""
    encoder = encoder.float().eval()
    encoder.words = ByteEmbedding(encoder.words)
    example = tuple(torch.ones(2, 20, dtype=torch.long) for _ in INPUTS)
    with tempfile.TemporaryDirectory() as folder:
        whole = Path(folder) / "whole.onnx"
        torch.onnx.export(
            _Inference(encoder),
            example,
            whole,
            input_names=list(INPUTS),
            output_names=["vectors"],
            dynamic_axes={name: {0: "texts", 1: "tokens"} for name in INPUTS}
            | {"vectors": {0: "texts"}},
            opset_version=17,
            dynamo=False,
        )
        quantise(whole, path)


def main(state: Path, out: Path) -> None:
    """Read the weights and write the graph."""
    weights = {name: value.float() for name, value in torch.load(state).items()}
    encoder = Encoder(len(weights["words.weight"]))
    encoder.load_state_dict(weights)
    export(encoder, out)


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:3]))
