"""Denials and jokes change what they plainly mean, and nothing else."""

from uuid import UUID

from recollect.domain.facts.fact import ChangeKind, FactStatus
from recollect.domain.facts.slots import Slot
from recollect.domain.facts.statement import Relation
from recollect.domain.facts.updates.undoing import WAS_JOKE
from support.facts.learning_scene import Scene
from support.tables import for_each

_HOME = "I live in Hull."
_WORK = "I work at Shell."
_SCRIPT = {
    _HOME: [("I live in Hull", Slot.HOME)],
    _WORK: [("I work at Shell", Slot.EMPLOYER)],
    "Ik woon in Gent.": [("Ik woon in Gent", Slot.HOME)],
    "Ich wohne in Köln.": [("Ich wohne in Köln", Slot.HOME)],
    "J'habite à Lyon.": [("J'habite à Lyon", Slot.HOME)],
    "Vivo en Lugo.": [("Vivo en Lugo", Slot.HOME)],
    "I live in Paris now.": [("I live in Paris now", Slot.HOME)],
    "I live in Hull near the station.": [("I live in Hull near the station", Slot.HOME)],
}


@for_each(
    ("told", "denial"),
    [
        (_HOME, "I don't live in Hull."),
        (_HOME, "I don't live in Hull any more."),
        ("I live in Hull near the station.", "I no longer live in Hull."),
        (_WORK, "I don't work at Shell."),
        (_WORK, "I don't work for Shell anymore."),
        ("Ik woon in Gent.", "Ik woon niet meer in Gent."),
        ("Ich wohne in Köln.", "Ich wohne nicht in Köln."),
        ("J'habite à Lyon.", "Je n'habite plus à Lyon."),
        ("Vivo en Lugo.", "Ya no vivo en Lugo."),
        ("Vivo en Lugo.", "No, no vivo en Lugo."),
        ("Remember that I play chess.", "I don't play chess."),
    ],
)
async def test_a_plain_denial_ends_what_it_denies(told: str, denial: str) -> None:
    scene = Scene(_SCRIPT)
    await scene.say(told)
    (fact,) = await scene.active()
    await scene.say(denial)

    ended = await scene.stores.facts.get(scene.scope, fact.fact_id)
    assert ended is not None
    assert (ended.status, await scene.contents()) == (FactStatus.RETRACTED, [])


@for_each(
    "text",
    [
        "I don't live in Leeds.",
        "I don't live in Hull alone.",
        "I don't live in Hull today.",
        "I don't only live in Hull.",
        "Why don't I live in Hull?",
        "I don't live in Hull?",
        "If I don't live in Hull, where do I pay?",
        "My brother doesn't live in Hull.",
        "My wife thinks I don't live in Hull.",
        'He said "I don\'t live in Hull at all".',
        "Suppose I don't live in Hull.",
        "My mother: I don't live in Hull.",
        "I don't live in Hull. Just kidding!",
        "In the story I don't live in Hull.",
    ],
)
async def test_what_is_no_plain_denial_ends_nothing(text: str) -> None:
    scene = Scene(_SCRIPT)
    await scene.say(_HOME, text)

    assert await scene.contents() == [_HOME]


async def test_a_joke_gives_back_what_it_ended() -> None:
    scene = Scene(_SCRIPT)
    await scene.say(_WORK, "I got fired.")
    assert await scene.contents() == []

    await scene.say("Just kidding!")
    (fact,) = await scene.active()
    history = await scene.stores.facts.history(scene.scope, fact.fact_id)
    last = history[-1]
    assert (fact.content, last.kind, last.reason) == (_WORK, ChangeKind.RESTORED, WAS_JOKE)


async def test_a_joke_takes_its_own_fact_along() -> None:
    scene = Scene(_SCRIPT)
    await scene.say(_HOME, "I live in Paris now.")
    assert await scene.contents() == ["I live in Paris now."]

    await scene.say("Only joking!")
    assert await scene.contents() == [_HOME]


async def test_a_joke_gives_back_no_home_where_there_is_a_newer_one_but_all_else() -> None:
    berlin, joke = "I live in Berlin.", "I live in Paris and work at Dior."
    about = [("I live in Paris", Slot.HOME), ("work at Dior", Slot.EMPLOYER)]
    scene = Scene(_SCRIPT | {berlin: [("I live in Berlin", Slot.HOME)], joke: about})
    await scene.say(_HOME, _WORK, joke)
    await scene.say(berlin, session_id=UUID(int=2))
    await scene.say("Only joking!")

    assert sorted(await scene.contents()) == [berlin, _WORK]


async def test_a_joke_is_taken_out_of_what_it_was_merged_with() -> None:
    dog, joke = "My dog is Rex.", "Rex can fly."
    scene = Scene(
        {dog: [("My dog is Rex", Slot.PET)], joke: [("Rex can fly", Slot.PET)]},
        {(joke, dog): Relation.COMPLEMENT},
    )
    await scene.say(dog, joke)
    merged = await scene.contents()
    await scene.say("jk")

    assert (merged, await scene.contents()) == (["My dog is Rex; Rex can fly."], [dog])


@for_each(
    "text", ["No kidding!", "Tell me a joke!", "What a joke that firm is.", "I'm not joking."]
)
async def test_other_words_about_jokes_give_nothing_back(text: str) -> None:
    scene = Scene(_SCRIPT)
    await scene.say(_WORK, "I got fired.", text)

    assert await scene.contents() == []


async def test_a_joke_in_another_session_gives_nothing_back() -> None:
    scene = Scene(_SCRIPT)
    await scene.say(_WORK, "I got fired.")
    await scene.say("Just kidding!", session_id=UUID(int=2))

    assert await scene.contents() == []


async def test_what_the_memory_was_told_to_forget_stays_forgotten() -> None:
    scene = Scene(_SCRIPT)
    await scene.say(_HOME, "Forget where I live.", "Just kidding!")

    assert await scene.contents() == []


@for_each(
    ("text", "left"),
    [
        ("I resigned and moved to Leeds.", []),
        ("I got fired and moved to Leeds.", []),
        ("I resigned and regretted it.", [_WORK]),
        ("I got fired and rehired the next day.", [_WORK]),
        ("My boss resigned and moved to Leeds.", [_WORK]),
        ("If I resigned and moved to Leeds, would you mind?", [_WORK]),
    ],
)
async def test_a_job_ends_before_a_move_and_not_before_anything_else(
    text: str, left: list[str]
) -> None:
    scene = Scene(_SCRIPT)
    await scene.say(_WORK, text)

    assert await scene.contents() == left
