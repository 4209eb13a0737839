"""A lint of the engine's SQL: no statement reaches a row without naming its owner."""

import re
from collections.abc import Iterator
from pathlib import Path

import sqlglot
from sqlglot import exp

import recollect.engines.postgres as engine
from recollect.engines.postgres.sql import Statement, statements
from support.tables import for_each

FOLDER = Path(engine.__file__).parent
STATEMENTS = sorted(statements().items())
NAMES = [name for name, _ in STATEMENTS]
OWNED_TABLES = {
    *("owners", "sessions", "turns", "messages"),
    *(
        "summaries",
        "jobs",
        "api_keys",
        "tenant_settings",
        "audit",
        "audit_chains",
        "states",
        "profiles",
        "profile_values",
    ),
    *("recall_entries", "recall_words", "recall_owners", "recall_models", "recall_removals"),
    *("facts", "fact_changes", "fact_models", "erasures", "receipt_keys", "owner_keys"),
    *("archive_notes", "ended_visits"),
}

# The statements that may do without an owner, each with its reason.
WITHOUT_OWNER: dict[str, str] = {
    "take_job": "a worker serves all owners; jobs hold ids and no text",
    "replace_entries": "the function of that name sets the owner and names it in every statement",
    "put_summary": "as replace_entries",
    "embed_entries": "as replace_entries",
    "count_expired": "the clean-up serves all owners; it sees expired sessions alone",
    "delete_expired": "as count_expired",
    "some_expired": "as count_expired; what is archived is read as its owner",
    "delete_archived": "as count_expired",
    "fail_abandoned": "a worker ends what killed servers left behind; turns hold no text",
    "sessions_due": "a worker finds what is due by ids, and works on it as the owner",
    "count_due": "as sessions_due",
    "queue_depths": "as sessions_due; it counts what waits for workers",
    "table_sizes": "sizes of whole tables, from the catalogue",
    "outdated_owners": "a worker finds whose entries another model embedded, by ids and counts",
    "count_outdated": "as outdated_owners",
    "owners_of_model": "as outdated_owners",
    "list_messages": "as replace_entries",
    "taken_places": "as replace_entries",
    "commit_facts": "as replace_entries",
    "import_facts": "as replace_entries",
    "embed_facts": "as replace_entries",
    "delete_facts": "as replace_entries",
    "touch_facts": "as replace_entries",
    "owners_of_outdated_facts": "a worker finds whose facts another model embedded, by ids",
    "owners_of_facts": "a worker finds who has facts, by ids",
    "append_audit": "the function of that name sets each owner and names it in every statement",
    "list_audit_of_tenant": "an administrator reads the log of a tenant, which its policy allows",
    "list_audit_of_owner": "as list_audit_of_tenant, for the names of its users",
    "audit_chains_of_tenant": "as list_audit_of_tenant",
    "audit_chain_of_owner": "as list_audit_of_tenant",
    "audit_links": "as list_audit_of_tenant",
    "unchained_audit": "as list_audit_of_tenant",
    "count_old_audit": "the clean-up serves all owners; it sees old entries alone",
    "prune_audit": "the function of that name sets each owner and names it in every statement",
    "has_tenant_settings": "every process asks whether tenants have settings; they hold no memory",
    "list_tenant_settings": "the operator lists the settings of all tenants; they hold no memory",
    "removals_from": "a worker finds what is to go from another store, by ids alone",
    "count_removals": "as removals_from",
    "forget_store": "an operator says for all owners that a store is gone; it reads nothing",
    "replace_archive_notes": "as forget_store, of an archive",
    "begin_erasure": "as replace_entries",
    "count_erased": "as replace_entries",
    "erase_rows": "as replace_entries",
    "erase_before": "as replace_entries",
    "rows_left": "as replace_entries",
    "due_erasures": "a worker finds what is to be erased, by ids alone",
    "recent_erasures": "every process finds whose cached entries are to go, by ids alone",
    "list_owners": "an operator copies what all owners have, each as the owner; it sees names",
    "users_of_tenant": "a worker finds the users of a tenant that is erased; it sees no memory",
    "users_left": "as users_of_tenant",
    "counts_of_parts": "a worker adds up what was erased of a tenant's users; counts and no text",
    "state_of_parts": "as counts_of_parts",
    "create_owner_key": "as replace_entries",
    "destroy_owner_key": "as replace_entries",
    "encrypt_recall_entries": "the function encrypt_entries, as replace_entries",
    "sample_owner_keys": "whoever opens the database checks that the master keys unwrap its keys",
    "any_owner_key": "every process asks whether content is encrypted; keys hold no memory",
    "count_keys_by_master": "an operator counts the keys of all owners",
    "keys_to_rewrap": "an operator rewraps the keys of all owners",
    "rewrap_keys": "as keys_to_rewrap",
}

