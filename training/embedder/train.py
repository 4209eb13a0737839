"""Train the embedder: first to agree with the English teacher, then to find memories.

    python train.py TEXT ROWS --encoder adapted.npz --tokenizer tokenizer.json \
        --e5 e5.npz --mini-lm base.npz --english-tokenizer en_tokenizer.json --out OUT.pt

TEXT is a tab-separated file: language, an English sentence, its translation. ROWS is a folder of
question → memory rows (`rows.py`). The vectors of a sentence and of its translation are drawn to
the teacher's vector of the English sentence; then questions are drawn to the memories that answer
them, away from near misses and from all other memories of the batch, while the first task goes on.
"""

import argparse
import math
import random
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from teacher import PREFIXES, Teacher, load_encoder, mean_pooled
from tokenizers import Tokenizer
from torch import Tensor
from torch.nn import functional

from network import Encoder
from rows import Row, load_rows

QUESTION, PASSAGE = 0, 1
_LENGTHS = (16, 24, 40, 72, 128)
_PASSAGE_TOKENS = 160


def main() -> None:
    """Read the arguments and train."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("text", type=Path)
    parser.add_argument("rows", type=Path)
    for name in ("encoder", "tokenizer", "e5", "mini-lm", "english-tokenizer", "out"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--distilled", type=Path, help="go on from this state; else distil")
    parser.add_argument("--pairs", type=int, default=2_000_000, help="of sentences at most")
    parser.add_argument("--minutes", type=float, default=10, help="of the first task")
    parser.add_argument("--epochs", type=float, default=6, help="over the rows")
    parser.add_argument("--rate", type=float, default=5e-4)
    parser.add_argument("--row-rate", type=float, default=6e-5)
    parser.add_argument("--temperature", type=float, default=0.05)
    parser.add_argument("--keep", type=float, default=4.0, help="weight of the first task later")
    parser.add_argument("--follow-ups", type=float, default=0.5, help="share of those rows")
    parser.add_argument("--batch", type=int, default=384)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--device", default="cuda")
    options = parser.parse_args()
    random.seed(options.seed)
    torch.manual_seed(options.seed)
    tokenizer = Tokenizer.from_file(str(options.tokenizer))
    encoder = load_encoder(options.encoder, device=options.device)
    if options.distilled:
        encoder.load_state_dict({k: v.float() for k, v in torch.load(options.distilled).items()})
    text = Distillation.of(options, tokenizer)
    if not options.distilled:
        distil(encoder, text, options)
        torch.save(_half(encoder), options.out.with_suffix(".distilled.pt"))
    rows = load_rows(options.rows)
    held_out = [row for row in rows if row.is_held_out]
    report("after the first task", encoder, tokenizer, held_out, options.device)
    find(encoder, text, [row for row in rows if not row.is_held_out], tokenizer, options)
    report("at the end", encoder, tokenizer, held_out, options.device)
    torch.save(_half(encoder), options.out)


def _half(encoder: Encoder) -> dict[str, Tensor]:
    return {name: value.half().cpu() for name, value in encoder.state_dict().items()}


def padded(encodings: list[list[int]], length: int) -> Tensor:
    """Token ids as rows of one length, filled with 0."""
    ids = np.zeros((len(encodings), length), dtype=np.int32)
    for row, numbers in enumerate(encodings):
        ids[row, : len(numbers)] = numbers[:length]
    return torch.from_numpy(ids)


def token_ids(tokenizer: Tokenizer, texts: list[str], *, most: int) -> list[list[int]]:
    """The tokens of texts; a text that is cut keeps its last token, the separator."""
    encoded = tokenizer.encode_batch_fast(texts)
    return [e.ids if len(e.ids) <= most else [*e.ids[: most - 1], e.ids[-1]] for e in encoded]


@dataclass(frozen=True, slots=True)
class Distillation:
    """Sentences by length: ids of both languages, and the teacher's two vectors of the English."""

    groups: list[tuple[Tensor, Tensor, Tensor]]

    @classmethod
    def of(cls, options: argparse.Namespace, tokenizer: Tokenizer) -> "Distillation":
        """Read the sentences and let the teacher embed the English ones."""
        pairs = [line.split("\t")[1:3] for line in options.text.read_text("utf-8").splitlines()]
        random.Random(1).shuffle(pairs)
        del pairs[options.pairs :]
        english = Tokenizer.from_file(str(options.english_tokenizer))
        sides = [[pair[side] for pair in pairs] for side in (0, 1)]
        ours = [token_ids(tokenizer, side, most=_LENGTHS[-1]) for side in sides]
        theirs = [
            token_ids(english, [prefix + text for text in sides[0]], most=_LENGTHS[-1] + 4)
            for prefix in ("", *PREFIXES)
        ]
        teacher = Teacher(options.e5, options.mini_lm, device=options.device)
        some = [padded(ids[:40_000], 96).to(options.device) for ids in theirs]
        teacher.fit(*some)
        groups, longest = [], [max(map(len, both)) for both in zip(*ours, strict=True)]
        for shortest, length in zip((0, *_LENGTHS), _LENGTHS, strict=False):
            at = [i for i, n in enumerate(longest) if shortest < n <= length]
            if len(at) < options.batch:
                continue
            first, second = (padded([side[i] for i in at], length) for side in ours)
            known = [padded([ids[i] for i in at], length + 24).to(options.device) for ids in theirs]
            vectors = teacher.vectors(*known).half()
            groups.append((first.to(options.device), second.to(options.device), vectors))
            print(f"{len(at):,} pairs of at most {length} tokens", flush=True)
        return cls(groups)

    def batch(self, size: int) -> tuple[Tensor, Tensor, Tensor]:
        """Sentences of one length, each once in either language: ids, types, the teacher's."""
        weights = [len(first) * math.sqrt(first.shape[1]) for first, _, _ in self.groups]
        first, second, vectors = random.choices(self.groups, weights)[0]
        length = first.shape[1]
        size = max(64, min(size, size * 40 // length))
        at = torch.randint(len(first), (size,), device=first.device)
        kind = torch.randint(2, (size,), device=first.device)
        wanted = vectors[at, kind].float()
        ids = torch.cat([first[at], second[at]]).long()
        return ids, torch.cat([kind, kind]), torch.cat([wanted, wanted])


def embed(encoder: Encoder, ids: Tensor, kinds: Tensor) -> Tensor:
    """Vectors of texts; the token type tells whether they are questions or passages."""
    types = kinds[:, None].expand_as(ids)
    with torch.autocast(ids.device.type, dtype=torch.bfloat16):
        states = encoder(ids, types, ids > 0)
    return mean_pooled(states.float(), ids > 0)


def distil(encoder: Encoder, text: Distillation, options: argparse.Namespace) -> None:
    """Draw each sentence and its translation to the teacher's vector, until the time is up."""
    optimiser = _optimiser(encoder, options.rate)
    begun, step, size = time.monotonic(), 0, 8 * options.batch
    mean = 0.0
    while (done := (time.monotonic() - begun) / (60 * options.minutes)) < 1:
        _set_rate(optimiser, options.rate * min(1, (step + 1) / 300) * _cosine(done))
        ids, kinds, wanted = text.batch(size)
        loss = 1 - (embed(encoder, ids, kinds) * wanted).sum(-1).mean()
        _step(encoder, optimiser, loss)
        if step % 500 == 0:
            mean = loss.item()
            print(f"step {step} {100 * done:.0f} % loss {mean:.4f}", flush=True)
        step += 1


def find(
    encoder: Encoder,
    text: Distillation,
    rows: list[Row],
    tokenizer: Tokenizer,
    options: argparse.Namespace,
) -> None:
    """Draw questions to the memories that answer them."""
    optimiser = _optimiser(encoder, options.row_rate)
    steps = int(options.epochs * len(_epoch(rows, options.follow_ups)) / options.batch)
    order: list[Row] = []
    for step in range(steps):
        _set_rate(optimiser, options.row_rate * min(1, (step + 1) / 50) * _cosine(step / steps))
        if len(order) < options.batch:
            order = _epoch(rows, options.follow_ups)
        batch, order = order[: options.batch], order[options.batch :]
        ids, kinds, wanted = text.batch(2 * options.batch)
        kept = 1 - (embed(encoder, ids, kinds) * wanted).sum(-1).mean()
        found = contrastive(encoder, batch, tokenizer, options)
        _step(encoder, optimiser, found + options.keep * kept)
        if step % 100 == 0:
            print(
                f"step {step} of {steps} rows {found.item():.3f} text {kept.item():.4f}", flush=True
            )


def _epoch(rows: list[Row], follow_ups: float) -> list[Row]:
    """All rows in any order, of those about follow-ups only a share."""
    some = [row for row in rows if row.near_misses or random.random() < follow_ups]
    return random.sample(some, len(some))


def contrastive(
    encoder: Encoder, batch: list[Row], tokenizer: Tokenizer, options: argparse.Namespace
) -> Tensor:
    """How far the memory of each question is from being nearest, and the reverse."""
    device = options.device
    questions = _texts(tokenizer, [row.question for row in batch], 64, device)
    passages = [row.passage() for row in batch]
    near = [(row, miss) for row in batch for miss in row.some_near_misses(2)]
    ids = _texts(tokenizer, passages + [miss for _, miss in near], _PASSAGE_TOKENS, device)
    asked = embed(encoder, questions, torch.full((len(questions),), QUESTION, device=device))
    memories = embed(encoder, ids, torch.full((len(ids),), PASSAGE, device=device))
    scores = asked @ memories.T / options.temperature
    owners = [row.group for row in batch]
    hidden = [
        [i != j and owners[i] == owners[j] for j in range(len(batch))]
        + [
            owners[i] == row.group and batch[i] is not row and batch[i].memory != row.memory
            for row, _ in near
        ]
        for i in range(len(batch))
    ]  # other rows of one conversation may answer the question, too
    scores = scores.masked_fill(torch.tensor(hidden, device=device), -1e4)
    right = torch.arange(len(batch), device=device)
    backward = scores[:, : len(batch)].T
    return functional.cross_entropy(scores, right) + 0.3 * functional.cross_entropy(backward, right)


def _texts(tokenizer: Tokenizer, texts: list[str], most: int, device: str) -> Tensor:
    ids = token_ids(tokenizer, texts, most=most)
    return padded(ids, max(map(len, ids))).long().to(device)


@torch.no_grad()
def report(name: str, encoder: Encoder, tokenizer: Tokenizer, rows: list[Row], device: str) -> None:
    """Print how often the right memory is first and among the first five, by kind of row."""
    print(name, flush=True)
    kinds = sorted({(row.source, row.question_language, row.language) for row in rows})
    for source, asked_in, told_in in kinds:
        some = [
            r
            for r in rows
            if (r.source, r.question_language, r.language) == (source, asked_in, told_in)
        ]
        if len(some) < 20:
            continue
        memories = sorted(
            {
                m
                for r in rows
                if r.source == source and r.language == told_in
                for m in (r.whole, *r.near_misses)
            }
        )
        places = {memory: at for at, memory in enumerate(memories)}
        found = torch.cat(
            [
                embed(encoder, ids, torch.full((len(ids),), PASSAGE, device=device))
                for ids in (
                    _texts(tokenizer, memories[i : i + 512], _PASSAGE_TOKENS, device)
                    for i in range(0, len(memories), 512)
                )
            ]
        )
        ids = _texts(tokenizer, [r.question for r in some], 64, device)
        asked = embed(encoder, ids, torch.full((len(ids),), QUESTION, device=device))
        order = (asked @ found.T).argsort(descending=True)[:, :5].tolist()
        right = [places[r.whole] for r in some]
        first = sum(at == best[0] for at, best in zip(right, order, strict=True)) / len(some)
        five = sum(at in best for at, best in zip(right, order, strict=True)) / len(some)
        print(
            f"  {source} {asked_in}->{told_in}: {len(some)} rows of {len(memories)} memories, "
            f"first {100 * first:.1f}, among 5 {100 * five:.1f}",
            flush=True,
        )


def _optimiser(encoder: Encoder, rate: float) -> torch.optim.AdamW:
    return torch.optim.AdamW(encoder.parameters(), lr=rate, betas=(0.9, 0.98), weight_decay=0.01)


def _set_rate(optimiser: torch.optim.AdamW, rate: float) -> None:
    for group in optimiser.param_groups:
        group["lr"] = rate


def _cosine(done: float) -> float:
    return max(0.02, 0.5 * (1 + math.cos(math.pi * done)))


def _step(encoder: Encoder, optimiser: torch.optim.AdamW, loss: Tensor) -> None:
    optimiser.zero_grad(set_to_none=True)
    loss.backward()
    torch.nn.utils.clip_grad_norm_(encoder.parameters(), 1.0)
    optimiser.step()


if __name__ == "__main__":
    main()
