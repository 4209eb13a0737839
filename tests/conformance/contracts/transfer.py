"""What `ExportStore` and `ImportStore` promise: nothing is lost on the way, nothing comes twice."""

from itertools import groupby
from typing import Any
from uuid import UUID

from conformance.contracts.branch_client import Talk
from conformance.contracts.transfer_shared import branched, fill, numbers_in
from recollect.domain.identity.scope import Scope, TenantScope
from recollect.domain.profile.profile import ProfileChange
from recollect.domain.transfer.document import Outcome, TransferReport
from recollect.ports import Stores
from support.examples import (
    a_message,
    a_scope,
    a_summary,
    a_tenant_scope,
    an_api_key,
    append,
    put_summary,
    seconds_on,
    start_conversation,
    start_session,
    summary_of,
)
from support.transfers import (
    essence,
    exported,
    exported_bytes,
    files_in,
    imported,
    transfer_services,
)

_NOTHING: dict[str, Any] = {"profile": [], "state": None, "facts": [], "sessions": []}


class TransferContract:
    """Out of one owner's memory and into another's, on the same engine."""

    async def test_everything_comes_out_again_as_it_went_in(self, stores: Stores) -> None:
        services, source, target = transfer_services(stores), a_scope(), a_scope()
        await fill(stores, source)
        before = await exported(services, source)
        assert len(before["sessions"]) == 5
        report = await imported(services, target, before)
        after = await exported(services, target)
        assert essence(after) == essence(before)
        types, others = ([*map(type, numbers_in(essence(one)))] for one in (after, before))
        assert types == others
        messages = sum(len(session["messages"]) for session in before["sessions"])
        assert report == TransferReport(
            profile=Outcome(added=2),
            state=Outcome(added=1),
            facts=Outcome(added=3),
            sessions=Outcome(added=5),
            messages=Outcome(added=messages),
        )

    async def test_owners_are_listed_in_pages_with_their_tenant(self, stores: Stores) -> None:
        tenant = a_tenant_scope()
        users = [a_scope(tenant.tenant, user=name) for name in ("ann", "bob", "cees")]
        await start_session(stores, users[0])
        await stores.states.put(users[1], "halted", now=seconds_on(0))
        change = ProfileChange.of("key", 1)
        await stores.profiles.change(users[2], change, now=seconds_on(0))
        await start_session(stores, a_scope())
        await stores.api_keys.add(tenant, an_api_key(tenant))
        found: list[Scope | TenantScope] = []
        after: Scope | TenantScope | None = None
        while page := await stores.owners.owners(after=after, limit=2, tenant=tenant.tenant):
            assert len(page) <= 2
            found, after = [*found, *page], page[-1]
        assert {one.owner_id for one in found} == {one.owner_id for one in (tenant, *users)}
        assert len(found) == 4
        assert {one.user for one in found if isinstance(one, Scope)} == {"ann", "bob", "cees"}
        everybody = await stores.owners.owners(after=None, limit=100_000)
        tenants = [one.tenant for one in everybody]
        assert len({*tenants}) == sum(1 for _ in groupby(tenants))
        assert {one.owner_id for one in found} <= {one.owner_id for one in everybody}

    async def test_an_archive_has_the_same_as_the_document(self, stores: Stores) -> None:
        services, source, target = transfer_services(stores), a_scope(), a_scope()
        await fill(stores, source)
        document = await exported(services, source)
        archive = await exported_bytes(services, source, "zip")
        files = files_in(archive)
        sessions = [{**one} for one in document["sessions"]]
        messages = [message for one in sessions for message in one.pop("messages")]
        assert files["sessions.jsonl"] == sessions
        assert files["messages.jsonl"] == messages
        assert files["state.jsonl"] == [document["state"]]
        for part in ("profile", "api_keys", "facts", "recall_entries", "audit"):
            assert files[f"{part}.jsonl"] == document[part]
        (manifest,) = files["manifest.json"]
        assert (manifest["format"], manifest["version"]) == ("recollect-export", 1)
        assert manifest["counts"] == {
            name.removesuffix(".jsonl"): len(items)
            for name, items in files.items()
            if name != "manifest.json"
        }
        await imported(services, target, archive)
        assert essence(await exported(services, target)) == essence(document)

    async def test_the_second_import_changes_nothing(self, stores: Stores) -> None:
        services, source, target = transfer_services(stores), a_scope(), a_scope()
        await fill(stores, source)
        document = await exported(services, source)
        first = await imported(services, target, document)
        before = await exported(services, target)
        second = await imported(services, target, document)
        assert essence(await exported(services, target)) == essence(before)
        assert second == TransferReport(
            **{
                part: Outcome(known=getattr(first, part).added)
                for part in ("profile", "state", "facts", "sessions", "messages")
            }
        )

    async def test_an_import_goes_on_where_it_was_cut_off(self, stores: Stores) -> None:
        services, source, target = transfer_services(stores), a_scope(), a_scope()
        await fill(stores, source)
        document = await exported(services, source)
        for keep in (1, 3):
            part = {**document, "facts": document["facts"][:keep]}
            part["sessions"] = [
                {**one, "messages": one["messages"][:keep]} for one in document["sessions"][:keep]
            ]
            await imported(services, target, part)
        await imported(services, target, document)
        assert essence(await exported(services, target)) == essence(document)

    async def test_what_others_have_is_neither_read_nor_changed(self, stores: Stores) -> None:
        services, source = transfer_services(stores), a_scope()
        await fill(stores, source)
        document = await exported(services, source)
        theirs = a_scope(source.tenant, user="bob")
        await imported(services, theirs, document)
        session = document["sessions"][0]["session_id"]
        await stores.sessions.delete(theirs, UUID(session), now=seconds_on(0))
        after = await exported(services, source)
        assert after == {**document, "exported_at": after["exported_at"]}
        nobody = await exported(services, a_scope())
        assert essence(nobody) == {**essence(document), **_NOTHING}

    async def test_a_conversation_goes_on_after_its_import(self, stores: Stores) -> None:
        services, source, target = transfer_services(stores), a_scope(), a_scope()
        session_id, stored = await start_conversation(stores, source, ("user", "assistant") * 2)
        await stores.messages.delete(source, session_id, stored[-1].message_id, now=seconds_on(9))
        await put_summary(stores, source, session_id, a_summary(through=2), replaces=0)
        await imported(services, target, await exported(services, source))
        assert await summary_of(stores, target, session_id) == a_summary(through=2)
        original, copy = [
            await stores.messages.window(one, session_id, count=9, covers_all=True)
            for one in (source, target)
        ]
        assert copy == original
        (reply,) = await append(stores, target, session_id, a_message("assistant", "2.5M"))
        assert (reply.sequence, reply.turn_number) == (5, 2)
        (question,) = await append(stores, target, session_id, a_message("user", "And 2025?"))
        assert (question.sequence, question.turn_number) == (6, 3)
        session = await stores.sessions.get(target, session_id)
        assert session is not None
        assert (session.message_count, session.turn_count) == (5, 3)
        assert await put_summary(stores, target, session_id, a_summary(through=4), replaces=2)

    async def test_branches_can_be_switched_after_their_import(self, stores: Stores) -> None:
        services, source, target = transfer_services(stores), a_scope(), a_scope()
        client = await branched(stores, source)
        await imported(services, target, await exported(services, source))
        copy = Talk(stores, target, client.session_id)
        assert await copy.shown() == await client.shown()
        assert await copy.window() == await client.window()
        assert await copy.counts() == await client.counts()
        for one in (client, copy):
            await one.follow("Sales?", "re: Sales?", "By region?")
        assert await copy.shown() == await client.shown()
        assert await copy.everything() == await client.everything()

    async def test_turns_are_indexed_anew_and_learnt_from_once(self, stores: Stores) -> None:
        services, source, target = transfer_services(stores), a_scope(), a_scope()
        assert stores.indexing is not None
        assert stores.learning is not None
        session_id, _ = await start_conversation(stores, source, ("user", "assistant") * 2)
        turns = await stores.indexing.due(source, session_id, limit=9)
        await stores.indexing.done(source, session_id, turns[:1])
        await imported(services, target, await exported(services, source))
        due = await stores.indexing.due(target, session_id, limit=9)
        assert [turn.turn_number for turn in due] == [1, 2]
        await stores.indexing.hand_on(target, session_id, due)
        assert await stores.indexing.due(target, session_id, limit=9) == ()
        to_learn = await stores.learning.due(target, session_id, limit=9)
        assert [turn.turn_number for turn in to_learn] == [2], "it had not been learnt from"
        await append(stores, target, session_id, a_message("assistant", "More"))
        await append(
            stores,
            target,
            session_id,
            a_message("assistant", "Better"),
            reply_to=due[0].messages[0].message_id,
        )
        changed = await stores.indexing.due(target, session_id, limit=9)
        await stores.indexing.hand_on(target, session_id, changed)
        to_learn = await stores.learning.due(target, session_id, limit=9)
        assert [turn.turn_number for turn in to_learn] == [1, 2], "both have changed since"

    async def test_pages_follow_each_other_without_gaps(self, stores: Stores) -> None:
        services, source = transfer_services(stores), a_scope()
        roles = ("user", "assistant") * 300
        session_id, stored = await start_conversation(stores, source, roles)
        for _ in range(120):
            await start_session(stores, source)
        small, _ = await start_conversation(stores, source)
        for document in (
            await exported(services, source),
            files_in(await exported_bytes(services, source, "zip")),
        ):
            sessions = document.get("sessions") or document["sessions.jsonl"]
            nested = [message for one in sessions for message in one.get("messages", ())]
            messages = nested or document["messages.jsonl"]
            ids = [session["session_id"] for session in sessions]
            assert ids == sorted(set(ids))
            assert len(ids) == 122
            assert [m["message_id"] for m in messages if m["session_id"] == str(session_id)] == [
                str(message.message_id) for message in stored
            ]
            assert sum(m["session_id"] == str(small) for m in messages) == 2

    async def test_large_messages_come_out_whole(self, stores: Stores) -> None:
        scope = a_scope()
        session_id, _ = await start_conversation(stores, scope)
        large = [a_message("assistant", "x" * 900_000) for _ in range(12)]
        await append(stores, scope, session_id, *large)
        services = transfer_services(stores)
        document = await exported(services, scope)
        assert len(document["sessions"][0]["messages"]) == 14
