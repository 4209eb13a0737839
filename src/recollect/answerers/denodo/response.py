"""What an AI SDK answers, read leniently: its versions differ in every field."""

import re
from collections.abc import Mapping, Sequence
from typing import Final

from recollect.answerers.denodo.dialect import names_in
from recollect.answerers.denodo.tables import tables_of
from recollect.domain.chat.answers import Answer, ResultPolicy
from recollect.domain.conversation.message import MAX_CONTENT_LENGTH, AnswerDetails
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


def read_response(received: JsonObject, *, results: ResultPolicy, reader: SqlReader) -> Answer:
    """The answer with its details, and the response with every field in its usual type."""
    response = _normalised(received, reader)
    text = str(response["answer"])
    said = _DISCLAIMER.sub("", text).strip()
    sql = str(response["sql_query"]).strip()
    stored = said or sql or _NO_TEXT
    return Answer(
        content=text if text.strip() else stored,
        stored_as=stored,
        response=response,
        details=AnswerDetails(
            sql_query=sql[:MAX_CONTENT_LENGTH] or None,
            query_explanation=str(response["query_explanation"])[:MAX_CONTENT_LENGTH] or None,
            tables_used=_tables(response),
            execution_result=results.keep(rows_of(response["execution_result"])),
            tokens=_tokens(response["tokens"]),
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
    return [row for found in rows if (row := _row(found))]


def _row(row: JsonValue) -> dict[str, JsonValue]:
    """One row as a dictionary: given as one, or as a list of `{columnName, value}`."""
    if isinstance(row, Mapping):
        return dict(row)
    if isinstance(row, str) or not isinstance(row, Sequence):
        return {}
    cells = (cell for cell in row if isinstance(cell, Mapping) and "columnName" in cell)
    return {str(cell["columnName"]): cell.get("value") for cell in cells}


def _normalised(received: JsonObject, reader: SqlReader) -> dict[str, JsonValue]:
    """Every field that clients know, in its usual type, and all others as they came."""
    cleaned = storable_json(received)
    response = dict(cleaned) if isinstance(cleaned, Mapping) else {}
    for name in _TEXTS:
        response[name] = _text(response.get(name))
    for name in _TIMES:
        response[name] = _number(response.get(name))
    for name in ("tokens", "execution_result"):
        value = response.get(name)
        response[name] = value if isinstance(value, Mapping) else {}
    response["related_questions"] = _texts(response.get("related_questions"))
    candidates = names_in(response.get("tables_used"))
    sql = str(response["sql_query"])
    response["tables_used"] = list(tables_of(sql, candidates, reader))
    return response


def _text(value: JsonValue) -> str:
    return value if isinstance(value, str) else ""


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


def _tokens(tokens: JsonValue) -> JsonObject | None:
    """What the SDK told of tokens, as it told it."""
    return tokens if isinstance(tokens, Mapping) and tokens else None


def _milliseconds(seconds: JsonValue) -> float | None:
    number = _number(seconds)
    return round(number * 1000, 3) if 0 < number < _LONGEST_COUNT else None


def _model(response: JsonObject) -> str | None:
    model = response.get("llm_model")
    return model[:_LONGEST_NAME] if isinstance(model, str) and model.strip() else None
