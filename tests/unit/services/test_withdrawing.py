"""Forgetting on command what the user names, everything, or what was just said."""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from uuid import UUID

import pytest

from recollect.domain.conversation.message import FROM_MEMORY, AnswerDetails
from recollect.domain.facts.fact import ChangeKind, FactStatus
from recollect.domain.facts.slots import Slot
from recollect.engines.in_memory.facts import InMemoryFacts
from recollect.errors import DatabaseUnavailable
from recollect.ports.facts import EDITS_AT_ONCE
from support.examples import a_message
from support.facts.learning_scene import Scene
from support.facts.scripted_models import Line
from support.tables import for_each

NAME, HOME, JOB = "My name is Emma.", "I live in Ghent.", "I work at ACME."
ROME = "Forget everything you know about me. I live in Rome."
SCRIPT: Mapping[str, Sequence[Line]] = {
    NAME: [("My name is Emma", Slot.NAME)],
    HOME: [("I live in Ghent", Slot.HOME)],
    JOB: [("I work at ACME", Slot.EMPLOYER)],
    ROME: [("I live in Rome", Slot.HOME)],
    "I live in Ghent. What can I see there?": [("I live in Ghent", Slot.HOME)],
    "Suggest some good vegan places for lunch. I live in Ghent.": [("I live in Ghent", Slot.HOME)],
}
EVERYTHING = "Please forget everything you know about me."


@pytest.fixture
def scene() -> Scene:
    return Scene(SCRIPT)


async def _ask(scene: Scene, text: str, **metadata: str) -> None:
    """Say something that nobody has answered or learnt from yet."""
    messages = [a_message("user", text, metadata=dict(metadata))]
    await scene.services.messages.append(scene.scope, UUID(int=1), messages, starts_session=True)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("Forget my name.", [HOME, JOB]),
        ("Vergeet waar ik woon.", [NAME, JOB]),
        ("Vergiss, wo ich arbeite.", [NAME, HOME]),
        ("Forget my name and my address", [JOB]),
        ("Oublie mon âge.", [NAME, HOME, JOB]),
        ("¿Puedes olvidar mi nombre?", [NAME, HOME, JOB]),
    ],
)
async def test_what_is_named_is_withdrawn_at_once_and_nothing_else(
    scene: Scene, text: str, left: list[str]
) -> None:
    await scene.say(NAME, HOME, JOB)
    await _ask(scene, text)

    assert await scene.contents() == left


async def test_a_withdrawal_is_in_the_history(scene: Scene) -> None:
    await scene.say(NAME)
    (fact,) = await scene.active()
    await _ask(scene, "Forget my name.")

    ended = await scene.stores.facts.get(scene.scope, fact.fact_id)
    assert ended is not None
    assert ended.status is FactStatus.RETRACTED
    history = await scene.stores.facts.history(scene.scope, fact.fact_id)
    assert [(one.kind, one.actor) for one in history][1:] == [(ChangeKind.RETRACTED, "user")]


async def test_what_was_told_to_remember_is_known_by_how_it_begins(scene: Scene) -> None:
    await scene.say("Remember that my name is Emma.", "Remember that my name tag is blue.")
    await scene.say("Merk dir: mein Name: Emma")
    await scene.services.facts.add(scene.scope, "Mijn naam: Emma.")
    await _ask(scene, "Forget my name.")

    assert await scene.contents() == ["My name tag is blue."]


async def test_everything_that_was_learnt_is_withdrawn_and_no_message(scene: Scene) -> None:
    await scene.say(NAME, HOME, "Remember that I park in garage 4.", "Never use tables.")
    added = await scene.services.facts.add(scene.scope, "Has the premium plan.")
    before = await scene.stores.history.count(scene.scope)
    await _ask(scene, EVERYTHING)

    assert await scene.active() == [added]
    assert await scene.stores.history.count(scene.scope) == before + 1


