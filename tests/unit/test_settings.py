"""What is wrong with settings is said in one line, and never with a traceback."""

from datetime import timedelta

import pytest

from recollect.errors import ConfigurationError
from recollect.settings import Settings, load_settings
from support.tables import for_each


@pytest.mark.parametrize("name", ["model_sizes", "retention_by_tenant"])
@pytest.mark.parametrize("value", ["{", "7b", "[1]"])
def test_a_setting_in_json_that_cannot_be_read_is_named(
    name: str, value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(f"MEMORY_{name.upper()}", value)
    with pytest.raises(ConfigurationError) as refused:
        load_settings()
    assert str(refused.value) == f"MEMORY_{name.upper()}: must be a JSON object (it is '{value}')"


def test_settings_in_json_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMORY_MODEL_SIZES", '{"my-model*": 7}')
    monkeypatch.setenv("MEMORY_RETENTION_BY_TENANT", '{"acme": "sliding:90"}')
    settings = load_settings()
    assert settings.model_sizes == {"my-model*": 7.0}
    assert settings.retention_by_tenant == {"acme": "sliding:90"}


@pytest.mark.parametrize("name", ["tenant", "local_user"])
@pytest.mark.parametrize("value", [" ", "acme ", "acme\u00a0", "ac\u200bme", "Zoe\u0308"])
def test_a_name_that_could_be_taken_for_another_is_refused(
    name: str, value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(f"MEMORY_{name.upper()}", value)
    with pytest.raises(ConfigurationError, match=f"^MEMORY_{name.upper()}: must "):
        load_settings()


def test_a_retention_for_a_tenant_that_cannot_exist_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="RETENTION_BY_TENANT: a tenant's name must not"):
        load_settings(retention_by_tenant={"acme ": "fixed:7"})


@pytest.mark.parametrize(
    ("name", "value", "problem"),
    [
        ("PORT", "abc", "must be a whole number from 0 to 65535 (it is 'abc')"),
        ("PORT", "99999", "must be a whole number from 0 to 65535 (it is '99999')"),
        ("PROCESSES", "1.5", "must be a whole number from 1 to 64 (it is '1.5')"),
        ("MAX_HEADERS", "9", "must be a whole number, 10 or more (it is '9')"),
        ("KEEP_ALIVE_SECONDS", "soon", "must be a number above 0 (it is 'soon')"),
        ("FACTS_PRUNE_BELOW", "1", "must be a number from 0 to less than 1 (it is '1')"),
        ("RETENTION_DAYS", "nan", "must be a number above 0 (it is 'nan')"),
        ("WORKER", "maybe", "must be on or off (it is 'maybe')"),
        ("ENGINE", "mysql", "must be postgresql or dynamodb (it is 'mysql')"),
        ("LOG_LEVEL", "loud", "must be DEBUG, INFO, WARNING or ERROR (it is 'loud')"),
        ("EMBEDDING_POOLING", "max", "must be mean or cls (it is 'max')"),
        ("MODEL_SIZES", '{"a": "x"}', "the value of 'a' must be a number (it is 'x')"),
        *(
            (name, "host", "must be an address that begins with http:// or https:// (it is 'host')")
            for name in ("JWT_JWKS_URL", "ARCHIVE_ENDPOINT_URL", "OTLP_ENDPOINT")
        ),
    ],
)
def test_a_wrong_value_is_told_with_what_it_must_be(
    name: str, value: str, problem: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(f"MEMORY_{name}", value)
    with pytest.raises(ConfigurationError) as caught:
        load_settings()
    assert str(caught.value) == f"MEMORY_{name}: {problem}"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *((name, "hunter2") for name in ("RECEIPT_KEY", "METRICS_TOKEN", "ENCRYPTION_KEY")),
        *((name, "ftp://me:hunter2@host") for name in ("OTLP_ENDPOINT", "PERMISSIONS", "PORT")),
    ],
)
def test_nothing_of_a_secret_is_in_an_error(
    name: str, value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(f"MEMORY_{name}", value)
    with pytest.raises(ConfigurationError) as caught:
        load_settings()
    assert "hunter2" not in str(caught.value)


def test_invalid_settings_are_reported_in_the_order_of_the_documentation() -> None:
    with pytest.raises(ConfigurationError) as refused:
        load_settings(log_level="loud", preset="none", port=-1)
    problems = [problem.partition(":")[0] for problem in str(refused.value).split("; ")]
    assert problems == ["MEMORY_PORT", "MEMORY_PRESET", "MEMORY_LOG_LEVEL"]


def test_processes_that_want_more_connections_than_there_are_are_refused() -> None:
    with pytest.raises(ConfigurationError, match="MEMORY_DB_MAX_CONNECTIONS to 16 or less"):
        load_settings(processes=10)
    load_settings(processes=10, db_max_connections=16)
    load_settings(processes=10, db_connection_string="postgresql://somewhere/else")


def test_a_variable_that_sets_nothing_is_refused_with_the_nearest(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("MEMORY_RETENTION_DAY", "7")
    monkeypatch.setenv("memory_nonsense", "1")
    monkeypatch.setenv("MEMORY_FOO_BAR", "1")
    monkeypatch.setenv("memory_retenton", "1")
    with pytest.raises(ConfigurationError) as refused:
        load_settings()
    assert "MEMORY_RETENTION_DAY is no setting: perhaps MEMORY_RETENTION_DAYS" in str(refused.value)
    assert "memory_nonsense is no setting: docs/reference" in str(refused.value)
    assert "MEMORY_FOO_BAR is no setting: docs/reference" in str(refused.value)
    assert "memory_retenton is no setting: perhaps MEMORY_RETENTION is" in str(refused.value)


def test_variables_of_others_are_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMORY_PRESSURE_WATCH", "/sys/fs/cgroup/x")  # systemd sets it
    monkeypatch.setenv("MEMORY_LIMIT", "2Gi")
    monkeypatch.setenv("MEMORY_IGNORED_VARIABLES", "MEMORY_LIMIT, MEMORY_REQUEST")
    assert load_settings().ignored_variables == ("MEMORY_LIMIT", "MEMORY_REQUEST")


def test_an_argument_that_sets_nothing_is_our_error_with_the_nearest() -> None:
    with pytest.raises(ConfigurationError, match="lmm_model is no setting: perhaps llm_model"):
        Settings(lmm_model="m")
    with pytest.raises(ConfigurationError, match="MEMORY_LLM_MODEL is no setting: perhaps llm_m"):
        Settings(MEMORY_LLM_MODEL="m")
    with pytest.raises(ConfigurationError, match="MEMORY_PORT"):
        Settings(port=-1)


@for_each(
    ("preset", "expected"),
    [("data-questions", "fixed"), ("agent", "sliding"), ("chat", "fixed"), ("default", "fixed")],
)
def test_retention_days_are_counted_as_the_preset_counts(preset: str, expected: str) -> None:
    retention = load_settings(preset=preset, retention_days=3).policies().retention.usual
    assert (retention.mode, retention.days) == (expected, 3)


def test_retention_and_retention_days_cannot_both_be_set() -> None:
    with pytest.raises(ConfigurationError, match="MEMORY_RETENTION_DAYS, not both"):
        load_settings(retention="none", retention_days=3)
    with pytest.raises(ConfigurationError, match="MEMORY_RETENTION_DAYS"):
        load_settings(retention_days=0)


def test_the_pool_and_its_overflow_are_the_connections_there_may_be() -> None:
    assert load_settings(db_pool_size=10, db_max_overflow=20).max_connections == 30
    assert load_settings(db_pool_size=10).max_connections == 10
    assert load_settings().max_connections == 20
    for wrong in ({"db_max_connections": 5, "db_pool_size": 5}, {"db_max_overflow": 5}):
        with pytest.raises(ConfigurationError, match="MEMORY_DB_POOL_SIZE"):
            load_settings(**wrong)


def test_every_name_of_the_first_design_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    given = {
        "MEMORY_ENABLED": "0",
        "MEMORY_DB_CONNECTION_STRING": "postgresql+psycopg://user:password@localhost:5432/memory",
        "MEMORY_DB_POOL_SIZE": "10",
        "MEMORY_DB_MAX_OVERFLOW": "20",
        "MEMORY_VECTOR_STORE": "pgvector",
        "MEMORY_VECTOR_COLLECTION_NAME": "ai_sdk_conversation_memory",
        "MEMORY_RETENTION_DAYS": "7",
        "MEMORY_CLEANUP_INTERVAL_HOURS": "24",
        "MEMORY_MAX_HISTORY_MESSAGES": "10",
        "MEMORY_SEMANTIC_SEARCH_K": "3",
        "MEMORY_MAX_CONTEXT_TOKENS": "4000",
        "MEMORY_SUMMARIZATION_ENABLED": "1",
        "MEMORY_SUMMARIZATION_THRESHOLD": "15",
        "MEMORY_SUMMARIZATION_MODEL": "gpt-4o-mini",
        "MEMORY_USER_ID_JWT_CLAIM": "sub",
    }
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    settings = load_settings()
    assert settings.vector_collection_name == "ai_sdk_conversation_memory"
    assert not settings.policies().is_enabled


def test_anonymous_callers_need_a_source_of_identities_beside_them() -> None:
    with pytest.raises(ConfigurationError, match="needs MEMORY_USER_ID_SOURCE"):
        load_settings(allow_anonymous=True)


def test_how_sure_a_rewrite_must_be_and_its_hint_are_settings(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    usual = load_settings().policies()
    assert (usual.rewrite_confidence, usual.shows_meaning) == (0.64, True)

    monkeypatch.setenv("MEMORY_REWRITE_CONFIDENCE", "0.9")
    monkeypatch.setenv("MEMORY_REWRITE_HINT", "off")

    policies = load_settings().policies()
    assert (policies.rewrite_confidence, policies.shows_meaning) == (0.9, False)
    with pytest.raises(ConfigurationError, match="MEMORY_REWRITE_CONFIDENCE"):
        load_settings(rewrite_confidence=1.1)


def test_how_many_standing_instructions_there_are_is_a_setting(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert load_settings().policies().facts.standing == 10
    for value, expected in (("3", 3), ("off", 0), ("Off", 0), ("0", 0)):
        monkeypatch.setenv("MEMORY_STANDING_INSTRUCTIONS", value)
        assert load_settings().policies().facts.standing == expected
    for wrong in (-1, 51, "some", "on"):
        with pytest.raises(ConfigurationError, match="MEMORY_STANDING_INSTRUCTIONS"):
            load_settings(standing_instructions=wrong)


def test_the_audit_log_records_everything_for_a_year_unless_it_is_set_otherwise() -> None:
    usual = load_settings().policies().audit
    assert (usual.is_on, usual.failure, usual.retention) == (True, "warn", timedelta(days=365))
    chosen = load_settings(
        log_memory_operations="off", audit_failure="fail", audit_retention_days=0
    ).policies()
    assert (chosen.audit.is_on, chosen.audit.failure) == (False, "fail")
    assert chosen.audit.retention is None
    for wrong in (-1, 1, 6):
        with pytest.raises(ConfigurationError, match="MEMORY_AUDIT_RETENTION_DAYS"):
            load_settings(audit_retention_days=wrong)
    with pytest.raises(ConfigurationError, match="MEMORY_AUDIT_FAILURE"):
        load_settings(audit_failure="ignore")


def test_metrics_that_others_can_reach_need_a_token() -> None:
    with pytest.raises(ConfigurationError, match=r"METRICS_HOST=.* needs MEMORY_METRICS_TOKEN"):
        load_settings(metrics_port=9464, metrics_host="10.0.0.5")
    load_settings(metrics_port=9464, metrics_host="10.0.0.5", metrics_token="of sixteen chars")
    load_settings(metrics_port=9464, metrics_host="localhost")
