"""What is wrong with settings is said in one line, and never with a traceback."""

import pytest

from recollect.errors import ConfigurationError
from recollect.settings import load_settings


@pytest.mark.parametrize("name", ["model_sizes", "retention_by_tenant"])
@pytest.mark.parametrize("value", ["{", "7b", "[1]"])
def test_a_setting_in_json_that_cannot_be_read_is_named(
    name: str, value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(f"MEMORY_{name.upper()}", value)
    with pytest.raises(ConfigurationError) as refused:
        load_settings()
    assert str(refused.value) == f"MEMORY_{name.upper()}: must be a JSON object"


def test_settings_in_json_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMORY_MODEL_SIZES", '{"my-model*": 7}')
    monkeypatch.setenv("MEMORY_RETENTION_BY_TENANT", '{"acme": "sliding:90"}')
    settings = load_settings()
    assert settings.model_sizes == {"my-model*": 7.0}
    assert settings.retention_by_tenant == {"acme": "sliding:90"}


def test_problems_are_told_in_the_order_of_the_documentation() -> None:
    with pytest.raises(ConfigurationError) as refused:
        load_settings(log_level="loud", preset="none", port=-1)
    problems = [problem.partition(":")[0] for problem in str(refused.value).split("; ")]
    assert problems == ["MEMORY_PORT", "MEMORY_PRESET", "MEMORY_LOG_LEVEL"]


def test_processes_that_want_more_connections_than_there_are_are_refused() -> None:
    with pytest.raises(ConfigurationError, match="MEMORY_DB_MAX_CONNECTIONS to 17 or less"):
        load_settings(processes=10)
    load_settings(processes=10, db_max_connections=17)
    load_settings(processes=10, db_connection_string="postgresql://somewhere/else")