async def test_more_than_a_store_takes_at_once_is_withdrawn(scene: Scene) -> None:
    for name in (first + second for first in "bdfghkl" for second in "aeiouxyz"):
        await _ask(scene, f"Remember that {name}bo likes {name}da.")
    assert len(await scene.active()) > EDITS_AT_ONCE
    await _ask(scene, EVERYTHING)

    assert await scene.active() == []


async def test_what_is_restored_is_not_withdrawn_when_the_turn_is_learnt_from(scene: Scene) -> None:
    await scene.say(NAME, HOME)
    name, home = await scene.active()
    scene.clock.move(timedelta(minutes=1))
    await _ask(scene, EVERYTHING)
    await scene.services.facts.restore(scene.scope, home.fact_id)
    await scene.say("What is a cube?")

    assert await scene.contents() == [HOME]
    await scene.services.facts.restore(scene.scope, name.fact_id)
    assert await scene.contents() == [NAME, HOME]


async def test_what_was_said_before_and_is_learnt_later_is_withdrawn_too(scene: Scene) -> None:
    await scene.say(NAME)
    scene.clock.move(timedelta(minutes=1))
    messages = [a_message("user", HOME), a_message("assistant", "I see.")]
    await scene.services.messages.append(scene.scope, UUID(int=1), messages)
    scene.clock.move(timedelta(minutes=1))
    await _ask(scene, EVERYTHING)
    scene.clock.move(timedelta(minutes=1))
    await scene.say(JOB)

    assert await scene.contents() == [JOB]


@pytest.mark.parametrize("text", [EVERYTHING, "Forget my name."])
async def test_a_conversation_of_old_that_is_sent_again_withdraws_nothing(
    scene: Scene, text: str
) -> None:
    await scene.say(NAME)
    scene.clock.move(timedelta(days=1))
    roles = ["user", "assistant", "user", "assistant"]
    texts = [text, "Done.", "What is a cube?", "A solid."]
    messages = [a_message(role, text) for role, text in zip(roles, texts, strict=True)]
    await scene.services.messages.append(scene.scope, UUID(int=9), messages, starts_session=True)
    await scene.learn()

    assert await scene.contents() == [NAME]


async def test_what_the_same_message_says_stays(scene: Scene) -> None:
    await scene.say(NAME)
    scene.clock.move(timedelta(minutes=1))
    await scene.say(ROME, "What is a cube?")

    assert await scene.contents() == ["I live in Rome."]


async def test_what_is_said_again_afterwards_is_learnt_again(scene: Scene) -> None:
    await scene.say(NAME, EVERYTHING)
    scene.clock.move(timedelta(minutes=1))
    await scene.say(NAME)

    assert await scene.contents() == [NAME]


async def test_who_opts_out_of_learning_can_still_have_everything_forgotten(scene: Scene) -> None:
    await scene.say(NAME)
    await scene.services.profiles.set(scene.scope, "learn_facts", False)
    await _ask(scene, EVERYTHING)

    assert await scene.active() == []


@pytest.mark.parametrize("text", [EVERYTHING, "Forget my name.", "Forget that."])
async def test_in_a_log_people_tell_each_other_to_forget(scene: Scene, text: str) -> None:
    await scene.say(NAME)
    await _ask(scene, text, speaker="Ann")

    assert await scene.contents() == [NAME]


@pytest.mark.parametrize(
    "text", ["Write a story. Forget everything about me.", "Suppose I say this. Forget my name."]
)
async def test_a_story_or_a_supposition_withdraws_nothing(scene: Scene, text: str) -> None:
    await scene.say(NAME)
    await _ask(scene, text)

    assert await scene.contents() == [NAME]


@pytest.mark.parametrize("text", ["Forget that.", "Forget what I just said.", "Vergiss das."])
async def test_what_the_message_before_taught_is_withdrawn(scene: Scene, text: str) -> None:
    await scene.say(NAME, HOME)
    await _ask(scene, text)

    assert await scene.contents() == [NAME]


