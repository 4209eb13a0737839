import asyncio
from dataclasses import replace
from datetime import timedelta

import pytest

from recollect.domain.conversation.message import Visibility
from recollect.domain.identity.permissions import Access
from recollect.domain.identity.scope import Scope
from recollect.errors import PermissionsUnavailable
from recollect.permissions.cache import CachedPermissions
from recollect.testing import FixedClock
from support.permissions import ByHand

ANN = Scope(tenant="acme", user="ann")
BOB = Scope(tenant="acme", user="bob")
SOME = Access(tables={"a.b": Visibility.ALL})
MORE = Access(tables={"a.*": Visibility.ALL})


class Slow(ByHand):
    """A source that answers when it is told to."""

    def __init__(self, access: Access | None = None) -> None:
        super().__init__(access)
        self.was_asked = asyncio.Event()
        self.may_answer = asyncio.Event()

    async def access_of(self, scope: Scope) -> Access:
        self.scopes.append(scope)
        self.was_asked.set()
        await self.may_answer.wait()
        if self.access is None:
            raise PermissionsUnavailable("the source is down")
        return self.access


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock()


def cached(source: ByHand, clock: FixedClock, *, most_owners: int = 10) -> CachedPermissions:
    return CachedPermissions(source, clock=clock, seconds=30, most_owners=most_owners)


async def test_an_answer_is_used_for_its_seconds_and_no_longer(clock: FixedClock) -> None:
    source = ByHand(SOME)
    permissions = cached(source, clock)
    assert await permissions.access_of(ANN) == SOME
    source.access = MORE
    clock.move(timedelta(seconds=29.9))
    assert await permissions.access_of(ANN) == SOME
    clock.move(timedelta(seconds=0.1))
    assert await permissions.access_of(ANN) == MORE


async def test_each_owner_and_each_credential_is_asked_about_on_its_own(clock: FixedClock) -> None:
    source = ByHand(SOME)
    permissions = cached(source, clock)
    for scope in (ANN, BOB, replace(ANN, authorization="Bearer x"), ANN, BOB):
        await permissions.access_of(scope)
    assert [scope.authorization for scope in source.scopes] == [None, None, "Bearer x"]
    assert "Bearer x" not in str(vars(permissions))


async def test_a_failure_is_not_remembered(clock: FixedClock) -> None:
    source = ByHand()
    permissions = cached(source, clock)
    with pytest.raises(PermissionsUnavailable):
        await permissions.access_of(ANN)
    source.access = SOME
    assert await permissions.access_of(ANN) == SOME


async def test_an_answer_that_has_expired_does_not_stand_in_for_a_failure(
    clock: FixedClock,
) -> None:
    source = ByHand(SOME)
    permissions = cached(source, clock)
    await permissions.access_of(ANN)
    source.access = None
    clock.move(timedelta(seconds=31))
    with pytest.raises(PermissionsUnavailable):
        await permissions.access_of(ANN)


async def test_concurrent_requests_share_one_call_of_the_source(clock: FixedClock) -> None:
    source = Slow(SOME)
    permissions = cached(source, clock)
    impatient, *others = (asyncio.create_task(permissions.access_of(ANN)) for _ in range(5))
    await source.was_asked.wait()
    impatient.cancel()
    source.may_answer.set()
    assert await asyncio.gather(*others) == [SOME] * 4
    assert len(source.scopes) == 1


async def test_the_age_of_cached_permissions_counts_from_the_request(clock: FixedClock) -> None:
    source = Slow(SOME)
    permissions = cached(source, clock)
    first = asyncio.create_task(permissions.access_of(ANN))
    await source.was_asked.wait()
    clock.move(timedelta(seconds=31))
    source.may_answer.set()
    await first
    await permissions.access_of(ANN)
    assert len(source.scopes) == 2


async def test_of_many_owners_the_first_are_forgotten(clock: FixedClock) -> None:
    source = ByHand(SOME)
    permissions = cached(source, clock, most_owners=1)
    for scope in (ANN, BOB, BOB, ANN):
        await permissions.access_of(scope)
    assert source.scopes == [ANN, BOB, ANN]
