"""Measure how well follow-up questions are understood, beside the baselines.

    python benchmarks/followups.py DATA [--half 0|1]

DATA is a folder with `followups/*.jsonl`, `sql/*.jsonl` and the scorers `score_followups.py` and
`score_sql.py`, whose own requirements must be installed. Nothing of it is kept or shipped.
`--half` takes every other pair of rows only: tune on one half, confirm on the other.
"""

import argparse
import importlib.util
import json
import subprocess
import sys
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any, Final

from recollect.domain.conversation.message import Role
from recollect.domain.followup.dialogue import Said
from recollect.domain.followup.rewrite import Rewriter

_COLUMNS: Final = ("R1", "BLEU", "EM", "same", "MRR", "sym")
_METHODS: Final = ("raw", "prev+raw", "first+raw", "human", "YOURS")
_GROUPS: Final = ("rewrite needed", "none needed, with history")
_COLD_START: Final = """
import time
import psutil
import recollect.domain.conversation.message
before = psutil.Process().memory_info().rss
start, cpu = time.perf_counter(), time.process_time()
from recollect.domain.followup.dialogue import Said
from recollect.domain.followup.rewrite import load_everything, rewrite
from recollect.domain.conversation.message import Role
sql = "SELECT a FROM b WHERE year = 2024"
rewrite("What about 2023?", [
    Said(role=Role.USER, content="Show me total sales by region for 2024"),
    Said(role=Role.ASSISTANT, content="North: 2.4M", sql_query=sql),
])
print(time.perf_counter() - start, time.process_time() - cpu)
load_everything()
print(time.perf_counter() - start, time.process_time() - cpu)
print((psutil.Process().memory_info().rss - before) / 2**20)
"""


class Latencies:
    """CPU seconds per question: what other processes do to the machine does not count.

    As in the service, one rewriter takes all questions and knows what it has read of their
    conversations; beside it, each question is given to one that has read nothing yet.
    """

    def __init__(self) -> None:
        self.kept = Rewriter()
        self.seconds: list[float] = []
        self.first_seconds: list[float] = []

    def rewrite(self, question: str, history: Sequence[Said]) -> str:
        """Rewrite one question, its language given as English, and note the time."""
        for rewriter, seconds in ((Rewriter(), self.first_seconds), (self.kept, self.seconds)):
            start = time.process_time()
            result = rewriter.rewrite(question, history, language="en")
            seconds.append(time.process_time() - start)
        return result.standalone_question

    def line(self) -> str:
        """The median and the 95th percentile in milliseconds."""
        shown = (
            f"{name} p50 {percentile(seconds, 50):.2f} ms, p95 {percentile(seconds, 95):.2f} ms"
            for name, seconds in (("CPU:", self.seconds), ("unread:", self.first_seconds))
        )
        return "; ".join(shown)


def percentile(seconds: list[float], percent: int) -> float:
    """A percentile in milliseconds."""
    return 1000 * sorted(seconds)[len(seconds) * percent // 100]


def load(path: Path) -> ModuleType:
    """A scorer, loaded from where the data are."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        sys.exit(f"{path} cannot be loaded")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def read_rows(path: Path, half: int | None) -> list[dict[str, Any]]:
    """The rows of a set, or every other pair of them."""
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]
    return [row for at, row in enumerate(rows) if half is None or at // 2 % 2 == half]


def said(messages: Iterable[dict[str, str]]) -> list[Said]:
    """A history as the rules take it."""
    return [Said(role=Role(one["role"]), content=one["content"]) for one in messages]


def measure_set(path: Path, scorer: ModuleType, half: int | None) -> list[bool]:
    """Print one set's table; return which rows that need no rewrite stayed as they were."""
    rows, clock = read_rows(path, half), Latencies()
    rewrites = {row["id"]: clock.rewrite(row["question"], said(row["history"])) for row in rows}
    result = scorer.evaluate(rows, rewrites)
    for group in (name for name in _GROUPS if name in result):
        methods = result[group]
        columns = [name for name in _COLUMNS if name in methods["raw"]]
        print(f"\n{path.stem}, {group}: {methods['raw']['n']} rows")
        print(f"  {'':10}" + "".join(f"{name:>7}" for name in columns))
        for name in _METHODS:
            label = "rules" if name == "YOURS" else name
            print(f"  {label:10}" + "".join(f"{methods[name][one]:7.1f}" for one in columns))
    print(f"  {clock.line()}")
    return [
        scorer.same_form(rewrites[row["id"]]) == scorer.same_form(row["question"])
        for row in rows
        if row["needs_rewrite"] is False and any(m["role"] == "user" for m in row["history"])
    ]


def measure_sql(path: Path, scorer: ModuleType, half: int | None, *, with_sql: bool) -> None:
    """Print which values of the SQL the rewrites carry along."""
    rows, clock = read_rows(path, half), Latencies()
    rewrites: dict[tuple[str, int], str] = {}
    for row in rows:
        history: list[Said] = []
        for number, turn in enumerate(row["turns"]):
            if number:
                rewrites[row["id"], number] = clock.rewrite(turn["question"], history)
            sql = turn["sql"] if with_sql else None
            history += (
                Said(role=Role.USER, content=turn["question"]),
                Said(role=Role.ASSISTANT, content="", sql_query=sql),
            )
    print(f"\n{path.stem}, {'with' if with_sql else 'without'} the SQL of the answers")
    print(f"  {'':10} values  stale R1 goal  words")
    for name, numbers in scorer.evaluate(rows, rewrites).items():
        label = "rules" if name == "YOURS" else name
        shown = (numbers[one] for one in ("values", "stale", "R1 goal", "words"))
        print(f"  {label:10}" + "".join(f"{number:7.1f}" for number in shown))
    print(f"  {clock.line()}")


def measure_cold_start() -> None:
    """Read the first question in a new process, and load there what no clear question needs."""
    command = [sys.executable, "-c", _COLD_START]
    done = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603 # ours
    wall, cpu, all_wall, all_cpu, megabytes = map(float, done.stdout.split())
    print(f"\ncold start {wall:.2f} s ({cpu:.2f} s of CPU)", end="; ")
    print(f"with everything loaded {all_wall:.2f} s ({all_cpu:.2f} s), {megabytes:.0f} MB")


def main() -> None:
    """Measure every set of the folder."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path, metavar="DATA")
    parser.add_argument("--half", type=int, choices=(0, 1))
    args = parser.parse_args()
    followups = load(args.data / "score_followups.py")
    unchanged: list[bool] = []
    for path in sorted((args.data / "followups").glob("*.jsonl")):
        unchanged += measure_set(path, followups, args.half)
    share = 100 * sum(unchanged) / len(unchanged)
    print(f"\nall sets: {share:.1f} % of {len(unchanged)} questions that need no rewrite unchanged")
    sql = load(args.data / "score_sql.py")
    for path in sorted((args.data / "sql").glob("*.jsonl")):
        for with_sql in (True, False):
            measure_sql(path, sql, args.half, with_sql=with_sql)
    measure_cold_start()


if __name__ == "__main__":
    main()
