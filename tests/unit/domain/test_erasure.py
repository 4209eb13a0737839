"""Receipts of erasures hold what was signed, and phrases are taken as they are written."""

import json
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.domain.erasure.erasure import Erasure, ErasureRequest, Verification
from recollect.domain.erasure.phrases import phrases_of
from recollect.domain.erasure.receipt import check_receipt, sign, with_names, write_receipt
from recollect.domain.identity.scope import Scope, TenantScope
from recollect.errors import InvalidReceipt
from support.tables import for_each

KEY = b"k" * 32
NOW = datetime(2026, 5, 1, 9, 30, tzinfo=UTC)
ALICE = Scope(tenant="acme", user="alice", actor="key:1")


def a_receipt() -> dict[str, Any]:
    erasure = Erasure(
        erasure_id=uuid4(),
        owner_id=ALICE.owner_id,
        tenant=ALICE.tenant,
        request=ErasureRequest(),
        requested_by="key:1",
        transaction_id="tx",
        requested_at=NOW,
        counts={"database": {"messages": 2}, "vectors": {"chroma/x": 1}},
    )
    verification = Verification(remaining={"database": {"messages": 0}}, sampled_phrases=2)
    return dict(sign(write_receipt(erasure, verification, now=NOW), KEY))


def places_in(value: Any, path: tuple[str, ...] = ()) -> list[tuple[str, ...]]:  # noqa: ANN401  # JSON
    """The paths of all values of a document that are no objects."""
    if isinstance(value, dict) and value:
        return [place for key, one in value.items() for place in places_in(one, (*path, key))]
    return [path]


def changed(document: dict[str, Any], path: tuple[str, ...], value: object) -> dict[str, Any]:
    copy: dict[str, Any] = json.loads(json.dumps(document))
    inner = copy
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    return copy


def test_every_value_of_a_receipt_is_signed() -> None:
    receipt = a_receipt()
    for path in places_in(receipt):
        with pytest.raises(InvalidReceipt):
            check_receipt(changed(receipt, path, "something else"), KEY)


def test_a_receipt_stays_valid_in_another_order_and_spacing() -> None:
    receipt = a_receipt()
    turned = dict(reversed(receipt.items()))
    assert check_receipt(json.loads(json.dumps(turned, indent=4)), KEY) == receipt


def test_a_receipt_has_no_name_until_its_owner_asks() -> None:
    receipt = a_receipt()
    assert "alice" not in json.dumps(receipt)
    assert check_receipt(with_names(receipt, ALICE), KEY)["user"] == "alice"
    for other in (Scope(tenant="acme", user="bob"), TenantScope(tenant="acme")):
        with pytest.raises(InvalidReceipt, match="somebody else"):
            check_receipt(with_names(receipt, other), KEY)


@for_each("given_", [None, [], "x", 1, {}, {"format": "other"}])
def test_what_is_no_receipt_is_refused(given_: object) -> None:
    with pytest.raises(InvalidReceipt, match="is not a receipt"):
        check_receipt(given_, KEY)


@for_each(
    ("part", "problem"),
    [
        ({"version": 2}, "version"),
        ({"signature": None}, "no signature"),
        ({"signature": {"algorithm": "none"}}, "no signature"),
        ({"tenant": "\x00", "user": 5}, "somebody else"),
    ],
)
def test_a_receipt_that_lacks_something_says_what(part: dict[str, Any], problem: str) -> None:
    with pytest.raises(InvalidReceipt, match=problem):
        check_receipt({**a_receipt(), **part}, KEY)


def test_a_receipt_of_another_key_is_told_from_an_altered_one() -> None:
    with pytest.raises(InvalidReceipt, match="another key"):
        check_receipt(a_receipt(), b"other" * 8)


def test_a_verification_names_what_is_left() -> None:
    left = {"database": {"messages": 0, "recall_removals": 3}}
    verification = Verification(remaining=left, sampled_phrases=1, found_phrases=1)
    assert not verification.is_clean
    assert verification.remains() == "database.recall_removals: 3, phrases: 1"
    assert Verification(remaining={"database": {"messages": 0}}).is_clean


@given(st.lists(st.text(), max_size=5))
def test_phrases_are_parts_of_their_texts(texts: list[str]) -> None:
    phrases = phrases_of(texts)
    assert len(phrases) <= len(texts)
    assert all(any(phrase in text for text in texts) for phrase in phrases)


def test_short_texts_have_no_phrase() -> None:
    assert phrases_of(["yes", "ok thanks", " "]) == ()
    assert phrases_of(["one two three", "a b c d e f g h"]) == ("one two three", "b c d e f g")
