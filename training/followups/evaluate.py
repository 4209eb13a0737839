"""Score a network: natural rows with their own scorer, and rows of ours that were held out."""

import json
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import ModuleType

import numpy as np
import torch
from tokenizers import Tokenizer

from calibrate import Judged, columns, fit, is_right
from examples import MAX_TOKENS, SHORT, Example, collate
from function_words import CONNECTORS, CONNECTORS_OF, DISCARDABLE, FUNCTION_WORDS, OPENERS, POINTERS
from network import SpanEditor
from recollect.domain.followup.edits import (
    MAX_QUESTION_WORDS,
    Block,
    apply_edits,
    recent_blocks,
    words_of,
)
from recollect.models.followup.confidence import WordLists, evidence
from recollect.models.followup.decoding import DecodedEdits, Decoder, Scores
from recollect.models.followup.features import tokens_of
from rows import OURS, Row, load_module, read_rows, verdict

THRESHOLDS = (-99.0, -4.0, -3.0, -2.0, -1.4, -1.0, -0.7, -0.5, -0.35)
_TOGETHER = 64
Classes = Callable[[float], list[str]]
LISTS = WordLists(
    function_words=FUNCTION_WORDS | OPENERS, pointers=POINTERS, discardable=DISCARDABLE
)


@dataclass(frozen=True, slots=True)
class Answer:
    """What a network makes of a row."""

    rewrite: str
    proposal: DecodedEdits | None
    evidence: Mapping[str, float]

    @property
    def confidence(self) -> float:
        """The logarithm of: a rewrite is needed, and this is it."""
        if self.proposal is None:
            return 0.0
        need = torch.nn.functional.logsigmoid(torch.tensor(self.proposal.need)).item()
        return need + self.proposal.likelihood


@torch.no_grad()
def answers(
    network: SpanEditor, tokenizer: Tokenizer, rows: Sequence[Row], *, device: str
) -> list[Answer]:
    """The most likely rewrite of each row."""
    decoder = Decoder(CONNECTORS, CONNECTORS_OF, LISTS.function_words)
    found: list[Answer] = []
    for begin in range(0, len(rows), _TOGETHER):
        part = rows[begin : begin + _TOGETHER]
        blocks = [recent_blocks(row.history, SHORT) for row in part]
        features = [
            tokens_of(tokenizer, row.question, seen, max_tokens=MAX_TOKENS)
            for row, seen in zip(part, blocks, strict=True)
        ]
        examples = [Example(one, False, [], [], 1.0, 1.0) for one in features]
        batch = collate(examples, random.Random(0)).to(device)
        outputs = [tensor.float().cpu().numpy() for tensor in network(*batch[:5])]
        for i, (row, seen, one) in enumerate(zip(part, blocks, features, strict=True)):
            tokens, gaps = len(one.token_ids), len(one.gap_tokens)
            if not seen or gaps > MAX_QUESTION_WORDS + 1:
                found.append(Answer(row.question, None, {}))
                continue
            scores = Scores(
                need=float(outputs[0][i]),
                delete=outputs[1][i, :gaps],
                start=outputs[2][i, :gaps, :, :tokens],
                end=outputs[3][i, :gaps, :, :tokens],
                pair=outputs[4][i, :tokens, :tokens],
                connect=outputs[5][i, :gaps],
                connect_start=outputs[6][i, :tokens],
            )
            proposal = decoder.decode(scores, one, seen, language=row.language)
            found.append(_answer(row, seen, proposal))
    return found


def _answer(row: Row, blocks: Sequence[Block], proposal: DecodedEdits) -> Answer:
    """The rewrite that edits make of a row, and what speaks for and against it."""
    if not proposal.edits.insertions:
        return Answer(row.question, proposal, {})
    rewrite = apply_edits(row.question, blocks, proposal.edits, function_words=LISTS.function_words)
    words = words_of(row.question)
    speaks = evidence(words, blocks, proposal, language=row.language, lists=LISTS)
    return Answer(rewrite, proposal, speaks)


