"""Profiles, and which of their values a context has."""

from collections.abc import Collection
from dataclasses import replace

import pytest

from recollect.composition import build_services
from recollect.domain.context.context import Context
from recollect.domain.identity.scope import Scope
from recollect.domain.profile.profile import ProfileItem
from recollect.domain.recall.entry import AS_SET, RecallOverrides, RecallScope
from recollect.domain.text import JsonValue
from recollect.engines.in_memory import in_memory_stores
from recollect.engines.in_memory.data import InMemoryData
from recollect.engines.in_memory.profiles import InMemoryProfiles
from recollect.errors import (
    ConfigurationError,
    DatabaseUnavailable,
    InvalidInput,
    ProfileKeyNotFound,
)
from recollect.models.tokens import token_counter_for
from recollect.services.profiles import PROFILE_FAILED
from recollect.services.services import ServiceDependencies, Services
from recollect.settings import load_settings
from recollect.sql_reading import SqlglotReader
from recollect.testing import CountingIds, FixedClock
from support.examples import a_message, a_scope, a_session

VALUES: dict[str, JsonValue] = {"company": {"name": "ACME"}, "units": {"length": "km"}, "zip": 1234}


class CountedProfiles(InMemoryProfiles):
    """Counts how often profiles are read, and fails if it is to."""

    reads = 0
    failure: Exception | None = None

    async def list(
        self, scope: Scope, *, keys: Collection[str] | None = None
    ) -> tuple[ProfileItem, ...]:
        type(self).reads += 1
        if self.failure is not None:
            raise self.failure
        return await super().list(scope, keys=keys)


def some_services(store: InMemoryProfiles | None = None, **settings: object) -> Services:
    clock = FixedClock()
    around = ServiceDependencies(
        clock=clock, ids=CountingIds(), counter_for=token_counter_for, sql=SqlglotReader()
    )
    stores = in_memory_stores(clock)
    if store is not None:
        stores = replace(stores, profiles=store)
    return build_services(stores, around, load_settings(**settings).policies())


async def ask(
    services: Services,
    scope: Scope,
    *,
    max_tokens: int | None = None,
    recall: RecallOverrides = AS_SET,
    said: str | None = None,
) -> Context:
    session = a_session()
    await services.sessions.start(scope, session)
    if said:
        await services.messages.append(scope, session.session_id, [a_message("user", said)])
    return await services.contexts.build(
        scope,
        session.session_id,
        "What is new?",
        model="gpt-4o",
        max_tokens=max_tokens,
        recall=recall,
    )


async def fill(services: Services, scope: Scope, values: dict[str, JsonValue] = VALUES) -> None:
    for key, value in values.items():
        await services.profiles.set(scope, key, value)


@pytest.mark.parametrize(
    ("setting", "expected"),
    [
        ("", []),
        ("units", ["units"]),
        (" zip, missing,company", ["zip", "company"]),
        ("*", ["company", "units", "zip"]),
        ("zip,*", ["zip", "company", "units"]),
    ],
)
async def test_the_setting_chooses_the_keys_and_their_order(
    setting: str, expected: list[str]
) -> None:
    services, scope = some_services(profile_keys=setting), a_scope()
    await fill(services, scope)
    context = await ask(services, scope)
    assert [item.key for item in context.profile] == expected
    assert context.variables()["profile"] == {key: VALUES[key] for key in expected}
    assert (context.tokens.profile > 0) == bool(expected)
    assert ("ACME" in str(context.messages())) == ("company" in expected)
    assert not context.is_truncated


async def test_without_the_setting_no_profile_is_read() -> None:
    for setting, reads in (("", 0), ("units", 1)):
        CountedProfiles.reads = 0
        store = CountedProfiles(InMemoryData(FixedClock()))
        await ask(some_services(store, profile_keys=setting), a_scope())
        assert CountedProfiles.reads == reads


async def test_the_profile_is_there_where_nothing_is_recalled() -> None:
    services, scope = some_services(profile_keys="zip"), a_scope()
    await fill(services, scope)
    context = await ask(services, scope, recall=RecallOverrides(scope=RecallScope.OFF))
    assert [item.value for item in context.profile] == [1234]


async def test_a_strangers_profile_is_never_shown() -> None:
    services, scope = some_services(profile_keys="*"), a_scope()
    await fill(services, scope)
    for stranger in (a_scope(scope.tenant, "bob"), a_scope(user=scope.user)):
        assert (await ask(services, stranger)).profile == ()


async def test_a_context_is_built_without_a_profile_that_cannot_be_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(CountedProfiles, "failure", DatabaseUnavailable("gone"))
    services = some_services(CountedProfiles(InMemoryData(FixedClock())), profile_keys="*")
    context = await ask(services, a_scope())
    assert (context.profile, context.warnings) == ((), (PROFILE_FAILED,))


async def test_it_keeps_to_a_share_and_values_that_do_not_fit_are_left_out_whole() -> None:
    services, scope = some_services(profile_keys="large,many,small"), a_scope()
    await fill(services, scope, {"large": "word " * 5000, "many": "word " * 700, "small": "Ann"})

    context = await ask(services, scope)
    small = await ask(services, scope, max_tokens=400)
    tiny = await ask(services, scope, max_tokens=60)

    assert [item.key for item in context.profile] == ["many", "small"]
    assert 700 < context.tokens.profile <= 1000
    assert (context.cut.profile, context.is_truncated) == (1, True)
    assert [item.key for item in small.profile] == ["small"]
    assert small.tokens.profile <= 100
    assert (tiny.profile, tiny.tokens.profile, tiny.cut.profile) == ((), 0, 3)


async def test_the_last_turn_comes_before_it() -> None:
    services, scope = some_services(profile_keys="*"), a_scope()
    said = "Tell me all. " + "why " * 60
    alone = await ask(services, scope, said=said)
    await fill(services, scope)
    context = await ask(services, scope, said=said, max_tokens=alone.tokens.total + 5)
    assert [one.content for one in context.window] == [one.content for one in alone.window]
    assert context.profile == ()


@pytest.mark.parametrize("setting", ["a\nb", "x" * 201])
def test_a_setting_with_what_is_no_key_is_refused(setting: str) -> None:
    with pytest.raises(ConfigurationError, match="MEMORY_PROFILE_KEYS: each key"):
        load_settings(profile_keys=setting)


async def test_a_missing_key_is_none_or_an_error_and_keys_are_trimmed() -> None:
    services, scope = some_services(), a_scope()
    assert await services.profiles.find(scope, "units") is None
    for missing in (services.profiles.get, services.profiles.delete):
        with pytest.raises(ProfileKeyNotFound):
            await missing(scope, "units")
    stored = await services.profiles.set(scope, " units ", "km")
    assert await services.profiles.get(scope, "units ") == stored
    for refused in (services.profiles.get, services.profiles.delete):
        with pytest.raises(InvalidInput, match="key"):
            await refused(scope, "")
