"""Questions of users about themselves, read with the real weights of the follow-up model."""

from collections.abc import AsyncIterator

import pytest

from recollect.memory import Memory
from support.followups import conversation

TOLD = {
    "en": "I live in Leeds|My children are called Jan and Pete|I am allergic to nuts",
    "nl": "Ik woon in Leiden|Mijn kinderen heten Jan en Piet|Ik ben allergisch voor noten",
    "de": "Ich wohne in Bremen|Meine Kinder heißen Jan und Peter|Ich bin allergisch gegen Nüsse",
    "fr": "J'habite à Lyon|Mes enfants s'appellent Jean et Pierre|Je suis allergique aux noix",
    "es": "Vivo en Sevilla|Mis hijos se llaman Juan y Pedro|Soy alérgico a las nueces",
}
ASKED = {
    "en": "Do I have children?|Do I have any pets?|What are my hobbies?|What do I study?",
    "nl": "Hoeveel kinderen heb ik?|Waar ben ik bang voor?|Lust ik vis?|Hoe heten mijn kinderen?",
    "de": "Wie viele Kinder habe ich?|Mag ich Fisch?|Wo war ich im Urlaub?|Was studiere ich?",
    "fr": "Combien d'enfants ai-je ?|Suis-je marié ?|Qui est mon frère ?|Ai-je le permis ?",
    "es": "¿Cuántos hijos tengo?|¿Estoy casado?|¿Qué coche tengo?|¿Dónde nací?",
}


@pytest.fixture(scope="module")
async def memory() -> AsyncIterator[Memory]:
    async with Memory.in_memory() as opened:
        yield opened


@pytest.mark.parametrize("language", TOLD)
async def test_they_stay_as_they_are_after_statements(memory: Memory, language: str) -> None:
    told = TOLD[language].split("|")
    for lines in (told, told[::-1]):
        history = conversation(*(f"user: {line}" for line in lines))
        for question in ASKED[language].split("|"):
            rewrite = await memory.services.rewriting.after(history, question)
            assert rewrite.standalone_question == question
            assert not rewrite.is_follow_up


async def test_a_short_one_of_another_language_does_too(memory: Memory) -> None:
    history = conversation(*(f"user: {line}" for line in TOLD["nl"].split("|")))
    rewrite = await memory.services.rewriting.after(history, "Do I drive?")

    assert rewrite.standalone_question == "Do I drive?"


@pytest.mark.parametrize(
    ("said", "question", "expected"),
    [
        ("I am going to Japan in May", "How do I get there?", "How do I get to Japan?"),
        ("I bought a MacBook", "Is it any good?", "Is a MacBook any good?"),
        ("Toon de orders van 2023", "Hoeveel orders heb ik?", "Hoeveel orders heb ik van 2023?"),
        ("Hoe vraag ik een paspoort aan?", "Hoeveel kost het?", "Hoeveel kost een paspoort?"),
        ("How do I apply for a passport?", "Do I also need it for Germany?", "passport"),
        ("Voy a Japón en mayo", "¿Cómo llego allí?", "¿Cómo llego a Japón?"),
    ],
)
async def test_other_questions_are_completed_as_before(
    memory: Memory, said: str, question: str, expected: str
) -> None:
    rewrite = await memory.services.rewriting.after(conversation(f"user: {said}"), question)

    assert expected in rewrite.standalone_question


async def test_a_sum_stands_alone(memory: Memory) -> None:
    history = conversation("user: Write a poem about my cat")
    rewrite = await memory.services.rewriting.after(history, "2+2?")

    assert rewrite.standalone_question == "2+2?"
