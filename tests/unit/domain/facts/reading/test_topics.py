"""Which facts a command means that names their topic."""

from collections.abc import Sequence

from recollect.domain.facts.reading.commands.topics import facts_about
from recollect.domain.facts.slots import Slot
from support.facts.known_facts import a_fact
from support.tables import for_each

_KNOWN = (
    ("My wife is called Ann.", Slot.OTHER),
    ("My brother's wife is called Eva.", Slot.OTHER),
    ("I have a dog and a cat.", Slot.OTHER),
    ("I have a parrot named Rex.", Slot.OTHER),
    ("I work at Shell.", Slot.EMPLOYER),
    ("I live in Leeds.", Slot.HOME),
    ("I'm allergic to nuts.", Slot.ALLERGY),
    ("My daughter is allergic to eggs.", Slot.ALLERGY),
    ("My daughter Lea paints, and she plays the oboe.", Slot.OTHER),
    ("My son plays chess and I play bridge.", Slot.OTHER),
    ("Mein Hund heißt Bello.", Slot.OTHER),
)


@for_each(
    ("topic", "about"),
    [
        ("my wife", ["My wife is called Ann."]),
        ("Ann", ["My wife is called Ann."]),
        ("my parrot", ["I have a parrot named Rex."]),
        ("Rex", ["I have a parrot named Rex."]),
        ("my job", ["I work at Shell."]),
        ("where I live", ["I live in Leeds."]),
        ("my allergy", ["I'm allergic to nuts."]),
        (
            "my daughter",
            ["My daughter is allergic to eggs.", "My daughter Lea paints, and she plays the oboe."],
        ),
        ("meinen Hund", ["Mein Hund heißt Bello."]),
        ("my dog", []),
        ("my son", []),
        ("Shell and Leeds", []),
        ("the weather", []),
        ("it", []),
        ("me for this question", []),
    ],
)
def test_only_what_a_fact_plainly_is_about_is_meant(topic: str, about: Sequence[str]) -> None:
    facts = [a_fact(content, slot=slot) for content, slot in _KNOWN]

    assert [one.content for one in facts_about(topic, facts)] == list(about)


def test_what_is_said_of_somebody_of_hers_is_not_about_my_wife() -> None:
    said = "My wife's sister lives in Hull.", "My wife's car is red."
    assert facts_about("my wife", [a_fact(one, slot=Slot.OTHER) for one in said]) == ()


@for_each(
    ("topic", "said"),
    [
        ("my mother", "My mother tongue is Dutch."),
        ("my sister", "My sister in law runs a bakery."),
        ("my mother", "I have a mother in law."),
        ("mi madre", "Mi madre política es Ana."),
        ("ma mère", "Ma mère patrie est la France."),
    ],
)
def test_a_noun_that_is_written_apart_is_another_one(topic: str, said: str) -> None:
    assert facts_about(topic, [a_fact(said, slot=Slot.OTHER)]) == ()
    other = (" tongue", " in law", " política", " patrie")
    plain = next(said.replace(one, "") for one in other if one in said)
    assert facts_about(topic, [a_fact(plain, slot=Slot.OTHER)])


@for_each(
    ("topic", "content", "slot"),
    [
        ("my job", "I work as a nurse at Acme.", Slot.ROLE),
        ("mi trabajo", "Trabajo en Shell.", Slot.EMPLOYER),
        ("where I live", "Vivo en Vigo.", Slot.HOME),
        ("où j'habite", "J'habite en Provence.", Slot.HOME),
    ],
)
def test_a_word_that_joins_in_another_language_joins_nothing(
    topic: str, content: str, slot: Slot
) -> None:
    fact = a_fact(content, slot=slot)
    assert facts_about(topic, [fact]) == (fact,)


@for_each(
    ("topic", "said", "slot"),
    [
        ("where I live", "Ik woon in Gent en werk in Brussel.", Slot.HOME),
        ("where I live", "I live in Hull as well as in Leeds.", Slot.HOME),
        ("where I live", "On Sundays I live in Hull and work in Leeds.", Slot.HOME),
        ("my job", "I work as a nurse as my wife does.", Slot.ROLE),
        ("my allergy", "I'm allergic to nuts as my son is to eggs.", Slot.ALLERGY),
        ("my dog", "On Mondays I walk my dog and feed the cat.", Slot.OTHER),
        ("meinen Hund", "Am Montag bringe ich meinen Hund und meine Katze weg.", Slot.OTHER),
        ("peanuts", "Soy and peanuts make me ill.", Slot.OTHER),
        ("Ann", "Ben and Ann are my children.", Slot.OTHER),
        ("Ohio", "Ma and Pa live in Ohio and Texas.", Slot.OTHER),
        ("vis", "Ik vis en jaag.", Slot.OTHER),
        ("vlees", "Vis en vlees eet ik niet.", Slot.OTHER),
    ],
)
def test_what_tells_several_things_stays(topic: str, said: str, slot: Slot) -> None:
    assert facts_about(topic, [a_fact(said, slot=slot)]) == ()
