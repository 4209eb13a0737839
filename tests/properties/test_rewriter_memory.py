"""What a rewriter has heard before never shows in what it makes of a question."""

import random
from collections.abc import Sequence
from itertools import chain

import pytest

from recollect.domain.conversation.message import Role
from recollect.domain.followup.dialogue import Rewrite, Said
from recollect.domain.followup.rewrite import Rewriter

QUESTIONS = (
    "Show me total sales by region for 2024",
    "Which stores are in Carribean towns?",
    "What about 2023?",
    "How many of them are in Utrecht?",
    "And per month?",
    "Who was Marie Curie?",
    "Tell me about Pierre Curie and the film Alien",
    "Who wrote the Lord of the Rings?",
    "When was she born?",
    "Did Curie write a book?",
    "What is the price of it?",
    "Why is that?",
    "Who directed the film?",
    "I don't care",
    "Thanks!",
    "in welke stad is dat?",
)
ANSWERS = (
    "North 2.4M, South 1.9M and East 3.1M.",
    "Marie Curie was a physicist who lived in Paris.",
    "Ada Lovelace was an English writer. Her mother was Anne Isabella Milbanke.",
    "There is a restaurant called Meghna in the north. Do you have a price range in mind?",
    "Do you have a cuisine preference?",
    "The Hobbit: An Unexpected Journey",
    "",
)
QUERIES = (None, None, None, "SELECT * FROM store WHERE town = 'Caribbean'", "SELECT 1")
LANGUAGES = ("en", "en", "nl", None)
WINDOWS = (3, 6, 12, 21, 22, 40)  # messages; a history is cut beyond 20
TURNS = 14
USERS = 5
SHARED = 5  # so few questions and answers that the same words often come after different ones


class User:
    """Somebody who talks at random, and is asked about with windows that slide."""

    def __init__(
        self, chance: random.Random, questions: Sequence[str], answers: Sequence[str]
    ) -> None:
        self._chance = chance
        self._questions, self._answers = questions, answers
        self._window = chance.choice(WINDOWS)
        self._history: list[Said] = []

    def ask(self) -> tuple[str, list[Said], str | None]:
        """The next question, with what was said before it and the language it is read in."""
        chance = self._chance
        question, before = chance.choice(self._questions), self._history[-self._window :]
        self._history.append(Said(role=Role.USER, content=question))
        if chance.random() < 0.7:
            answer, sql = chance.choice(self._answers), chance.choice(QUERIES)
            self._history.append(Said(role=Role.ASSISTANT, content=answer, sql_query=sql))
        return question, before, chance.choice(LANGUAGES)


@pytest.mark.parametrize("seed", range(12))
def test_a_rewriter_that_has_heard_others_answers_like_a_new_one(seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311 # the same course of events on every run
    questions, answers = chance.sample(QUESTIONS, SHARED), chance.sample(ANSWERS, SHARED)
    users = [User(chance, questions, answers) for _ in range(USERS)]
    seasoned = Rewriter()
    asked = list(chain.from_iterable([user.ask() for user in users] for _ in range(TURNS)))

    found = [seasoned.rewrite(text, said, language=code) for text, said, code in asked]

    assert found == [fresh(text, said, code) for text, said, code in asked]
    assert any(one.is_follow_up for one in found), "there was nothing to get wrong"


def fresh(question: str, history: list[Said], language: str | None) -> Rewrite:
    """What a rewriter makes of a question that has heard nothing before."""
    return Rewriter().rewrite(question, history, language=language)
