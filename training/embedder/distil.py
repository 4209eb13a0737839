"""Draw the embedder to stronger English teachers, within the space that it has.

    PYTHONPATH=.:../followups python distil.py TEXT.tsv ROWS --embedder embedder.onnx \
        --tokenizer tokenizer.json --e5 e5.npz --mini-lm base.npz \
        --english-tokenizer en_tokenizer.json --out OUT.pt

TEXT.tsv has a language, an English sentence and its translation on each line; ROWS is a folder of
rows of our own, of any kind. English texts and their translations are drawn to the vectors of the
teachers (`teacher.py`), which are turned so that they lie near those of the embedder as it is. Our
own texts in other languages, which nobody translated, are kept where they are.
"""

import argparse
import json
import math
import random
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import torch
from sharpen import Texts, load_embedder, saved
from teacher import PREFIXES, Teacher
from tokenizers import Tokenizer
from torch import Tensor

from network import Encoder
from rows import load_rows
from train import PASSAGE, QUESTION, embed, padded, report, token_ids

_LENGTHS = (12, 16, 24, 40, 72, 128)
_PREFIX = 24
"""More tokens of a text than ours that the teachers' tokenizer may give."""
_FITTED = 40_000
_WARM_UP = 300


def main() -> None:
    """Read the arguments and train."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("text", type=Path)
    parser.add_argument("rows", type=Path)
    for name in ("embedder", "tokenizer", "e5", "mini-lm", "english-tokenizer", "out"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--minutes", type=float, default=4)
    parser.add_argument("--rate", type=float, default=3e-4)
    parser.add_argument("--batch", type=int, default=2048)
    parser.add_argument("--own", type=int, default=3, help="how often an own text counts")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--device", default="cuda")
    options = parser.parse_args()
    random.seed(options.seed)
    torch.manual_seed(options.seed)
    tokenizer = Tokenizer.from_file(str(options.tokenizer))
    texts = Texts(tokenizer, options.device)
    before = load_embedder(options.embedder, options.device, dropout=0.0).eval()
    lessons = Lessons(texts, before, options)
    encoder = load_embedder(options.embedder, options.device, dropout=0.0)
    learn(encoder, lessons, options)
    encoder.eval()
    held_out = [row for row in load_rows(options.rows) if row.is_held_out]
    report("at the end", encoder, tokenizer, held_out, options.device)
    torch.save(saved(encoder), options.out)


def own_texts(folder: Path) -> dict[str, list[str]]:
    """The texts of our rows by language, each once."""
    known: dict[str, set[str]] = {}
    for path in sorted(folder.rglob("*.jsonl")):
        for line in path.read_text("utf-8").splitlines():
            row = json.loads(line)
            for language, text in _texts_of(row):
                if text.strip():
                    known.setdefault(language, set()).add(text)
    return {language: sorted(some) for language, some in known.items()}


def _texts_of(row: dict[str, Any]) -> Iterator[tuple[str, str]]:
    language = row["language"]
    for message in (*row.get("messages", ()), *row.get("history", ())):
        text = message["content"] if isinstance(message, dict) else ": ".join(message)
        yield language, text
    for question in row.get("questions", ()):
        if isinstance(question, dict):
            yield question["language"], question["text"]
        else:
            yield language, question[0]
    for name in ("question", "reference", "user", "old", "new"):
        if isinstance(row.get(name), str):
            yield language, row[name]
    if isinstance(row.get("user"), str) and row.get("assistant"):
        yield language, f"{row['user']}\n{row['assistant'][:200]}"
    yield from ((language, text) for text in row.get("near_misses", ()))


class Lessons:
    """Texts by length: ids of a text and of its translation, and where both have to lie."""

    def __init__(self, texts: Texts, before: Encoder, options: argparse.Namespace) -> None:
        self._groups: list[tuple[Tensor, Tensor, Tensor]] = []
        self._weights: list[float] = []
        self._device = options.device
        own = own_texts(options.rows)
        lines = options.text.read_text("utf-8").splitlines()
        pairs = [(parts[1], parts[2]) for line in lines if len(parts := line.split("\t")) == 3]
        english = own.pop("en")
        pairs += [(text, text) for text in english] * options.own
        random.shuffle(pairs)
        others = [(text, text) for some in own.values() for text in some]
        print(f"{len(pairs):,} English texts, {len(others):,} others")
        teach = _Teachers(texts, before, [text for text, _ in pairs[:_FITTED]], options)
        self._add(texts, pairs, teach.vectors)
        self._add(texts, others, lambda some: _both(texts, before, some))

    def _add(self, texts: Texts, pairs: Sequence[tuple[str, str]], vectors: Any) -> None:
        sides = [
            token_ids(texts.tokenizer, [pair[side] for pair in pairs], most=_LENGTHS[-1])
            for side in (0, 1)
        ]
        longest = [max(map(len, both)) for both in zip(*sides, strict=True)]
        for shortest, length in zip((0, *_LENGTHS), _LENGTHS, strict=False):
            at = [i for i, n in enumerate(longest) if shortest < n <= length]
            if not at:
                continue
            first, second = (padded([side[i] for i in at], length) for side in sides)
            known = vectors([pairs[i][0] for i in at]).half()
            self._groups.append((first.to(self._device), second.to(self._device), known))
            self._weights.append(len(at) * math.sqrt(length))
            print(f"{len(at):,} of at most {length} tokens", flush=True)

    def batch(self, size: int) -> tuple[Tensor, Tensor, Tensor]:
        """Texts of one length, each in one language and of one kind: ids, kinds, vectors."""
        first, second, vectors = random.choices(self._groups, self._weights)[0]
        size = min(size * 24 // max(first.shape[1], 24), len(first))
        at = torch.randint(len(first), (size,), device=self._device)
        is_first = torch.rand(size, 1, device=self._device) < 0.5
        kinds = torch.randint(2, (size,), device=self._device)
        ids = torch.where(is_first, first[at], second[at]).long()
        return ids, kinds, vectors[at, kinds].float()


def _both(texts: Texts, encoder: Encoder, some: Sequence[str]) -> Tensor:
    """The vectors of texts as questions and as passages: [texts, 2, width]."""
    kinds = (QUESTION, PASSAGE)
    return torch.stack([texts.all_vectors(encoder, some, kind) for kind in kinds], 1)


class _Teachers:
    """The teachers' vectors, turned towards those of the embedder."""

    def __init__(
        self, texts: Texts, before: Encoder, some: Sequence[str], options: argparse.Namespace
    ) -> None:
        self._tokenizer = Tokenizer.from_file(str(options.english_tokenizer))
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()
        self._device = options.device
        self._teacher = Teacher(options.e5, options.mini_lm, device=options.device)
        self._teacher.fit(*self._ids(some))
        taught = self._teacher.vectors(*self._ids(some))
        known = _both(texts, before, some)
        left, _, right = torch.linalg.svd(taught.flatten(0, 1).T @ known.flatten(0, 1))
        self._turn = left @ right
        near = ((taught @ self._turn) * known).sum(-1).mean((0,))
        print(f"cosine of the teachers' vectors with the embedder's: {near.tolist()}")

    def vectors(self, some: Sequence[str]) -> Tensor:
        """The vectors of English texts as questions and as passages."""
        parts = (some[at : at + 20_000] for at in range(0, len(some), 20_000))
        return torch.cat([self._teacher.vectors(*self._ids(part)) @ self._turn for part in parts])

    def _ids(self, some: Sequence[str]) -> list[Tensor]:
        most = _LENGTHS[-1] + _PREFIX
        ids = (
            token_ids(self._tokenizer, [prefix + text for text in some], most=most)
            for prefix in ("", *PREFIXES)
        )
        return [padded(one, max(map(len, one))).to(self._device) for one in ids]


def learn(encoder: Encoder, lessons: Lessons, options: argparse.Namespace) -> None:
    """Draw each text to its vector, until the time is up."""
    optimiser = torch.optim.AdamW(encoder.parameters(), options.rate, (0.9, 0.98), 1e-8, 0.01)
    begun, step = time.monotonic(), 0
    while (done := (time.monotonic() - begun) / (60 * options.minutes)) < 1:
        slowing = max(0.02, 0.5 * (1 + math.cos(math.pi * done)))
        for group in optimiser.param_groups:
            group["lr"] = options.rate * min(1, (step + 1) / _WARM_UP) * slowing
        ids, kinds, wanted = lessons.batch(options.batch)
        loss = 1 - (embed(encoder, ids, kinds) * wanted).sum(-1).mean()
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(encoder.parameters(), 1.0)
        optimiser.step()
        if step % 250 == 0:
            print(f"step {step} {100 * done:.0f} % loss {loss.item():.4f}", flush=True)
        step += 1


if __name__ == "__main__":
    main()
