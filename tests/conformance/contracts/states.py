"""What `recollect.ports.accounts.StateStore` promises."""

from recollect.domain.identity.accounts import UserState
from recollect.domain.identity.audit import AuditAction
from recollect.ports import Stores
from support.examples import a_scope, seconds_on


class StateStoreContract:
    """One mode for each owner, and every change of it told."""

    async def test_an_owner_has_no_state_until_one_is_set(self, stores: Stores) -> None:
        assert await stores.states.get(a_scope()) is None

    async def test_a_state_is_set_and_then_replaced(self, stores: Stores) -> None:
        scope = a_scope()
        halted = await stores.states.put(scope, "halted", now=seconds_on(1))
        assert halted == UserState(mode="halted", updated_at=seconds_on(1))
        assert await stores.states.get(scope) == halted
        active = await stores.states.put(scope, "active", now=seconds_on(2))
        assert await stores.states.get(scope) == active
        assert active == UserState(mode="active", updated_at=seconds_on(2))

    async def test_a_deleted_state_is_gone_and_deleting_again_says_so(self, stores: Stores) -> None:
        scope = a_scope()
        await stores.states.put(scope, "halted", now=seconds_on(1))
        assert await stores.states.delete(scope, now=seconds_on(2)) is True
        assert await stores.states.get(scope) is None
        assert await stores.states.delete(scope, now=seconds_on(3)) is False

    async def test_every_change_of_state_is_audited_with_the_mode_alone(
        self, stores: Stores
    ) -> None:
        scope = a_scope()
        await stores.states.delete(scope, now=seconds_on(1))
        await stores.states.put(scope, "halted", now=seconds_on(2))
        await stores.states.get(scope)
        await stores.states.delete(scope, now=seconds_on(3))
        entries = await stores.audit.entries(scope, limit=9)
        assert [(entry.action, entry.target, entry.at) for entry in entries] == [
            (AuditAction.STATE_DELETED, "halted", seconds_on(3)),
            (AuditAction.STATE_CHANGED, "halted", seconds_on(2)),
        ]
        assert {(entry.actor, entry.transaction_id) for entry in entries} == {("tester", "tx-1")}

    async def test_the_state_of_one_owner_is_not_anothers(self, stores: Stores) -> None:
        scope = a_scope()
        await stores.states.put(scope, "halted", now=seconds_on(1))
        for other in (a_scope(scope.tenant, user="bob"), a_scope(user=scope.user)):
            assert await stores.states.get(other) is None
            assert await stores.states.delete(other, now=seconds_on(2)) is False
            await stores.states.put(other, "active", now=seconds_on(2))
        state = await stores.states.get(scope)
        assert state is not None
        assert state.is_halted
