"""Networks as bytes with scales: a quarter of the size, and quicker on a CPU."""

from pathlib import Path

import torch
from onnxruntime.quantization import QuantType, quantize_dynamic
from torch import Tensor, nn


class ByteEmbedding(nn.Module):
    """An embedding whose rows are bytes with a scale each."""

    def __init__(self, embedding: nn.Embedding) -> None:
        super().__init__()
        scale = embedding.weight.abs().amax(1).clamp(min=1e-9) / 127
        self.register_buffer("scale", scale.detach())
        rounded = (embedding.weight / scale[:, None]).round()
        self.register_buffer("rows", rounded.detach().to(torch.int8))

    def forward(self, ids: Tensor) -> Tensor:
        """The rows of these ids."""
        return self.rows[ids].float() * self.scale[ids][..., None]


def quantise(whole: Path, path: Path) -> None:
    """Write an ONNX file again with the matrices as bytes, a scale for each column."""
    quantize_dynamic(
        whole,
        path,
        weight_type=QuantType.QInt8,
        per_channel=True,
        reduce_range=True,  # else sums overflow on CPUs without VNNI, and 2 in 100 rows change
        op_types_to_quantize=["MatMul", "Gemm"],
    )
