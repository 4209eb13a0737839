"""Settings of a tenant: spelled and checked as the server's own."""

import pytest

from recollect.domain.policy import KEEP_ALL, FactExtractorKind, Policies, RetentionPolicies
from recollect.domain.privacy.masking import MaskingMode, MaskingPolicies
from recollect.domain.privacy.results import ResultPolicy
from recollect.domain.tenants.policy import ServerPolicy, TenantPolicy
from recollect.domain.tenants.settings import TenantSettings
from recollect.domain.text import JsonValue
from recollect.errors import ConfigurationError, InvalidInput, Unavailable
from recollect.settings import load_settings
from support.tables import for_each

KEY = "a secret of a test, long enough for it"
WRONG: list[tuple[str, JsonValue]] = [
    ("retention", "fixed:0"),
    ("retention", "for ever"),
    ("retention", 7),
    ("mask_pii", "sometimes"),
    ("store_results", "rows"),
    ("store_results", "rows:-1"),
    ("facts", "perhaps"),
    ("facts_extractor", "oracle"),
    ("facts_half_lives", "critical:3"),
    ("facts_half_lives", "high:0"),
    ("facts_prune_below", 1),
    ("facts_prune_below", "much"),
]


@for_each(("name", "value"), WRONG)
def test_what_the_servers_setting_refuses_a_tenants_refuses(name: str, value: JsonValue) -> None:
    with pytest.raises(InvalidInput) as refused:
        TenantSettings.parse({name: value})

    assert refused.value.field == name
    with pytest.raises(ConfigurationError, match=f"MEMORY_{name.upper()}"):
        load_settings(masking_key=KEY, **{name: value})


@for_each("name", ["masking_key", "archive_endpoint_url", "home", "mask-pii", ""])
def test_other_settings_are_not_a_tenants(name: str) -> None:
    with pytest.raises(InvalidInput, match="must be one of: retention, mask_pii"):
        TenantSettings.parse({name: "x"})


def test_a_tenant_cannot_name_an_archive_of_its_own() -> None:
    with pytest.raises(InvalidInput, match="archive must be on or off"):
        TenantSettings.parse({"archive": "folder:/tmp/mine"})


def test_what_counts_reads_as_settings_that_mean_the_same() -> None:
    server = ServerPolicy(policies=load_settings(preset="agent", store_results="rows:3").policies())

    spelled = TenantSettings.parse(server.of("acme").to_json())

    assert (spelled.retention, spelled.store_results) == ("sliding:90", "rows:3")
    assert server.of("acme", spelled) == server.of("acme")


def test_a_tenants_settings_count_before_all_of_the_servers() -> None:
    policies = load_settings(
        retention="fixed:7",
        retention_by_tenant={"acme": "sliding:30"},
        mask_pii="mask",
        masking_key=KEY,
        facts=False,
    ).policies()
    server = ServerPolicy(policies=policies, extractors=frozenset(FactExtractorKind))
    wider = {"retention": "none", "mask_pii": "off", "store_results": "rows:2", "facts": "on"}

    assert server.of("acme").to_json()["retention"] == "sliding:30"
    own = server.of("acme", TenantSettings.parse({**wider, "facts_extractor": "llm"}))

    assert (own.retention, own.masking, own.results.rows) == (KEEP_ALL, MaskingMode.OFF, 2)
    assert own.facts.is_on
    assert (own.learns, own.extractor) == (True, FactExtractorKind.LLM)
    quiet = server.of("acme", TenantSettings.parse({"facts": "on", "learn_facts": "off"}))
    assert (quiet.facts.is_on, quiet.learns) == (True, False)
    assert not server.of("acme", TenantSettings.parse({"learn_facts": "on"})).learns, (
        "facts are off"
    )


@for_each(
    ("values", "missing"),
    [
        ({"mask_pii": "mask"}, "MEMORY_MASKING_KEY"),
        ({"archive": "on"}, "MEMORY_ARCHIVE"),
        ({"facts": "on"}, "MEMORY_RECALL=off"),
        ({"facts_extractor": "llm"}, "MEMORY_LLM_MODEL"),
    ],
)
def test_what_the_server_does_not_have_is_refused(
    values: dict[str, JsonValue], missing: str
) -> None:
    server = ServerPolicy(policies=Policies(keeps_index=False, retention=RetentionPolicies()))

    with pytest.raises(InvalidInput, match=missing):
        server.check(TenantSettings.parse(values))
    server.check(TenantSettings.parse(dict.fromkeys(["mask_pii", "archive", "facts"], "off")))


def test_of_two_policies_the_stricter_parts_are_taken() -> None:
    masking = MaskingPolicies(usual=MaskingMode.MASK, key=b"k" * 32)
    server = ServerPolicy(policies=Policies(masking=masking)).of("")
    known = TenantPolicy(masking=MaskingMode.OFF, results=ResultPolicy.parse("rows:9"), learns=True)

    strict = known.no_wider_than(server)

    assert (strict.masking, str(strict.results), strict.learns) == (
        MaskingMode.MASK,
        "summary",
        False,
    )
    assert TenantPolicy(masking=MaskingMode.HASH).no_wider_than(server).masking is MaskingMode.HASH


def test_values_of_another_version_are_left_out_unless_they_limit_what_is_stored() -> None:
    stored = {"facts_extractor": "oracle", "of_tomorrow": 1, "facts": True, "retention": None}
    assert TenantSettings.stored(stored) == TenantSettings(facts=True)
    with pytest.raises(Unavailable, match="has set mask_pii to a value that this version does not"):
        TenantSettings.stored({**stored, "mask_pii": "tokenise"})


def test_a_tenant_cannot_have_its_conversations_deleted_within_an_hour() -> None:
    with pytest.raises(InvalidInput, match="retention must be an hour at least"):
        ServerPolicy().check(TenantSettings(retention="sliding:0.0000001"))
    ServerPolicy().check(TenantSettings(retention="sliding:0.042"))
    ServerPolicy().check(TenantSettings(retention="none"))