OF_ANY_TABLE = {"erase_from", "rows_left"}
"""Functions that take their tables from the catalogue."""
PARTS = (exp.Select, exp.Update, exp.Delete, exp.Insert)


def test_exceptions_are_statements_that_exist() -> None:
    assert set(WITHOUT_OWNER) <= set(NAMES)


@for_each(("name", "one"), STATEMENTS, ids=NAMES)
def test_every_table_of_a_statement_is_filtered_by_the_owner(name: str, one: Statement) -> None:
    """By the parameter itself, not through a join: so a database of several nodes finds the one."""
    if name in WITHOUT_OWNER:
        assert WITHOUT_OWNER[name]
        return
    tree = sqlglot.parse_one(one.text, dialect="postgres")
    owner = one.parameters.index("owner_id") + 1
    tables = [table for table in tree.find_all(exp.Table) if table.name in OWNED_TABLES]
    assert tables
    for table in tables:
        values = [*values_of_owner(table)]
        allowed = [is_parameter(value, owner) for value in values]
        assert any(allowed), f"{name}: {table.sql()}"


def values_of_owner(table: exp.Table) -> Iterator[exp.Expression]:
    """What the owner of a table's rows must equal, or is inserted as."""
    part = table.find_ancestor(*PARTS)
    assert part is not None
    if isinstance(part, exp.Insert):
        columns = [column.name for column in part.this.expressions]
        source = part.expression
        is_listed = isinstance(source, exp.Values)
        row = source.expressions[0].expressions if is_listed else source.selects
        yield row[columns.index("owner_id")]
        return
    joins = [*(part.args.get("joins") or ()), *table.find_all(exp.Join)]
    conditions = [join.args.get("on") for join in joins]
    where = part.args.get("where")
    conditions.append(None if where is None else where.this)
    for condition in conditions:
        for claim in condition.flatten() if isinstance(condition, exp.And) else [condition]:
            if isinstance(claim, exp.EQ) and claim.this.sql() in owners_of(table, part):
                yield claim.expression


def owners_of(table: exp.Table, part: exp.Expression) -> set[str]:
    """How a part of a statement may write the owner of a table's rows."""
    beside = [one for one in part.find_all(exp.Table) if one.find_ancestor(*PARTS) is part]
    return {f"{table.alias_or_name}.owner_id"} | ({"owner_id"} if len(beside) == 1 else set())


def is_parameter(value: exp.Expression, number: int) -> bool:
    while isinstance(value, exp.Cast):
        value = value.this
    return isinstance(value, exp.Parameter) and value.this.name == str(number)


def functions_of_owners() -> dict[str, list[str]]:
    """The statements of the functions that work for an owner, by their names."""
    folder = FOLDER / "migrations" / "0001"
    script = "".join(path.read_text() for path in sorted(folder.glob("*.sql")))
    functions = re.findall(r"(?s)CREATE FUNCTION (\w+)\(\s*of_owner(.*?)END \$\$;", script)
    return {name: text.partition("BEGIN\n")[2].split(";") for name, text in functions}


