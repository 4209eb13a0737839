"""Train the shipped embedder further, as bytes, to find memories.

    PYTHONPATH=../followups:../../src python tune.py EMBEDDER.onnx ROWS --text TEXT.tsv \
        --tokenizer tokenizer.json --out OUT.pt

Several runs begin with the shipped weights. Questions are drawn to the memories that answer them,
away from near misses, from the nearest memories of other conversations, and from all others of
the batch. Meanwhile sentences of TEXT (as for `train.py`) stay where the shipped weights put
them, and their translations are drawn to the vector of the English sentence. In the second half
of a run weights and states are rounded as `export.py` rounds them. At the end the weights of runs
are averaged, as long as a further run helps on the rows that are held out.
"""

import argparse
import copy
import math
import random
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer
from torch import Tensor, nn
from torch.nn import functional

from dequantise import encoder_of
from network import Encoder
from rows import Row, load_rows
from train import PASSAGE, QUESTION, embed, padded, token_ids

_PASSAGE_TOKENS = 160
_QUESTION_TOKENS = 64
_SENTENCE_TOKENS = 128
_LEVELS = 255
_WEIGHT_LEVELS = 63  # `reduce_range` of `quantise`
_NEAREST = 40
_TOO_NEAR = 0.98  # of the right memory's cosine: the others may answer the question, too
State = dict[str, Tensor]


