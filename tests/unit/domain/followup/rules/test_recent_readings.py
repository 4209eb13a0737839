"""What the rules made of recent questions is cached, and forgotten with them."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from uuid import uuid4

import pytest

from recollect.domain.conversation.message import Role
from recollect.domain.followup.dialogue import HistoryMessage, Proposal
from recollect.domain.followup.rules import candidate
from recollect.domain.followup.rules.candidate import ReadQuestions, rule_candidate
from recollect.domain.followup.rules.recent_readings import RecentReadings

LONG = "long " * 3_000
SHORT = (HistoryMessage(role=Role.USER, content="Show me total sales for 2024"),)


@dataclass(slots=True)
class Rules:
    """Rules that note what they read."""

    read: list[str] = field(default_factory=list)

    def __call__(
        self, question: str, history: Sequence[HistoryMessage], language: str
    ) -> Proposal | None:
        self.read.append(question)
        text = f"{question} {len(history)} {language}"
        return Proposal(standalone_question=text, need=1, confidence=1)


def messages(*texts: str, sql: str | None = None) -> tuple[HistoryMessage, ...]:
    return tuple(HistoryMessage(role=Role.USER, content=text, sql_query=sql) for text in texts)


def test_a_question_is_read_once_after_the_same_history() -> None:
    rules, readings = Rules(), RecentReadings(size=10)
    first = readings.get_or_read("And 2023?", messages("Sales?"), "en", rules)
    assert readings.get_or_read("And 2023?", messages("Sales?"), "en", rules) == first
    assert rules.read == ["And 2023?"]


def test_another_history_or_language_is_read_anew() -> None:
    rules, readings = Rules(), RecentReadings(size=10)
    histories = (
        messages("Sales?"),
        messages("Sales?", sql="SELECT 1"),
        messages("Sales?", ""),
        messages("Sales?', None), ('user', '"),
        messages("Sales?\ud800"),
        messages("Sales?\ud801"),
    )
    for history in histories:
        readings.get_or_read("And 2023?", history, "en", rules)
    readings.get_or_read("And 2023?", messages("Sales?"), "nl", rules)
    assert len(rules.read) == len(histories) + 1


def test_the_reading_used_longest_ago_makes_room() -> None:
    rules, readings = Rules(), RecentReadings(size=2)
    for question in ("one", "two", "one", "three", "one", "two"):
        readings.get_or_read(question, SHORT, "en", rules)
    assert rules.read == ["one", "two", "three", "two"]


def test_readings_of_long_histories_are_not_kept() -> None:
    rules, readings = Rules(), RecentReadings(size=2)
    for _ in range(2):
        readings.get_or_read("one", messages(LONG), "en", rules)
    assert rules.read == ["one", "one"]


def test_forgetting_an_owner_drops_all_readings(monkeypatch: pytest.MonkeyPatch) -> None:
    rules = Rules()
    monkeypatch.setattr(candidate, "_candidate", rules)
    question = f"And {uuid4()}?"
    rule_candidate(question, SHORT, "en")
    rule_candidate(question, SHORT, "en")
    ReadQuestions().forget(uuid4())
    rule_candidate(question, SHORT, "en")
    assert rules.read == [question, question]
