"""Measure how well follow-up questions are understood, and the harm that is done to others.

    python benchmarks/followups.py DATA [--half 0|1] [--rewrites FILE]

DATA is a folder with `natural/*.jsonl`, `followups/*.jsonl`, `sql/*.jsonl` and the scorers
`score_natural.py`, `score_followups.py` and `score_sql.py`, whose own requirements must be
installed. Nothing of it is kept or shipped. `--half` takes every other pair of rows only.
`--rewrites` writes the natural rewrites to a file, to be read by somebody.
"""

import argparse
import asyncio
import importlib.util
import json
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any, Final

from recollect.domain.conversation.message import Role
from recollect.domain.followup.dialogue import HistoryMessage, Rewrite
from recollect.memory import Memory
from recollect.services.context.rewriting import Rewriting

_COLUMNS: Final = ("R1", "BLEU", "EM", "same", "MRR", "sym")
_METHODS: Final = ("raw", "prev+raw", "first+raw", "human", "YOURS")
_GROUPS: Final = ("rewrite needed", "none needed, with history")
_COLD_START: Final = """
import time
import psutil
import recollect.domain.conversation.message
before = psutil.Process().memory_info().rss
start, cpu = time.perf_counter(), time.process_time()
from recollect.models.followup.span_editor import SpanEditor
SpanEditor().load()
print(time.perf_counter() - start, time.process_time() - cpu)
print((psutil.Process().memory_info().rss - before) / 2**20)
"""


@dataclass(slots=True)
class Measured:
    """The service's rewriting, with the CPU seconds of each question.

    What other processes do to the machine does not count; the work of our own threads does.
    """

    rewriting: Rewriting
    seconds: list[float] = field(default_factory=list)

    async def rewrite(
        self, question: str, history: Sequence[HistoryMessage], language: str = "en"
    ) -> Rewrite:
        """Rewrite one question, its language given, and note the time."""
        start = time.process_time()
        result = await self.rewriting.after(history, question, language=language)
        self.seconds.append(time.process_time() - start)
        return result

    def line(self) -> str:
        """The median and the 95th percentile in milliseconds."""
        p50, p95 = (percentile(self.seconds, percent) for percent in (50, 95))
        return f"CPU: p50 {p50:.2f} ms, p95 {p95:.2f} ms"


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


def said(messages: Iterable[dict[str, str]]) -> list[HistoryMessage]:
    """A history as the service takes it."""
    return [
        HistoryMessage(role=Role(one["role"]), content=one["content"], sql_query=one.get("sql"))
        for one in messages
    ]


def natural_rows(data: Path, scorer: ModuleType) -> list[dict[str, Any]]:
    """The rows of natural talk, of all languages."""
    return [row for path in sorted((data / "natural").glob("*.jsonl")) for row in scorer.read(path)]


