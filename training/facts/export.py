"""Write a trained fact network as the file that the package ships.

    PYTHONPATH=.:../followups python export.py STATE.pt [STATE.pt …] facts.onnx

The graph reads one message at a time and gives probabilities: of several networks, their mean.
"""

import sys
from collections.abc import Sequence
from pathlib import Path

import torch
from heads import STATES, FactHeads, Scores
from torch import Tensor, nn

_INPUTS = ("states", "token_types")
_OUTPUTS = ("present", "inside", "begin", "slots", "operations", "relation")


class _Inference(nn.Module):
    def __init__(self, networks: Sequence[FactHeads]) -> None:
        super().__init__()
        self.networks = nn.ModuleList(networks)

    def forward(self, states: Tensor, types: Tensor) -> tuple[Tensor, ...]:
        given = [_probabilities(network(states, types, None)) for network in self.networks]
        return tuple(torch.stack(parts).mean(0) for parts in zip(*given, strict=True))


def _probabilities(scores: Scores) -> tuple[Tensor, ...]:
    return (
        scores.present.sigmoid(),
        scores.inside.sigmoid(),
        scores.begin.sigmoid(),
        scores.slots.softmax(-1),
        scores.operations.softmax(-1),
        scores.relation.softmax(-1),
    )


def main(*paths: Path) -> None:
    """Read the weights and write the graph."""
    *states, out = paths
    networks = []
    for state in states:
        network = FactHeads()
        network.load_state_dict(torch.load(state))
        networks.append(network)
    tokens = {1: "tokens"}
    torch.onnx.export(
        _Inference(networks).eval(),
        (torch.zeros(1, 20, STATES), torch.zeros(1, 20, dtype=torch.long)),
        out,
        input_names=list(_INPUTS),
        output_names=list(_OUTPUTS),
        dynamic_axes=dict.fromkeys((*_INPUTS, *_OUTPUTS[1:5]), tokens),
        opset_version=17,
        dynamo=False,
    )


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
