"""`recollect facts`: what is known about a user."""

from typing import TYPE_CHECKING, Annotated, Final

import typer

from recollect.domain.conversation.paging import DEFAULT_LIMIT, MAX_LIMIT, Page, PageRequest
from recollect.domain.conversation.session import parse_uuid
from recollect.domain.facts.fact import Fact, FactRecord, FactType, Priority
from recollect.domain.facts.query import FactFilter, FactSort, FoundFact, StatusChoice
from recollect.domain.identity.scope import Scope
from recollect.errors import InvalidInput
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
    show_page,
    show_table,
    to_json,
)

if TYPE_CHECKING:
    from recollect.services.services import Services

app = typer.Typer(help="List, add, change and forget facts about a user.", no_args_is_help=True)
_COLUMNS: Final = ("fact_id", "type", "priority", "content")
_CHANGE_COLUMNS: Final = ("version", "at", "kind", "actor", "content")
FactId = Annotated[str, typer.Argument(help="The fact's id, as 'list' shows it.")]
Content = Annotated[str, typer.Argument(help="One sentence that can be understood alone.")]
Kind = Annotated[
    FactType | None, typer.Option("--type", help="What kind of fact.", show_default=False)
]
Importance = Annotated[
    Priority | None, typer.Option("--priority", help="How much it matters.", show_default=False)
]


@app.command("list")
def list_facts(  # noqa: PLR0913  # the options of the command line
    *,
    type_: Kind = None,
    priority: Importance = None,
    status: Annotated[
        StatusChoice, typer.Option(help="Facts of this status, or any.")
    ] = StatusChoice.ACTIVE,
    q: Annotated[
        str | None, typer.Option("--q", help="What they contain.", show_default=False)
    ] = None,
    search: Annotated[
        str | None,
        typer.Option(help="Look for this by meaning, nearest first.", show_default=False),
    ] = None,
    sort: Annotated[FactSort, typer.Option(help="By what they are listed.")] = FactSort.CREATED,
    limit: Annotated[int, typer.Option(min=1, max=MAX_LIMIT, help="How many at most.")] = (
        DEFAULT_LIMIT
    ),
    user: User = None,
    tenant: Tenant = None,
    as_json: AsJson = False,
) -> None:
    """List what is known about a user, the newest first, or search it by meaning."""
    filters = FactFilter(type=type_, priority=priority, status=status.status, text=q)

    async def work(services: "Services", scope: Scope) -> Page[Fact] | tuple[FoundFact, ...]:
        if search is not None:
            return await services.facts.search(scope, search, limit=limit, filters=filters)
        page = PageRequest(limit=limit)
        return await services.facts.list(scope, page, filters=filters, sort=sort)

    _show_list(for_owner(user, tenant, work), as_json=as_json)


@app.command()
def add(
    content: Content,
    type_: Kind = None,
    priority: Importance = None,
    user: User = None,
    tenant: Tenant = None,
    as_json: AsJson = False,
) -> None:
    """Store a fact about a user."""
    fact = for_owner(
        user,
        tenant,
        lambda services, scope: services.facts.add(
            scope,
            content,
            type=type_ or FactType.FACT,
            priority=priority,
        ),
        starts_memory=True,
    )
    _show(fact, as_json=as_json, text=f"fact {fact.fact_id} is stored")


@app.command("show")
def show_fact(
    fact_id: FactId, user: User = None, tenant: Tenant = None, as_json: AsJson = False
) -> None:
    """Show a fact of any status with its history."""
    identifier = parse_uuid(fact_id, "fact_id")
    record = for_owner(
        user,
        tenant,
        lambda services, scope: services.facts.get(scope, identifier),
    )
    if as_json:
        _echo_record(record)
        return
    fact = record.fact
    typer.echo(f"{fact.content}\n{fact.type}, {fact.priority}, {fact.status}")
    if fact.evidence is not None:
        typer.echo(f'"{fact.evidence.quote}" (message {fact.evidence.message_id})')
    show_table(map(fields_of, record.history), _CHANGE_COLUMNS, empty="no changes")


