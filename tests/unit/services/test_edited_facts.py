"""What only an edited message said no longer holds; what it had ended stays ended."""

from datetime import timedelta
from uuid import UUID

import pytest

from recollect.domain.facts.fact import ChangeKind, FactStatus
from recollect.domain.facts.slots import Slot
from support.examples import a_message
from support.facts.learning_scene import Scene

SESSION = UUID(int=1)
GHENT, BRUGES = "I live in Ghent, what can I see?", "I live in Bruges, what can I see?"
SISTER, CORRECTED = "My sister is Ann, help me.", "My sister is Anna, help me."
DIET, VEGAN = "I'm vegetarian.", "I'm vegan now, what can I eat?"
DIED = "My dog died yesterday. What should I do now?"
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
            DIET: [("I'm vegetarian", Slot.DIET)],
            VEGAN: [("I'm vegan now", Slot.DIET)],
            VEGAN.replace("eat?", "eat today?"): [("I'm vegan now", Slot.DIET)],
            "My dog is Rex.": [("My dog is Rex", Slot.PET)],
            "I live in Ghent, what can I see today?": [("I live in Ghent", Slot.HOME)],
        }
    )


async def _show(scene: Scene, *contents: str) -> None:
    """Show a list of questions and replies in turn, have the last one answered, and learn later."""
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
    scene.clock.move(timedelta(minutes=1))
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


async def test_what_the_old_words_had_ended_stays_ended_and_can_be_restored(scene: Scene) -> None:
    await scene.say(GHENT)
    (fact,) = await scene.active()
    await _show(scene, GHENT, "I see.", BRUGES)
    assert await scene.contents() == ["I live in Bruges."]

    await _show(scene, GHENT, "I see.", BRUGES.replace("I live in Bruges", "Bruges is near"))
    assert await scene.contents() == []

    await scene.services.facts.restore(scene.scope, fact.fact_id)
    assert await scene.contents() == ["I live in Ghent."]


async def test_an_edit_that_still_says_the_same_brings_no_old_value_back(scene: Scene) -> None:
    await scene.say(DIET)
    await _show(scene, DIET, "I see.", VEGAN)
    assert await scene.contents() == ["I'm vegan now."]

    await _show(scene, DIET, "I see.", VEGAN.replace("eat?", "eat today?"))
    assert await scene.contents() == ["I'm vegan now."]


@pytest.mark.parametrize(
    "edited", [DIED.replace("now?", "today?"), "Since my dog died yesterday, what should I do now?"]
)
async def test_an_edit_that_still_tells_of_an_end_leaves_it_ended(
    scene: Scene, edited: str
) -> None:
    dog = "My dog is Rex."
    await scene.say(dog)
    (fact,) = await scene.active()

    await _show(scene, dog, "I see.", DIED)
    await _show(scene, dog, "I see.", edited)
    assert await scene.contents() == []
    kinds = [one.kind for one in await scene.stores.facts.history(scene.scope, fact.fact_id)]
    assert kinds == [ChangeKind.CREATED, ChangeKind.RETRACTED]


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
