from dataclasses import replace
from uuid import UUID, uuid4

import pytest

from recollect.domain.identity.accounts import SECRET_BYTES, ApiKey, KeyScope, KeyText, hash_secret
from recollect.domain.identity.scope import TenantScope
from recollect.errors import InvalidInput
from recollect.testing import FIRST_MOMENT
from support.examples import an_api_key
from support.tables import for_each

A_SECRET = bytes(range(SECRET_BYTES))


def a_key_text() -> KeyText:
    return KeyText(owner_id=uuid4(), key_id=uuid4(), secret=A_SECRET)


def a_key(user: str | None, *scopes: KeyScope) -> ApiKey:
    return ApiKey(
        key_id=uuid4(),
        tenant="acme",
        user=user,
        scopes=frozenset(scopes),
        name="  laptop ",
        secret_hash=hash_secret(A_SECRET),
        created_at=FIRST_MOMENT,
    )


def test_the_text_of_a_key_is_parsed_back() -> None:
    text = a_key_text()
    assert KeyText.parse(str(text)) == text
    assert str(text).startswith("rec_")
    assert len(str(text)) == 90


@for_each(
    "text",
    [
        "",
        "rec_",
        "rec_x",
        "rec_é",
        "rec_\ud800",
        "Bearer rec_",
        "rec_" + "A" * 85,
        "rec_" + "A" * 87,
    ],
)
def test_text_that_is_no_key_is_not_parsed(text: str) -> None:
    assert KeyText.parse(text) is None


def test_a_keys_text_needs_its_prefix_and_all_of_its_characters() -> None:
    text = str(a_key_text())
    for broken in (text.removeprefix("rec_"), text[:-1], text + "A", "REC_" + text[4:], " " + text):
        assert KeyText.parse(broken) is None


def test_a_key_accepts_its_own_secret_only() -> None:
    key = a_key("alice", KeyScope.USER)
    assert key.accepts(A_SECRET)
    assert not key.accepts(A_SECRET[:-1])
    assert not key.accepts(b"")
    assert not key.accepts(key.secret_hash)


def test_a_hash_is_not_the_secret() -> None:
    assert A_SECRET not in hash_secret(A_SECRET)
    assert hash_secret(A_SECRET) == hash_secret(A_SECRET)
    assert hash_secret(A_SECRET) != hash_secret(A_SECRET[::-1])


def test_a_key_is_revoked_from_some_moment_on() -> None:
    key = an_api_key(TenantScope(tenant="acme"))
    assert not key.is_revoked
    assert replace(key, revoked_at=FIRST_MOMENT).is_revoked


def test_a_keys_name_is_tidied() -> None:
    assert a_key("alice", KeyScope.USER).name == "laptop"


def test_a_key_without_scopes_is_refused() -> None:
    with pytest.raises(InvalidInput, match="scopes must name at least one of: user, service"):
        a_key(None)


@for_each(
    ("user", "scopes"),
    [
        (None, {KeyScope.USER}),
        (None, {KeyScope.USER, KeyScope.ADMIN}),
        ("alice", {KeyScope.SERVICE}),
        ("alice", {KeyScope.SERVICE, KeyScope.ADMIN}),
    ],
)
def test_a_user_goes_with_the_scope_user_and_no_other(
    user: str | None, scopes: set[KeyScope]
) -> None:
    with pytest.raises(InvalidInput, match=r"^user must be given for a key of scope user"):
        a_key(user, *scopes)


def test_the_text_of_a_key_is_the_same_for_ever() -> None:
    text = KeyText(owner_id=UUID(int=1), key_id=UUID(int=2), secret=b"\xff" * SECRET_BYTES)
    # Written down, because people hold such texts: another form would lock them all out.
    assert str(text) == "rec_AAAAAAAAAAAAAAAAAAAAAQAAAAAAAAAAAAAAAAAAAAL" + "_" * 42 + "w"


def test_one_key_has_one_text() -> None:
    """The last character of base64 has spare bits: another one there is another text."""
    text = str(KeyText(owner_id=uuid4(), key_id=uuid4(), secret=bytes(SECRET_BYTES)))
    assert KeyText.parse(text) is not None
    assert KeyText.parse(text[:-1] + chr(ord(text[-1]) + 1)) is None
