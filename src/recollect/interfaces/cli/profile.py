"""`recollect profile`: what programs store about a user."""

import json
from typing import Annotated, NoReturn

import typer

from recollect.domain.profile.profile import ProfileItem
from recollect.domain.text import JsonValue
from recollect.interfaces.cli.output import (
    AsJson,
    Tenant,
    User,
    Yes,
    confirm_deletion,
    fields_of,
    for_owner,
    named_owner,
    show,
    show_table,
    to_json,
)

app = typer.Typer(help="Set, merge, show and delete values of a profile.", no_args_is_help=True)
_COLUMNS = ("key", "value", "version", "updated_at")
Key = Annotated[str, typer.Argument(help="The key, such as preferences.")]
Value = Annotated[
    str, typer.Argument(help="JSON, or else a text; after -- where it begins with a dash.")
]
Version = Annotated[
    int | None,
    typer.Option(
        help="The version that the key must have, 0 if it must be new; default: any.",
        show_default=False,
    ),
]


@app.command("set")
def set_value(
    key: Key,
    value: Value,
    version: Version = None,
    user: User = None,
    tenant: Tenant = None,
    as_json: AsJson = False,
) -> None:
    """Set the value of a key, in place of any before it."""
    item = for_owner(
        user,
        tenant,
        lambda services, scope: services.profiles.set(scope, key, _parsed(value), version=version),
        starts_memory=True,
    )
    _show(item, as_json=as_json)


@app.command()
def merge(
    key: Key,
    value: Value,
    version: Version = None,
    user: User = None,
    tenant: Tenant = None,
    as_json: AsJson = False,
) -> None:
    """Merge objects at every depth; replace everything else, null is a value like others."""
    item = for_owner(
        user,
        tenant,
        lambda services, scope: services.profiles.merge(
            scope, key, _parsed(value), version=version
        ),
        starts_memory=True,
    )
    _show(item, as_json=as_json)


@app.command("get")
def get_value(key: Key, user: User = None, tenant: Tenant = None, as_json: AsJson = False) -> None:
    """Show the value of a key as JSON; with --json also its version and times."""
    item = for_owner(user, tenant, lambda services, scope: services.profiles.get(scope, key))
    _show(item, as_json=as_json)


@app.command("list")
def list_values(user: User = None, tenant: Tenant = None, as_json: AsJson = False) -> None:
    """List all values in order of their keys."""
    items = for_owner(user, tenant, lambda services, scope: services.profiles.list(scope))
    rows = [fields_of(item) for item in items]
    if not as_json:
        rows = [{**row, "value": json.dumps(row["value"], ensure_ascii=False)} for row in rows]
    show_table(rows, _COLUMNS, as_json=as_json, empty="nothing is stored yet")


@app.command()
def delete(
    key: Key,
    version: Version = None,
    user: User = None,
    tenant: Tenant = None,
    yes: Yes = False,
    as_json: AsJson = False,
) -> None:
    """Delete a key."""
    question = f"Delete the key {key} of {named_owner(user, tenant)} for good?"
    confirm_deletion(question, yes=yes, as_json=as_json)
    for_owner(
        user,
        tenant,
        lambda services, scope: services.profiles.delete(scope, key, version=version),
    )
    show({"deleted": key}, as_json=as_json, text=f"the key {key} is deleted")


@app.command()
def clear(
    user: User = None, tenant: Tenant = None, yes: Yes = False, as_json: AsJson = False
) -> None:
    """Delete all keys."""
    question = f"Delete the whole profile of {named_owner(user, tenant)}?"
    confirm_deletion(question, yes=yes, as_json=as_json)
    deleted = for_owner(user, tenant, lambda services, scope: services.profiles.clear(scope))
    show({"deleted": deleted}, as_json=as_json, text=f"{deleted} keys are deleted")


def _show(item: ProfileItem, *, as_json: bool) -> None:
    show(fields_of(item), as_json=as_json, text=to_json(item.value))


def _parsed(text: str) -> JsonValue:
    """The value that a text is as JSON, or else the text."""
    try:
        value: JsonValue = json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError):
        return text
    return value


def _refuse(name: str) -> NoReturn:
    """Take NaN and Infinity for texts: JSON has no such numbers."""
    raise ValueError(name)