def main() -> None:
    """Read the arguments, train, and write the average of the runs."""
    options = _options()
    tokenizer = Tokenizer.from_file(str(options.tokenizer))
    shipped = encoder_of(options.embedder).to(options.device).eval()
    rows = load_rows(options.rows)
    held_out = HeldOut.of([row for row in rows if row.is_held_out], tokenizer)
    corpus = Corpus.of([row for row in rows if not row.is_held_out], tokenizer)
    text = Sentences.of(options.text, tokenizer, shipped, options.device)
    print("shipped, whole", held_out.shares(shipped, options.device), flush=True)
    round_linear(shipped)
    print("shipped, as bytes", held_out.shares(shipped, options.device), flush=True)
    runs: list[tuple[float, State]] = []
    started = time.monotonic()
    for seed in range(options.runs):
        spent = (time.monotonic() - started) / 60
        if seed and spent * (seed + 1) / seed > options.minutes:
            break
        encoder = encoder_of(options.embedder).to(options.device)
        rate = options.rate * (1.0, 0.6, 1.5)[seed % 3]
        random.seed(seed)
        torch.manual_seed(seed)
        train(encoder, corpus, text, rate, options)
        shares = held_out.shares(encoder.eval(), options.device)
        print(f"run {seed} rate {rate:g} {time.monotonic() - started:.0f} s", shares, flush=True)
        runs.append((shares["mean"], copy.deepcopy(encoder.state_dict())))
    best = average_of_best(runs, lambda state: held_out.shares_of(state, shipped, options.device))
    torch.save({name: value.half().cpu() for name, value in best.items()}, options.out)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("embedder", type=Path)
    parser.add_argument("rows", type=Path)
    for name in ("text", "tokenizer", "out"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--runs", type=int, default=6)
    parser.add_argument("--minutes", type=float, default=8.5, help="for all runs together")
    parser.add_argument("--epochs", type=float, default=10)
    parser.add_argument("--batch", type=int, default=512)
    parser.add_argument("--rate", type=float, default=8e-5)
    parser.add_argument("--temperature", type=float, default=0.05)
    parser.add_argument("--keep", type=float, default=8.0, help="weight of the sentences")
    parser.add_argument("--sentences", type=int, default=768, help="a step")
    parser.add_argument("--follow-ups", type=float, default=0.3, help="share of those rows")
    parser.add_argument("--dropout", type=float, default=0.05)
    parser.add_argument("--device", default="cuda")
    return parser.parse_args()


class RoundedLinear(nn.Linear):
    """A linear layer that computes as its bytes would."""

    is_rounded = False

    def forward(self, states: Tensor) -> Tensor:
        """As `nn.Linear`; gradients ignore the rounding."""
        if not self.is_rounded:
            return super().forward(states)
        with torch.autocast(states.device.type, enabled=False):
            weight, states = self.weight.float(), states.float()
            scale = weight.detach().abs().amax(1, keepdim=True).clamp(min=1e-9) / _WEIGHT_LEVELS
            dims = tuple(range(1, states.ndim))
            least = states.detach().amin(dims, keepdim=True).clamp(max=0)
            most = states.detach().amax(dims, keepdim=True).clamp(min=0)
            step = (most - least).clamp(min=1e-9) / _LEVELS
            weight, states = _rounded(weight, scale), _rounded(states, step)
        return functional.linear(states, weight, self.bias)


def _rounded(values: Tensor, step: Tensor) -> Tensor:
    return values + ((values / step).round() * step - values).detach()


def round_linear(encoder: Encoder) -> None:
    """Let the encoder compute as bytes from now on."""
    for module in encoder.modules():
        if isinstance(module, nn.Linear):
            module.__class__ = RoundedLinear
            module.is_rounded = True


@dataclass(frozen=True, slots=True)
class Sentences:
    """Sentences by length: ids in English and in another language, and vectors of the English."""

    groups: list[tuple[Tensor, Tensor, Tensor]]

    @classmethod
    def of(cls, path: Path, tokenizer: Tokenizer, encoder: Encoder, device: str) -> "Sentences":
        """Read the sentences and embed the English ones, as questions and as passages."""
        pairs = [line.split("\t")[1:3] for line in path.read_text("utf-8").splitlines()]
        both = [
            token_ids(tokenizer, [pair[side] for pair in pairs], most=_SENTENCE_TOKENS)
            for side in (0, 1)
        ]
        by_length: defaultdict[int, list[int]] = defaultdict(list)
        for at, ids in enumerate(zip(*both, strict=True)):
            by_length[math.ceil(max(map(len, ids)) / 16) * 16].append(at)
        groups = []
        for length, places in by_length.items():
            english, other = (padded([ids[at] for at in places], length).to(device) for ids in both)
            vectors = [embed_all(encoder, english, kind) for kind in (QUESTION, PASSAGE)]
            groups.append((english, other, torch.stack(vectors, 1).half()))
        print(f"{len(pairs):,} sentences", flush=True)
        return cls(groups)

    def batch(self, size: int) -> tuple[Tensor, Tensor, Tensor]:
        """Some sentences in either language, as questions or passages: ids, kinds, vectors."""
        weights = [len(english) for english, _, _ in self.groups]
        english, other, vectors = random.choices(self.groups, weights)[0]
        at = torch.randint(len(english), (size,), device=english.device)
        kinds = torch.randint(2, (size,), device=english.device)
        is_english = torch.rand(size, device=english.device) < 0.25
        ids = torch.where(is_english[:, None], english[at], other[at])
        return ids.long(), kinds, vectors[at, kinds].float()


@dataclass(frozen=True, slots=True)
class Corpus:
    """The rows with the numbers of their texts, and the tokens of each text."""

    rows: list[Row]
    questions: list[list[int]]
    """The tokens of each row's question."""
    texts: list[list[int]]
    """The tokens of passages."""
    wholes: list[int]
    memories: list[int]
    near: list[list[int]]
    groups: list[int]
    """The conversation of each row."""
    owner: dict[int, int]
    """The conversation of each passage."""

    @classmethod
    def of(cls, rows: list[Row], tokenizer: Tokenizer) -> "Corpus":
        """Number and tokenise all texts of rows."""
        numbers: dict[tuple[int, str], int] = {}
        names: dict[str, int] = {}
        groups = [names.setdefault(row.group, len(names)) for row in rows]

        def number(group: int, text: str) -> int:
            return numbers.setdefault((group, text), len(numbers))

        numbered = list(zip(rows, groups, strict=True))
        wholes = [number(group, row.whole) for row, group in numbered]
        memories = [number(group, row.memory) for row, group in numbered]
        near = [[number(group, miss) for miss in row.near_misses] for row, group in numbered]
        return cls(
            rows=rows,
            questions=token_ids(tokenizer, [row.question for row in rows], most=_QUESTION_TOKENS),
            texts=token_ids(tokenizer, [text for _, text in numbers], most=_PASSAGE_TOKENS),
            wholes=wholes,
            memories=memories,
            near=near,
            groups=groups,
            owner={at: group for (group, _), at in numbers.items()},
        )

    def epoch(self, follow_ups: float) -> list[int]:
        """All rows in any order, of those about follow-ups only a share."""
        some = [
            at
            for at, row in enumerate(self.rows)
            if row.near_misses or random.random() < follow_ups
        ]
        return random.sample(some, len(some))

    def passage(self, at: int) -> int:
        """The exchange of a row, sometimes without its reply, as `Row.passage`."""
        share = 0.6 if self.near[at] else 0.9
        return self.wholes[at] if random.random() < share else self.memories[at]


@torch.no_grad()
def nearest_others(encoder: Encoder, corpus: Corpus, device: str) -> list[list[int]]:
    """For each row passages of other conversations that are near its question."""
    was_training = encoder.training
    encoder.eval()
    asked = embed_lists(encoder, corpus.questions, QUESTION, device)
    passages = embed_lists(encoder, corpus.texts, PASSAGE, device)
    encoder.train(was_training)
    owners = torch.tensor([corpus.owner[at] for at in range(len(corpus.texts))], device=device)
    groups = torch.tensor(corpus.groups, device=device)
    right = torch.tensor(corpus.wholes, device=device)
    found: list[list[int]] = []
    for part in torch.arange(len(asked), device=device).split(1024):
        scores = asked[part] @ passages.T
        limit = _TOO_NEAR * scores.gather(1, right[part][:, None])
        scores = scores.masked_fill((owners[None] == groups[part][:, None]) | (scores > limit), -1)
        best, places = scores.topk(_NEAREST)
        for values, near in zip(best.tolist(), places.tolist(), strict=True):
            found.append([at for at, value in zip(near, values, strict=True) if value > -1])
    return found


def train(
    encoder: Encoder, corpus: Corpus, text: Sentences, rate: float, options: argparse.Namespace
) -> None:
    """One run over the rows; in its second half as bytes."""
    encoder.train()
    for module in encoder.modules():
        if isinstance(module, nn.Dropout):
            module.p = options.dropout
    optimiser = torch.optim.AdamW(
        encoder.parameters(), lr=rate, betas=(0.9, 0.98), weight_decay=0.01, fused=_is_cuda(options)
    )
    steps = int(options.epochs * len(corpus.epoch(options.follow_ups)) / options.batch)
    order: list[int] = []
    nearest: list[list[int]] = []
    for step in range(steps):
        if step == steps // 2:
            round_linear(encoder)
        if len(order) < options.batch:
            order = corpus.epoch(options.follow_ups)
            nearest = nearest_others(encoder, corpus, options.device)
        batch, order = order[: options.batch], order[options.batch :]
        for group in optimiser.param_groups:
            group["lr"] = rate * min(1, (step + 1) / 40) * _cosine(step / steps)
        ids, kinds, wanted = text.batch(options.sentences)
        kept = 1 - (embed(encoder, ids, kinds) * wanted).sum(-1).mean()
        found = contrastive(encoder, corpus, batch, nearest, options)
        optimiser.zero_grad(set_to_none=True)
        (found + options.keep * kept).backward()
        nn.utils.clip_grad_norm_(encoder.parameters(), 1.0)
        optimiser.step()
        if step % 100 == 0:
            print(f"step {step} of {steps} rows {found:.3f} text {kept:.4f}", flush=True)


def _is_cuda(options: argparse.Namespace) -> bool:
    return str(options.device).startswith("cuda")


def _cosine(done: float) -> float:
    return max(0.02, 0.5 * (1 + math.cos(math.pi * done)))


def contrastive(
    encoder: Encoder,
    corpus: Corpus,
    batch: list[int],
    nearest: Sequence[Sequence[int]],
    options: argparse.Namespace,
) -> Tensor:
    """How far the memory of each question is from being nearest, and the reverse."""
    device = options.device
    passages = [corpus.passage(at) for at in batch]
    others = [miss for at in batch for miss in _some(corpus.near[at], 2)]
    others += [miss for at in batch for miss in _some(nearest[at], 1)]
    columns = passages + list(dict.fromkeys(others))
    asked = embed_lists(encoder, [corpus.questions[at] for at in batch], QUESTION, device)
    told = embed_lists(encoder, [corpus.texts[at] for at in columns], PASSAGE, device)
    scores = asked @ told.T / options.temperature
    groups = torch.tensor([corpus.groups[at] for at in batch], device=device)
    owners = torch.tensor([corpus.owner[at] for at in columns], device=device)
    memories = torch.tensor([corpus.memories[at] for at in batch], device=device)
    of_column = dict.fromkeys(columns, -1)
    of_column |= {miss: corpus.memories[at] for at in batch for miss in corpus.near[at]}
    about = torch.tensor([of_column[at] for at in columns], device=device)
    right = torch.arange(len(batch), device=device)
    is_same = groups[:, None] == owners[None]  # other rows of it may answer the question, too
    is_miss = (memories[:, None] == about[None]) & (
        torch.arange(len(columns), device=device)[None] >= len(batch)
    )
    is_right = right[:, None] == torch.arange(len(columns), device=device)[None]
    scores = scores.masked_fill(is_same & ~is_miss & ~is_right, -1e4)
    backward = scores[:, : len(batch)].T
    return functional.cross_entropy(scores, right) + 0.3 * functional.cross_entropy(backward, right)


def _some(items: Sequence[int], most: int) -> list[int]:
    return random.sample(items, min(most, len(items)))


def embed_lists(encoder: Encoder, texts: list[list[int]], kind: int, device: str) -> Tensor:
    """Vectors of tokenised texts, in their order, computed by length."""
    order = sorted(range(len(texts)), key=lambda at: len(texts[at]))
    vectors = []
    for part in (order[i : i + 1024] for i in range(0, len(order), 1024)):
        some = [texts[at] for at in part]
        ids = padded(some, max(map(len, some))).long().to(device)
        vectors.append(embed(encoder, ids, torch.full((len(ids),), kind, device=device)))
    places = torch.empty(len(order), dtype=torch.long)
    places[torch.tensor(order)] = torch.arange(len(order))
    return torch.cat(vectors)[places.to(device)]


@torch.no_grad()
def embed_all(encoder: Encoder, ids: Tensor, kind: int) -> Tensor:
    """Vectors of padded texts, in parts."""
    parts = ids.split(2048)
    kinds = [torch.full((len(part),), kind, device=ids.device) for part in parts]
    return torch.cat([embed(encoder, p.long(), k) for p, k in zip(parts, kinds, strict=True)])


@dataclass(frozen=True, slots=True)
class HeldOut:
    """Rows that are not trained on: questions, and all memories of their languages."""

    kinds: dict[str, tuple[list[list[int]], list[list[int]], list[int]]]
    """By source and languages: questions, memories, and the number of the right one."""

    @classmethod
    def of(cls, rows: list[Row], tokenizer: Tokenizer) -> "HeldOut":
        """Tokenise the rows of each kind that has enough of them."""
        by_kind: defaultdict[tuple[str, str, str], list[Row]] = defaultdict(list)
        for row in rows:
            by_kind[row.source, row.question_language, row.language].append(row)
        kinds = {}
        for (source, asked_in, told_in), some in sorted(by_kind.items()):
            if len(some) < 20 or source != "memory":
                continue
            of_language = [r for r in rows if r.source == source and r.language == told_in]
            memories = sorted({m for r in of_language for m in (r.whole, *r.near_misses)})
            place = {memory: at for at, memory in enumerate(memories)}
            kinds[f"{asked_in}-{told_in}"] = (
                token_ids(tokenizer, [r.question for r in some], most=_QUESTION_TOKENS),
                token_ids(tokenizer, memories, most=_PASSAGE_TOKENS),
                [place[r.whole] for r in some],
            )
        return cls(kinds)

    @torch.no_grad()
    def shares(self, encoder: Encoder, device: str) -> dict[str, Any]:
        """Percent first and among five by kind, as text, and the mean of all of them."""
        result, firsts = {}, []
        for kind, (questions, memories, right) in self.kinds.items():
            asked = embed_lists(encoder, questions, QUESTION, device)
            told = embed_lists(encoder, memories, PASSAGE, device)
            best = (asked @ told.T).topk(5).indices.cpu()
            hits = best == torch.tensor(right)[:, None]
            first, five = hits[:, 0].float().mean().item(), hits.any(1).float().mean().item()
            firsts.append(100 * (first + five) / 2)
            result[kind] = f"{100 * first:.1f}/{100 * five:.1f}"
        return {**result, "mean": round(sum(firsts) / len(firsts), 2)}

    def shares_of(self, state: State, encoder: Encoder, device: str) -> dict[str, Any]:
        """The same for weights that are loaded into an encoder."""
        encoder.load_state_dict(state)
        return self.shares(encoder.eval(), device)


def average_of_best(
    runs: list[tuple[float, State]], shares: Callable[[State], dict[str, Any]]
) -> State:
    """The mean of the weights of runs, the best first, each kept if the mean gets better."""
    ordered = [state for _, state in sorted(runs, key=lambda run: -run[0])]
    chosen, best = [ordered[0]], shares(ordered[0])["mean"]
    for state in ordered[1:]:
        tried = shares(_mean([*chosen, state]))
        print("average of", len(chosen) + 1, tried, flush=True)
        if tried["mean"] >= best:
            chosen, best = [*chosen, state], tried["mean"]
    print("averaged", len(chosen), "of", len(runs), shares(_mean(chosen)), flush=True)
    return _mean(chosen)


def _mean(states: list[State]) -> State:
    return {name: torch.stack([s[name].float() for s in states]).mean(0) for name in states[0]}


if __name__ == "__main__":
    main()