def write_lines(path: Path, lines: Iterable[dict[str, str]]) -> None:
    """Write JSON Lines."""
    texts = (json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    path.write_text("".join(texts), "utf-8")


async def measure_natural(
    rows: Sequence[dict[str, Any]], scorer: ModuleType, rewriting: Rewriting
) -> list[dict[str, str]]:
    """Print right, harm and what was kept for each language, and how far confidence holds.

    Returns the rewrites.
    """
    clock, kinds, lines = Measured(rewriting), [], []
    for row in rows:
        result = await clock.rewrite(row["question"], said(row["history"]), row["language"])
        standalone = result.standalone_question
        kind = scorer.score_row(row, standalone)["class"]
        kinds.append((row, kind, result))
        lines.append({"id": row["id"], "rewrite": standalone, "class": kind})
    print(f"natural: {len(rows)} rows    right   harm   miss  other   kept where none is needed")
    for language in ("all", *sorted({row["language"] for row in rows})):
        part = [one for one in kinds if language in {"all", one[0]["language"]}]
        counts = Counter(kind for _, kind, _ in part)
        shares = (100 * counts[kind] / len(part) for kind in ("right", "harm", "miss", "other"))
        none = [kind for row, kind, _ in part if not row["needs_rewrite"]]
        kept = 100 * none.count("right") / len(none)
        print(f"  {language:14}" + "".join(f"{share:7.1f}" for share in shares) + f"{kept:10.1f}")
    print(f"  {clock.line()}")
    _print_reliability(kinds)
    return lines


def _print_reliability(kinds: Sequence[tuple[dict[str, Any], str, Rewrite]]) -> None:
    """Of the rewrites that were sent, how many are right, by their confidence."""
    sent = [
        (r.confidence, kind) for row, kind, r in kinds if r.standalone_question != row["question"]
    ]
    for low, high in ((0.0, 0.6), (0.6, 0.7), (0.7, 0.8), (0.8, 1.01)):
        inside = [kind for confidence, kind in sent if low <= confidence < high]
        if inside:
            right, harm = (100 * inside.count(kind) / len(inside) for kind in ("right", "harm"))
            print(f"  confidence {low:.1f} to {min(high, 1):.1f}: {len(inside)} rewrites, ", end="")
            print(f"{right:.0f} % right, {harm:.0f} % harm")


async def measure_set(
    path: Path, scorer: ModuleType, half: int | None, rewriting: Rewriting, *, answer: str = ""
) -> list[bool]:
    """Print one set's table; return which rows that need no rewrite stayed as they were."""
    rows, clock = read_rows(path, half), Measured(rewriting)
    rewrites, searches = {}, {}
    for row in rows:
        history = said(row["history"])
        if answer and history:
            history = [one for one in history if one.content] + [
                HistoryMessage(role=Role.ASSISTANT, content=answer)
            ]
        rewrite = await clock.rewrite(row["question"], history)
        rewrites[row["id"]] = rewrite.standalone_question
        searches[row["id"]] = rewrite.search_text
    result, searched = (scorer.evaluate(rows, texts) for texts in (rewrites, searches))
    for group in (name for name in _GROUPS if name in result):
        methods = result[group]
        columns = [name for name in _COLUMNS if name in methods["raw"]]
        reply = f", answered {answer!r}" if answer else ""
        print(f"\n{path.stem}{reply}, {group}: {methods['raw']['n']} rows")
        print(f"  {'':10}" + "".join(f"{name:>7}" for name in columns))
        for name in _METHODS:
            label = "Recollect" if name == "YOURS" else name
            print(f"  {label:10}" + "".join(f"{methods[name][one]:7.1f}" for one in columns))
        if "MRR" in columns:
            print(f"  what recall searches for: MRR {searched[group]['YOURS']['MRR']:.1f}")
    print(f"  {clock.line()}")
    return [
        scorer.same_form(rewrites[row["id"]]) == scorer.same_form(row["question"])
        for row in rows
        if row["needs_rewrite"] is False and any(m["role"] == "user" for m in row["history"])
    ]


async def measure_sql(
    path: Path, scorer: ModuleType, half: int | None, rewriting: Rewriting, *, with_sql: bool
) -> None:
    """Print which values of the SQL the rewrites carry along."""
    rows, clock = read_rows(path, half), Measured(rewriting)
    rewrites: dict[tuple[str, int], str] = {}
    for row in rows:
        history: list[HistoryMessage] = []
        for number, turn in enumerate(row["turns"]):
            if number:
                result = await clock.rewrite(turn["question"], history)
                rewrites[row["id"], number] = result.standalone_question
            sql = turn["sql"] if with_sql else None
            history += (
                HistoryMessage(role=Role.USER, content=turn["question"]),
                HistoryMessage(role=Role.ASSISTANT, content="", sql_query=sql),
            )
    print(f"\n{path.stem}, {'with' if with_sql else 'without'} the SQL of the answers")
    print(f"  {'':10} values  stale R1 goal  words")
    for name, numbers in scorer.evaluate(rows, rewrites).items():
        label = "Recollect" if name == "YOURS" else name
        shown = (numbers[one] for one in ("values", "stale", "R1 goal", "words"))
        print(f"  {label:10}" + "".join(f"{number:7.1f}" for number in shown))
    print(f"  {clock.line()}")


def measure_cold_start() -> None:
    """Load the network in a new process."""
    command = [sys.executable, "-c", _COLD_START]
    done = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603 # ours
    wall, cpu, megabytes = map(float, done.stdout.split())
    print(f"\nthe network loads in {wall:.2f} s ({cpu:.2f} s of CPU), {megabytes:.0f} MB")


async def measure(data: Path, half: int | None, rewrites: Path | None) -> None:
    """Measure every set of the folder, natural talk first."""
    async with Memory.in_memory() as memory:
        rewriting = memory.services.rewriting
        await rewriting.prepare()
        natural = load(data / "score_natural.py")
        lines = await measure_natural(natural_rows(data, natural), natural, rewriting)
        if rewrites:
            write_lines(rewrites, lines)
        followups = load(data / "score_followups.py")
        unchanged: list[bool] = []
        for path in sorted((data / "followups").glob("*.jsonl")):
            unchanged += await measure_set(path, followups, half, rewriting)
            if path.stem.startswith("followup"):
                answer = "Here is the result."
                await measure_set(path, followups, half, rewriting, answer=answer)
        share = 100 * sum(unchanged) / len(unchanged)
        print(f"\nall sets: {share:.1f} % of {len(unchanged)} questions that need none unchanged")
        sql = load(data / "score_sql.py")
        for path in sorted((data / "sql").glob("*.jsonl")):
            for with_sql in (True, False):
                await measure_sql(path, sql, half, rewriting, with_sql=with_sql)


def main() -> None:
    """Read the arguments and measure."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path, metavar="DATA")
    parser.add_argument("--half", type=int, choices=(0, 1))
    parser.add_argument("--rewrites", type=Path)
    args = parser.parse_args()
    asyncio.run(measure(args.data, args.half, args.rewrites))
    measure_cold_start()


if __name__ == "__main__":
    main()
