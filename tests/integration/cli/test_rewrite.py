import json
import subprocess
from pathlib import Path

import pytest

from recollect.engines.postgres.connection.database import Database
from support.servers.programs import run_recollect


def rewrite(home: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return run_recollect("rewrite", *words, env={"MEMORY_HOME": str(home)})


@pytest.fixture
def history(tmp_path: Path) -> Path:
    path = tmp_path / "history.json"
    said = [
        {"role": "user", "content": "Show me total sales by region for 2024"},
        {"role": "assistant", "content": "North 2.5M, South 1.8M"},
    ]
    path.write_text(json.dumps(said))
    return path


def test_rewrite_prints_a_follow_up_as_a_standalone_question(
    shared_home: Path, database: Database, history: Path
) -> None:
    done = rewrite(shared_home, "What about 2023?", "--history", str(history))
    assert done.stdout == "Show me total sales by region for 2023\n"
    told = rewrite(shared_home, "What about 2023?", "--history", str(history), "--json")
    assert json.loads(told.stdout)["is_follow_up"] is True


def test_an_invalid_history_is_reported_in_one_line(
    shared_home: Path, database: Database, tmp_path: Path
) -> None:
    (tmp_path / "broken.json").write_text("{")
    done = rewrite(shared_home, "What about 2023?", "--history", str(tmp_path / "broken.json"))
    assert done.returncode == 1
    assert done.stderr.startswith("recollect: --history cannot be read")
    assert rewrite(shared_home, "What about 2023?").returncode == 1
