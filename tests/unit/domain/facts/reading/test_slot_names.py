"""How users name what is known of them, and how they say it."""

import tomllib
from importlib.resources import files

from recollect.domain.facts.reading import languages
from recollect.domain.facts.reading.languages.slot_names import slot_at, slots_asked, tells_slot
from recollect.domain.facts.slots import Slot
from recollect.domain.speech.phrases import LANGUAGES, words_in
from support.tables import for_each

_TABLES = tomllib.loads(files(languages).joinpath("slot_names.toml").read_text("utf-8"))


@for_each("code", LANGUAGES)
def test_every_language_names_says_and_asks_for_the_same_slots(code: str) -> None:
    for kind in ("names", "sayings", "questions"):
        assert _TABLES[kind][code].keys() == _TABLES[kind]["en"].keys()


@for_each(
    ("text", "code", "slot", "count"),
    [
        ("my name", "en", Slot.NAME, 2),
        ("my name tag", "en", Slot.NAME, 2),
        ("où j'habite", "fr", Slot.HOME, 3),
        ("de naam van mijn baas", "nl", Slot.MANAGER, 5),
    ],
)
def test_the_longest_name_of_a_slot_counts(text: str, code: str, slot: Slot, count: int) -> None:
    assert slot_at(words_in(text), 0, code) == (slot, count)


@for_each("text", ["my budget", "his name", "name", "", "your address"])
def test_what_is_not_named_is_no_slot(text: str) -> None:
    assert slot_at(words_in(text), 0, "en") is None


@for_each(
    ("content", "slot"),
    [
        ("My name is Emma.", Slot.NAME),
        ("My address: Elm Street 3.", Slot.HOME),
        ("Mein Name: Emma.", Slot.NAME),
        ("Vivo en Lugo.", Slot.HOME),
    ],
)
def test_a_sentence_about_a_slot_is_told_by_how_it_begins(content: str, slot: Slot) -> None:
    assert [one for one in Slot if tells_slot(content, one)] == [slot]


@for_each(
    "content",
    ["My name tag is blue.", "His name is Bob.", "My manager's manager is Bob.", "I like my name."],
)
def test_a_sentence_about_something_else_is_not(content: str) -> None:
    assert not any(tells_slot(content, slot) for slot in Slot)


@for_each(
    ("question", "slot"),
    [
        ("Where do I live?", Slot.HOME),
        ("where do I live, again", Slot.HOME),
        ("Waar werk ik tegenwoordig?", Slot.EMPLOYER),
        ("Hoe heet mijn baas?", Slot.MANAGER),
        ("Wo wohne ich eigentlich?", Slot.HOME),
        ("Où est-ce que j'habite maintenant ?", Slot.HOME),
        ("¿Cuántos años tengo?", Slot.AGE),
    ],
)
def test_a_question_asks_for_a_slot(question: str, slot: Slot) -> None:
    assert slots_asked(question) == {slot}


@for_each(
    "question",
    [
        "",
        "Where does my brother live?",
        "Where do I work out?",
        "Where do I live in 2030?",
        "Where do I live and work?",
        "Who am I going to call?",
        "Where did I live?",
        "Waar woont mijn broer?",
        "Waar woonde ik?",
        "Hoe heet mijn broer?",
        "Hoe oud ben ik als ik klaar ben?",
        "Wo wohnt meine Schwester?",
        "Où habite mon frère ?",
        "¿Dónde vive mi hermana?",
        "I live in Leiden.",
    ],
)
def test_a_question_about_something_else_asks_for_none(question: str) -> None:
    assert slots_asked(question) == frozenset()
