"""The network that finds facts, as it comes with Recollect."""

from collections.abc import AsyncIterator
from uuid import uuid4

import pytest

from recollect.domain.conversation.message import NO_DETAILS, Message, Role
from recollect.domain.facts.slots import Slot
from recollect.domain.facts.statement import Relation, Statement
from recollect.models.facts.tagger import FactTagger
from recollect.testing import FIRST_MOMENT
from support.tables import for_each


@pytest.fixture(scope="module")
async def tagger() -> AsyncIterator[FactTagger]:
    async with FactTagger() as opened:
        yield opened


def a_message(role: Role, content: str) -> Message:
    return Message(
        message_id=uuid4(),
        session_id=uuid4(),
        sequence=1,
        turn_number=1,
        role=role,
        content=content,
        metadata={},
        details=NO_DETAILS,
        created_at=FIRST_MOMENT,
    )


async def found(tagger: FactTagger, *texts: str) -> tuple[Statement, ...]:
    """What the network finds in a conversation that ends with the user."""
    roles = [Role.USER, Role.ASSISTANT] * len(texts)
    messages = [
        a_message(role, text) for role, text in zip(roles[-len(texts) - 1 :], texts, strict=False)
    ]
    return await tagger.extract(messages)


@for_each(
    ("text", "value"),
    [
        ("I work as a nurse at Saint Mary's hospital in Leeds. How do I ask for a raise?", "nurse"),
        ("Ik woon in Utrecht en ik werk bij de gemeente. Wat is een goede fietsroute?", "Utrecht"),
        ("Ich arbeite als Elektriker bei den Stadtwerken Kassel. Was ist ein FI?", "Elektriker"),
        ("Je suis infirmière à Lyon. Comment poser un congé ?", "infirmière"),
        ("Soy profesora de química en Sevilla. ¿Cómo explico los moles?", "química"),
    ],
)
async def test_what_users_say_about_themselves_is_found(
    tagger: FactTagger, text: str, value: str
) -> None:
    statements = await found(tagger, text)

    assert any(value in statement.quote for statement in statements)
    assert all(statement.quote in text for statement in statements)


@for_each(
    "text",
    [
        "What is the capital of Portugal?",
        "Wat kost een harnas voor valbeveiliging?",
        "If I lived in Rome, how much tax would I pay?",
        "Übersetze: \u201eIch wohne in Kiel und arbeite als Koch.\u201c",
        "Qui a gagné le match hier ?",
        "SELECT name, city FROM customers WHERE city = 'Leeds';",
        "",
        "…",
        "\u202e \U0001f600",
    ],
)
async def test_nothing_is_found_where_nothing_is_said(tagger: FactTagger, text: str) -> None:
    assert await found(tagger, text) == ()


async def test_what_was_said_before_is_context_alone(tagger: FactTagger) -> None:
    before = [a_message(Role.USER, "I work as a nurse in Leeds."), a_message(Role.ASSISTANT, "OK.")]
    messages = [a_message(Role.USER, "My name is Sam Okafor.")]
    statements = await tagger.extract(messages, before=before)
    assert [statement.quote for statement in statements] == ["My name is Sam Okafor"]


@for_each(
    ("text", "facts"),
    [
        (
            "I live in Hull and work at Tyrell.",
            [("live in Hull", Slot.HOME), ("work at Tyrell", Slot.EMPLOYER)],
        ),
        (
            "Ik werk bij Fugro, en ik wil korte antwoorden.",
            [("werk bij Fugro", Slot.EMPLOYER), ("korte antwoorden", Slot.ANSWER_STYLE)],
        ),
        ("My number is 06-12345678 and I live in Hull.", [("I live in Hull", Slot.HOME)]),
        (
            "Ik woon in Utrecht en werk bij KPN als tester.",
            [("woon in Utrecht", Slot.HOME), ("werk bij KPN als tester", Slot.EMPLOYER)],
        ),
        (
            "Ich wohne in Ulm und arbeite bei Bosch als Tester.",
            [("wohne in Ulm", Slot.HOME), ("arbeite bei Bosch als Tester", Slot.EMPLOYER)],
        ),
        (
            "J'habite à Lyon et travaille chez Renault comme testeur.",
            [("habite à Lyon", Slot.HOME), ("travaille chez Renault", Slot.EMPLOYER)],
        ),
        (
            "Vivo en Madrid y trabajo en Telefónica como técnico.",
            [("Vivo en Madrid", Slot.HOME), ("trabajo en Telefónica", Slot.ROLE)],
        ),
        (
            "I'm a teacher, live in Leeds and have two kids.",
            [("teacher", Slot.ROLE), ("live in Leeds", Slot.HOME), ("two kids", Slot.FAMILY)],
        ),
        ("I live in Hull and have a headache.", [("live in Hull", Slot.HOME)]),
        ("I have a question and work with Excel.", [("work with Excel", Slot.TOOL)]),
        ("If I live in Hull and work at Tyrell as a cook, what do I pay?", []),
        ("Write a story: I live in Hull and work at Tyrell as a spy.", []),
        ("Ik wil in Utrecht wonen en werken bij KPN.", []),
    ],
)
async def test_joined_clauses_are_facts_of_their_own(
    tagger: FactTagger, text: str, facts: list[tuple[str, Slot]]
) -> None:
    statements = await found(tagger, text)
    assert [one.slot for one in statements] == [slot for _, slot in facts]
    assert all(words in one.quote for one, (words, _) in zip(statements, facts, strict=True))


