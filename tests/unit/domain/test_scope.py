import pytest

from recollect.domain.scope import MAX_NAME_LENGTH, Scope, TenantScope
from recollect.errors import InvalidInput


def test_the_owner_id_follows_from_tenant_and_user() -> None:
    first = Scope(tenant="acme", user="alice")
    second = Scope(tenant="acme", user="alice", actor="key 7", transaction_id="tx")
    assert first.owner_id == second.owner_id
    # Written down, because every stored row carries it: another derivation would lose them all.
    assert str(first.owner_id) == "71b6fcc4-552b-5d61-85f8-aee2baa09a5e"


@pytest.mark.parametrize(
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


def test_blanks_around_a_name_make_no_other_owner() -> None:
    padded = Scope(tenant=" acme ", user="alice\n")
    assert (padded.tenant, padded.user) == ("acme", "alice")
    assert padded == Scope(tenant="acme", user="alice")
    assert padded.owner_id == Scope(tenant="acme", user="alice").owner_id


@pytest.mark.parametrize(
    "name",
    ["", "  ", "a\0b", "\ud800", "a\nb", pytest.param("x" * (MAX_NAME_LENGTH + 1), id="too long")],
)
def test_names_that_cannot_be_stored_are_refused(name: str) -> None:
    with pytest.raises(InvalidInput, match=r"^tenant "):
        Scope(tenant=name, user="alice")
    with pytest.raises(InvalidInput, match=r"^user "):
        Scope(tenant="acme", user=name)
    with pytest.raises(InvalidInput, match=r"^tenant "):
        TenantScope(tenant=name)


def test_a_tenant_is_an_owner_of_its_own() -> None:
    tenant = TenantScope(tenant=" acme ")
    assert tenant == TenantScope(tenant="acme", actor="admin")
    assert tenant.owner_id == TenantScope(tenant="acme").owner_id
    assert tenant.owner_id != TenantScope(tenant="globex").owner_id
    assert tenant.owner_id != Scope(tenant="acme", user="acme").owner_id
