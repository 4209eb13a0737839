"""What the first questions load."""

import subprocess
import sys

import pytest

LOADED = """
import sys
from recollect.domain.followup.dialogue import HistoryMessage
from recollect.domain.followup.language import language_of
from recollect.domain.followup.rules.candidate import rule_candidate
from recollect.domain.conversation.message import Role
history = [
    HistoryMessage(role=Role.USER, content={before!r}),
    HistoryMessage(role=Role.ASSISTANT, content="2.4", sql_query={sql!r}),
]
rule_candidate({question!r}, history, language_of({question!r}, history))
print(*sorted({{"py3langid", "sqlglot"}} & set(sys.modules)))
"""


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
