"""What the first rewrites load, and where."""

import asyncio
import subprocess
import sys

import pytest

from support.chat_services import Setup
from support.followups import conversation

QUESTIONS = {
    "Who was Marie Curie?": "When did Marie Curie die?",
    "Who was Ada Lovelace?": "When did Ada Lovelace die?",
}
LOADED = """
import sys
from recollect.domain.followup.dialogue import Said
from recollect.domain.followup.rewrite import rewrite
from recollect.domain.conversation.message import Role
rewrite({question!r}, [
    Said(role=Role.USER, content={before!r}),
    Said(role=Role.ASSISTANT, content="2.4", sql_query={sql!r}),
])
print(*sorted({{"py3langid", "sqlglot"}} & set(sys.modules)))
"""


async def test_questions_at_once_get_their_own_answers_before_and_after_preparing() -> None:
    rewriting = Setup().services.rewriting

    for _ in range(2):
        results = await asyncio.gather(
            *(
                rewriting.after(conversation(f"user: {before}"), "When did she die?", language="en")
                for before in QUESTIONS
            )
        )
        assert [one.standalone_question for one in results] == list(QUESTIONS.values())
        await rewriting.prepare()


@pytest.mark.parametrize(
    ("question", "before", "sql", "loaded"),
    [
        (
            "What about 2023?",
            "Show me total sales by region for 2024",
            "SELECT SUM(amount) FROM sales WHERE year = 2024",
            "",
        ),
        (
            "En in welke maand was dat?",
            "Wat is de totale omzet in regio Noord?",
            "SELECT SUM(bedrag) FROM omzet WHERE regio = 'Noord'",
            "",
        ),
        ("Berlin?", "Paris", "SELECT 1", "py3langid"),
        (
            "How many of those are there?",
            "Which countries are in the Carribean region?",
            "SELECT * FROM country WHERE region = 'Caribbean'",
            "sqlglot",
        ),
    ],
)
def test_rewriting_loads_only_the_modules_that_a_question_needs(
    question: str, before: str, sql: str, loaded: str
) -> None:
    program = LOADED.format(question=question, before=before, sql=sql)

    done = subprocess.run(  # ours
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )

    assert done.stdout.strip() == loaded
