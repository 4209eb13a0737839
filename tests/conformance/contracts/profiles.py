"""What `recollect.ports.profiles.ProfileStore` promises."""

import asyncio
from typing import Final

import pytest

from conformance.contracts.json_types import assert_same_json
from recollect.domain.identity.accounts import AuditAction
from recollect.domain.identity.scope import Scope
from recollect.domain.profile import profile
from recollect.domain.profile.profile import ProfileChange, ProfileItem
from recollect.domain.text import JsonValue
from recollect.errors import InvalidInput, VersionConflict
from recollect.ports import Stores
from support.examples import EVERY_KIND_OF_JSON, a_scope, seconds_on

KINDS: Final[tuple[JsonValue, ...]] = (
    EVERY_KIND_OF_JSON,
    *(None, True, 0, 1.0, -0.0, 5e-324, 10**1000, -(2**64), "", "\u2028", [], {}),
    {"b": 1, "a": 2, "B": [1.0, 1, 10**30]},
)


async def put(
    stores: Stores, scope: Scope, key: str, value: JsonValue, *, at: int = 1, **more: int | None
) -> ProfileItem:
    change = ProfileChange.of(key, value, version=more.get("version"))
    return await stores.profiles.change(scope, change, now=seconds_on(at))


async def merge(
    stores: Stores, scope: Scope, key: str, value: JsonValue, version: int | None = None
) -> ProfileItem:
    change = ProfileChange.of(key, value, merges=True, version=version)
    return await stores.profiles.change(scope, change, now=seconds_on(9))


async def values(stores: Stores, scope: Scope) -> dict[str, JsonValue]:
    return {item.key: item.value for item in await stores.profiles.list(scope)}


