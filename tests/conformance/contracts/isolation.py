"""What every port promises: what belongs to somebody else is as good as absent."""

from dataclasses import dataclass
from uuid import UUID

import pytest

from recollect.domain.conversation.message import Message
from recollect.domain.conversation.paging import PageRequest
from recollect.domain.conversation.session import Session, SessionChanges, TurnStatus
from recollect.domain.identity.audit import AuditEntry
from recollect.domain.identity.scope import Scope
from recollect.errors import MessageNotFound
from recollect.ports import Stores
from support.examples import (
    a_message,
    a_scope,
    a_session,
    append,
    seconds_on,
    start_conversation,
    start_session,
)


@pytest.mark.parametrize("stranger_is", ["another user", "another tenant"])
class IsolationContract:
    """A second user of the tenant, and the same user of a second tenant, meet nothing."""

    async def test_a_stranger_reads_nothing(self, stores: Stores, stranger_is: str) -> None:
        case = await _a_case(stores, stranger_is)
        stranger, session_id = case.stranger, case.session_id
        assert await stores.sessions.get(stranger, session_id) is None
        assert (await stores.sessions.list(stranger, PageRequest())).items == ()
        assert await stores.messages.last(stranger, session_id, count=9) is None
        assert await stores.messages.list(stranger, session_id, PageRequest()) is None
        assert await stores.messages.turn_status(stranger, session_id, 1) is None
        assert (await stores.history.list(stranger, PageRequest())).items == ()
        assert await stores.history.count(stranger) == 0
        assert await stores.history.of_turns(stranger, [(session_id, 1)]) == ()
        assert await stores.audit.entries(stranger, limit=9) == ()

    async def test_a_strangers_change_and_deletion_of_a_session_do_nothing(
        self, stores: Stores, stranger_is: str
    ) -> None:
        case = await _a_case(stores, stranger_is)
        changes = SessionChanges(name="stolen")
        changed = await stores.sessions.change(
            case.stranger, case.session_id, changes, now=seconds_on(9)
        )
        assert changed is None
        assert not await stores.sessions.delete(case.stranger, case.session_id, now=seconds_on(9))
        await case.assert_untouched(stores)

    async def test_a_stranger_cannot_write_into_a_session(
        self, stores: Stores, stranger_is: str
    ) -> None:
        case = await _a_case(stores, stranger_is)
        appended = await stores.messages.append(
            case.stranger, case.session_id, [a_message()], now=seconds_on(9)
        )
        assert appended is None
        assert await stores.messages.fail_turn(case.stranger, case.session_id, 2) is False
        await case.assert_untouched(stores)

    async def test_a_stranger_deletes_no_message(self, stores: Stores, stranger_is: str) -> None:
        case = await _a_case(stores, stranger_is)
        stranger, message_id = case.stranger, case.messages[0].message_id
        now = seconds_on(9)
        assert not await stores.messages.delete(stranger, case.session_id, message_id, now=now)
        assert await stores.messages.clear(stranger, case.session_id, now=now) is None
        assert await stores.history.delete(stranger, message_id, now=now) is False
        assert await stores.history.clear(stranger, now=now) == 0
        assert await stores.history.trim(stranger, keep_last=0, now=now) == 0
        await case.assert_untouched(stores)

    async def test_a_stranger_cannot_reply_to_a_message(
        self, stores: Stores, stranger_is: str
    ) -> None:
        case = await _a_case(stores, stranger_is)
        own = await start_session(stores, case.stranger)
        with pytest.raises(MessageNotFound):
            await append(
                stores,
                case.stranger,
                own.session_id,
                a_message("assistant"),
                reply_to=case.messages[0].message_id,
            )
        assert await stores.messages.last(case.stranger, own.session_id, count=9) == ()
        await case.assert_untouched(stores)

    async def test_a_stranger_that_uses_the_same_ids_gets_a_session_of_its_own(
        self, stores: Stores, stranger_is: str
    ) -> None:
        case = await _a_case(stores, stranger_is)
        session, is_new = await stores.sessions.start(
            case.stranger, a_session(case.session_id, name="Own"), now=seconds_on(9)
        )
        assert is_new
        assert (session.name, session.message_count) == ("Own", 0)
        message = a_message("user", "own", message_id=case.messages[0].message_id)
        stored = await append(stores, case.stranger, case.session_id, message, now=seconds_on(9))
        assert (stored[0].sequence, stored[0].turn_number) == (1, 1)
        await case.assert_untouched(stores)
        assert await stores.sessions.delete(case.stranger, case.session_id, now=seconds_on(10))
        await case.assert_untouched(stores)

    async def test_a_strangers_cursor_opens_only_its_own_list(
        self, stores: Stores, stranger_is: str
    ) -> None:
        case = await _a_case(stores, stranger_is)
        history = await stores.history.list(case.owner, PageRequest(limit=1))
        request = PageRequest(cursor=history.next_cursor)
        assert (await stores.history.list(case.stranger, request)).items == ()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Case:
    """An owner's session as it was, and somebody else."""

    owner: Scope
    stranger: Scope
    session_id: UUID
    messages: tuple[Message, ...]
    session: Session | None
    audit: tuple[AuditEntry, ...]

    async def assert_untouched(self, stores: Stores) -> None:
        """Check that everything the owner has is as it was."""
        assert await stores.sessions.get(self.owner, self.session_id) == self.session
        messages = await stores.messages.last(self.owner, self.session_id, count=9)
        assert messages == self.messages
        status = await stores.messages.turn_status(self.owner, self.session_id, 2)
        assert status is TurnStatus.PENDING
        assert await stores.audit.entries(self.owner, limit=9) == self.audit


async def _a_case(stores: Stores, stranger_is: str) -> _Case:
    owner = a_scope()
    is_neighbour = stranger_is == "another user"
    stranger = a_scope(owner.tenant, user="mallory") if is_neighbour else a_scope(user=owner.user)
    session_id, messages = await start_conversation(
        stores, owner, ["user", "assistant", "user", "user"]
    )
    await stores.messages.delete(owner, session_id, messages[3].message_id, now=seconds_on(1))
    return _Case(
        owner=owner,
        stranger=stranger,
        session_id=session_id,
        messages=messages[:3],
        session=await stores.sessions.get(owner, session_id),
        audit=await stores.audit.entries(owner, limit=9),
    )
