"""What users say later ends what it plainly contradicts, and nothing else."""

from uuid import UUID

import pytest

from recollect.domain.facts.fact import FactStatus
from recollect.domain.facts.reading.plain.slots import plain_statements
from recollect.domain.facts.slots import Slot
from recollect.domain.facts.statement import Operation, Relation, Statement
from support.facts.learning_scene import Scene
from support.tables import for_each


@for_each(
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


async def test_the_home_of_a_joined_clause_leaves_the_family_too() -> None:
    text = "I work at Philips and live in Ghent with my wife."
    home = Statement(
        message_id=UUID(int=1),
        quote="live in Ghent with my wife",
        content="I live in Ghent with my wife.",
        slot=Slot.FAMILY,
    )
    statements = plain_statements(home)

    assert [(one.content, one.slot) for one in statements] == [
        ("I live in Ghent.", Slot.HOME),
        ("I live with my wife.", Slot.FAMILY),
    ]
    assert all(one.quote in text for one in statements)


@for_each(
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


@for_each(
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


async def test_what_is_over_is_withdrawn_once_and_can_be_restored() -> None:
    scene = Scene({"I work at Philips.": [("I work at Philips", Slot.EMPLOYER)]})
    await scene.say("I work at Philips.")
    (fact,) = await scene.active()
    session_id = await scene.say("I got fired yesterday.")

    ended = await scene.stores.facts.get(scene.scope, fact.fact_id)
    assert ended is not None
    assert (ended.status, await scene.contents()) == (FactStatus.RETRACTED, [])

    await scene.services.facts.restore(scene.scope, fact.fact_id)
    turn = await scene.stores.history.of_turns(scene.scope, {(session_id, 2)})
    await scene.services.messages.delete(scene.scope, session_id, turn[-1].message_id)
    await scene.learn()
    assert await scene.contents() == ["I work at Philips."], "it is read again, and ends nothing"


@pytest.mark.parametrize(
    ("text", "slot"),
    [("I'm retired.", Slot.ROLE), ("I'm self-employed now.", Slot.ROLE)],
)
async def test_what_the_user_is_from_then_on_takes_the_place_of_the_job(
    text: str, slot: Slot
) -> None:
    scene = Scene(
        {
            "I work at Philips.": [("I work at Philips", Slot.EMPLOYER)],
            text: [(text.rstrip("."), Slot.OTHER)],
        }
    )
    await scene.say("I work at Philips.", text)
    (fact,) = await scene.active()

    assert (fact.content, fact.slot, fact.version) == (text, slot, 1)


async def test_who_has_left_an_employer_is_not_only_away() -> None:
    scene = Scene({"Ik werk bij Shell.": [("Ik werk bij Shell", Slot.EMPLOYER)]})
    await scene.say("Ik werk bij Shell.", "Ik ben weg bij Shell.")

    assert await scene.contents() == []


@for_each(
    "text",
    ["What if I got fired?", "I got fired yesterday. Just kidding!", "Suppose: I got fired."],
)
async def test_what_is_not_so_ends_nothing(text: str) -> None:
    scene = Scene({"I work at Philips.": [("I work at Philips", Slot.EMPLOYER)]})
    await scene.say("I work at Philips.", text)

    assert await scene.contents() == ["I work at Philips."]


@for_each(
    ("told", "later"),
    [
        (
            "Remember that my dentist appointment is on Tuesday.",
            "My dentist appointment is moved to Friday.",
        ),
        (
            "Onthoud: mijn tandartsafspraak is dinsdag.",
            "Mijn tandartsafspraak is verplaatst naar vrijdag.",
        ),
        (
            "Merk dir: mein Zahnarzttermin ist am Dienstag.",
            "Mein Zahnarzttermin wurde auf Freitag verschoben.",
        ),
        ("Retiens : mon cours est mardi.", "Mon cours est reporté à jeudi."),
        ("Recuerda que mi cita es el martes.", "Mi cita se ha aplazado al viernes."),
    ],
)
async def test_an_appointment_has_one_day(told: str, later: str) -> None:
    scene = Scene({})
    await scene.say(told, later)

    assert await scene.contents() == [later]


async def test_an_appointment_of_which_nothing_is_known_is_not_learnt() -> None:
    scene = Scene({})
    await scene.say("My dentist appointment is moved to Friday.")

    assert await scene.contents() == []


@for_each(
    ("first", "slot", "later", "left"),
    [
        ("I work at ASML", Slot.EMPLOYER, "I used to work at Philips", 2),
        ("I work at Philips", Slot.EMPLOYER, "I used to work at Philips", 1),
        ("Ik werk bij ASML", Slot.EMPLOYER, "Ik werkte vroeger bij Philips", 2),
        ("Ich arbeite bei Bosch", Slot.EMPLOYER, "Ich habe früher bei Siemens gearbeitet", 2),
        ("Je travaille chez Renault", Slot.EMPLOYER, "J'ai travaillé chez Peugeot", 2),
        ("Trabajo en Telefónica", Slot.EMPLOYER, "Antes trabajaba en Orange", 2),
    ],
)
async def test_an_employer_of_before_ends_no_other_one(
    first: str, slot: Slot, later: str, left: int
) -> None:
    contradicts = {(f"{later}.", f"{first}."): Relation.CONTRADICTION}
    script = {f"{first}.": [(first, slot)], f"{later}.": [(later, slot, Operation.CHANGE)]}
    scene = Scene(script, contradicts)
    await scene.say(f"{first}.", f"{later}.")

    assert len(await scene.contents()) == left


HOME_SCRIPT = {"Ik woon in Utrecht.": [("Ik woon in Utrecht", Slot.HOME)]}


async def test_a_short_correction_sets_right_what_was_just_said() -> None:
    scene = Scene(HOME_SCRIPT)
    await scene.say("Ik woon in Utrecht.", "Nee, in Amersfoort.", "Nee, ik bedoel Zeist.")
    (fact,) = await scene.active()

    assert (fact.content, fact.slot) == ("Ik woon in Zeist.", Slot.HOME)
    assert fact.evidence is not None
    assert fact.evidence.quote == "Nee, ik bedoel Zeist"


async def test_a_bare_value_sets_right_what_was_only_said_again() -> None:
    scene = Scene(HOME_SCRIPT)
    await scene.say("Ik woon in Utrecht.", "Ik woon in Utrecht.", "Nee, sorry, in Zeist.")

    assert await scene.contents() == ["Ik woon in Zeist."]


async def test_a_correction_of_what_was_asked_corrects_no_fact() -> None:
    scene = Scene(HOME_SCRIPT)
    await scene.say("Ik woon in Utrecht.", "Ik woon in Utrecht?", "Nee, sorry, in Zeist.")

    assert await scene.contents() == ["Ik woon in Utrecht."]


@pytest.mark.parametrize("reply", ["Is het daar leuk?", "Werk je daar ook?"])
async def test_an_answer_to_a_question_corrects_nothing(reply: str) -> None:
    scene = Scene(HOME_SCRIPT)
    await scene.say("Ik woon in Utrecht.", reply=reply)
    await scene.say("Nee, in Amersfoort.")

    assert await scene.contents() == ["Ik woon in Utrecht."]


@for_each(
    "reply", ["De omzet in Utrecht was 12.", "Utrecht ligt in Zeeland.", "Ik zet het in Word."]
)
async def test_a_correction_of_the_answer_corrects_no_fact(reply: str) -> None:
    scene = Scene(HOME_SCRIPT)
    await scene.say("Ik woon in Utrecht.", reply=reply)
    await scene.say("Nee, in Amersfoort.")

    assert await scene.contents() == ["Ik woon in Utrecht."]


@pytest.mark.parametrize("later", ["Nee, Blues.", "Grapje!"])
async def test_what_may_be_about_another_sentence_changes_nothing(later: str) -> None:
    text = "Ik woon in Utrecht. Jazz is leuk."
    scene = Scene({text: [("Ik woon in Utrecht", Slot.HOME)]})
    await scene.say(text, later)

    assert await scene.contents() == ["Ik woon in Utrecht."]


async def test_a_correction_of_something_else_that_was_said_corrects_no_fact() -> None:
    text = "Ik woon in Utrecht. Mijn neef zoekt de hoofdstad van Noorwegen."
    scene = Scene({text: [("Ik woon in Utrecht", Slot.HOME)]})
    await scene.say(text, "Nee, Zweden.")

    assert await scene.contents() == ["Ik woon in Utrecht."]


async def test_a_correction_reaches_the_message_right_before_alone() -> None:
    scene = Scene(HOME_SCRIPT)
    await scene.say("Ik woon in Utrecht.", "Vertel eens een mop.", "Nee, in Amersfoort.")

    assert await scene.contents() == ["Ik woon in Utrecht."]


@for_each(
    "text",
    ["Grapje!", "Just kidding.", "War nur ein Scherz.", "Je plaisante.", "Era broma."],
)
async def test_a_joke_is_withdrawn(text: str) -> None:
    scene = Scene(HOME_SCRIPT)
    await scene.say("Ik woon in Utrecht.", text)

    assert await scene.contents() == []


@for_each(
    "text", ["Geen grapje!", "Vertel een grapje.", "Grapje of niet?", "No kidding!", "No es broma."]
)
async def test_what_is_no_joke_of_the_user_withdraws_nothing(text: str) -> None:
    scene = Scene(HOME_SCRIPT)
    await scene.say("Ik woon in Utrecht.", text)

    assert await scene.contents() == ["Ik woon in Utrecht."]
