"""Go on training the shipped embedder, away from the passages that it takes for the right ones.

    PYTHONPATH=.:../followups python sharpen.py ROWS --english ROWS ../facts/rows \
        --embedder embedder.onnx --tokenizer tokenizer.json --out OUT.pt
    PYTHONPATH=.:../followups python sharpen.py --mean A.pt B.pt --out OUT.pt

ROWS is a folder of question → memory rows and of follow-up rows (`rows.py`). For each question the
embedder as it is looks for the passages of other rows that are nearest after the right one; some of
them and the near misses of the row are what the question is drawn away from. Passages that are
nearer than the right one, or as near, may answer the question as well, and are left alone.
Meanwhile all vectors are kept near what they were, those of English texts most: English had better
teachers than these rows are. Such texts are those of ROWS and the messages of English conversations
in the folders of `--english`. `--mean` writes the mean of several states.
"""

import argparse
import json
import math
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from tokenizers import Tokenizer
from torch import Tensor, nn
from torch.nn import functional

from dequantise import restored
from network import Encoder
from rows import Row, load_rows
from train import PASSAGE, QUESTION, embed, padded, report, token_ids

_NEAREST, _HARD = 80, 40
_MARGIN = 0.03
"""How much farther than the right passage another one must be to count as wrong."""
_WHOLE = 0.6
"""The share of wrong passages that have their reply, as the right ones do."""
_TOGETHER = 512
"""Texts of about one length that are embedded at once: all are filled up to the longest."""
_TEMPERATURE = 0.05
_BACKWARD = 0.3