@app.command()
def edit(
    fact_id: FactId,
    content: Annotated[
        str | None, typer.Option(help="Another sentence in its place.", show_default=False)
    ] = None,
    type_: Kind = None,
    priority: Importance = None,
    version: Annotated[
        int | None,
        typer.Option(help="The version that it must have; default: any.", show_default=False),
    ] = None,
    user: User = None,
    tenant: Tenant = None,
    as_json: AsJson = False,
) -> None:
    """Change a fact's content, type or priority; its history keeps what it was."""
    identifier = parse_uuid(fact_id, "fact_id")
    if content is None and type_ is None and priority is None:
        raise InvalidInput("--content", "or --type or --priority must be given")
    fact = for_owner(
        user,
        tenant,
        lambda services, scope: services.facts.update(
            scope,
            identifier,
            content=content,
            type=type_,
            priority=priority,
            version=version,
        ),
    )
    _show(fact, as_json=as_json, text=f"fact {fact.fact_id} is changed")


@app.command()
def forget(
    fact_id: FactId,
    erase: Annotated[
        bool, typer.Option("--erase", help="Delete it for good, with its history.")
    ] = False,
    user: User = None,
    tenant: Tenant = None,
    yes: Yes = False,
    as_json: AsJson = False,
) -> None:
    """Withdraw a fact, so that it is used no more; 'restore' brings it back."""
    identifier = parse_uuid(fact_id, "fact_id")
    if erase:
        question = f"Delete the fact {identifier} about {named_owner(user, tenant)} for good?"
        confirm_deletion(question, yes=yes, as_json=as_json)
    for_owner(
        user,
        tenant,
        lambda services, scope: services.facts.forget(scope, identifier, erase=erase),
    )
    done = "deleted" if erase else "forgotten"
    show({done: identifier}, as_json=as_json, text=f"fact {identifier} is {done}")


@app.command()
def restore(
    fact_id: FactId, user: User = None, tenant: Tenant = None, as_json: AsJson = False
) -> None:
    """Let a fact hold again that was withdrawn, replaced or has faded."""
    identifier = parse_uuid(fact_id, "fact_id")
    fact = for_owner(
        user,
        tenant,
        lambda services, scope: services.facts.restore(scope, identifier),
    )
    _show(fact, as_json=as_json, text=f"fact {fact.fact_id} is restored")


@app.command()
def clear(
    user: User = None, tenant: Tenant = None, yes: Yes = False, as_json: AsJson = False
) -> None:
    """Delete all facts about a user for good."""
    whose = named_owner(user, tenant)
    question = f"Delete all facts about {whose} with their history for good?"
    confirm_deletion(question, yes=yes, as_json=as_json)
    deleted = for_owner(user, tenant, lambda services, scope: services.facts.clear(scope))
    show({"deleted": deleted}, as_json=as_json, text=f"{deleted} facts are deleted")


@app.command()
def stats(user: User = None, tenant: Tenant = None, as_json: AsJson = False) -> None:
    """Count a user's facts by type, priority, status and week."""
    counted = for_owner(user, tenant, lambda services, scope: services.facts.stats(scope))
    counts = fields_of(counted)
    if as_json:
        typer.echo(to_json(counts))
        return
    rows = [{"of": "all", "is": "", "facts": counted.total}]
    for name in ("status", "type", "priority", "week"):
        numbers = getattr(counted, f"by_{name}")
        rows += [{"of": name, "is": value, "facts": number} for value, number in numbers.items()]
    show_table(rows, ("of", "is", "facts"), empty="")


def _show(fact: Fact, *, as_json: bool, text: str) -> None:
    from recollect.interfaces.http.schemas.facts import FactOut  # noqa: PLC0415  # takes a while

    shown = FactOut.of(fact).model_dump(mode="json") if as_json else None
    show(shown, as_json=as_json, text=text)


def _show_list(results: Page[Fact] | tuple[FoundFact, ...], *, as_json: bool) -> None:
    if not as_json:
        facts = results.items if isinstance(results, Page) else [one.fact for one in results]
        show_table(map(fields_of, facts), _COLUMNS, empty="nothing of the kind is known")
        return
    from recollect.interfaces.http.schemas.facts import FoundFactOut  # noqa: PLC0415  # as above

    if isinstance(results, Page):
        show_page(map(FoundFactOut.of, results.items), results.next_cursor)
    else:
        show_page(map(FoundFactOut.found, results))


def _echo_record(record: FactRecord) -> None:
    from recollect.interfaces.http.schemas.facts import FactRecordOut  # noqa: PLC0415  # as above

    typer.echo(to_json(FactRecordOut.of_record(record).model_dump(mode="json")))
