"""What users store may look as if it were encrypted: it is a text like any other."""

from uuid import UUID, uuid4

from recollect.domain.context.compaction import Summary
from recollect.domain.conversation.paging import PageRequest
from recollect.domain.conversation.session import NewSession
from recollect.domain.facts.query import FactFilter
from recollect.domain.identity.accounts import KeyScope
from recollect.domain.identity.scope import Scope, TenantScope
from recollect.domain.privacy.encrypted import ENCRYPTED_PREFIX
from recollect.domain.profile.profile import ProfileChange
from recollect.domain.recall.entry import Entry, IndexedEntry, RecallQuery
from recollect.engines.postgres.engine import open_external, postgres_stores
from recollect.ports import Stores
from recollect.services.services import Services
from recollect.system import SystemClock
from support.encryption import encrypting
from support.erasures import erasing_services
from support.examples import a_message, a_scope, put_summary
from support.servers.databases import own_database

NOW = SystemClock().now()
OPERATOR = TenantScope(tenant="operators")
PASTED = f"{ENCRYPTED_PREFIX}abc is my code, and I live in Ghent"


async def paste_everywhere(services: Services, stores: Stores, scope: Scope) -> UUID:
    """Store a text that looks as if it were encrypted wherever there is content."""
    new = NewSession(session_id=uuid4(), name=PASTED, metadata={"encrypted": PASTED})
    await services.sessions.start(scope, new)
    said = [
        a_message(role, PASTED, metadata={"encrypted": PASTED}) for role in ("user", "assistant")
    ]
    await services.messages.append(scope, new.session_id, said)
    summary = Summary(
        text=PASTED,
        first_sequence=1,
        last_sequence=2,
        tables=(),
        method="by hand",
        created_at=NOW,
    )
    await put_summary(stores, scope, new.session_id, summary, replaces=0)
    change = ProfileChange.of("code", {"encrypted": PASTED})
    await stores.profiles.change(scope, change, now=NOW)
    await services.facts.add(scope, PASTED)
    assert stores.recall is not None
    message_ids = tuple(one.message_id for one in said)
    entry = Entry(new.session_id, 1, 1, message_ids, PASTED, NOW, None, ())
    indexed = IndexedEntry(entry=entry, terms={"ghent": 1})
    await stores.recall.replace(scope, new.session_id, [1], [indexed])
    assert services.reindexing is not None
    assert (await services.reindexing.do_some(), await services.reindexing.waiting()) == (1, 0)
    return new.session_id


async def all_pasted(
    services: Services, stores: Stores, scope: Scope, session_id: UUID
) -> set[str]:
    """What is read of it in every place."""
    (session,) = (await services.sessions.list(scope, PageRequest(limit=9))).items
    messages = await services.messages.last(scope, session_id, count=9)
    (value,) = await stores.profiles.list(scope)
    page, filters = PageRequest(limit=9), FactFilter(text="encrypted:1:ABC")
    (fact,) = (await stores.facts.list(scope, page, filters=filters)).items
    (change,) = (await services.facts.get(scope, fact.fact_id)).history
    assert stores.recall is not None
    by_words = RecallQuery(terms={"ghent": 1.0}, model=None, vector=None, count=9)
    (recalled,) = await stores.recall.search(scope, by_words)
    objects = [session.metadata, value.value, *(one.metadata for one in messages)]
    return {
        *(session.name or "", fact.content, change.content, recalled.entry.text),
        *((await services.sessions.get(scope, session_id)).summary or "",),
        *(one.content for one in messages),
        *(one["encrypted"] for one in objects if isinstance(one, dict)),
    }


async def test_a_text_that_looks_encrypted_is_stored_and_read_like_any_other(
    admin_dsn: str,
) -> None:
    """Plain, beside encryption that was turned on later, and encrypted then."""
    scope = a_scope()
    async with own_database(admin_dsn, "pasted") as dsn:
        async with open_external(dsn, max_connections=2) as database:
            stores = postgres_stores(database, SystemClock())
            services = erasing_services(stores)
            session_id = await paste_everywhere(services, stores, scope)
            assert await all_pasted(services, stores, scope, session_id) == {PASTED}
            assert await services.fact_pruning.prune() == 0
            tenant = TenantScope(tenant=scope.tenant)
            await services.api_keys.create(tenant, name=PASTED, scopes=[KeyScope.SERVICE])
            assert [key.name for key in await services.api_keys.list(tenant)] == [PASTED]
            await services.close()
        async with encrypting(dsn) as database:
            stores = postgres_stores(database, SystemClock())
            services = erasing_services(stores)
            assert services.encryption is not None
            assert await all_pasted(services, stores, scope, session_id) == {PASTED}
            status = await services.encryption.status()
            assert all(one.encrypted == 0 for one in status.tables.values())
            await services.encryption.encrypt(OPERATOR)
            status = await services.encryption.status()
            assert all(one.plain == 0 < one.encrypted for one in status.tables.values())
            assert await all_pasted(services, stores, scope, session_id) == {PASTED}
            other = a_scope()
            session_id = await paste_everywhere(services, stores, other)
            assert await all_pasted(services, stores, other, session_id) == {PASTED}
            await services.close()
