"""Answers by a Denodo AI SDK: a question with its memory, and the response read."""

import asyncio
import re
from collections.abc import AsyncGenerator, Mapping, Sequence
from functools import partial
from typing import Final

from recollect.answerers.denodo.client import DenodoClient, names_in
from recollect.concurrency import off_loop
from recollect.domain.chat.answers import Answer, AnswerRequest, ResultPolicy
from recollect.domain.conversation.message import MAX_CONTENT_LENGTH, AnswerDetails
from recollect.domain.identity.scope import Scope
from recollect.domain.text import JsonObject, JsonValue, storable_json
from recollect.ports.models import SqlReader

_TEXTS: Final = ("answer", "sql_query", "query_explanation", "raw_graph")
_TIMES: Final = (
    "sql_execution_time",
    "vector_store_search_time",
    "llm_time",
    "total_execution_time",
)
_DISCLAIMER: Final = re.compile(r"\bDISCLAIMER: This response has been generated\b.*\Z", re.DOTALL)
_MOST_TABLES: Final = 1000
_LONGEST_NAME: Final = 1000
_LONGEST_COUNT: Final = 2**63 - 1
_NO_TEXT: Final = "(The query gave no text.)"


def tables_of(sql: str, candidates: Sequence[str], reader: SqlReader) -> tuple[str, ...]:
    """The tables in a query, as `database.view` where that is known.

    The AI SDK names every view that it considered, not those that it used. Where there is no
    query, or it cannot be parsed, all of them count.
    """
    named = reader.tables_in(sql)
    if not named:
        return tuple(dict.fromkeys(candidates))
    return tuple(dict.fromkeys(_in_full(table, candidates) for table in named))


def _in_full(table: str, candidates: Sequence[str]) -> str:
    """The candidate that a table without its database stands for, if there is only one."""
    if "." in table:
        return table
    ending = f".{table.lower()}"
    matching = [candidate for candidate in candidates if candidate.lower().endswith(ending)]
    return matching[0] if len(matching) == 1 else table


def read_response(received: JsonObject, *, results: ResultPolicy, reader: SqlReader) -> Answer:
    """The answer with its details, and the response with every field in its usual type."""
    response = _normalised(received, reader)
    text = str(response["answer"])
    sql = str(response["sql_query"]).strip()
    stored = _DISCLAIMER.sub("", text).strip() or sql or _NO_TEXT
    return Answer(
        content=text if text.strip() else stored,
        stored_as=stored,
        response=response,
        details=AnswerDetails(
            sql_query=sql[:MAX_CONTENT_LENGTH] or None,
            query_explanation=str(response["query_explanation"])[:MAX_CONTENT_LENGTH] or None,
            tables_used=_tables(response),
            execution_result=results.keep(rows_of(response["execution_result"])),
            tokens=_mapping(response["tokens"]) or None,
            execution_time_ms=_milliseconds(response["sql_execution_time"]),
            model=_model(response),
        ),
    )


def rows_of(result: JsonValue) -> list[dict[str, JsonValue]]:
    """The rows of an execution result, whichever form it has."""
    if isinstance(result, Mapping) and "full" in result:
        return rows_of(result["full"])
    rows = result.values() if isinstance(result, Mapping) else result
    if isinstance(rows, str) or not isinstance(rows, Sequence | type({}.values())):
        return []
    return [row for item in rows if (row := _row(item))]


def _row(row: JsonValue) -> dict[str, JsonValue]:
    """One row as a dictionary: given as one, or as a list of `{columnName, value}`."""
    if isinstance(row, Mapping):
        return dict(row)
    if isinstance(row, str) or not isinstance(row, Sequence):
        return {}
    cells = (cell for cell in row if isinstance(cell, Mapping) and "columnName" in cell)
    return {str(cell["columnName"]): cell.get("value") for cell in cells}


def _normalised(received: JsonObject, reader: SqlReader) -> dict[str, JsonValue]:
    """Every field that clients know, in its usual type, and all others unchanged."""
    response = dict(_mapping(storable_json(received)))
    for name in _TEXTS:
        value = response.get(name)
        response[name] = value if isinstance(value, str) else ""
    for name in _TIMES:
        response[name] = _number(response.get(name))
    for name in ("tokens", "execution_result"):
        response[name] = _mapping(response.get(name))
    response["related_questions"] = _texts(response.get("related_questions"))
    candidates = names_in(response.get("tables_used"))
    sql = str(response["sql_query"])
    response["tables_used"] = list(tables_of(sql, candidates, reader))
    return response


def _texts(value: JsonValue) -> list[JsonValue]:
    is_list = isinstance(value, Sequence) and not isinstance(value, str)
    return [text for text in value if isinstance(text, str)] if is_list else []  # type: ignore[union-attr]  # is_list says so


def _number(value: JsonValue) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return 0.0
    try:
        return float(value)
    except ValueError:
        return 0.0


def _tables(response: JsonObject) -> tuple[str, ...] | None:
    names = names_in(response.get("tables_used"))
    return tuple(name[:_LONGEST_NAME] for name in names[:_MOST_TABLES]) or None


def _mapping(value: JsonValue) -> JsonObject:
    return value if isinstance(value, Mapping) else {}


def _milliseconds(seconds: JsonValue) -> float | None:
    number = _number(seconds)
    return round(number * 1000, 3) if 0 < number < _LONGEST_COUNT else None


def _model(response: JsonObject) -> str | None:
    model = response.get("llm_model")
    return model[:_LONGEST_NAME] if isinstance(model, str) and model.strip() else None


class DenodoAnswerer:
    """Implements `recollect.ports.models.Answerer` with the AI SDK's /answerQuestion.

    The AI SDK searches views by the question alone, so it gets the standalone question; earlier
    messages go into its instructions. The request's options are its own fields.
    """

    def __init__(self, client: DenodoClient, *, results: ResultPolicy, sql: SqlReader) -> None:
        self._client = client
        self._results = results
        self._sql = sql

    async def answer(self, scope: Scope, asked: AnswerRequest) -> Answer:
        """The AI SDK's answer, with the query behind it."""
        request = await off_loop(partial(_request, asked), characters=asked.context.characters)
        received = await self._client.answer_question(request, scope.authorization)
        # In a thread, whatever its size: that is known only once it is read.
        return await asyncio.to_thread(
            read_response, received, results=self._results, reader=self._sql
        )

    async def stream(
        self, scope: Scope, asked: AnswerRequest
    ) -> AsyncGenerator[str | Answer, None]:
        """The same in one piece: the answer is there only once the query has run."""
        answer = await self.answer(scope, asked)
        yield answer.content
        yield answer


def _request(asked: AnswerRequest) -> dict[str, JsonValue]:
    request = {name: value for name, value in asked.options.items() if value is not None}
    custom = request.pop("custom_instructions", None)
    parts = (custom if isinstance(custom, str) else "", asked.context.instructions())
    instructions = "\n\n".join(part for part in parts if part.strip())
    if instructions:
        request["custom_instructions"] = instructions
    return {"question": asked.context.standalone_question, **request}
