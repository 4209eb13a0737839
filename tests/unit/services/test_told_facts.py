"""What users tell the memory to remember becomes a sentence of its own."""

from support.facts.learning_scene import Scene
from support.tables import for_each


@for_each(
    ("text", "content"),
    [
        ("Remember my wife Ann", "My wife is Ann."),
        ("Please remember my dog Rex!", "My dog is Rex."),
        ("Onthoud mijn vrouw Ann.", "Mijn vrouw is Ann."),
        ("Merk dir meine Frau Anna", "Meine Frau ist Anna."),
        ("Retiens ma femme Anne", "Ma femme est Anne."),
        ("Recuerda a mi mujer Ana", "Mi mujer es Ana."),
        ("Onthoud dat ik geen uien lust.", "Ik lust geen uien."),
        ("Merk dir, dass ich keine Zwiebeln mag.", "Ich mag keine Zwiebeln."),
    ],
)
async def test_what_is_told_becomes_a_sentence(text: str, content: str) -> None:
    scene = Scene({})
    await scene.say(text)

    assert await scene.contents() == [content]


@for_each(
    "text",
    [
        "Remember my wife",
        "Remember my friend who is a doctor",
        "Remember my son Tom and my daughter Lies",
        "Remember my colleague Bob from sales",
        "Merk dir meine Mutter Montag",
        "Remember my wife Ann?",
    ],
)
async def test_what_tells_no_more_than_a_person_or_other_things_is_not_stored(text: str) -> None:
    scene = Scene({})
    await scene.say(text)

    assert await scene.contents() == []
