import json
import logging
import os
from pathlib import Path

import pytest

from recollect.domain.conversation.message import Visibility
from recollect.domain.identity.permissions import Access
from recollect.domain.identity.scope import Scope
from recollect.errors import PermissionsUnavailable
from recollect.permissions.local import PermissionsFile
from support.logs import records_of

ALL, SHAPE, HIDDEN = Visibility.ALL, Visibility.SHAPE, Visibility.NOTHING

PERMISSIONS = """
[tenants.acme.everyone]
tables = ["public.*"]

[tenants.acme.groups.sales]
members = ["ann", "bob"]
tables = ["sales.*"]
restricted = ["sales.customers"]

[tenants.acme.users.ann]
tables = ["hr.pay"]
denied = ["public.secret"]

[tenants.globex.users.ann]
tables = ["*"]
"""


def write(path: Path, text: str, *, moment: int) -> None:
    """Write a file, and say when: two writes of a test may fall into one tick of the disk's."""
    path.write_text(text)
    os.utime(path, (moment, moment))


def break_file(path: Path, text: str | None) -> None:
    path.unlink()
    if text is not None:
        write(path, text, moment=3)


async def access_of(source: PermissionsFile, user: str, tenant: str = "acme") -> Access:
    return await source.access_of(Scope(tenant=tenant, user=user))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "permissions.toml"


@pytest.fixture
def source(path: Path) -> PermissionsFile:
    write(path, PERMISSIONS, moment=1)
    return PermissionsFile(path)


async def test_grants_of_everyone_the_groups_and_the_user_are_combined(
    source: PermissionsFile,
) -> None:
    ann = await access_of(source, "ann")
    assert ann.visibility_of(["public.news", "sales.orders", "hr.pay"]) is ALL
    assert ann.visibility_of(["sales.customers"]) is SHAPE
    assert ann.visibility_of(["public.secret"]) is HIDDEN
    bob = await access_of(source, "bob")
    assert bob.visibility_of(["public.secret", "sales.orders"]) is ALL
    assert bob.visibility_of(["hr.pay"]) is HIDDEN
    carol = await access_of(source, "carol")
    assert carol.visibility_of(["public.news"]) is ALL
    assert carol.visibility_of(["sales.orders"]) is HIDDEN


async def test_users_of_the_same_name_in_other_tenants_are_others(source: PermissionsFile) -> None:
    assert (await access_of(source, "ann", "globex")).visibility_of(["x.y"]) is ALL
    assert (await access_of(source, "bob", "globex")).tables == {}
    assert (await access_of(source, "ann", "initech")).tables == {}


async def test_a_permissions_file_may_be_json(tmp_path: Path) -> None:
    path = tmp_path / "permissions.json"
    path.write_text(json.dumps({"tenants": {"acme": {"users": {"ann": {"tables": ["a.b"]}}}}}))
    assert (await access_of(PermissionsFile(path), "ann")).tables == {"a.b": ALL}


async def test_a_change_of_the_file_counts_from_the_next_question_on(
    source: PermissionsFile, path: Path
) -> None:
    assert (await access_of(source, "ann")).visibility_of(["hr.pay"]) is ALL
    write(path, PERMISSIONS.replace("hr.pay", "hr.day"), moment=2)
    assert (await access_of(source, "ann")).visibility_of(["hr.pay"]) is HIDDEN


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[tenants", "Expected"),
        ("", "tenants: Field required"),
        ("[users.ann]\ntables = []", "tenants: Field required"),
        ("[users.ann]\n[tenants.acme]", "users: Extra inputs are not permitted"),
        ("tenants = 5", "tenants: Input should be a valid dictionary"),
        ("[tenants.acme.user.ann]\ntables = []", "tenants.acme.user: Extra inputs"),
        ("[tenants.acme]\nusers = []", "tenants.acme.users: Input should be a valid dictionary"),
        ("[tenants.acme.users.ann]\nrestriced = ['a.b']", "users.ann.restriced: Extra inputs"),
        ("[tenants.acme.users.ann]\nmembers = ['a.b']", "users.ann.members: Extra inputs"),
        ("[tenants.acme.groups.all]\nmembers = 'ann'", "groups.all.members"),
        ("[tenants.acme]\neveryone = ['a.b']", "everyone: Input should be a valid dictionary"),
        (None, "No such file"),
    ],
)
async def test_a_broken_file_allows_nothing_and_the_log_says_once_why(
    source: PermissionsFile,
    path: Path,
    text: str | None,
    problem: str,
    caplog: pytest.LogCaptureFixture,
) -> None:
    await access_of(source, "ann")
    break_file(path, text)

    for _ in range(3):
        with pytest.raises(PermissionsUnavailable):
            await access_of(source, "ann")

    (record,) = records_of(caplog, "permissions")
    assert (record.levelno, record.message) == (logging.ERROR, "permissions.file_broken")
    facts: dict[str, str] = record.facts  # type: ignore[attr-defined]  # ours
    assert facts["path"] == str(path)
    assert problem in facts["problem"]

    write(path, PERMISSIONS, moment=4)
    assert (await access_of(source, "ann")).visibility_of(["hr.pay"]) is ALL
