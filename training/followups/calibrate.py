"""Fit how often a rewrite is right, on rows that the network was not trained on.

    python calibrate.py ROWS WEIGHTS NATURAL
    python calibrate.py --titles TITLED.jsonl WEIGHTS

ROWS and WEIGHTS are the folders of our rows and of the exported network. What speaks for and
against a rewrite is weighed on the rows of ours that were held out: what tells right ones from
those that do harm. These rows are harder than most talk; how sure a rewrite is, is then read off
the natural rows (`NATURAL`, with their scorer beside), by two numbers. Both go into `words.json`;
a reliability table is printed, each row predicted by a fit without it.

TITLED has rows whose conversations open with a title, of pages that were not trained on. Neither
ours nor the natural ones do, so what a title says for a rewrite is weighed on them alone, after
the rest and without a change to it.
"""

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np

from recollect.models.followup.span_editor import SpanEditor
from rows import HELD_OUT, OURS, Row, load_module, read_rows, verdict

_ABOUT_TITLES = ("in_title", "passes_title")
_PARTS = 5
_BINS = (0.0, 0.2, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)


@dataclass(frozen=True, slots=True)
class Judged:
    """A rewrite, what speaks for and against it, and whether it is right, harm or neither."""

    evidence: Mapping[str, float]
    kind: str


def fit(
    inputs: np.ndarray,
    right: np.ndarray,
    *,
    ridge: float = 1.0,
    beside: np.ndarray | float = 0.0,
) -> np.ndarray:
    """Logistic regression by Newton's method; the first column is not held back.

    `beside` is what each row's score has already, from weights that are not fitted.
    """
    weights = np.zeros(inputs.shape[1])
    penalty = ridge * np.eye(len(weights))
    penalty[0, 0] = 0.0
    for _ in range(50):
        predicted = 1 / (1 + np.exp(-(inputs @ weights + beside)))
        slope = inputs.T @ (right - predicted) - penalty @ weights
        curve = (inputs * (predicted * (1 - predicted))[:, None]).T @ inputs + penalty
        weights += np.linalg.solve(curve, slope)
    return weights


def columns(judged: Sequence[Judged], names: Sequence[str]) -> np.ndarray:
    """Evidence as a table, after a column of ones."""
    rows = [[1.0, *(one.evidence.get(name, 0.0) for name in names)] for one in judged]
    return np.array(rows)


def is_right(judged: Sequence[Judged]) -> np.ndarray:
    """1 for each rewrite that is right, else 0."""
    return np.array([float(one.kind == "right") for one in judged])


def main(rows: Path, weights: Path, natural: Path) -> None:
    """Fit, print the table, store the fit."""
    words = json.loads((weights / "words.json").read_text("utf-8"))
    words["calibration"] = {"bias": 0.0, "weights": {}}
    (weights / "words.json").write_text(json.dumps(words, ensure_ascii=False), "utf-8")
    editor = SpanEditor(weights)
    ours = read_rows(sorted(rows.glob("*.jsonl")), source=OURS)
    held = [row for row in ours if row.conversation % HELD_OUT == 0]
    hard = _judged(editor, held, [verdict for _ in held])
    scorer = load_module(natural.parent / "score_natural.py")
    marked = [row for path in sorted(natural.glob("*.jsonl")) for row in scorer.read(path)]
    talk = read_rows(sorted(natural.glob("*.jsonl")))
    plain = _judged(
        editor,
        talk,
        [lambda _, rewrite, m=m: scorer.score_row(m, rewrite)["class"] for m in marked],
    )
    names = sorted({name for one in (*hard, *plain) for name in one.evidence})
    names = [name for name in names if name not in {"is_en", *_ABOUT_TITLES}]
    clear = [one for one in hard if one.kind in {"right", "harm"}]
    inner = fit(columns(clear, names), is_right(clear), ridge=2.0)
    outer, predicted = _scaled(columns(plain, names) @ inner, is_right(plain))
    _print_table(predicted, plain, len(talk))
    bias = outer[0] + outer[1] * inner[0]
    words["calibration"] = {
        "bias": round(float(bias), 4),
        "weights": {
            n: round(float(outer[1] * w), 4) for n, w in zip(names, inner[1:], strict=True)
        },
    }
    (weights / "words.json").write_text(json.dumps(words, ensure_ascii=False), "utf-8")
    print(words["calibration"])


def weigh_titles(titled: Path, weights: Path) -> None:
    """Fit the weights of titles, beside what else speaks for and against a rewrite."""
    words = json.loads((weights / "words.json").read_text("utf-8"))
    known = words["calibration"]["weights"]
    for name in _ABOUT_TITLES:
        known[name] = 0.0
    (weights / "words.json").write_text(json.dumps(words, ensure_ascii=False), "utf-8")
    rows = read_rows([titled])
    judged = _judged(SpanEditor(weights), rows, [verdict for _ in rows])
    clear = [one for one in judged if one.kind in {"right", "harm"}]
    others = columns(clear, list(known)) @ [words["calibration"]["bias"], *known.values()]
    inputs = columns(clear, _ABOUT_TITLES)[:, 1:]
    fitted = fit(inputs, is_right(clear), beside=others)
    known |= {n: round(float(w), 4) for n, w in zip(_ABOUT_TITLES, fitted, strict=True)}
    (weights / "words.json").write_text(json.dumps(words, ensure_ascii=False), "utf-8")
    print(len(judged), "rewrites,", len(clear), "right or harm", known)


def _judged(
    editor: SpanEditor, rows: Sequence[Row], judges: Sequence[Callable[[Row, str], str]]
) -> list[Judged]:
    """The rewrites that change a question."""
    found = []
    for row, judge in zip(rows, judges, strict=True):
        reading = editor.read(row.question, row.history, language=row.language)
        if reading is not None and reading.evidence and reading.is_sound:
            found.append(Judged(reading.evidence, judge(row, reading.rewrite)))
    return found


def _scaled(scores: np.ndarray, right: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Two numbers that make scores probabilities, and each row's probability by others' numbers."""
    inputs = np.stack([np.ones_like(scores), scores], 1)
    predicted = np.zeros(len(right))
    for part in range(_PARTS):
        left_out = np.arange(len(right)) % _PARTS == part
        weights = fit(inputs[~left_out], right[~left_out], ridge=0.01)
        predicted[left_out] = 1 / (1 + np.exp(-inputs[left_out] @ weights))
    return fit(inputs, right, ridge=0.01), predicted


def _print_table(predicted: np.ndarray, judged: Sequence[Judged], rows: int) -> None:
    right = is_right(judged)
    harm = np.array([float(one.kind == "harm") for one in judged])
    print("confidence    rewrites   mean   right   harm")
    for low, high in pairwise(_BINS):
        inside = (predicted >= low) & (predicted < high)
        if inside.any():
            means = predicted[inside].mean(), right[inside].mean(), harm[inside].mean()
            cells = "".join(f"   {mean:.2f}" for mean in means)
            print(f"{low:.1f} - {high:.1f}  {inside.sum():10}{cells}")
    for threshold in (0.5, 0.53, 0.55, 0.57, 0.6, 0.65, 0.7):
        kept = predicted >= threshold
        print(
            f"from {threshold}: right {100 * right[kept].sum() / rows:.1f}, "
            f"harm {100 * harm[kept].sum() / rows:.1f} % of all rows"
        )


if __name__ == "__main__":
    if sys.argv[1] == "--titles":
        weigh_titles(*map(Path, sys.argv[2:4]))
    else:
        main(*map(Path, sys.argv[1:4]))