def test_every_function_sets_the_owner_first() -> None:
    """Itself or through one that does; one is called by those alone."""
    functions = functions_of_owners()
    naming = "set_config('recollect.owner_id', of_owner::text, true)"
    setting = {name for name, body in functions.items() if naming in body[0]}
    of_facts = {"hold_facts", "commit_facts", "import_facts", "touch_facts"}
    of_erasures = {
        *("begin_erasure", "count_erased", "erase_from", "erase_rows", "rows_left"),
        *("erase_before", "erase_rest_before"),
    }
    of_pages = {"list_messages", "export_messages", "taken_places"}
    of_encryption = {"create_owner_key", "destroy_owner_key", "encrypt_entries"}
    assert setting == {"hold_sessions", *of_pages, *of_facts, *of_erasures, *of_encryption}
    following = {
        name
        for name, body in functions.items()
        if re.search(r"hold_(sessions|facts)\(of_owner\b", body[0])
    }
    assert functions.keys() - setting - following == {"note_fact_models"}
    assert not any("note_fact_models" in one.text for _, one in STATEMENTS)


def test_every_statement_of_a_function_names_the_owner() -> None:
    for name, body in functions_of_owners().items():
        if name in OF_ANY_TABLE:
            dynamic = [one for one in body if "EXECUTE" in one]
            assert dynamic, name
            assert all("owner_id = $1" in one and "USING of_owner" in one for one in dynamic), name
            continue
        touching = [one for one in body if OWNED_TABLES & set(re.findall(r"\w+", one))]
        assert touching, name
        assert all("of_owner" in one for one in touching), name


@for_each(("name", "one"), STATEMENTS, ids=NAMES)
def test_every_statement_has_a_purpose(name: str, one: Statement) -> None:
    assert re.match(r"[A-Z].+\.", one.purpose), name


@for_each(("name", "one"), STATEMENTS, ids=NAMES)
def test_a_statement_that_sets_the_owner_itself_does_so_before_it_looks_for_rows(
    name: str, one: Statement
) -> None:
    """Without OFFSET and LIMIT the planner may join the two parts and look first."""
    text = one.text
    if "set_config" in text:
        assert re.search(r"OFFSET 0\s*\) AS scope", text)
        assert re.search(
            r"CROSS JOIN LATERAL \(.*(LIMIT (1|\$\d+)( OFFSET \$\d)?|OFFSET 0)\n\)",
            text,
            re.DOTALL,
        ), name
        assert re.search(r"scope\.(owner_id|worker|tenant_id)", text), name


def test_a_write_that_sets_the_owner_itself_changes_nothing_before() -> None:
    """A part of WITH runs when it is asked for: all wait for the first, and that for the owner."""
    changing = re.compile(r"(?s)(UPDATE|DELETE|INSERT) .*set_config")
    writes = {name: one.text for name, one in STATEMENTS if changing.search(one.text)}
    assert [*writes] == [
        *("append_replies", "append_turns", "finish_due", "finish_job", "start_session"),
        *("take_job", "touch_session"),
    ]
    for text in writes.values():
        tree = sqlglot.parse_one(text, dialect="postgres")
        first, *others = parts = list(tree.find_all(exp.CTE))
        assert all(asks_for(part, first.alias) for part in others)
        asking = tree.find(exp.Lateral)
        assert asking is not None
        assert [part.alias for part in parts if asks_for(asking, part.alias)] == [first.alias]
        outside = [join for join in tree.args["joins"] if join.this is not asking]
        assert not any(asks_for(part, first.alias) for part in (tree.args["from_"], *outside))


def asks_for(part: exp.Expression, name: str) -> bool:
    return name in {table.name for table in part.find_all(exp.Table)}


def test_every_statement_is_used_and_every_used_one_exists() -> None:
    source = "\n".join(path.read_text() for path in FOLDER.rglob("*.py"))
    named = set(re.findall(r'"([a-z]+(?:_[a-z]+)+)"', source))
    assert set(NAMES) <= named
    called = set(re.findall(r'(?:statement|read|write|work)\(\s*"([a-z_]+)"', source))
    assert called <= set(NAMES)
