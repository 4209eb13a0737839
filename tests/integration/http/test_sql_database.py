"""Data questions over HTTP: a database, a scripted model, and memory between them."""

from pathlib import Path
from uuid import uuid4

import duckdb
import httpx
import pytest

from recollect.engines.postgres.connection.database import Database
from recollect.errors import ConfigurationError
from recollect.interfaces.http.app import create_app
from recollect.memory import Memory
from recollect.settings import Settings, load_settings
from support.doubles.chat_endpoint import Reply, chat_double
from support.servers.http_servers import serving
from support.timeouts import PATIENCE

_STATEMENT = "```sql\nSELECT region, SUM(amount) total FROM sales WHERE year = {} GROUP BY 1\n```"


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    path = tmp_path / "shop.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute("CREATE TABLE sales (region text, year integer, amount integer)")
        connection.execute("INSERT INTO sales VALUES ('North', 2024, 25), ('North', 2023, 22)")
    return path


async def test_a_follow_up_is_answered_from_the_database_and_remembered(
    shared_home: Path, database: Database, shop: Path
) -> None:
    script = [
        Reply(answer=_STATEMENT.format(2024)),
        Reply(answer="The North sold 25 in 2024."),
        Reply(answer=_STATEMENT.format(2023)),
        Reply(answer="The North sold 22 in 2023."),
        Reply(answer="```sql\nDROP TABLE sales\n```"),
    ]
    async with chat_double(*script) as model:
        settings = Settings(
            home=shared_home,
            local_user=uuid4().hex,
            sql_database=str(shop),
            llm_base_url=model.url,
            llm_model="stub",
            preset="data-questions",
        )
        async with (
            Memory.open(settings) as memory,
            serving(create_app(memory, settings)) as url,
            httpx.AsyncClient(base_url=url, timeout=PATIENCE) as client,
        ):
            first = await client.post(
                "/memoryChat", json={"question": "Show me total sales by region for 2024"}
            )
            session_id = first.json()["conversation_metadata"]["conversation_id"]
            asked = {"question": "What about 2023?", "session_id": session_id}
            second = await client.post("/memoryChat", json=asked)
            refused = await client.post("/memoryChat", json=asked | {"question": "Drop it all"})
            session = await memory.session(session_id, user=settings.local_user)
            stored = await session.last(10)

    assert "Show me total sales by region for 2023" in str(model.requests[2].body)
    answer = second.json()
    assert answer["answer"] == "The North sold 22 in 2023."
    assert answer["execution_result"] == {
        "Row 1": [
            {"columnName": "region", "value": "North"},
            {"columnName": "total", "value": 22},
        ]
    }
    assert answer["tables_used"] == ["main.sales"]
    assert refused.status_code == 502
    assert refused.json()["error"] == "Bad Gateway"
    assert [message.content for message in stored] == [
        "Show me total sales by region for 2024",
        "The North sold 25 in 2024.",
        "What about 2023?",
        "The North sold 22 in 2023.",
        "Drop it all",
    ]
    assert stored[3].details.execution_result == {"columns": ["region", "total"], "row_count": 1}


def test_a_database_without_a_model_that_writes_sql_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="MEMORY_LLM_BASE_URL"):
        load_settings(answerer="sql_database", sql_database="x.duckdb")
