"""How close the extractive summaries come to those people write, beside two simple methods.

    python benchmarks/summaries.py DATA

DATA is a folder with `score_summaries.py` and `summaries/*.jsonl`; neither comes with Recollect.
The scorer runs in a Python that has what it imports: `pip install -r DATA/requirements.txt`.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from recollect.domain.summary.candidates import Utterance
from recollect.domain.summary.extractive import summarise_extractively

LIMIT = 2000  # characters; far above what these short dialogues need
COLUMNS = ("R1", "R2", "RL", "words")


def main() -> None:
    """Score every set in the folder and print one table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path, metavar="DATA")
    folder: Path = parser.parse_args().data
    scorer = folder / "score_summaries.py"
    sets = sorted((folder / "summaries").glob("*.jsonl"))
    if not scorer.is_file() or not sets:
        sys.exit(f"{folder} must hold score_summaries.py and summaries/*.jsonl")
    print(f"{'':24}{'n':>6}" + "".join(f"{column:>8}" for column in COLUMNS))
    for path in sets:
        for method, numbers in scored(scorer, path).items():
            name = f"{path.stem} {'Recollect' if method == 'YOURS' else method}"
            cells = "".join(f"{numbers[column]:8.1f}" for column in COLUMNS)
            print(f"{name:24}{numbers['n']:6.0f}{cells}")


def scored(scorer: Path, path: Path) -> dict[str, dict[str, float]]:
    """The scorer's numbers for each method."""
    with tempfile.TemporaryDirectory() as folder:
        predictions, numbers = Path(folder, "predictions.jsonl"), Path(folder, "numbers.json")
        predictions.write_text(summaries_of(path), encoding="utf-8")
        command = [sys.executable, scorer, path, predictions, "--json", numbers]
        done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603  # the program the user named
        if done.returncode:
            sys.exit(f"{scorer} failed:\n{done.stderr}\nDoes this Python have what it needs?")
        found: dict[str, dict[str, float]] = json.loads(numbers.read_text(encoding="utf-8"))
        return found


def summaries_of(path: Path) -> str:
    """Our summary of each dialogue, a row each."""
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]
    started = time.perf_counter()
    summaries = [summary_of(row["dialogue"]) for row in rows]
    took = 1000 * (time.perf_counter() - started) / max(1, len(rows))
    print(f"{path.stem}: {took:.1f} ms a dialogue", file=sys.stderr)
    pairs = zip(rows, summaries, strict=True)
    return "".join(json.dumps({"id": row["id"], "summary": said}) + "\n" for row, said in pairs)


def summary_of(dialogue: list[dict[str, str]]) -> str:
    """The extractive summary, with the defaults that compaction uses."""
    said = [Utterance(speaker=turn["speaker"] or "", text=turn["text"]) for turn in dialogue]
    return summarise_extractively(said, limit=LIMIT)


if __name__ == "__main__":
    main()
