"""What `ImportStore` promises of what is there already: it stays as it is."""

from conformance.contracts.facts_shared import a_fact, an_edit
from recollect.domain.facts.slots import Slot
from recollect.domain.profile.profile import ProfileChange
from recollect.domain.transfer.document import Outcome
from recollect.ports import Stores
from support.examples import (
    a_message,
    a_scope,
    a_session,
    append,
    messages_of,
    seconds_on,
    start_conversation,
    start_session,
)
from support.transfers import essence, exported, imported, transfer_services


class TransferMergingContract:
    """A document brought into a memory that is not empty."""

    async def test_a_session_that_went_another_way_is_left_alone(self, stores: Stores) -> None:
        services, source, target = transfer_services(stores), a_scope(), a_scope()
        session_id, _ = await start_conversation(stores, source, ("user", "assistant"))
        await imported(services, target, await exported(services, source))
        for scope, text in ((source, "In 2023?"), (target, "In 2022?")):
            answers = [a_message("assistant", f"{text[-5:]} more") for _ in range(2)]
            await append(stores, scope, session_id, a_message("user", text), *answers)
        await append(stores, source, session_id, *messages_of("user", "assistant"))
        before = await exported(services, target)
        report = await imported(services, target, await exported(services, source))
        assert report.messages == Outcome(known=2, conflicting=5)
        assert report.sessions == Outcome(known=1)
        assert essence(await exported(services, target)) == essence(before)

    async def test_a_message_that_another_session_has_is_not_taken(self, stores: Stores) -> None:
        services, source, target = transfer_services(stores), a_scope(), a_scope()
        _, stored = await start_conversation(stores, source)
        session = await start_session(stores, target)
        taken = a_message("user", "Mine", message_id=stored[0].message_id)
        await append(stores, target, session.session_id, taken)
        report = await imported(services, target, await exported(services, source))
        assert report.messages == Outcome(conflicting=2)
        (kept,) = await stores.messages.last(target, session.session_id, count=9) or ()
        assert kept.content == "Mine"

    async def test_facts_that_contradict_stored_ones_are_not_taken(self, stores: Stores) -> None:
        services, source, target = transfer_services(stores), a_scope(), a_scope()
        employer, other = a_fact("Works at ACME.", slot=Slot.EMPLOYER), a_fact("Likes tea.")
        await stores.facts.commit(source, [an_edit(employer), an_edit(other)], {})
        known = a_fact("Works at Globex.", slot=Slot.EMPLOYER)
        await stores.facts.commit(target, [an_edit(known)], {})
        report = await imported(services, target, await exported(services, source))
        assert report.facts == Outcome(added=1, conflicting=1)
        active = await stores.facts.active(target)
        assert {one.fact.content for one in active} == {"Works at Globex.", "Likes tea."}
        again = await imported(services, target, await exported(services, source))
        assert again.facts == Outcome(known=1, conflicting=1)

    async def test_profile_and_state_keep_what_is_there(self, stores: Stores) -> None:
        services, source, target = transfer_services(stores), a_scope(), a_scope()
        for scope, keys in ((source, ("tea", "milk")), (target, ("tea",))):
            for key in keys:
                change = ProfileChange.of(key, scope.tenant)
                await stores.profiles.change(scope, change, now=seconds_on(1))
            await stores.states.put(scope, scope.tenant[:20], now=seconds_on(1))
        report = await imported(services, target, await exported(services, source))
        assert report.profile == Outcome(added=1, known=1)
        assert report.state == Outcome(known=1)
        values = {item.key: item for item in await stores.profiles.list(target)}
        assert (values["tea"].value, values["milk"].value) == (target.tenant, source.tenant)
        change = ProfileChange.of("milk", "none")
        changed = await stores.profiles.change(target, change, now=seconds_on(2))
        assert changed.version > max(item.version for item in values.values())

    async def test_an_expired_session_of_the_same_id_gives_way(self, stores: Stores) -> None:
        services, source, target = transfer_services(stores), a_scope(), a_scope()
        session_id, _ = await start_conversation(stores, source)
        await stores.sessions.start(
            target, a_session(session_id), now=seconds_on(0), expires_at=seconds_on(1)
        )
        report = await imported(services, target, await exported(services, source))
        assert (report.sessions.added, report.messages.added) == (1, 2)
