from uuid import uuid4

import pytest

from recollect import Memory


async def test_the_example_program_of_the_readme_rewrites_a_follow_up(memory: Memory) -> None:
    session = await memory.session("chat-1", user=f"user-{uuid4()}")
    await session.add("user", "Show me total sales by region for 2024")
    await session.add("assistant", "North 2.5M, South 1.8M", sql_query="SELECT region FROM sales")
    context = await session.context("What about 2023?")
    assert context.standalone_question == "Show me total sales by region for 2023"
    assert context.question == "What about 2023?"
    assert context.is_follow_up
    assert context.messages()[-1] == {"role": "user", "content": context.question_with_meaning}


async def test_a_conversation_makes_its_follow_ups_stand_by_themselves(memory: Memory) -> None:
    session = await memory.session(user=f"user-{uuid4()}")
    await session.add_exchange(
        "Wat zijn de vereisten voor valbeveiliging?", "Er gelden drie vereisten."
    )
    rewrite = await session.rewrite("Welke producten heb je daarvoor?")
    assert rewrite.standalone_question == "Welke producten heb je voor valbeveiliging?"
    assert rewrite.language == "nl"


async def test_a_history_of_the_callers_own_will_do(memory: Memory) -> None:
    history = [("user", "Show me total sales by region for 2024"), ("assistant", "North 2.5M")]
    rewrite = await memory.rewrite("What about 2023?", history)
    assert rewrite.standalone_question == "Show me total sales by region for 2023"


@pytest.mark.parametrize(
    ("said", "question"),
    [
        ("I have a meeting with Bob", "What time is it?"),
        ("I have a meeting with Bob", "What day is it today?"),
        ("Ich habe einen Termin mit Bob", "Wie spät ist es?"),
        ("Tengo una reunión con Bob", "¿Qué hora es?"),
    ],
)
async def test_a_question_for_the_time_is_not_about_what_was_said(
    memory: Memory, said: str, question: str
) -> None:
    rewrite = await memory.rewrite(question, [("user", said)])
    assert rewrite.standalone_question == question
    assert not rewrite.is_follow_up
