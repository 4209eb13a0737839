"""What `recollect.ports.conversations.BranchStore` promises."""

from dataclasses import replace
from functools import partial
from uuid import uuid4

import pytest

from conformance.contracts.branch_client import Talk, listed
from conformance.contracts.shared import END_OF_PAST, alone, before_all_others
from recollect.domain.conversation.session import TurnStatus
from recollect.errors import IdAlreadyUsed
from recollect.ports import Stores
from support.examples import (
    a_message,
    a_scope,
    a_summary,
    append,
    put_summary,
    seconds_on,
    start_session,
    summary_of,
)


class BranchStoreContract:
    """Siblings are kept, one branch is shown, and windows are made of that one."""

    async def test_a_request_that_continues_the_branch_stores_only_its_new_question(
        self, stores: Stores
    ) -> None:
        talk = await Talk.start(stores)
        await talk.say("one")
        followed = await talk.follow("one", "re: one", "two")
        assert [m.content for m in followed.before] == ["one", "re: one"]
        assert (followed.question.content, followed.question.sequence) == ("two", 3)
        assert await talk.status(followed.question.turn_number) is TurnStatus.PENDING
        await talk.reply(followed, "re: two")
        assert await talk.shown() == await talk.window() == ["one", "re: one", "two", "re: two"]
        assert await talk.counts() == (4, 2)

    async def test_a_regenerated_reply_takes_the_place_of_the_last_one(
        self, stores: Stores
    ) -> None:
        talk = await Talk.start(stores)
        await talk.say("one")
        followed = await talk.follow("one")
        assert followed.question.sequence == 1
        assert await talk.status(1) is TurnStatus.PENDING
        assert await talk.window() == []
        again = await talk.reply(followed, "another")
        assert (again.sequence, again.turn_number, again.is_active) == (3, 1, True)
        assert await talk.shown() == await talk.window() == ["one", "another"]
        assert await talk.shown(include_inactive=True) == ["one", "re: one", "another"]
        assert await talk.counts() == (2, 1)

    async def test_an_edited_question_becomes_a_sibling_and_the_old_branch_stays_stored(
        self, stores: Stores
    ) -> None:
        talk = await Talk.start(stores)
        await talk.say("one")
        await talk.say("one", "re: one", "two")
        await talk.say("one", "re: one", "two", "re: two", "three")
        reply = await talk.say("one", "re: one", "two, edited")
        assert (reply.sequence, reply.turn_number) == (8, 4)
        expected = ["one", "re: one", "two, edited", "re: two, edited"]
        assert await talk.shown() == await talk.window() == expected
        assert await talk.counts() == (4, 2)
        everything = await talk.shown(include_inactive=True)
        assert len(everything) == 8
        assert await stores.history.count(talk.scope) == 4

    async def test_an_edited_first_question_leaves_nothing_of_the_old_branch(
        self, stores: Stores
    ) -> None:
        talk = await Talk.start(stores)
        await talk.say("one")
        await talk.say("one, edited")
        assert await talk.shown() == await talk.window() == ["one, edited", "re: one, edited"]

    async def test_a_client_that_returns_to_a_branch_finds_it_unchanged(
        self, stores: Stores
    ) -> None:
        talk = await Talk.start(stores)
        await talk.say("one")
        await talk.say("one", "re: one", "two")
        await talk.say("one, edited")
        await talk.say("one, edited", "re: one, edited", "next")
        await talk.say("one", "re: one", "two", "re: two", "three")
        first = ["one", "re: one", "two", "re: two", "three", "re: three"]
        assert await talk.shown() == await talk.window() == first
        second = ["one, edited", "re: one, edited", "next", "re: next"]
        await talk.say(*second, "last")
        assert await talk.window() == [*second, "last", "re: last"]
        everything = await talk.shown(include_inactive=True)
        assert sorted(everything) == sorted({*first, *second, "last", "re: last"})

    async def test_an_older_reply_is_active_again_when_the_client_goes_on_from_it(
        self, stores: Stores
    ) -> None:
        talk = await Talk.start(stores)
        await talk.say("one")
        await talk.reply(await talk.follow("one"), "another")
        followed = await talk.follow("one", "re: one", "two")
        assert await talk.shown() == ["one", "re: one", "two"]
        assert await talk.window() == ["one", "re: one"]
        assert followed.question.turn_number == 2

    async def test_earlier_messages_of_a_conversation_begun_elsewhere_are_stored_too(
        self, stores: Stores
    ) -> None:
        talk = await Talk.start(stores)
        followed = await talk.follow("one", "told elsewhere", "two")
        assert followed.question.turn_number == 2
        assert await talk.window() == ["one", "told elsewhere"]
        assert await talk.status(1) is TurnStatus.COMPLETE

    async def test_a_reply_that_the_client_changed_is_a_sibling(self, stores: Stores) -> None:
        talk = await Talk.start(stores)
        await talk.say("one")
        await talk.say("one", "changed by hand", "two")
        assert await talk.window() == ["one", "changed by hand", "two", "re: two"]
        assert len(await talk.shown(include_inactive=True)) == 5

    async def test_plain_messages_join_the_active_branch(self, stores: Stores) -> None:
        talk = await Talk.start(stores)
        await talk.say("one")
        await talk.say("one, edited")
        await talk.follow("one", "re: one", "two")
        await append(stores, talk.scope, talk.session_id, a_message("assistant", "plain"))
        await append(stores, talk.scope, talk.session_id, a_message("user", "three"))
        await talk.say("one, edited", "re: one, edited", "elsewhere")
        followed = await talk.follow("one", "re: one", "two", "plain", "three")
        assert (followed.question.turn_number, followed.question.sequence) == (4, 7)
        assert await talk.shown() == ["one", "re: one", "two", "plain", "three"]

    async def test_a_question_that_continues_needs_no_list(self, stores: Stores) -> None:
        talk = await Talk.start(stores)
        await talk.say("one")
        first = await talk.follow("two", continues=True)
        second = await talk.follow("three", continues=True)
        await talk.reply(second, "re: three")
        await talk.reply(first, "re: two")
        expected = ["one", "re: one", "two", "three", "re: three", "re: two"]
        assert await talk.shown() == await talk.window() == expected
        again = await talk.follow("one", "re: one", "two", "re: two", "three", "re: three", "four")
        assert again.question.sequence == 7, "every turn was recognised"

    async def test_a_question_that_failed_is_tried_again_and_not_doubled(
        self, stores: Stores
    ) -> None:
        talk = await Talk.start(stores)
        for continues in (True, False):
            first = await talk.follow("one", continues=continues)
            turn = first.question.turn_number
            assert turn is not None
            await stores.messages.fail_turn(talk.scope, talk.session_id, turn)
            second = await talk.follow("one", continues=continues)
            assert second.question == first.question
            assert await talk.status(turn) is TurnStatus.PENDING
        await talk.reply(second, "at last")
        assert await talk.window() == ["one", "at last"]
        third = await talk.follow("one", continues=True)
        assert third.question.sequence == 3, "one that was answered is asked anew"

    async def test_a_question_with_the_id_of_the_last_one_is_that_one_again(
        self, stores: Stores
    ) -> None:
        talk = await Talk.start(stores)
        await talk.say("one")
        question = a_message("user", "two")
        follow = partial(
            stores.branches.follow,
            *(talk.scope, talk.session_id, [question]),
            continues=True,
            now=seconds_on(3),
        )
        first = await follow()
        assert first is not None
        await talk.reply(first, "re: two")
        second = await follow()
        assert second is not None
        assert second.question.message_id == first.question.message_id == question.message_id
        await talk.reply(second, "re: two, again")
        assert await talk.window() == ["one", "re: one", "two", "re: two, again"]
        other = replace(question, content="three")
        with pytest.raises(IdAlreadyUsed):
            await stores.branches.follow(
                talk.scope, talk.session_id, [other], continues=True, now=seconds_on(4)
            )
        assert await talk.window() == ["one", "re: one", "two", "re: two, again"]

    async def test_a_client_that_goes_on_after_a_question_is_in_the_same_turn(
        self, stores: Stores
    ) -> None:
        talk = await Talk.start(stores)
        await talk.say("one")
        first = await talk.follow("two", continues=True)
        again = await talk.follow("two", continues=True, goes_on=True)
        assert again.question == first.question
        await talk.reply(again, "re: two")
        await talk.reply(await talk.follow("two", continues=True, goes_on=True), "longer")
        assert await talk.shown() == await talk.window() == ["one", "re: one", "two", "longer"]
        other = await talk.follow("three", continues=True, goes_on=True)
        assert other.question.turn_number == 3

    async def test_a_question_that_is_asked_again_has_all_its_time_again(
        self, stores: Stores
    ) -> None:
        scope, messages = a_scope(), listed("one")
        async with alone(stores, "abandoned turns"):
            await stores.turns.fail_abandoned(started_by=END_OF_PAST)
            session = await start_session(stores, scope, now=before_all_others(1))
            for moment in (before_all_others(1), before_all_others(5)):
                await stores.branches.follow(
                    scope, session.session_id, messages, continues=False, now=moment
                )
            assert await stores.turns.fail_abandoned(started_by=before_all_others(4)) == 0
            assert await stores.turns.fail_abandoned(started_by=before_all_others(5)) == 1

    async def test_a_failed_question_stays_where_the_client_leaves_it(self, stores: Stores) -> None:
        talk = await Talk.start(stores)
        await talk.follow("one")
        await stores.messages.fail_turn(talk.scope, talk.session_id, 1)
        roles = [a_message("user", "one"), a_message("user", "two")]
        followed = await stores.branches.follow(
            talk.scope, talk.session_id, roles, continues=False, now=seconds_on(3)
        )
        assert followed is not None
        assert followed.question.turn_number == 2
        assert await talk.status(1) is TurnStatus.FAILED

    async def test_a_reply_to_a_branch_that_was_left_is_kept_beside_the_active_one(
        self, stores: Stores
    ) -> None:
        talk = await Talk.start(stores)
        left = await talk.follow("one")
        await talk.say("one, edited")
        late = await talk.reply(left, "re: one")
        assert not late.is_active
        assert await talk.shown() == ["one, edited", "re: one, edited"]
        assert await talk.counts() == (2, 1)
        await talk.say("one", "re: one", "two")
        assert await talk.window() == ["one", "re: one", "two", "re: two"]

    async def test_a_plain_reply_stays_on_the_branch_of_its_question(self, stores: Stores) -> None:
        talk = await Talk.start(stores)
        await talk.say("one")
        (asked,) = await append(stores, talk.scope, talk.session_id, a_message("user", "two"))
        await talk.say("one, edited")
        (late,) = await append(
            stores,
            talk.scope,
            talk.session_id,
            a_message("assistant", "re: two"),
            reply_to=asked.message_id,
        )
        assert (late.sequence, late.turn_number, late.is_active) == (6, 2, False)
        assert await talk.status(2) is TurnStatus.COMPLETE
        assert await talk.shown() == await talk.window() == ["one, edited", "re: one, edited"]
        assert await talk.counts() == (2, 1)
        await talk.follow("one", "re: one", "two", "re: two", "three")
        assert await talk.window() == ["one", "re: one", "two", "re: two"]

    async def test_a_new_question_joins_the_active_branch_even_after_a_reply_to_an_inactive_one(
        self, stores: Stores
    ) -> None:
        talk = await Talk.start(stores)
        (asked,) = await append(stores, talk.scope, talk.session_id, a_message("user", "one"))
        await talk.say("one, edited")
        late, question = await append(
            stores,
            talk.scope,
            talk.session_id,
            a_message("assistant", "re: one"),
            a_message("user", "two"),
            reply_to=asked.message_id,
        )
        assert (late.is_active, question.is_active) == (False, True)
        assert await talk.shown() == ["one, edited", "re: one, edited", "two"]

    async def test_a_summary_of_another_branch_is_dropped(self, stores: Stores) -> None:
        talk = await Talk.start(stores)
        told = ["one", "re: one", "two", "re: two"]
        await talk.say("one")
        await talk.say("one", "re: one", "two")
        await talk.say(*told, "three")
        assert await put_summary(
            stores, talk.scope, talk.session_id, a_summary(through=4), replaces=0
        )
        await talk.say(*told, "three, edited")
        assert await summary_of(stores, talk.scope, talk.session_id) is not None
        await talk.say("one", "re: one", "two, edited")
        assert await summary_of(stores, talk.scope, talk.session_id) is None
        found = await stores.summaries.uncompacted(talk.scope, talk.session_id, limit=50)
        assert found is not None
        assert [m.content for m in found.messages] == await talk.shown()

    async def test_all_branches_are_cleared_and_counted(self, stores: Stores) -> None:
        talk = await Talk.start(stores)
        await talk.say("one")
        await talk.say("one, edited")
        cleared = await stores.messages.clear(talk.scope, talk.session_id, now=seconds_on(9))
        assert cleared == 4
        assert await talk.shown(include_inactive=True) == []
        followed = await talk.follow("one")
        assert followed.question.sequence == 5, "no number is given again"

    async def test_a_branch_without_the_message_before_it_is_still_found(
        self, stores: Stores
    ) -> None:
        talk = await Talk.start(stores)
        await talk.say("one")
        await talk.say("one", "re: one", "two")
        await talk.say("other")
        for message in (await talk.everything())[:2]:
            await stores.messages.delete(
                talk.scope, talk.session_id, message.message_id, now=seconds_on(9)
            )
        assert await talk.shown() == ["other", "re: other"]
        assert (await talk.say("one")).is_active

    async def test_strangers_and_absent_sessions_have_no_branches(self, stores: Stores) -> None:
        talk = await Talk.start(stores)
        followed = await talk.follow("one")
        for scope, session_id in (
            (a_scope(user="mallory"), talk.session_id),
            (talk.scope, uuid4()),
        ):
            arguments = (scope, session_id)
            assert not await stores.branches.follow(
                *arguments, listed("one"), continues=False, now=seconds_on(1)
            )
            assert not await stores.branches.reply(
                *arguments,
                followed.question.message_id,
                a_message("assistant"),
                now=seconds_on(1),
            )
        assert await talk.shown() == ["one"]

    async def test_a_reply_to_a_message_that_is_no_question_is_refused(
        self, stores: Stores
    ) -> None:
        talk = await Talk.start(stores)
        reply = await talk.say("one")
        for wrong in (uuid4(), reply.message_id):
            assert not await stores.branches.reply(
                talk.scope, talk.session_id, wrong, a_message("assistant"), now=seconds_on(1)
            )
        assert len(await talk.shown(include_inactive=True)) == 2