def main() -> None:
    """Read the arguments and train."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("rows", type=Path, nargs="?")
    parser.add_argument("--embedder", type=Path)
    parser.add_argument("--tokenizer", type=Path)
    parser.add_argument("--english", type=Path, nargs="*", default=[], metavar="FOLDER")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--mean", type=Path, nargs="+", help="states to take the mean of")
    parser.add_argument("--epochs", type=float, default=6)
    parser.add_argument("--rate", type=float, default=1.5e-4)
    parser.add_argument("--wrong", type=int, default=8, help="passages of each question")
    parser.add_argument("--keep", type=float, default=3.0, help="weight of staying as it was")
    parser.add_argument("--keep-english", type=float, default=10.0)
    parser.add_argument("--follow-ups", type=float, default=0.15, help="share of those rows")
    parser.add_argument("--batch", type=int, default=256)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--device", default="cuda")
    options = parser.parse_args()
    if options.mean:
        torch.save(mean_of([torch.load(path) for path in options.mean]), options.out)
        return
    random.seed(options.seed)
    torch.manual_seed(options.seed)
    texts = Texts(Tokenizer.from_file(str(options.tokenizer)), options.device)
    before = load_embedder(options.embedder, options.device, dropout=0.0).eval()
    rows = load_rows(options.rows)
    held_out = [row for row in rows if row.is_held_out]
    training = Training.of([row for row in rows if not row.is_held_out], before, texts)
    training.english = english_texts(options.english, training.rows)
    report("before", before, texts.tokenizer, held_out, options.device)
    encoder = sharpen(before, training, texts, options)
    report("at the end", encoder, texts.tokenizer, held_out, options.device)
    torch.save(saved(encoder), options.out)


def load_embedder(path: Path, device: str, *, dropout: float) -> Encoder:
    """An embedder from a state, or the shipped one as far as its bytes tell its weights."""
    if path.suffix == ".pt":
        state = {name: values.float() for name, values in torch.load(path).items()}
    else:
        known = restored(path, module="encoder", words="words")
        state = {name: torch.tensor(values) for name, values in known.items()}
    layers = 1 + max(int(name.split(".")[1]) for name in state if name.startswith("layers."))
    encoder = Encoder(len(state["words.weight"]), layers=layers, dropout=dropout)
    encoder.load_state_dict(state)
    return encoder.to(device)


def saved(encoder: Encoder) -> dict[str, Tensor]:
    """The weights as they are stored."""
    return {name: values.half().cpu() for name, values in encoder.state_dict().items()}


def mean_of(states: Sequence[dict[str, Tensor]]) -> dict[str, Tensor]:
    """The mean of the weights, which were trained from the same beginning."""
    return {
        name: torch.stack([state[name].float() for state in states]).mean(0).half()
        for name in states[0]
    }


@dataclass(slots=True)
class Texts:
    """Embeds texts, cut to the length that questions and passages may have."""

    tokenizer: Tokenizer
    device: str

    def __post_init__(self) -> None:
        self.tokenizer.no_padding()
        self.tokenizer.no_truncation()

    def vectors(self, encoder: Encoder, texts: Sequence[str], kind: int) -> Tensor:
        """The vectors of texts as questions or as passages."""
        ids = token_ids(self.tokenizer, list(texts), most=64 if kind == QUESTION else 128)
        by_length = sorted(range(len(ids)), key=lambda at: len(ids[at]))
        parts = [by_length[at : at + _TOGETHER] for at in range(0, len(ids), _TOGETHER)]
        vectors = torch.cat([self._vectors(encoder, [ids[at] for at in p], kind) for p in parts])
        return vectors[torch.tensor(by_length, device=self.device).argsort()]

    def _vectors(self, encoder: Encoder, ids: list[list[int]], kind: int) -> Tensor:
        numbers = padded(ids, max(map(len, ids))).long().to(self.device)
        kinds = torch.full((len(ids),), kind, device=self.device)
        return embed(encoder, numbers, kinds)

    @torch.no_grad()
    def all_vectors(self, encoder: Encoder, texts: Sequence[str], kind: int) -> Tensor:
        """The vectors of many texts."""
        parts = (texts[at : at + 512] for at in range(0, len(texts), 512))
        return torch.cat([self.vectors(encoder, part, kind) for part in parts])


@dataclass(frozen=True, slots=True)
class Passage:
    """A text that may be the wrong one for a question."""

    whole: str
    memory: str
    group: str

    def either(self) -> str:
        """With its reply or without."""
        return self.whole if random.random() < _WHOLE else self.memory


@dataclass(slots=True)
class Training:
    """The rows, what each is mistaken for, and the English texts that stay as they are."""

    rows: list[Row]
    wrong: dict[int, list[Passage]]
    english: list[str]

    @classmethod
    def of(cls, rows: list[Row], embedder: Encoder, texts: Texts) -> "Training":
        """Look for what each question of the rows is mistaken for."""
        training = cls(rows, {}, [])
        for kind in sorted({(row.source, row.language) for row in rows}):
            some = [row for row in rows if (row.source, row.language) == kind]
            training._look(some, embedder, texts)
        return training

    def _look(self, some: list[Row], embedder: Encoder, texts: Texts) -> None:
        misses = {text: Passage(text, text, "") for row in some for text in row.near_misses}
        known_as = misses | {row.whole: Passage(row.whole, row.memory, row.group) for row in some}
        passages = list(known_as.values())
        places = {passage.whole: place for place, passage in enumerate(passages)}
        known = texts.all_vectors(embedder, [passage.whole for passage in passages], PASSAGE)
        asked = texts.all_vectors(embedder, [row.question for row in some], QUESTION)
        for row, vector in zip(some, asked, strict=True):
            scores = known @ vector
            nearest = scores.topk(min(_NEAREST, len(passages)))
            most = scores[places[row.whole]].item() - _MARGIN
            self.wrong[id(row)] = [
                passages[place]
                for place, score in zip(*(x.tolist() for x in nearest[::-1]), strict=True)
                if score < most and passages[place].group != row.group
            ][:_HARD]

    def wrong_passages(self, row: Row, number: int) -> list[str]:
        """Near misses of the row, then passages that it is mistaken for, then any."""
        misses = row.some_near_misses(2)
        mistaken = self.wrong[id(row)]
        some = random.sample(mistaken, min(len(mistaken), number - len(misses)))
        misses += [other.either() for other in some]
        while len(misses) < number:
            other = random.choice(self.rows)
            if other.group != row.group:
                misses.append(other.memory)
        return misses

    def epochs(self, follow_ups: float) -> Iterator[Row]:
        """All rows in any order, of those about follow-ups a share, again and again."""
        memories = [row for row in self.rows if row.source != "follow-up"]
        others = [row for row in self.rows if row.source == "follow-up"]
        while True:
            some = memories + random.sample(others, int(follow_ups * len(others)))
            yield from random.sample(some, len(some))


def english_texts(folders: Sequence[Path], rows: Sequence[Row]) -> list[str]:
    """The English texts of the rows but those of logs, and messages of English conversations."""
    rows = [row for row in rows if row.source != "log"]
    texts = {row.question for row in rows if row.question_language == "en"}
    texts |= {t for row in rows if row.language == "en" for t in (row.whole, *row.near_misses)}
    for path in (path for folder in folders for path in sorted(folder.glob("*.jsonl"))):
        for line in path.read_text("utf-8").splitlines():
            row = json.loads(line)
            if row.get("language") == "en" and not path.name.startswith("log_"):
                said = (*row.get("messages", ()), *row.get("history", ()))
                texts |= {message["content"] for message in said}
                texts |= {row[name] for name in ("question", "old", "new") if name in row}
    return sorted(text for text in texts if text.strip())


def sharpen(
    before: Encoder, training: Training, texts: Texts, options: argparse.Namespace
) -> Encoder:
    """An embedder that tells the passages of the rows better apart."""
    encoder = load_embedder(options.embedder, options.device, dropout=0.1).train()
    optimiser = torch.optim.AdamW(encoder.parameters(), options.rate, (0.9, 0.98), 1e-8, 0.01)
    memories = sum(row.source != "follow-up" for row in training.rows)
    rows = memories + options.follow_ups * (len(training.rows) - memories)
    steps = int(options.epochs * rows / options.batch)
    order = training.epochs(options.follow_ups)
    for step in range(steps):
        done = 0.5 * (1 + math.cos(math.pi * step / steps))
        for group in optimiser.param_groups:
            group["lr"] = options.rate * min(1, (step + 1) / 50) * max(0.02, done)
        batch = Batch.of([next(order) for _ in range(options.batch)], training, options.wrong)
        english = random.sample(training.english, options.batch)
        found, kept = batch.losses(encoder, before, texts)
        kind = random.choice((QUESTION, PASSAGE))
        kept_english = _change(encoder, before, texts, english, kind)
        optimiser.zero_grad(set_to_none=True)
        (found + options.keep * kept + options.keep_english * kept_english).backward()
        nn.utils.clip_grad_norm_(encoder.parameters(), 1.0)
        optimiser.step()
        if step % 100 == 0:
            print(f"step {step} of {steps} rows {found.item():.3f} kept {kept.item():.4f}")
    return encoder.eval()


def _change(
    encoder: Encoder, before: Encoder, texts: Texts, some: Sequence[str], kind: int
) -> Tensor:
    """How far the vectors of texts are from what they were."""
    with torch.no_grad():
        known = texts.vectors(before, some, kind)
    return 1 - (texts.vectors(encoder, some, kind) * known).sum(-1).mean()


@dataclass(frozen=True, slots=True)
class Batch:
    """Questions, their passages, and as many wrong ones for each."""

    rows: list[Row]
    right: list[str]
    wrong: list[str]

    @classmethod
    def of(cls, rows: list[Row], training: Training, wrong: int) -> "Batch":
        """The batch of these rows."""
        passages = [one for row in rows for one in training.wrong_passages(row, wrong)]
        return cls(rows, [row.passage() for row in rows], passages)

    def losses(self, encoder: Encoder, before: Encoder, texts: Texts) -> tuple[Tensor, Tensor]:
        """How far right passages are from being nearest, and all vectors from what they were."""
        questions = [row.question for row in self.rows]
        asked, right = (
            texts.vectors(encoder, some, kind)
            for some, kind in ((questions, QUESTION), (self.right, PASSAGE))
        )
        wrong = texts.vectors(encoder, self.wrong, PASSAGE)
        with torch.no_grad():
            asked_before = texts.vectors(before, questions, QUESTION)
            right_before = texts.vectors(before, self.right, PASSAGE)
        size = len(self.rows)
        own = torch.eye(size, dtype=torch.bool, device=asked.device)
        scores = asked @ right.T / _TEMPERATURE
        scores = scores.masked_fill(self._may_answer(asked_before @ right_before.T) & ~own, -1e4)
        others = (asked @ wrong.T / _TEMPERATURE).view(size, size, -1)
        apart = torch.cat([scores, others[own]], 1)  # each question has wrong passages of its own
        target = torch.arange(size, device=asked.device)
        backward = functional.cross_entropy(scores.T, target)
        kept = 2 - (asked * asked_before).sum(-1).mean() - (right * right_before).sum(-1).mean()
        return functional.cross_entropy(apart, target) + _BACKWARD * backward, kept

    def _may_answer(self, scores: Tensor) -> Tensor:
        """Which passages of other rows may answer a question, too."""
        groups = [row.group for row in self.rows]
        same = [[one == other for other in groups] for one in groups]
        nearer = scores > scores.diagonal()[:, None] - _MARGIN
        return torch.tensor(same, device=scores.device) | nearer


if __name__ == "__main__":
    main()
