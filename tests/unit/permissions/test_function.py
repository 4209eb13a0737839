import asyncio

import pytest

from recollect import Memory
from recollect.domain.conversation.message import Visibility
from recollect.domain.identity.scope import Scope
from recollect.errors import PermissionsUnavailable
from recollect.permissions.local import Grants, PermissionFunction, PermissionsByFunction

ANN = Scope(tenant="acme", user="ann")


def by_name(tenant: str, user: str) -> Grants:
    return {"tables": [f"{tenant}.{user}"]}


async def awaited(tenant: str, user: str) -> Grants:
    return by_name(tenant, user)


def broken(_tenant: str, _user: str) -> Grants:
    raise KeyError("the secret directory")


def nonsense(_tenant: str, _user: str) -> Grants:
    return {"everything": ["please"]}


@pytest.mark.parametrize("function", [by_name, awaited])
async def test_a_function_of_tenant_and_user_can_grant_tables(
    function: PermissionFunction,
) -> None:
    access = await PermissionsByFunction(function).access_of(ANN)
    assert access.tables == {"acme.ann": Visibility.ALL}


@pytest.mark.parametrize("function", [broken, nonsense])
async def test_a_function_that_fails_or_returns_another_type_allows_nothing(
    function: PermissionFunction,
) -> None:
    with pytest.raises(PermissionsUnavailable) as failure:
        await PermissionsByFunction(function).access_of(ANN)
    assert "secret" not in str(failure.value)


async def test_questions_at_once_share_one_call_that_no_cancelled_caller_ends() -> None:
    began, may_end = asyncio.Event(), asyncio.Event()
    calls: list[str] = []

    async def slow(_tenant: str, user: str) -> Grants:
        calls.append(user)
        began.set()
        await may_end.wait()
        return {"tables": ["a.b"]}

    async with Memory.in_memory(permissions=slow) as memory:
        source = memory.services.permissions.source
        assert source is not None
        impatient = asyncio.create_task(source.access_of(ANN))
        await began.wait()
        patient = asyncio.create_task(source.access_of(ANN))
        impatient.cancel()
        await asyncio.wait({impatient})
        may_end.set()
        access = await patient
    assert access.tables == {"a.b": Visibility.ALL}
    assert calls == ["ann"]


async def test_a_memory_for_tests_sees_a_changed_right_at_once() -> None:
    tables = ["a.b"]
    async with Memory.in_memory(permissions=lambda _tenant, _user: {"tables": tables}) as memory:
        before = await memory.services.permissions.allowed(ANN)
        tables.clear()
        after = await memory.services.permissions.allowed(ANN)
    assert (before.tables, after.tables) == ({"a.b": Visibility.ALL}, {})
