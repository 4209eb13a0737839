"""Masks in the place of personal data."""

from uuid import UUID

import pytest

from recollect.domain.privacy.masking import (
    Masker,
    MaskingMode,
    MaskingPolicies,
    Unmasking,
    blanked,
)
from recollect.domain.text import JsonValue
from recollect.errors import ConfigurationError
from recollect.sql_reading import SqlglotReader
from support.tables import for_each

KEY = b"k" * 32
ALICE, BOB = UUID(int=1), UUID(int=2)
TEXT = "Mail jan@acme.nl or JAN@ACME.NL, call 06-12345678, IBAN NL91ABNA0417164300, from 10.0.0.1"


def masker(
    mode: MaskingMode = MaskingMode.MASK, *, owner: UUID = ALICE, key: bytes = KEY
) -> Masker:
    made = MaskingPolicies(usual=mode, key=key).masker(owner, mode)
    assert made is not None
    return made


def test_a_value_has_one_mask_however_it_is_written() -> None:
    masked = masker().text("jan@acme.nl, Jan@Acme.nl, +31 6 12345678, 06 1234 5678")

    first, second, third, fourth = masked.split(", ")
    assert first == second
    assert third == fourth
    assert first.startswith("[email:")
    assert third.startswith("[phone:")


def test_masks_differ_between_owners_keys_and_values() -> None:
    masks = {
        masker().text("jan@acme.nl"),
        masker(owner=BOB).text("jan@acme.nl"),
        masker(key=b"another key, which is long enough").text("jan@acme.nl"),
        masker().text("piet@acme.nl"),
        masker(MaskingMode.HASH).text("jan@acme.nl"),
    }

    assert len(masks) == 5


@pytest.mark.parametrize(("mode", "length"), [("mask", 8), ("hash", 36)])
def test_a_mask_has_the_kind_and_a_keyed_hash(mode: str, length: int) -> None:
    masked = masker(MaskingMode(mode)).text("jan@acme.nl")

    kind, _, code = masked.strip("[]").partition(":")
    assert (kind, len(code)) == ("email", length)
    assert masked == f"[email:{code}]"


@for_each("before", MaskingMode)
@for_each("after", [MaskingMode.MASK, MaskingMode.HASH])
def test_what_is_masked_stays_as_it_is(before: MaskingMode, after: MaskingMode) -> None:
    once = TEXT if before is MaskingMode.OFF else masker(before).text(TEXT)
    twice = masker(after).text(once)

    assert (twice == once) is (before is not MaskingMode.OFF)
    assert masker(after).text(twice) == twice


def test_without_a_key_nothing_is_masked_and_nothing_can_be_stored() -> None:
    policies = MaskingPolicies(key=KEY)

    assert policies.masker(ALICE, MaskingMode.OFF) is None
    assert policies.masker(ALICE, MaskingMode.HASH) == masker(MaskingMode.HASH)
    assert "kkk" not in repr(policies)
    with pytest.raises(ConfigurationError, match="MEMORY_MASKING_KEY"):
        MaskingPolicies().masker(ALICE, MaskingMode.MASK)


@for_each(
    "sql",
    [
        "SELECT name FROM shop.users WHERE email = 'jan@acme.nl' AND bsn = 123456782",
        "SELECT * FROM shop.users WHERE mail LIKE '%jan@acme.nl%' OR phone IN ('0612345678')",
        "SELECT * FROM shop.users -- for jan@acme.nl\nWHERE card = 4111111111111111 LIMIT 10",
        "SELECT 'it''s jan@acme.nl', \"jan@acme.nl\" FROM shop.users",
    ],
)
def test_masked_sql_can_still_be_read(sql: str) -> None:
    masked = masker().sql(sql)

    for value in ("jan@acme.nl", "123456782", "0612345678", "4111111111111111"):
        assert value not in masked
    assert SqlglotReader().tables_in(masked) == ("shop.users",)
    assert masker().sql(masked) == masked


def test_sql_without_personal_data_stays_letter_by_letter() -> None:
    sql = "SELECT SUM(x) FROM s.t WHERE id = 4155552671 AND day > '2023-01-01' LIMIT 10"

    assert masker().sql(sql) == sql


def test_json_is_masked_in_texts_keys_and_numbers() -> None:
    given: JsonValue = {
        "jan@acme.nl": ["Mail jan@acme.nl", None, True, 2.5],
        "phone": 612345678,
        "order_id": 123456782,
        "rows": [{"bsn": 123456782, "count": 612345678, "year": 2024}],
    }
    email = masker().text("jan@acme.nl")

    masked = masker().json(given)

    assert isinstance(masked, dict)
    assert masked[email] == [f"Mail {email}", None, True, 2.5]
    assert masked["phone"] == masker().text("tel 612345678").removeprefix("tel ")
    assert masked["order_id"] == 123456782
    assert masked["rows"] == [{"bsn": masker().text("123456782"), "count": 612345678, "year": 2024}]


def test_only_values_that_somebody_wrote_themselves_are_put_back() -> None:
    stored = masker().text("jan@acme.nl asked, piet@acme.nl answered")
    unmasking = Unmasking(masker().masks_in("What did Jan@acme.nl ask?"))

    assert unmasking.text(stored) == stored.replace(masker().text("jan@acme.nl"), "Jan@acme.nl")
    assert Unmasking(masker(owner=BOB).masks_in("jan@acme.nl")).text(stored) == stored


def test_a_log_has_the_kind_alone() -> None:
    assert blanked("Bad request: jan@acme.nl") == "Bad request: [email]"