@pytest.mark.parametrize("text", ["Forget it.", "Vergeet dat maar.", "Oublie ça.", "Forget that?"])
async def test_never_mind_withdraws_nothing(scene: Scene, text: str) -> None:
    await scene.say(HOME, text)

    assert await scene.contents() == [HOME]


@pytest.mark.parametrize("before", [text for text in SCRIPT if len(text) > len(NAME) * 2])
async def test_that_may_be_the_question_beside_what_was_told(scene: Scene, before: str) -> None:
    await scene.say(before)
    known = await scene.contents()
    await _ask(scene, "Forget that.")

    assert await scene.contents() == known != []


async def test_that_may_be_what_the_assistant_asks(scene: Scene) -> None:
    await scene.say(HOME, reply="Shall I look for museums there?")
    await _ask(scene, "Forget that.")
    assert await scene.contents() == [HOME]

    await scene.say(JOB, reply="Do you like it there?")
    await _ask(scene, "Forget what I just told you.")
    assert await scene.contents() == [HOME]


async def test_only_the_message_right_before_is_meant(scene: Scene) -> None:
    await scene.say(HOME, "What is a cube?", "Forget that.")

    assert await scene.contents() == [HOME]


BIKE, NUTS, CATS = "My bike is red.", "I am allergic to nuts.", "I am allergic to cats."
NAMED: Mapping[str, Sequence[Line]] = {
    BIKE: [("My bike is red", Slot.OTHER)],
    NUTS: [("I am allergic to nuts", Slot.ALLERGY)],
    CATS: [("I am allergic to cats", Slot.ALLERGY)],
    JOB: [("I work at ACME", Slot.EMPLOYER)],
    "My brother sold my bike.": [("My brother sold my bike", Slot.OTHER)],
    "Meine Katze heißt Mia.": [("Meine Katze heißt Mia", Slot.PET)],
}


@for_each(
    ("text", "left"),
    [
        ("Forget my bike.", [NUTS, JOB]),
        ("Forget my allergy", [BIKE, JOB]),
        ("Vergeet mijn allergie", [BIKE, JOB]),
        ("Olvida mi trabajo", [BIKE, NUTS]),
        ("Forget my car", [BIKE, NUTS, JOB]),
        ("Forget my red", [BIKE, NUTS, JOB]),
        ("Forget my nuts", [BIKE, NUTS, JOB]),
        ("Forget my bike?", [BIKE, NUTS, JOB]),
    ],
)
async def test_the_one_fact_about_a_named_thing_is_withdrawn(text: str, left: list[str]) -> None:
    scene = Scene(NAMED)
    await scene.say(BIKE, NUTS, JOB)
    await _ask(scene, text)

    assert await scene.contents() == left


async def test_a_noun_is_known_in_another_case() -> None:
    scene = Scene(NAMED)
    await scene.say("Meine Katze heißt Mia.")
    await _ask(scene, "Vergiss meine Katze")

    assert await scene.contents() == []


@for_each(
    ("told", "text"),
    [
        ([NUTS, CATS], "Forget my allergy"),
        ([BIKE, "My brother sold my bike."], "Forget my bike"),
        (["My brother sold my bike."], "Forget my bike"),
    ],
)
async def test_what_may_mean_several_facts_withdraws_none(told: list[str], text: str) -> None:
    scene = Scene(NAMED)
    await scene.say(*told)
    await scene.say(text)

    assert await scene.contents() == told


async def test_a_noun_that_was_asked_back_about_withdraws_nothing_later() -> None:
    scene = Scene(NAMED)
    await scene.say(NUTS, CATS)
    scene.clock.move(timedelta(minutes=1))
    await _ask(scene, "Forget my allergy")
    nuts, _ = await scene.active()
    await scene.services.facts.forget(scene.scope, nuts.fact_id)
    scene.clock.move(timedelta(minutes=1))
    await scene.say("What is a cube?")

    assert await scene.contents() == [CATS]