async def test_the_slot_of_what_was_said_before_is_not_taken_over(tagger: FactTagger) -> None:
    before = [
        a_message(Role.USER, "Ich arbeite bei Bosch in Stuttgart."),
        a_message(Role.ASSISTANT, "OK."),
    ]
    (statement,) = await tagger.extract(
        [a_message(Role.USER, "Ich bin nach Ulm gezogen.")], before=before
    )
    assert statement.slot is Slot.HOME


@for_each(
    ("before", "reply", "text", "slot"),
    [
        ("Ik heet Jan en ik woon in Gent.", "Ok.", "Ik ben allergisch voor noten.", Slot.ALLERGY),
        ("Mijn dochter heet Emma.", "Ok.", "Ik heb astma.", Slot.HEALTH),
        ("Ich wohne in Ulm.", "Ok.", "Ich habe Diabetes.", Slot.HEALTH),
        ("I have two sons.", "Ok.", "I'm allergic to cats.", Slot.ALLERGY),
        ("Mijn dochter heet Emma.", "Ok.", "Mijn zoon heet Tim.", Slot.FAMILY),
    ],
)
async def test_illness_has_its_own_slot_whatever_was_said_before(
    tagger: FactTagger, before: str, reply: str, text: str, slot: Slot
) -> None:
    earlier = [a_message(Role.USER, before), a_message(Role.ASSISTANT, reply)]
    (statement,) = await tagger.extract([a_message(Role.USER, text)], before=earlier)
    assert statement.slot is slot


@for_each(
    ("before", "reply", "text"),
    [
        ("I live in Hull.", "Where do you work?", "I'm at Philips."),
        ("I live in Hull.", "What do you do?", "I'm with Shell."),
        ("Ik woon in Gent.", "Waar werk je?", "Ik zit bij Philips."),
        ("Ich wohne in Ulm.", "Wo arbeitest du?", "Ich bin bei Bosch."),
    ],
)
async def test_where_somebody_works_ends_no_home(
    tagger: FactTagger, before: str, reply: str, text: str
) -> None:
    earlier = [a_message(Role.USER, before), a_message(Role.ASSISTANT, reply)]
    (statement,) = await tagger.extract([a_message(Role.USER, text)], before=earlier)
    assert statement.slot is not Slot.HOME


async def test_the_slot_of_a_neighbour_is_not_taken_over(tagger: FactTagger) -> None:
    said = "We report in euros. My daughter Lotte is allergic to peanuts."
    slots = {one.content: one.slot for one in await found(tagger, said)}

    assert slots["We report in euros."] is Slot.CURRENCY


@pytest.mark.parametrize("text", ["Hi, I'm Emma. Who are you?", "Ik heet Emma."])
async def test_a_name_is_found_in_a_short_introduction(tagger: FactTagger, text: str) -> None:
    (statement,) = await found(tagger, text)

    assert statement.slot is Slot.NAME
    assert statement.quote.endswith("Emma")


@for_each(
    ("text", "slots"),
    [
        (
            "Hi, I'm Emma. I'm from Ghent. I'm allergic to nuts.",
            {Slot.NAME, Slot.BIRTHPLACE, Slot.ALLERGY},
        ),
        (
            "Hoi, ik ben Emma. Ik kom uit Gent. Ik ben allergisch voor noten.",
            {Slot.NAME, Slot.BIRTHPLACE, Slot.ALLERGY},
        ),
        ("Hallo, ich bin Emma.", {Slot.NAME}),
        ("Hi, I'm Emma. I have a question. I'm tired today.", {Slot.NAME}),
        ("Hi, I'm Emma. I want to book a flight. I have a voucher.", {Slot.NAME}),
        ("Hi, I'm Emma. I have a headache. I am at the airport.", {Slot.NAME}),
    ],
)
async def test_each_sentence_of_an_introduction_has_its_own_slot(
    tagger: FactTagger, text: str, slots: set[Slot]
) -> None:
    statements = await found(tagger, text)

    assert sorted(one.slot for one in statements) == sorted(slots)


async def test_a_huge_message_is_read_in_bounded_time(tagger: FactTagger) -> None:
    text = "I work at ACME. " + "lorem ipsum dolor sit amet, " * 20_000
    assert len(await found(tagger, text)) <= 3


@for_each(
    ("statement", "known", "relation"),
    [
        ("Forget that I'm vegan.", "I'm vegan", Relation.RETRACTION),
        ("I'm at Globex now.", "I work at ACME", Relation.CONTRADICTION),
        ("What is the weather like?", "I have two cats", Relation.UNRELATED),
    ],
)
async def test_plain_relations_are_told(
    tagger: FactTagger, statement: str, known: str, relation: Relation
) -> None:
    (judgement,) = await tagger.relations(statement, [known])
    assert judgement.relation is relation
    assert judgement.sameness < 0.5


@for_each(
    ("text", "slots"),
    [
        (
            "Hi, I'm Emma, I live in Ghent and I'm allergic to nuts",
            {Slot.NAME, Slot.HOME, Slot.ALLERGY},
        ),
        ("Hi, I live in Ghent and I'm allergic to nuts.", {Slot.HOME, Slot.ALLERGY}),
        ("I'm vegetarian.", {Slot.DIET}),
        ("Vivo en Madrid.", {Slot.HOME}),
        ("J'habite à Lyon.", {Slot.HOME}),
        ("Hello, I'm looking for a hotel in Paris.", set()),
        ("Hi, I have a question about sales.", set()),
    ],
)
async def test_a_greeting_and_a_full_stop_hide_nothing(
    tagger: FactTagger, text: str, slots: set[Slot]
) -> None:
    assert {one.slot for one in await found(tagger, text)} == slots
