"""What is encrypted comes back as it was, for its owner alone."""

from uuid import UUID

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.domain.privacy.encrypted import ENCRYPTED_PREFIX, ESCAPED_PREFIX
from recollect.engines.postgres.connection.content import (
    is_stored_encrypted,
    plain_value,
    stored_json,
    stored_object,
    stored_text,
)
from recollect.errors import ConfigurationError, ContentUnreadable
from support.encryption import master_keys

MASTER = master_keys()
ANN, BOB = UUID(int=1), UUID(int=2)
OF_ANN, OF_BOB = (MASTER.cipher(owner, MASTER.create(owner)) for owner in (ANN, BOB))
PLAIN = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))
TEXTS = st.one_of(
    PLAIN,
    PLAIN.map(lambda text: ENCRYPTED_PREFIX + text),
    PLAIN.map(lambda text: ESCAPED_PREFIX + text),
    PLAIN.map(lambda text: f'{{"encrypted":"{ENCRYPTED_PREFIX}{text}"}}'),
    PLAIN.map(OF_ANN.encrypt),
)
VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-(2**53), 2**53), PLAIN),
    lambda some: st.one_of(st.lists(some, max_size=3), st.dictionaries(PLAIN, some, max_size=3)),
    max_leaves=8,
)


@given(TEXTS)
def test_a_text_comes_back_as_it_was_and_the_same_text_has_one_form(text: str) -> None:
    stored = OF_ANN.encrypt(text)
    assert is_stored_encrypted(stored)
    assert OF_ANN.decrypt(stored) == text == plain_value(OF_ANN, stored)
    assert OF_ANN.encrypt(text) == stored != OF_BOB.encrypt(text)


@given(TEXTS)
def test_a_text_that_is_not_encrypted_never_looks_as_if_it_were(text: str) -> None:
    stored = stored_text(None, text)
    assert not is_stored_encrypted(stored)
    assert plain_value(None, stored) == text
    value = orjson.dumps({"encrypted": text}).decode()
    stored = stored_json(None, value)
    assert not is_stored_encrypted(stored)
    assert plain_value(None, stored) == value
    assert plain_value(OF_ANN, stored_json(OF_ANN, plain_value(None, stored))) == value


@given(TEXTS)
def test_nobody_else_can_read_it_nor_can_it_be_altered(text: str) -> None:
    stored = OF_ANN.encrypt(text)
    with pytest.raises(ContentUnreadable):
        OF_BOB.decrypt(stored)
    flipped = "A" if stored[-6] != "A" else "B"
    with pytest.raises(ContentUnreadable):
        OF_ANN.decrypt(stored[:-6] + flipped + stored[-5:])


@given(VALUES, st.text("abc", min_size=1))
def test_json_comes_back_by_the_letter_with_what_sql_has_added(value: object, name: str) -> None:
    text = orjson.dumps(value).decode()
    stored = stored_json(OF_ANN, text)
    assert is_stored_encrypted(stored)
    assert plain_value(OF_ANN, stored) == text
    if isinstance(value, dict):
        added = f'{stored[:-1]},"database":"{name}"}}'
        assert orjson.loads(plain_value(OF_ANN, added)) == {**value, "database": name}
        assert (stored_object(OF_ANN, text) == text) == (not value)


@given(st.integers(0, 2**31 - 1), st.uuids(), st.binary(), st.binary(max_size=9))
def test_hashes_are_keyed_and_bytes_are_bound_to_their_context(
    number: int, given_id: UUID, data: bytes, context: bytes
) -> None:
    assert 0 <= OF_ANN.keyed_number(number) < 2**31
    assert OF_ANN.keyed_number(number) == OF_ANN.keyed_number(number)
    assert OF_ANN.keyed_id(given_id) != OF_BOB.keyed_id(given_id)
    stored = OF_ANN.encrypt_bytes(data, context=context)
    assert OF_ANN.decrypt_bytes(stored, context=context) == data
    with pytest.raises(ContentUnreadable):
        OF_ANN.decrypt_bytes(stored, context=context + b"!")


def test_a_wrapped_key_unwraps_for_its_owner_alone() -> None:
    with pytest.raises(ConfigurationError):
        MASTER.cipher(BOB, MASTER.create(ANN))
