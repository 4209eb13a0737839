"""Let the encoder read the five languages: masked-language-model training, on a GPU for minutes.

    python adapt.py TEXT ENCODER.npz TOKENIZER.json OUT.npz --minutes 8

TEXT as for `vocabulary.py`, with `en.mono.txt` beside. Plain text is read in pieces of 128 tokens;
a sentence and its translation stand side by side, so that one helps to guess the other.
"""

import argparse
import multiprocessing
import random
import time
from pathlib import Path

import numpy as np
import torch
from tokenizers import Tokenizer
from torch import Tensor, nn
from torch.nn import functional

from base_encoder import packed, unpacked
from network import TOKEN_TYPES, WIDTH, Encoder

LENGTH = 128
_CLS, _SEP, _MASK, _FIRST_PIECE = 101, 102, 103, 104
_PART = 1500


def main() -> None:
    """Read the arguments and train."""
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("text", "encoder", "tokenizer", "out"):
        parser.add_argument(name, type=Path)
    parser.add_argument("--minutes", type=float, default=8)
    parser.add_argument("--rate", type=float, default=6e-4)
    parser.add_argument("--batch", type=int, default=448)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--workers", type=int, default=14)
    options = parser.parse_args()
    ids, types = (torch.tensor(x) for x in sequences(options))
    print(f"{len(ids)} sequences, {int((ids > 0).sum()):,} tokens", flush=True)
    weights = {name: torch.tensor(value) for name, value in unpacked(options.encoder).items()}
    if len(weights["types.weight"]) < TOKEN_TYPES:  # not adapted before
        weights["types.weight"] = weights["types.weight"].repeat(3, 1)
    encoder = Encoder(len(weights["words.weight"]), dropout=0.0)
    encoder.load_state_dict(weights)
    train(encoder.to(options.device), ids, types, options)
    state = {name: value.float().cpu().numpy() for name, value in encoder.state_dict().items()}
    np.savez_compressed(options.out, **packed(state))


def sequences(options: argparse.Namespace) -> tuple[np.ndarray, np.ndarray]:
    """All text as token ids and types, in rows of `LENGTH`."""
    jobs: list[tuple[str, list[str], str]] = []
    for path in sorted(options.text.glob("*.mono.txt")):
        lines = path.read_text("utf-8").splitlines()
        jobs += [
            ("plain", lines[i : i + _PART], str(options.tokenizer))
            for i in range(0, len(lines), _PART)
        ]
    for path in sorted(options.text.glob("*.pairs.tsv")):
        lines = path.read_text("utf-8").splitlines()
        random.Random(3).shuffle(lines)
        jobs += [
            ("pairs", lines[i : i + _PART], str(options.tokenizer))
            for i in range(0, len(lines), _PART)
        ]
    with multiprocessing.Pool(options.workers) as pool:
        made = [part for part in pool.map(_tokens, jobs) if len(part[0])]
    return np.concatenate([x for x, _ in made]), np.concatenate([y for _, y in made])


def _tokens(job: tuple[str, list[str], str]) -> tuple[np.ndarray, np.ndarray]:
    kind, lines, path = job
    tokenizer = Tokenizer.from_file(path)
    rng = random.Random(len(lines[0]))
    rows = _Rows()
    for line in lines:
        sides = line.split("\t") if kind == "pairs" else [line]
        rng.shuffle(sides)
        ids, types = [], []
        for part, text in enumerate(sides[:2]):
            encoding = tokenizer.encode(text, add_special_tokens=False)
            room = LENGTH // 2 - 2 if kind == "pairs" else len(encoding.ids)
            ids += [*encoding.ids[:room], _SEP]
            types += [part + _case(text[a:b]) for a, b in encoding.offsets[:room]] + [part]
        rows.add(ids, types, may_cut=kind == "plain")
    return rows.arrays()


