"""Answering questions about data with SQL that a model writes, checked before it runs."""

import asyncio
import time
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from typing import Final

from recollect.answerers.sql_database.data import ReadOnlyDatabase, Rows, StatementFailed, Table
from recollect.answerers.sql_database.guard import CheckedStatement, check_statement
from recollect.answerers.sql_database.prompts import (
    plain_answer,
    statement_in,
    to_explain,
    to_repair,
    to_write,
)
from recollect.domain.chat.answers import Answer, AnswerRequest, ResultPolicy
from recollect.domain.conversation.message import AnswerDetails
from recollect.domain.identity.scope import Scope
from recollect.domain.text import JsonValue
from recollect.errors import ModelUnavailable
from recollect.ports.models import ChatModel, Prompt

_SCHEMA_SECONDS: Final = 300
_STATEMENT_TOKENS: Final = 800
_ANSWER_TOKENS: Final = 600


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    statement: CheckedStatement
    explanation: str
    rows: Rows
    seconds: float


class SqlDatabaseAnswerer:
    """Writes a statement, checks that it only reads, runs it and puts the rows into words."""

    def __init__(
        self,
        database: ReadOnlyDatabase,
        model: ChatModel,
        *,
        tables: Sequence[str] = ("*",),
        functions: Sequence[str] = (),
        row_limit: int = 100,
        model_timeout: float = 60,
        results: ResultPolicy | None = None,
    ) -> None:
        self._database = database
        self._model = model
        self._patterns = tuple(tables)
        self._functions = tuple(functions)
        self._row_limit = row_limit
        self._timeout = model_timeout
        self._results = results or ResultPolicy()
        self._known: tuple[Table, ...] = ()
        self._known_until = float("-inf")
        self._reading = asyncio.Lock()

    async def answer(self, scope: Scope, asked: AnswerRequest) -> Answer:  # noqa: ARG002  # all may read the same
        """The answer, with its SQL and what it found, in the form of answerQuestion."""
        began = time.perf_counter()
        tables = await self._tables()
        prompts = to_write(asked.context, tables, self._database.dialect)
        written = await self._complete(prompts, _STATEMENT_TOKENS)
        statement, remark = statement_in(written)
        if not statement:
            return _answer(remark or written, began)
        try:
            found = await self._run(statement, remark, tables)
        except StatementFailed as failed:
            again = to_repair(prompts, written, str(failed))
            found = await self._try_again(again, tables)
        content = await self._in_words(asked, found)
        return _answer(content, began, found, kept=self._results.keep(found.rows.to_mappings()))

    async def stream(
        self, scope: Scope, asked: AnswerRequest
    ) -> AsyncGenerator[str | Answer, None]:
        """The answer in one piece: it is there only when the rows are."""
        answer = await self.answer(scope, asked)
        yield answer.content
        yield answer

    async def close(self) -> None:
        """Let go of the database."""
        await self._database.close()

    async def _try_again(self, prompts: Sequence[Prompt], tables: Sequence[Table]) -> _Found:
        statement, remark = statement_in(await self._complete(prompts, _STATEMENT_TOKENS))
        try:
            return await self._run(statement, remark, tables)
        except StatementFailed:
            # The database's words may quote data: they go to the model, not to the caller.
            raise ModelUnavailable(
                "the model wrote SQL twice that the database did not take; "
                "ask in other words or name the table"
            ) from None

    async def _run(self, statement: str, remark: str, tables: Sequence[Table]) -> _Found:
        checked = await asyncio.to_thread(  # a long statement takes milliseconds to read
            check_statement,
            statement,
            dialect=self._database.dialect,
            allowed=tables,
            limit=self._row_limit,
            functions=self._functions,
        )
        began = time.perf_counter()
        rows = await self._database.read(checked.limited, limit=self._row_limit)
        seconds = time.perf_counter() - began
        return _Found(statement=checked, explanation=remark, rows=rows, seconds=seconds)

    async def _in_words(self, asked: AnswerRequest, found: _Found) -> str:
        prompts = to_explain(asked.context, found.statement.text, found.rows)
        try:
            return await self._complete(prompts, _ANSWER_TOKENS)
        except ModelUnavailable:
            return plain_answer(found.rows)

    async def _complete(self, prompts: Sequence[Prompt], max_tokens: int) -> str:
        return await self._model.complete(prompts, max_tokens=max_tokens, timeout=self._timeout)

    async def _tables(self) -> tuple[Table, ...]:
        """The tables that may be read; looked up again every few minutes."""
        async with self._reading:
            if time.monotonic() >= self._known_until:
                found = await self._schema()
                self._known = tuple(t for t in found if t.is_named_by(self._patterns))
                self._known_until = time.monotonic() + _SCHEMA_SECONDS
        return self._known

    async def _schema(self) -> tuple[Table, ...]:
        try:
            return await self._database.tables()
        except StatementFailed:
            raise ModelUnavailable("the tables of the database could not be read") from None


def _answer(
    content: str, began: float, found: _Found | None = None, *, kept: JsonValue = None
) -> Answer:
    """The answer in the form of answerQuestion, and what is stored of it."""
    response = _response(content, time.perf_counter() - began, found)
    if found is None:
        return Answer(content=content, response=response)
    details = AnswerDetails(
        sql_query=found.statement.text,
        query_explanation=found.explanation or None,
        tables_used=found.statement.tables,
        execution_result=kept,
        execution_time_ms=round(found.seconds * 1000, 3),
    )
    return Answer(content=content, details=details, response=response)


def _response(content: str, total: float, found: _Found | None) -> dict[str, JsonValue]:
    seconds = found.seconds if found else 0.0
    return {
        "answer": content,
        "sql_query": found.statement.text if found else "",
        "query_explanation": found.explanation if found else "",
        "tokens": {},
        "execution_result": found.rows.to_records() if found else {},
        "related_questions": [],
        "tables_used": list(found.statement.tables) if found else [],
        "raw_graph": "",
        "sql_execution_time": seconds,
        "vector_store_search_time": 0.0,
        "llm_time": total - seconds,
        "total_execution_time": total,
    }
