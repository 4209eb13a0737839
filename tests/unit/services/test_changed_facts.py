"""What users say later ends what it plainly contradicts, and nothing else."""

import pytest

from recollect.domain.facts.slots import Slot
from support.facts.learning_scene import Scene


@pytest.mark.parametrize(
    ("told", "later"),
    [
        ("Remember that I live in Ghent.", "Remember that I live in Antwerp."),
        ("Onthoud dat ik in Gent woon.", "Onthoud dat ik nu in Antwerpen woon."),
        ("Onthoud dat ik Jan heet.", "Onthoud dat ik Piet heet."),
    ],
)
async def test_what_is_told_takes_the_place_of_what_was_told(told: str, later: str) -> None:
    scene = Scene({})
    await scene.say(told, later)

    assert len(await scene.contents()) == 1


async def test_a_told_home_ends_with_a_new_one_that_is_said() -> None:
    scene = Scene({"Ik woon nu in Antwerpen.": [("Ik woon nu in Antwerpen", Slot.HOME)]})
    await scene.say("Remember that I live in Ghent.", "Ik woon nu in Antwerpen.")

    assert await scene.contents() == ["Ik woon nu in Antwerpen."]


async def test_a_new_home_leaves_the_family() -> None:
    family = "Ik woon in Gent met mijn vrouw en twee kinderen"
    scene = Scene(
        {
            f"{family}.": [(family, Slot.FAMILY)],
            "Ik woon nu in Antwerpen.": [("Ik woon nu in Antwerpen", Slot.HOME)],
        }
    )
    await scene.say(f"{family}.", "Ik woon nu in Antwerpen.")

    assert sorted(await scene.contents()) == [
        "Ik woon met mijn vrouw en twee kinderen.",
        "Ik woon nu in Antwerpen.",
    ]
    assert all(one.evidence and one.evidence.quote for one in await scene.active())


@pytest.mark.parametrize(
    ("first", "slot", "later"),
    [
        ("I live in Ghent", Slot.HOME, "I live alone"),
        ("I work at Philips", Slot.EMPLOYER, "I work as a data engineer"),
        ("I work at Philips", Slot.EMPLOYER, "I work from home"),
        ("Ik werk bij Philips", Slot.EMPLOYER, "Ik werk ook bij de brandweer"),
    ],
)
async def test_what_names_no_other_value_ends_nothing(first: str, slot: Slot, later: str) -> None:
    scene = Scene({f"{first}.": [(first, slot)], f"{later}.": [(later, slot)]})
    await scene.say(f"{first}.", f"{later}.")

    assert sorted(await scene.contents()) == sorted([f"{first}.", f"{later}."])


@pytest.mark.parametrize(
    ("told", "later", "left"),
    [
        ("Remember that I'm vegetarian.", "Remember that I'm vegan.", "I'm vegan."),
        ("Onthoud dat ik vegetariër ben.", "Onthoud: ik eet weer vlees.", "Ik eet weer vlees."),
        ("Merk dir, dass ich Vegetarier bin.", "Merk dir, dass ich Veganer bin.", None),
        ("Retiens que je suis végétarien.", "Retiens que je suis végane.", "Je suis végane."),
        ("Recuerda que soy vegetariano.", "Recuerda que soy vegano.", "Soy vegano."),
    ],
)
async def test_a_new_diet_takes_the_place_of_the_old(
    told: str, later: str, left: str | None
) -> None:
    scene = Scene({})
    await scene.say(told, later)

    assert await scene.contents() == [left or "Ich bin Veganer."]
