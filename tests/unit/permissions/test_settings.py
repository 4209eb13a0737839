import pytest

from recollect.domain.identity.permissions import PermissionAddress, PermissionKind
from recollect.errors import ConfigurationError
from recollect.settings import load_settings
from support.tables import for_each


@for_each("value", [None, "none", " None "])
def test_no_source_is_no_source(value: str | None) -> None:
    settings = load_settings(permissions=value)
    assert settings.permission_address is None
    assert not settings.forwards_credentials


@for_each(
    ("value", "kind", "target"),
    [
        ("file:/etc/recollect/permissions.toml", "file", "/etc/recollect/permissions.toml"),
        ("https://host/hook?a=b", "hook", "https://host/hook?a=b"),
        ("http://127.0.0.1:9/", "hook", "http://127.0.0.1:9/"),
    ],
)
def test_a_file_or_a_hook_is_set_by_its_place(value: str, kind: str, target: str) -> None:
    settings = load_settings(permissions=value)
    assert settings.permission_address == PermissionAddress(
        kind=PermissionKind(kind), target=target
    )
    assert not settings.forwards_credentials


def test_a_data_catalog_is_set_by_its_address_databases_and_server() -> None:
    settings = load_settings(
        permissions="denodo:https://host:9443/denodo-data-catalog?databases=sales,%20hr&serverId=2"
    )
    assert settings.permission_address == PermissionAddress(
        kind=PermissionKind.DENODO,
        target="https://host:9443/denodo-data-catalog",
        databases=("sales", "hr"),
        server_id=2,
    )
    assert settings.forwards_credentials


@for_each(
    ("value", "problem"),
    [
        ("everything", "must be none, file:PATH"),
        ("file:", "must be none, file:PATH"),
        ("ftp://host/x", "must be none, file:PATH"),
        ("https://", "must be none, file:PATH"),
        ("https://ann:geheim@host/", "must be none, file:PATH"),
        ("https://[host/", "must be none, file:PATH"),
        ("denodo:", "must be none, file:PATH"),
        ("denodo:host", "must be none, file:PATH"),
        ("denodo:https://host/catalog", "must name the catalog's databases"),
        ("denodo:https://host/catalog?databases=,", "must name the catalog's databases"),
        ("denodo:https://host/catalog?databases=a&serverId=one", "by a number"),
        ("denodo:https://host/catalog?database=a", "options databases and serverId"),
    ],
)
def test_an_invalid_permissions_setting_is_refused_with_the_valid_forms(
    value: str, problem: str
) -> None:
    with pytest.raises(ConfigurationError, match=problem) as refusal:
        load_settings(permissions=value)
    assert "MEMORY_PERMISSIONS: " in str(refusal.value)
    assert "geheim" not in str(refusal.value)
