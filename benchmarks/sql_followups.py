"""How often a model's SQL is right on follow-up questions, by the form the earlier turns take.

    python benchmarks/sql_followups.py http://127.0.0.1:8081/v1 qwen

Ten turns on a small SQLite database. A turn is right when its statement passes the guard, runs,
and finds the same rows as the expected one, whatever its columns are called or in which order.
"""

import argparse
import asyncio
import sqlite3
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from recollect.answerers.sql_database import open_database
from recollect.answerers.sql_database.answerer import plain_answer, statement_in, to_write
from recollect.answerers.sql_database.data import ReadOnlyDatabase, Rows, StatementFailed, Table
from recollect.answerers.sql_database.guard import check_statement
from recollect.domain.context.context import Context
from recollect.errors import StatementRefused
from recollect.memory import Memory
from recollect.models.endpoint.chat_model import OpenAICompatibleChat
from recollect.ports.models import Prompt

Form = Callable[[Context, Sequence[Table], str], list[Prompt]]

_REGIONS: Final = ("North", "South", "East", "West")
_PRODUCTS: Final = ("Bikes", "Lamps", "Helmets")
_BY_REGION: Final = "SELECT region, SUM(amount) FROM sales WHERE {} GROUP BY region"
_QUANTITY: Final = "SELECT SUM(quantity) FROM sales WHERE {}"
_RANKED: Final = "SELECT region FROM sales WHERE {} GROUP BY region ORDER BY SUM(amount) {} LIMIT 1"
_TURNS: Final = (
    ("Show me total sales by region for 2024", _BY_REGION.format("year = 2024")),
    ("What about 2023?", _BY_REGION.format("year = 2023")),
    ("Only the North", _BY_REGION.format("year = 2023 AND region = 'North'")),
    (
        "And per month?",
        "SELECT month, SUM(amount) FROM sales WHERE year = 2023 AND region = 'North' GROUP BY 1",
    ),
    ("How many bikes were sold in 2024?", _QUANTITY.format("product = 'Bikes' AND year = 2024")),
    ("And lamps?", _QUANTITY.format("product = 'Lamps' AND year = 2024")),
    ("What about 2023?", _QUANTITY.format("product = 'Lamps' AND year = 2023")),
    (
        "Which region had the highest total amount in 2024?",
        _RANKED.format("year = 2024", "DESC"),
    ),
    ("And the lowest?", _RANKED.format("year = 2024", "ASC")),
    (
        "Show me total sales by product for 2024",
        "SELECT product, SUM(amount) FROM sales WHERE year = 2024 GROUP BY product",
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """What came of one question."""

    question: str
    written: str
    outcome: str
    rows: Rows | None = None
    statement: str | None = None


def make_shop(path: Path) -> None:
    """Write a database of sales whose sums are all different."""
    connection = sqlite3.connect(path)
    connection.execute(
        "CREATE TABLE sales (region TEXT, product TEXT, year INTEGER, month INTEGER,"
        " quantity INTEGER, amount INTEGER)"
    )
    rows = [
        (
            region,
            product,
            year,
            month,
            1 + (r + p + month + year) % 5,
            100 * (r + 1) + 7 * p + month,
        )
        for r, region in enumerate(_REGIONS)
        for p, product in enumerate(_PRODUCTS)
        for year in (2022, 2023, 2024)
        for month in range(1, 13)
        if (r + p + month + year) % 3
    ]
    connection.executemany("INSERT INTO sales VALUES (?, ?, ?, ?, ?, ?)", rows)
    connection.commit()
    connection.close()


def as_block(context: Context, tables: Sequence[Table], dialect: str) -> list[Prompt]:
    """The form before: earlier turns described in a block above the question."""
    system = to_write(context, tables, dialect)[0]
    earlier = context.instructions()
    question = f"Question: {context.standalone_question}"
    content = f"{earlier}\n\n{question}" if earlier else question
    return [system, Prompt(role="user", content=content)]


FORMS: Final[dict[str, Form]] = {"block": as_block, "messages": to_write}


async def ask(
    database: ReadOnlyDatabase, model: OpenAICompatibleChat, form: Form, context: Context
) -> Turn:
    """Let the model write the statement of one turn, and run it."""
    tables = await database.tables()
    prompts = form(context, tables, database.dialect)
    written = await model.complete(prompts, max_tokens=300, timeout=600)
    statement, remark = statement_in(written)
    if not statement:
        return Turn(question=context.standalone_question, written=remark, outcome="NO SQL")
    try:
        checked = check_statement(statement, dialect=database.dialect, allowed=tables, limit=100)
        rows = await database.read(checked.limited, limit=100)
    except StatementRefused as refused:
        return Turn(
            question=context.standalone_question, written=written, outcome=f"refused: {refused}"
        )
    except StatementFailed as failed:
        return Turn(
            question=context.standalone_question, written=written, outcome=f"failed: {failed}"
        )
    return Turn(
        question=context.standalone_question,
        written=written,
        outcome="ran",
        rows=rows,
        statement=checked.text,
    )


async def talk(database: ReadOnlyDatabase, model: OpenAICompatibleChat, form: Form) -> list[Turn]:
    """Ask all questions in one session, each after what came of the ones before."""
    turns = []
    async with Memory.in_memory() as memory:
        session = await memory.session(user="benchmark")
        for question, _ in _TURNS:
            turn = await ask(database, model, form, await session.context(question))
            turns.append(turn)
            print(".", end="", flush=True)
            await session.add("user", question)
            if turn.rows is not None:
                answer = plain_answer(turn.rows)
                await session.add("assistant", answer, sql_query=turn.statement)
            elif turn.outcome == "NO SQL":
                await session.add("assistant", turn.written or "NO SQL")
    return turns


def is_right(found: Rows | None, expected: Rows) -> bool:
    """Whether the rows are the expected ones, which may have further columns beside them."""
    if found is None or len(found.rows) != len(expected.rows):
        return False
    wanted = sorted(map(_cells, expected.rows))
    cells = sorted(map(_cells, found.rows))
    return all(set(some) <= set(all_of) for some, all_of in zip(wanted, cells, strict=True))


def _cells(row: Sequence[object]) -> tuple[str, ...]:
    return tuple(sorted(str(cell) for cell in row))


async def measure(base_url: str, model_name: str, forms: Sequence[str]) -> None:
    """Print what came of every turn in every form."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "shop.sqlite"
        make_shop(path)
        database = open_database(f"sqlite:///{path}", timeout=30)
        expected = [await database.read(statement, limit=100) for _, statement in _TURNS]
        async with OpenAICompatibleChat(base_url, model=model_name) as model:
            for name in forms:
                turns = await talk(database, model, FORMS[name])
                _report(name, turns, expected)
        await database.close()


def _report(name: str, turns: Sequence[Turn], expected: Sequence[Rows]) -> None:
    right = [is_right(turn.rows, rows) for turn, rows in zip(turns, expected, strict=True)]
    print(f"\n{name}: {sum(right)} of {len(right)} right")
    for (question, _), turn, is_good in zip(_TURNS, turns, right, strict=True):
        mark = "right" if is_good else "wrong" if turn.outcome == "ran" else turn.outcome
        print(f"  {mark[:60]:8} {question}  [{turn.question}]")
        if not is_good:
            print(f"           {' '.join(turn.written.split())[:200]}")


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("base_url", help="OpenAI-compatible endpoint, with /v1")
    parser.add_argument("model")
    parser.add_argument("--forms", nargs="+", choices=FORMS, default=["block", "messages"])
    args = parser.parse_args()
    asyncio.run(measure(args.base_url, args.model, args.forms))


if __name__ == "__main__":
    main()
