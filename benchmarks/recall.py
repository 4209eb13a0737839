"""Measure how much of what was said is found again, beside BM25.

    python benchmarks/recall.py DATA [--engine in_memory|postgres] [--scorer-python PYTHON]

DATA is a folder with `recall/*.jsonl` (long conversations and questions about them) and the
scorer `score_recall.py`, which runs in a Python that has what it imports: `pip install -r
DATA/requirements.txt`. Nothing of it is kept or shipped. Each conversation belongs to an owner of
its own, each message is one of a log that names its speakers, and the clock stands at the time it
was said. Messages are indexed by the worker's own code and questions asked through
`Memory.recall`. `--rankings` keeps the rankings.
"""

import asyncio
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Final
from uuid import UUID, uuid4

from recall_measuring import (
    Bench,
    Json,
    argument_parser,
    open_bench,
    ranking_row,
    write_rankings,
)

_DATE: Final = "%I:%M %p on %d %B, %Y"


async def rank_conversation(bench: Bench, conversation: Json) -> list[Json]:
    """Tell a conversation to a user of its own and ask all questions about it."""
    conversation_id = conversation["id"]
    user = f"{conversation_id}-{uuid4()}"
    turn_ids = await _store(bench, conversation, user)
    rows: list[Json] = []
    for index, question in enumerate(conversation["questions"]):
        messages = await bench.ask(question["question"], user=user)
        ranked = [turn_ids[message_id] for message_id in messages]
        rows.append(ranking_row(conversation_id, index, ranked))
    return rows


async def _store(bench: Bench, conversation: Json, user: str) -> dict[UUID, str]:
    """Store and index a conversation; return the id of each message's turn."""
    turn_ids: dict[UUID, str] = {}
    for part in conversation["sessions"]:
        moment = datetime.strptime(part["date"], _DATE).replace(tzinfo=UTC)
        session = await bench.session_at(moment, user=user)
        for turn in part["turns"]:
            metadata = {"speaker": turn["speaker"]}
            message = await session.add("user", turn["text"], metadata=metadata)
            turn_ids[message.message_id] = turn["id"]
    await bench.index(messages=len(turn_ids))
    return turn_ids


async def measure(conversations: Iterable[Json], engine: str) -> list[Json]:
    """The rankings of all questions of a set; times are printed."""
    rows: list[Json] = []
    async with open_bench(engine) as bench:
        for conversation in conversations:
            rows += await rank_conversation(bench, conversation)
            print(f"{conversation['id']} done", file=sys.stderr)
        bench.times.print()
    return rows


def score(folder: Path, path: Path, rankings: Path, python: str) -> None:
    """Let the scorer print its table."""
    command = [python, str(folder / "score_recall.py"), str(path), str(rankings)]
    subprocess.run(command, check=True)  # noqa: S603  # the scorer that was named


def main() -> None:
    """Measure every set of the folder."""
    parser = argument_parser(__doc__)
    parser.add_argument("--scorer-python", default=sys.executable, metavar="PYTHON")
    args = parser.parse_args()
    for path in sorted((args.data / "recall").glob("*.jsonl")):
        lines = path.read_text("utf-8").splitlines()
        rows = asyncio.run(measure(map(json.loads, filter(None, lines)), args.engine))
        with tempfile.TemporaryDirectory() as folder:
            rankings = (args.rankings or Path(folder)) / f"{path.stem}.rankings.jsonl"
            write_rankings(rankings, rows)
            score(args.data, path, rankings, args.scorer_python)


if __name__ == "__main__":
    main()