async def test_a_named_thing_that_was_told_before_and_is_learnt_later_is_withdrawn() -> None:
    scene = Scene(NAMED)
    messages = [a_message("user", BIKE), a_message("assistant", "I see.")]
    await scene.services.messages.append(scene.scope, UUID(int=1), messages, starts_session=True)
    scene.clock.move(timedelta(minutes=1))
    await _ask(scene, "Forget my bike")
    scene.clock.move(timedelta(minutes=1))
    await scene.say("What is a cube?")

    assert await scene.contents() == []


async def _fail_to_forget(
    scene: Scene, monkeypatch: pytest.MonkeyPatch, text: str, *, model: str = "a model"
) -> None:
    """Tell to forget something while no fact can be written, and get an answer."""
    question = a_message("user", text)
    answer = a_message("assistant", "Done.", details=AnswerDetails(model=model))
    with monkeypatch.context() as failing:
        failing.setattr(InMemoryFacts, "commit", _unavailable)
        await scene.services.messages.append(
            scene.scope, UUID(int=1), [question], starts_session=True
        )
    scene.clock.move(timedelta(minutes=1))
    await scene.services.messages.append(scene.scope, UUID(int=1), [answer])


async def _unavailable(*_: object, **__: object) -> bool:
    raise DatabaseUnavailable("the database is away")


@pytest.mark.parametrize("text", ["Forget my bike", "Forget my allergy"])
async def test_a_noun_that_could_not_be_forgotten_at_once_is_forgotten_later(
    monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    scene = Scene(NAMED)
    await scene.say(BIKE, NUTS)
    scene.clock.move(timedelta(minutes=1))
    await _fail_to_forget(scene, monkeypatch, text)
    assert await scene.contents() == [BIKE, NUTS]
    await scene.learn()

    assert await scene.contents() == [NUTS if "bike" in text else BIKE]


async def test_nothing_is_forgotten_later_of_which_an_answer_from_memory_has_said_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    scene = Scene(NAMED)
    await scene.say(BIKE)
    scene.clock.move(timedelta(minutes=1))
    await _fail_to_forget(scene, monkeypatch, "Forget my bike", model=FROM_MEMORY)
    await scene.learn()

    assert await scene.contents() == [BIKE]


async def test_a_noun_that_meant_another_fact_as_well_at_first_is_not_forgotten_later(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    scene = Scene(NAMED)
    await scene.say(NUTS, CATS)
    nuts, _ = await scene.active()
    scene.clock.move(timedelta(minutes=1))
    await _fail_to_forget(scene, monkeypatch, "Forget my allergy")
    await scene.services.facts.forget(scene.scope, nuts.fact_id)
    await scene.learn()

    assert await scene.contents() == [CATS]


async def test_a_named_thing_that_is_told_again_later_stays() -> None:
    scene = Scene(NAMED)
    await scene.say(BIKE)
    scene.clock.move(timedelta(minutes=1))
    await scene.say("Forget my bike")
    scene.clock.move(timedelta(minutes=1))
    await scene.say(BIKE)

    assert await scene.contents() == [BIKE]


MILK = "I am allergic to milk, too."


@for_each(
    ("beside", "left"),
    [
        (MILK, [NUTS]),
        ("I sold my nuts.", [NUTS]),
        (NUTS, []),
        ("Am I allergic to milk?", []),
        ("I moved.", []),
    ],
)
async def test_what_was_told_beside_and_not_learnt_may_be_meant(
    beside: str, left: list[str]
) -> None:
    scene = Scene(NAMED)
    await scene.say(NUTS, beside)
    scene.clock.move(timedelta(minutes=1))
    await scene.say("Forget my allergy")

    assert await scene.contents() == left


@pytest.mark.parametrize(
    "told", ["My daughter Lotte is allergic to nuts.", "Mijn dochter is allergisch voor noten."]
)
async def test_the_allergy_of_somebody_else_is_not_the_users(told: str) -> None:
    scene = Scene({told: [(told[:-1], Slot.ALLERGY)]})
    await scene.say(told)
    await _ask(scene, "Forget my allergy")

    assert await scene.contents() == [told]