def evaluate(
    network: SpanEditor,
    tokenizer: Tokenizer,
    natural: Path | None,
    held: Sequence[Row],
    *,
    device: str,
    name: str,
    out: Path,
) -> float:
    """Print right and harm at several thresholds for each set, and write the answers to `out`.

    Returns how much of the rows that were held out comes out right where harm is rare.
    """
    records: list[dict] = []
    everything: list[tuple[Classes, int]] = []
    module = load_module(natural.parent / "score_natural.py") if natural else None
    for path in sorted(natural.glob("*.jsonl")) if natural else ():
        marked = module.read(path)
        found = answers(network, tokenizer, read_rows([path]), device=device)
        classes = partial(_natural_classes, module, marked, found)
        _show(name, path.stem, len(marked), classes)
        records += map(_record, read_rows([path]), found, classes(-99.0))
        everything.append((classes, len(marked)))
    _show(
        name,
        "ALL",
        sum(count for _, count in everything),
        lambda threshold: [kind for classes, _ in everything for kind in classes(threshold)],
    )
    for language in sorted({row.language for row in held}):
        rows = [row for row in held if row.language == language]
        found = answers(network, tokenizer, rows, device=device)
        records += (_record(r, a, verdict(r, a.rewrite)) for r, a in zip(rows, found, strict=True))
        _show(name, f"held {language}", len(rows), partial(_held_classes, rows, found))
    lines = (json.dumps(record, ensure_ascii=False) + "\n" for record in records)
    (out / f"answers_{name}.jsonl").write_text("".join(lines), "utf-8")
    return _right_without_harm([r for r in records if r["source"] == OURS])


def _natural_classes(
    scorer: ModuleType, marked: Sequence[dict], found: Sequence[Answer], threshold: float
) -> list[str]:
    """The scorer's class of each natural row, where rewrites below a threshold are not given."""
    return [
        scorer.score_row(row, _given(one, row["question"], threshold))["class"]
        for row, one in zip(marked, found, strict=True)
    ]


def _held_classes(rows: Sequence[Row], found: Sequence[Answer], threshold: float) -> list[str]:
    """The class of each row of ours, as above."""
    return [
        verdict(row, _given(one, row.question, threshold))
        for row, one in zip(rows, found, strict=True)
    ]


def _right_without_harm(records: list[dict], *, most_harm: float = 0.04) -> float:
    """The share of right rewrites at the lowest confidence with at most so much harm."""
    changed = [r for r in records if r["rewrite"] != r["question"]]
    if not changed:
        return 0.0
    judged = [Judged(record["evidence"], record["class"]) for record in changed]
    names = sorted({name for one in judged for name in one.evidence})
    inputs, right = columns(judged, names), is_right(judged)
    harm = np.array([float(one.kind == "harm") for one in judged])
    order = np.argsort(-(inputs @ fit(inputs, right)))
    allowed = np.cumsum(harm[order]) <= most_harm * len(records)
    return 100 * float(np.cumsum(right[order])[allowed].max(initial=0.0)) / len(records)


def _record(row: Row, answer: Answer, kind: str) -> dict:
    return {
        "id": row.identity,
        "source": row.source,
        "language": row.language,
        "phenomenon": row.phenomenon,
        "question": row.question,
        "reference": row.reference,
        "rewrite": answer.rewrite,
        "class": kind,
        "evidence": answer.evidence,
    }


def _given(answer: Answer, question: str, threshold: float) -> str:
    return answer.rewrite if answer.confidence >= threshold else question


def _show(name: str, part: str, count: int, classes: Classes) -> None:
    cells = []
    for threshold in THRESHOLDS:
        given = classes(threshold)
        right, harm = (100 * given.count(kind) / max(1, count) for kind in ("right", "harm"))
        cells.append(f"{threshold:g}: {right:.1f}/{harm:.1f}")
    print(f"{name} {part} ({count}) " + " | ".join(cells), flush=True)
