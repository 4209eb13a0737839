"""Train the fact network on conversations and pairs.

    PYTHONPATH=.:../followups python train.py ROWS --embedder WITH_STATES.onnx \
        --tokenizer tokenizer.json --out facts.pt

ROWS is a folder of conversations (`*.jsonl`) and pairs (`*pairs*.jsonl`); WITH_STATES.onnx is what
`add_states.py` made of the shipped embedder. One block of rows in eight is held out. The embedder
stays as it is, so that one core trains the heads in twenty minutes.
"""

import argparse
import random
from collections.abc import Sequence
from pathlib import Path

import torch
from heads import OPERATIONS, RELATIONS, SLOTS, FactHeads
from states import Read, Reader, batch_of
from torch import Tensor, nn
from torch.nn import functional

from evaluate import report
from examples import Example, Variations, load_examples, load_pairs, load_statements

_VARIATIONS = 2
_PAIRS = 24
_WARM_UP = 80


def main() -> None:
    """Read the arguments and train."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("rows", type=Path)
    for name in ("embedder", "tokenizer", "out"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--state", type=Path, help="begin with this network instead of a new one")
    parser.add_argument("--epochs", type=int, default=12)
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--rate", type=float, default=1e-3)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    random.seed(options.seed)
    torch.manual_seed(options.seed)
    reader = Reader(options.embedder, options.tokenizer)
    examples, pairs = load_examples(options.rows), load_pairs(options.rows)
    statements = load_statements(options.rows)
    training = [one for one in (*examples, *statements) if not one.is_held_out]
    read = [reader.read_example(one) for one in _with_variations(training)]
    read_pairs = [reader.read_pair(one) for one in pairs if not one.is_held_out]
    network = train(read, read_pairs, options)
    report(
        network,
        [reader.read_example(one) for one in examples if one.is_held_out],
        [reader.read_pair(one) for one in pairs if one.is_held_out],
    )
    torch.save(network.state_dict(), options.out)


def _with_variations(examples: Sequence[Example]) -> list[Example]:
    variations = Variations.of(list(examples))
    varied = [variations.vary(one) for one in examples for _ in range(_VARIATIONS)]
    return list(dict.fromkeys([*examples, *varied]))


def train(examples: list[Read], pairs: list[Read], options: argparse.Namespace) -> FactHeads:
    """A network, trained on these."""
    network = FactHeads().train()
    if options.state:
        network.load_state_dict(torch.load(options.state))
    optimiser = torch.optim.AdamW(network.parameters(), lr=options.rate, weight_decay=0.02)
    steps = options.epochs * (len(examples) // options.batch)
    batches: list[list[Read]] = []
    for step in range(steps):
        for group in optimiser.param_groups:
            group["lr"] = options.rate * min(1, (step + 1) / _WARM_UP) * (1 - step / steps)
        batches = batches or _batches(examples, options.batch)
        loss = tag_loss(network, batches.pop())
        if step % 2 == 0:
            loss = loss + 0.7 * pair_loss(network, random.sample(pairs, _PAIRS))
        optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimiser.step()
        if step % 100 == 0:
            print(f"step {step} of {steps} loss {loss.item():.3f}", flush=True)
    return network.eval()


def _batches(examples: list[Read], size: int) -> list[list[Read]]:
    """All examples in batches of about one length, in any order."""
    order = sorted(examples, key=lambda one: len(one.features.token_ids) + 8 * random.random())
    batches = [order[at : at + size] for at in range(0, len(order) - size + 1, size)]
    return random.sample(batches, len(batches))


def tag_loss(network: FactHeads, some: list[Read]) -> Tensor:
    """How far the network is from finding the statements of these messages."""
    states, types, mask = batch_of(some)
    scores = network(states, types, mask)
    wanted = Targets(len(some), states.shape[1])
    for row, one in enumerate(some):
        wanted.add(row, one)
    cross_entropy = functional.binary_cross_entropy_with_logits
    tags = cross_entropy(
        scores.inside, wanted.inside, weight=wanted.is_message, reduction="sum"
    ) + cross_entropy(scores.begin, wanted.begin, weight=wanted.is_message, reduction="sum")
    inner = wanted.inside.sum().clamp(min=1)
    about = -((wanted.slots * scores.slots.log_softmax(-1)).sum(-1) * wanted.inside).sum()
    doing = functional.cross_entropy(
        scores.operations.transpose(1, 2), wanted.operations, reduction="none"
    )
    is_there = cross_entropy(scores.present, wanted.present)
    parts = 0.8 * about / inner + 0.4 * (doing * wanted.inside).sum() / inner
    return 3 * tags / wanted.is_message.sum() + is_there + parts


class Targets:
    """What the network should say of a batch."""

    def __init__(self, rows: int, length: int) -> None:
        self.inside, self.begin, self.is_message = (torch.zeros(rows, length) for _ in range(3))
        self.slots = torch.zeros(rows, length, len(SLOTS))
        self.operations = torch.zeros(rows, length, dtype=torch.long)
        self.present = torch.zeros(rows)

    def add(self, row: int, one: Read) -> None:
        """Set what is wanted of one message."""
        spans = one.example.spans if one.example else ()
        self.present[row] = float(bool(spans))
        begun: set[int] = set()
        for token, (start, end) in enumerate(one.features.offsets, 1):
            self.is_message[row, token] = 1
            for number, span in enumerate(spans):
                if start >= span.end or end <= span.start:
                    continue
                self.inside[row, token] = 1
                self.begin[row, token] = float(number not in begun)
                self.operations[row, token] = OPERATIONS.index(span.operation)
                for slot in span.slots:
                    self.slots[row, token, SLOTS.index(slot)] = 1 / len(span.slots)
                begun.add(number)
                break


def pair_loss(network: FactHeads, some: list[Read]) -> Tensor:
    """How far the network is from telling how statements stand to facts."""
    wanted = [RELATIONS.index(one.pair.relation) for one in some if one.pair]
    return functional.cross_entropy(network(*batch_of(some)).relation, torch.tensor(wanted))


if __name__ == "__main__":
    main()
