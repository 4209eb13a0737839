"""The values of a profile with their keys and versions, and the change of one of them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Self

from recollect.domain.profile.json_values import merged_text, value_text
from recollect.domain.text import JsonValue, check_name
from recollect.errors import InvalidInput, VersionConflict

MAX_KEY_LENGTH: Final = 200
MAX_KEYS: Final = 500
"""The most keys of one profile."""
MAX_PROFILE_BYTES: Final = 256 * 1024
"""The most bytes of all values of one profile together."""
ALL_KEYS: Final = "*"
"""Stands for every key where contexts are told which to have."""
_MAX_VERSION: Final = 2**63 - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class ProfileItem:
    """One value of a user's profile."""

    key: str
    value: JsonValue
    version: int
    """Grows with every change; no other value of this key, before or after, has the same one."""
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredKey:
    """What a profile has when one of its keys is to be changed."""

    text: str | None = None
    """The JSON of the key's value; None where it has none."""
    version: int | None = None
    other_keys: int = 0
    other_bytes: int = 0
    """The size of the values of all other keys."""

    @classmethod
    def among(cls, texts: Mapping[str, str], key: str, *, version: int | None) -> Self:
        """What a profile has of a key, given the JSON of all its values."""
        others = [text for name, text in texts.items() if name != key]
        return cls(
            text=texts.get(key),
            version=version,
            other_keys=len(others),
            other_bytes=sum(len(text.encode()) for text in others),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ProfileChange:
    """A value to be set or merged. Made by `ProfileChange.of`, which checks it."""

    key: str
    text: str
    """The value as JSON."""
    merges: bool = False
    """Whether it is merged into what is stored, or replaces it."""
    version: int | None = None
    """The version that the key must have, 0 if it must not be there; None: whatever it has."""

    @classmethod
    def of(
        cls, key: str, value: JsonValue, *, version: int | None = None, merges: bool = False
    ) -> Self:
        """Check a change; `InvalidInput` if it can never be done."""
        return cls(
            key=check_key(key),
            text=value_text(value),
            merges=merges,
            version=parse_version(version),
        )

    def text_after(self, stored: StoredKey) -> str:
        """Return the JSON that the key has after the change.

        Raises:
            VersionConflict: the key has another version than the change is meant for.
            InvalidInput: the merged value or the whole profile would be too large.
        """
        check_version(self.version, stored.version)
        text = self.text
        if self.merges and stored.text is not None:
            text = merged_text(stored.text, text)
        if stored.text is None and stored.other_keys >= MAX_KEYS:
            raise InvalidInput("key", f"is one too many: a profile has at most {MAX_KEYS}")
        if stored.other_bytes + len(text.encode()) > MAX_PROFILE_BYTES:
            limit = f"{MAX_PROFILE_BYTES // 1024} KiB"
            raise InvalidInput("value", f"would make the profile larger than {limit} as JSON")
        return text


def check_key(key: str) -> str:
    """Return a key without the blanks around it; refuse one that is blank, long or unprintable."""
    return check_name(key, "key", max_length=MAX_KEY_LENGTH)


def check_chosen_keys(keys: Iterable[str]) -> tuple[str, ...]:
    """Return the keys that contexts are to have, none of them twice."""
    chosen = tuple(dict.fromkeys(map(check_key, keys)))
    if len(chosen) > MAX_KEYS:
        raise InvalidInput("keys", f"must be at most {MAX_KEYS}")
    return chosen


def parse_version(version: int | None) -> int | None:
    """Return a version that is expected of a key; refuse what no key can have."""
    is_known = type(version) is int and 0 <= version <= _MAX_VERSION
    if version is not None and not is_known:
        raise InvalidInput("version", "must be the version of the key, or 0 for a new key")
    return version


def check_version(expected: int | None, current: int | None) -> None:
    """Refuse a change of a key that has another version than expected."""
    if expected is not None and expected != (current or 0):
        raise VersionConflict(expected=expected, current=current)