class _Rows:
    """Rows of `LENGTH` tokens, filled one after the other."""

    def __init__(self) -> None:
        self._ids: list[list[int]] = [[_CLS]]
        self._types: list[list[int]] = [[0]]

    def add(self, ids: list[int], types: list[int], *, may_cut: bool) -> None:
        while ids:
            room = LENGTH - len(self._ids[-1])
            if room < (1 if may_cut else len(ids)):
                self._ids.append([_CLS])
                self._types.append([0])
                room = LENGTH - 1
            self._ids[-1] += ids[:room]
            self._types[-1] += types[:room]
            ids, types = ids[room:], types[room:]

    def arrays(self) -> tuple[np.ndarray, np.ndarray]:
        pad = [[0] * (LENGTH - len(row)) for row in self._ids]
        ids = np.array([row + p for row, p in zip(self._ids, pad, strict=True)], np.int32)
        types = np.array([row + p for row, p in zip(self._types, pad, strict=True)], np.int32)
        return ids, types


def _case(piece: str) -> int:
    if not piece[:1].isupper():
        return 0
    return 4 if len(piece) > 1 and piece.isupper() else 2


class _Guess(nn.Module):
    """Guesses masked tokens from their states; its output embeddings are the encoder's own."""

    def __init__(self, vocabulary: int) -> None:
        super().__init__()
        self.dense = nn.Linear(WIDTH, WIDTH)
        self.norm = nn.LayerNorm(WIDTH)
        self.bias = nn.Parameter(torch.zeros(vocabulary))
        nn.init.eye_(self.dense.weight)

    def forward(self, states: Tensor, embeddings: Tensor) -> Tensor:
        return self.norm(functional.gelu(self.dense(states))) @ embeddings.T + self.bias


def train(encoder: Encoder, ids: Tensor, types: Tensor, options: argparse.Namespace) -> None:
    """Guess one token in six, until the time is up."""
    device, size = options.device, options.batch
    ids, types = ids.to(device), types.to(device)
    vocabulary = len(encoder.words.weight)
    guess = _Guess(vocabulary).to(device)
    others = [p for name, p in encoder.named_parameters() if name != "words.weight"]
    optimiser = torch.optim.AdamW(
        [
            {
                "params": [encoder.words.weight, *guess.parameters()],
                "share": 1.0,
                "weight_decay": 0.0,
            },
            {"params": others, "share": 0.6},
        ],
        lr=options.rate,
        betas=(0.9, 0.98),
        weight_decay=0.01,
    )
    begun, step, order, at = time.monotonic(), 0, torch.randperm(len(ids), device=device), 0
    while (done := (time.monotonic() - begun) / (60 * options.minutes)) < 1:
        for group in optimiser.param_groups:
            group["lr"] = (
                options.rate * group["share"] * min(1, (step + 1) / 150) * max(0.02, 1 - done)
            )
        if at + size > len(ids):
            order, at = torch.randperm(len(ids), device=device), 0
        chosen = order[at : at + size]
        at += size
        loss = _loss(encoder, guess, ids[chosen].long(), types[chosen].long(), vocabulary)
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(encoder.parameters(), 1.0)
        optimiser.step()
        if step % 200 == 0:
            print(
                f"step {step} epoch {step * size / len(ids):.2f} loss {loss.item():.3f}", flush=True
            )
        step += 1
    print(f"{step} steps, {step * size / len(ids):.2f} epochs", flush=True)


def _loss(encoder: Encoder, guess: _Guess, ids: Tensor, types: Tensor, vocabulary: int) -> Tensor:
    """As BERT does: of the guessed tokens 8 in 10 are masked, one is random, one stays."""
    count = int(ids.numel() * 0.17)  # a fixed number needs no waiting for the GPU
    weights = (ids > _MASK).float().view(-1) * torch.rand(ids.numel(), device=ids.device)
    places = weights.topk(count).indices
    wanted = ids.view(-1)[places]
    dice = torch.rand(count, device=ids.device)
    shown = torch.where(dice < 0.8, torch.full_like(wanted, _MASK), wanted)
    other = torch.randint(_FIRST_PIECE, vocabulary, (count,), device=ids.device)
    shown = torch.where((dice >= 0.8) & (dice < 0.9), other, shown)
    read = ids.view(-1).clone()
    read[places] = shown
    with torch.autocast(ids.device.type, dtype=torch.bfloat16):
        states = encoder(read.view_as(ids), types, ids > 0)
        guessed = guess(states.reshape(-1, WIDTH)[places], encoder.words.weight)
    return functional.cross_entropy(guessed.float(), wanted)


if __name__ == "__main__":
    main()
