from collections.abc import Mapping, Sequence

import pytest

from recollect.domain.conversation.message import Visibility
from recollect.domain.identity.scope import Scope
from recollect.errors import PermissionsUnavailable
from recollect.permissions.local import PermissionFunction, PermissionsByFunction

ANN = Scope(tenant="acme", user="ann")
Told = Mapping[str, Sequence[str]]


def by_name(tenant: str, user: str) -> Told:
    return {"tables": [f"{tenant}.{user}"]}


async def awaited(tenant: str, user: str) -> Told:
    return by_name(tenant, user)


def broken(_tenant: str, _user: str) -> Told:
    raise KeyError("the secret directory")


def nonsense(_tenant: str, _user: str) -> Told:
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
