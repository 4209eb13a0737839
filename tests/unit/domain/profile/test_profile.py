"""The change of one key of a profile."""

import pytest

from recollect.domain.profile.profile import (
    MAX_KEYS,
    MAX_PROFILE_BYTES,
    ProfileChange,
    StoredKey,
    check_chosen_keys,
    check_key,
)
from recollect.errors import InvalidInput, VersionConflict
from support.tables import for_each


@for_each("key", ["a", "x" * 200, "reports/2024", "数据", "a b", "*", "."])
def test_any_name_is_a_key(key: str) -> None:
    assert check_key(key) == key


@for_each("key", ["", " ", "x" * 201, "a\nb", "a\0b", "\x1b", "\ud800", None, 7])
def test_a_key_that_cannot_be_shown_on_one_line_is_refused(key: str) -> None:
    with pytest.raises(InvalidInput, match=r"^key "):
        ProfileChange.of(key, 1)


@for_each("version", [-1, 2**63, True, "3", 1.0])
def test_a_version_that_no_key_can_have_is_refused(version: int) -> None:
    with pytest.raises(InvalidInput, match=r"^version "):
        ProfileChange.of("key", 1, version=version)


def test_a_merge_is_measured_by_what_it_makes() -> None:
    half = "x" * (40 * 1024)
    change = ProfileChange.of("key", {"b": half}, merges=True)
    with pytest.raises(InvalidInput, match="64 KiB"):
        change.text_after(StoredKey(text=f'{{"a":"{half}"}}', version=1))
    assert change.text_after(StoredKey()) == f'{{"b":"{half}"}}'


def test_a_full_profile_takes_changes_of_its_own_keys_alone() -> None:
    change = ProfileChange.of("key", 12345)
    room = MAX_PROFILE_BYTES - 5
    assert change.text_after(StoredKey(other_keys=MAX_KEYS - 1, other_bytes=room)) == "12345"
    kept = StoredKey(text="1", version=1, other_keys=MAX_KEYS - 1, other_bytes=room)
    assert change.text_after(kept) == "12345"
    with pytest.raises(InvalidInput, match="256 KiB"):
        change.text_after(StoredKey(other_bytes=room + 1))
    with pytest.raises(InvalidInput, match="500"):
        change.text_after(StoredKey(other_keys=MAX_KEYS))


@for_each(
    ("expected", "current", "message"),
    [
        (3, 4, "it is at version 4, version 3 was expected"),
        (0, 4, "it is at version 4, a new one was expected"),
        (3, None, "there is none, version 3 was expected"),
    ],
)
def test_a_conflict_says_what_was_expected(
    expected: int, current: int | None, message: str
) -> None:
    change = ProfileChange.of("key", 1, version=expected)
    with pytest.raises(VersionConflict, match=message):
        change.text_after(StoredKey(text=current and "1", version=current))


def test_keys_for_contexts_are_chosen_once() -> None:
    assert check_chosen_keys(["b", "a", " b "]) == ("b", "a")
    with pytest.raises(InvalidInput, match="500"):
        check_chosen_keys(map(str, range(501)))
