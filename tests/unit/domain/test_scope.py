from typing import Final

import pytest

from recollect.domain.identity.scope import MAX_NAME_LENGTH, Scope, TenantScope
from recollect.errors import InvalidInput
from support.tables import for_each

MISTAKABLE: Final = {
    "blank before": " alice",
    "blank after": "alice ",
    "line break after": "alice\n",
    "no-break space after": "alice\u00a0",
    "ideographic space before": "\u3000alice",
    "control character": "al\x07ice",
    "next line": "alice\u0085",
    "zero-width space": "al\u200bice",
    "zero-width joiner": "alice\u200d",
    "right-to-left override": "al\u202eice",
    "byte order mark": "\ufeffalice",
    "soft hyphen": "al\u00adice",
    "line separator": "alice\u2028",
    "accent apart from its letter": "Zoe\u0308",
    "a sign for a letter": "\u212bngstr\u00f6m",
}


def test_the_owner_id_follows_from_tenant_and_user() -> None:
    first = Scope(tenant="acme", user="alice")
    second = Scope(tenant="acme", user="alice", actor="key 7", transaction_id="tx")
    assert first.owner_id == second.owner_id
    # Written down, because every stored row carries it: another derivation would lose them all.
    assert str(first.owner_id) == "71b6fcc4-552b-5d61-85f8-aee2baa09a5e"


@for_each(
    ("first", "second"),
    [
        (("a", "b:c"), ("a:b", "c")),
        (("1:a", "b"), ("1", "a:b")),
        (("a", "b"), ("b", "a")),
        (("acme", "alice"), ("acme", "bob")),
        (("acme", "alice"), ("globex", "alice")),
        (("acme", "alice"), ("acme", "Alice")),
    ],
)
def test_different_owners_have_different_ids(
    first: tuple[str, str], second: tuple[str, str]
) -> None:
    one = Scope(tenant=first[0], user=first[1])
    other = Scope(tenant=second[0], user=second[1])
    assert one != other
    assert one.owner_id != other.owner_id


def test_scopes_of_one_owner_are_equal_whoever_acts() -> None:
    alice = Scope(tenant="acme", user="alice", actor="alice", transaction_id="tx-1")
    admin = Scope(tenant="acme", user="alice", actor="admin", transaction_id="tx-2")
    assert alice == admin
    assert hash(alice) == hash(admin)


@for_each("name", MISTAKABLE.values(), ids=MISTAKABLE)
def test_a_name_that_could_be_taken_for_another_is_refused(name: str) -> None:
    _assert_refused(name)


@for_each("name", ["a b", "Zo\u00eb", "o'hara", "x" * MAX_NAME_LENGTH, "数据库", "👩"])
def test_a_name_in_its_normal_form_is_taken_as_it_is(name: str) -> None:
    scope = Scope(tenant=name, user=name)
    assert (scope.tenant, scope.user) == (name, name)


@pytest.mark.parametrize(
    "name",
    ["", "  ", "a\0b", "\ud800", "a\nb", pytest.param("x" * (MAX_NAME_LENGTH + 1), id="too long")],
)
def test_names_that_cannot_be_stored_are_refused(name: str) -> None:
    _assert_refused(name)


def _assert_refused(name: str) -> None:
    with pytest.raises(InvalidInput, match=r"^tenant "):
        Scope(tenant=name, user="alice")
    with pytest.raises(InvalidInput, match=r"^user "):
        Scope(tenant="acme", user=name)
    with pytest.raises(InvalidInput, match=r"^tenant "):
        TenantScope(tenant=name)


def test_a_tenant_is_an_owner_of_its_own() -> None:
    tenant = TenantScope(tenant="acme")
    assert tenant == TenantScope(tenant="acme", actor="admin")
    assert tenant.owner_id == TenantScope(tenant="acme").owner_id
    assert tenant.owner_id != TenantScope(tenant="globex").owner_id
    assert tenant.owner_id != Scope(tenant="acme", user="acme").owner_id
