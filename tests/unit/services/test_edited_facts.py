"""What only an edited message said no longer holds; what it had ended holds again."""

from uuid import UUID

import pytest

from recollect.domain.facts.fact import ChangeKind, FactStatus
from recollect.domain.facts.slots import Slot
from support.examples import a_message
from support.facts.learning_scene import Scene

SESSION = UUID(int=1)
GHENT, BRUGES = "I live in Ghent, what can I see?", "I live in Bruges, what can I see?"
SISTER, CORRECTED = "My sister is Ann, help me.", "My sister is Anna, help me."
SHORTER = "What can I see there today, then?"
REPLY = "Much."


@pytest.fixture
def scene() -> Scene:
    return Scene(
        {
            GHENT: [("I live in Ghent", Slot.HOME)],
            BRUGES: [("I live in Bruges", Slot.HOME)],
            SISTER: [("My sister is Ann", Slot.FAMILY)],
            CORRECTED: [("My sister is Anna", Slot.FAMILY)],
            "I live in Ghent, what can I see today?": [("I live in Ghent", Slot.HOME)],
        }
    )


async def _show(scene: Scene, *contents: str) -> None:
    """Show a list of questions and replies in turn, have its last question answered, and learn."""
    roles = ("user", "assistant")
    listed = [a_message(roles[at % 2], text) for at, text in enumerate(contents)]
    followed = await scene.stores.branches.follow(
        scene.scope, SESSION, listed, continues=False, now=scene.clock.now()
    )
    assert followed is not None
    await scene.stores.branches.reply(
        scene.scope,
        SESSION,
        followed.question.message_id,
        a_message("assistant", REPLY),
        now=scene.clock.now(),
    )
    await scene.learn()


async def test_an_edited_message_teaches_what_it_says_now(scene: Scene) -> None:
    await scene.say("Hello.")
    await _show(scene, "Hello.", "I see.", SISTER)
    assert await scene.contents() == ["My sister is Ann."]

    await _show(scene, "Hello.", "I see.", CORRECTED)
    assert await scene.contents() == ["My sister is Anna."]


async def test_who_goes_back_gets_back_what_the_old_words_taught(scene: Scene) -> None:
    await scene.say("Hello.")
    await _show(scene, "Hello.", "I see.", SISTER)
    await _show(scene, "Hello.", "I see.", CORRECTED)
    await _show(scene, "Hello.", "I see.", SISTER, REPLY, "Thanks.")

    assert await scene.contents() == ["My sister is Ann."]


async def test_what_the_old_words_had_ended_holds_again(scene: Scene) -> None:
    await scene.say(GHENT)
    await _show(scene, GHENT, "I see.", BRUGES)
    assert await scene.contents() == ["I live in Bruges."]

    await _show(scene, GHENT, "I see.", BRUGES.replace("I live in Bruges", "Bruges is near"))
    (fact,) = await scene.active()
    assert fact.content == "I live in Ghent."
    kinds = [one.kind for one in await scene.stores.facts.history(scene.scope, fact.fact_id)]
    assert kinds == [ChangeKind.CREATED, ChangeKind.SUPERSEDED, ChangeKind.RESTORED]


async def test_what_was_said_again_since_stays(scene: Scene) -> None:
    await scene.say("Hello.")
    await _show(scene, "Hello.", "I see.", SISTER)
    await scene.say(SISTER, session_id=UUID(int=9))
    await _show(scene, "Hello.", "I see.", CORRECTED)

    assert "My sister is Ann." in await scene.contents()


async def test_what_is_withdrawn_for_an_edit_can_be_restored(scene: Scene) -> None:
    await scene.say("Hello.")
    await _show(scene, "Hello.", "I see.", SISTER)
    (fact,) = await scene.active()
    await _show(scene, "Hello.", "I see.", CORRECTED)
    ended = await scene.stores.facts.get(scene.scope, fact.fact_id)
    assert ended is not None
    assert ended.status is FactStatus.RETRACTED

    await scene.services.facts.restore(scene.scope, fact.fact_id)
    await scene.learn()
    assert "My sister is Ann." in await scene.contents()


async def test_a_regenerated_answer_leaves_what_the_question_taught(scene: Scene) -> None:
    await scene.say("Hello.")
    await _show(scene, "Hello.", "I see.", SISTER)
    await _show(scene, "Hello.", "I see.", SISTER)

    assert await scene.contents() == ["My sister is Ann."]


async def test_a_message_that_is_left_for_another_one_has_taken_back_nothing(scene: Scene) -> None:
    await scene.say("Hello.")
    await _show(scene, "Hello.", "I see.", GHENT)
    await _show(scene, "Hello.", "I see.", SHORTER)

    assert await scene.contents() == ["I live in Ghent."]


async def test_what_is_still_said_stays(scene: Scene) -> None:
    await scene.say("Hello.")
    await _show(scene, "Hello.", "I see.", GHENT)
    await _show(scene, "Hello.", "I see.", "I live in Ghent, what can I see today?")

    (fact,) = await scene.active()
    assert (fact.content, fact.status) == ("I live in Ghent.", FactStatus.ACTIVE)