class ProfileStoreContract:
    """Values by key, each with its version, for one owner."""

    async def test_every_kind_of_json_comes_back_with_its_types_and_order(
        self, stores: Stores
    ) -> None:
        scope = a_scope()
        for number, value in enumerate(KINDS):
            item = await put(stores, scope, f"k{number:02}", value)
            assert_same_json(item.value, value)
        for item, value in zip(await stores.profiles.list(scope), KINDS, strict=True):
            assert_same_json(item.value, value)
            assert str(item.value) == str(value), "members keep their order, and -0.0 its sign"

    async def test_a_value_is_replaced_and_its_key_keeps_its_first_time(
        self, stores: Stores
    ) -> None:
        scope = a_scope()
        first = await put(stores, scope, "units", {"length": "km", "mass": "kg"}, at=1)
        second = await put(stores, scope, "units", {"length": "mi"}, at=2)
        assert (first.created_at, first.updated_at) == (seconds_on(1), seconds_on(1))
        assert second == ProfileItem(
            key="units",
            value={"length": "mi"},
            version=second.version,
            created_at=seconds_on(1),
            updated_at=seconds_on(2),
        )
        assert second.version > first.version
        assert await stores.profiles.list(scope) == (second,)

    async def test_a_merge_keeps_what_it_does_not_name_and_starts_what_is_not_there(
        self, stores: Stores
    ) -> None:
        scope = a_scope()
        await merge(stores, scope, "units", {"length": {"short": "cm", "long": "km"}, "mass": "kg"})
        item = await merge(stores, scope, "units", {"length": {"long": "mi"}, "mass": None})
        assert item.value == {"length": {"short": "cm", "long": "mi"}, "mass": None}
        assert await stores.profiles.list(scope) == (item,)

    async def test_of_merges_at_the_same_time_none_is_lost(self, stores: Stores) -> None:
        scope = a_scope()
        merges = (merge(stores, scope, "seen", {"by": {f"k{n}": n}}) for n in range(20))
        items = await asyncio.gather(*merges)
        assert await values(stores, scope) == {"seen": {"by": {f"k{n}": n for n in range(20)}}}
        assert len({item.version for item in items}) == 20

    async def test_some_keys_are_listed_in_their_order(self, stores: Stores) -> None:
        scope = a_scope()
        for key in ("b", "é", "B", "a", "ab"):
            await put(stores, scope, key, key)
        assert [item.key for item in await stores.profiles.list(scope)] == sorted(
            ("b", "é", "B", "a", "ab")
        )
        chosen = await stores.profiles.list(scope, keys=["é", "missing", "a", "a"])
        assert [item.key for item in chosen] == ["a", "é"]
        assert await stores.profiles.list(scope, keys=[]) == ()

    async def test_a_change_of_another_version_is_refused_and_changes_nothing(
        self, stores: Stores
    ) -> None:
        scope = a_scope()
        first = await put(stores, scope, "units", "km", version=0)
        second = await put(stores, scope, "units", "mi", version=first.version)
        for outdated in (0, first.version):
            with pytest.raises(VersionConflict) as conflict:
                await put(stores, scope, "units", "m", version=outdated)
            assert (conflict.value.expected, conflict.value.current) == (outdated, second.version)
            with pytest.raises(VersionConflict):
                await merge(stores, scope, "units", {}, version=outdated)
        with pytest.raises(VersionConflict) as conflict:
            await put(stores, scope, "other", "m", version=3)
        assert conflict.value.current is None
        assert await stores.profiles.list(scope) == (second,)

    async def test_of_changes_of_one_version_at_the_same_time_one_is_done(
        self, stores: Stores
    ) -> None:
        scope = a_scope()
        changes = (put(stores, scope, "units", n, version=0) for n in range(5))
        results = await asyncio.gather(*changes, return_exceptions=True)
        (done,) = (result for result in results if isinstance(result, ProfileItem))
        assert sum(isinstance(result, VersionConflict) for result in results) == 4
        assert await stores.profiles.list(scope) == (done,)

    async def test_a_key_that_comes_again_never_has_a_version_of_the_one_before(
        self, stores: Stores
    ) -> None:
        scope = a_scope()
        first = await put(stores, scope, "units", "km")
        assert await stores.profiles.delete(scope, "units", now=seconds_on(2))
        again = await put(stores, scope, "units", "km", at=3)
        assert (again.version > first.version, again.created_at) == (True, seconds_on(3))
        await stores.profiles.clear(scope, now=seconds_on(4))
        assert (await put(stores, scope, "units", "km")).version > again.version

    async def test_a_profile_is_never_larger_than_its_limits(self, stores: Stores) -> None:
        scope = a_scope()
        quarter = "x" * (64 * 1024 - 2)
        items = [await put(stores, scope, key, quarter) for key in "abcd"]
        for refused in (put(stores, scope, "e", 1), merge(stores, scope, "f", [])):
            with pytest.raises(InvalidInput, match="256 KiB"):
                await refused
        assert await stores.profiles.list(scope) == tuple(items)
        await put(stores, scope, "d", "small")
        assert (await merge(stores, scope, "e", 1)).value == 1

    async def test_a_profile_has_only_so_many_keys(
        self, stores: Stores, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(profile, "MAX_KEYS", 3)
        scope = a_scope()
        results = await asyncio.gather(
            *(put(stores, scope, key, 1) for key in "abcde"), return_exceptions=True
        )
        assert [type(result) for result in results].count(InvalidInput) == 2
        items = await stores.profiles.list(scope)
        assert len(items) == 3
        assert (await put(stores, scope, items[0].key, "changed")).value == "changed"

    async def test_keys_are_deleted_in_the_version_that_is_meant(self, stores: Stores) -> None:
        scope = a_scope()
        kept = await put(stores, scope, "kept", 1)
        item = await put(stores, scope, "units", "km")
        with pytest.raises(VersionConflict):
            await stores.profiles.delete(
                scope, "units", version=item.version + 1, now=seconds_on(2)
            )
        assert await stores.profiles.list(scope) == (kept, item)
        assert await stores.profiles.delete(scope, "units", version=item.version, now=seconds_on(2))
        assert await stores.profiles.list(scope) == (kept,)
        assert not await stores.profiles.delete(scope, "units", version=1, now=seconds_on(3))

    async def test_deletions_are_audited_with_the_key_or_the_number(self, stores: Stores) -> None:
        scope = a_scope()
        for key in "abc":
            await put(stores, scope, key, "secret")
        await stores.profiles.delete(scope, "b", now=seconds_on(2))
        await stores.profiles.delete(scope, "b", now=seconds_on(3))
        assert await stores.profiles.clear(scope, now=seconds_on(4)) == 2
        assert await stores.profiles.clear(scope, now=seconds_on(5)) == 0
        entries = await stores.audit.entries(scope, limit=9)
        assert [(one.action, one.target, one.count, one.at) for one in entries] == [
            (AuditAction.PROFILE_CLEARED, str(scope.owner_id), 2, seconds_on(4)),
            (AuditAction.PROFILE_KEY_DELETED, "b", 1, seconds_on(2)),
        ]

    async def test_the_profile_of_one_owner_is_not_anothers(self, stores: Stores) -> None:
        scope = a_scope()
        item = await put(stores, scope, "units", "km")
        for other in (a_scope(scope.tenant, user="bob"), a_scope(user=scope.user)):
            assert await stores.profiles.list(other, keys=["units"]) == ()
            assert not await stores.profiles.delete(other, "units", now=seconds_on(2))
            assert await stores.profiles.clear(other, now=seconds_on(2)) == 0
            await merge(stores, other, "units", {"length": "mi"})
        assert await stores.profiles.list(scope) == (item,)

    async def test_what_a_reader_does_to_a_value_changes_nothing_stored(
        self, stores: Stores
    ) -> None:
        scope = a_scope()
        given: dict[str, JsonValue] = {"length": ["km"]}
        item = await put(stores, scope, "units", given)
        given["length"] = "mi"
        assert isinstance(item.value, dict)
        item.value["length"].append("mi")
        assert await values(stores, scope) == {"units": {"length": ["km"]}}
