"""Write a trained embedder as the file that the package ships.

    PYTHONPATH=../followups python export.py STATE.pt OUT.onnx

As for the follow-up model, embeddings and matrices become bytes with scales. The graph gives one
vector of length 1 a text.
"""

import sys
import tempfile
from pathlib import Path

import torch
from sharpen import load_embedder
from teacher import mean_pooled
from torch import Tensor, nn
from torch.nn import functional

from export_bytes import ByteEmbedding, quantise
from network import Encoder

INPUTS = ("input_ids", "attention_mask", "token_type_ids")


class _Inference(nn.Module):
    def __init__(self, encoder: Encoder) -> None:
        super().__init__()
        self.encoder = encoder

    def forward(self, ids: Tensor, mask: Tensor, types: Tensor) -> Tensor:
        return mean_pooled(self.encoder(ids, types, mask > 0), mask)


class _ScaledByToken(nn.Linear):
    """A matrix whose input has a scale for each token, not one for all tokens of a text.

    Bytes have one scale for what goes into a matrix, and few numbers of few tokens are large there.
    """

    @classmethod
    def of(cls, linear: nn.Linear) -> "_ScaledByToken":
        """The same matrix."""
        scaled = cls(linear.in_features, linear.out_features)
        scaled.load_state_dict(linear.state_dict())
        return scaled

    def forward(self, given: Tensor) -> Tensor:
        """The product, as before."""
        scale = given.abs().amax(-1, keepdim=True).clamp(min=1e-6)
        return functional.linear(given / scale, self.weight) * scale + self.bias


def export(encoder: Encoder, path: Path) -> None:
    """Write the encoder as a quantised ONNX file."""
    encoder = encoder.float().eval()
    encoder.words = ByteEmbedding(encoder.words)
    for layer in encoder.layers:
        layer.outer = _ScaledByToken.of(layer.outer)
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
    export(load_embedder(state, "cpu", dropout=0.0), out)


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:3]))
