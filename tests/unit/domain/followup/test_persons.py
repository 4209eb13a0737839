"""Persons that a question means: by a pronoun that goes on, or by a part of their name."""

from collections.abc import Sequence

import pytest

from recollect.domain.followup.dialogue import HistoryMessage, Proposal
from recollect.domain.followup.languages import words_for
from recollect.domain.followup.persons.naming import read_with_persons
from support.followups import conversation
from support.tables import for_each

ABOUT_CURIE = (
    "user: Who was Marie Curie?",
    "assistant: A physicist, married to Pierre Curie.",
    "user: Where was she born?",
    "assistant: In Warsaw.",
)
LEAST = 0.64


class Readings:
    """A model that reads the questions it was given, and no others."""

    def __init__(self, *, need: float = 1, **rewrites: tuple[str, str, float]) -> None:
        self.need = need
        self.rewrites = rewrites
        self.asked: list[str] = []

    def __call__(self, question: str, history: Sequence[HistoryMessage]) -> Proposal:
        del history
        self.asked.append(question)
        key = question.split(maxsplit=1)[0].lower()
        text, topic, confidence = self.rewrites.get(key, (question, "", 0.9))
        return Proposal(
            standalone_question=text, need=self.need, confidence=confidence, topic=topic or None
        )


def where(topic: str, confidence: float = 0.9) -> Readings:
    """Who is meant by the pronoun in "Where was she born?"."""
    return Readings(where=(f"Where was {topic} born?", topic, confidence))


def resolved(
    question: str,
    *messages: str,
    readings: Readings | None = None,
    language: str = "en",
) -> Proposal:
    """What is made of a question after a conversation."""
    return read_with_persons(
        question,
        conversation(*messages),
        words_for(language),
        readings or where("Marie Curie"),
        least_confidence=LEAST,
    )


def text_of(question: str, *messages: str, language: str = "en") -> str:
    """The standalone question, where the model says who is meant in the first question."""
    return resolved(question, *messages, language=language).standalone_question


@for_each(
    ("question", "expected"),
    [
        ("How did she die?", "How did Marie Curie die?"),
        ("Who taught her?", "Who taught Marie Curie?"),
        ("What was her first book?", "What was Marie Curie's first book?"),
        ("did she have children", "did Marie Curie have children"),
    ],
)
def test_a_pronoun_keeps_its_person_whomever_the_replies_name(question: str, expected: str) -> None:
    assert text_of(question, *ABOUT_CURIE) == expected
    more = ("user: Did she marry?", "assistant: Yes. Her daughter is Irène, her niece Hela Szalay.")
    assert text_of(question, *ABOUT_CURIE, *more) == expected


@for_each(
    "between",
    ["When was that?", "What else happened there?", "How long did Curie stay in Warsaw?"],
)
def test_a_question_in_between_that_names_nobody_else_does_not_matter(between: str) -> None:
    more = (f"user: {between}", "assistant: In 1891.")
    assert text_of("How did she die?", *ABOUT_CURIE, *more) == "How did Marie Curie die?"


@for_each(
    "between",
    [
        "Who else worked there?",
        "Tell me about Lise Meitner.",
        "And what about Warsaw?",
        "Thatcher",
        "Was he a physicist?",
        "did lise meitner know them",
        "Did Lise Meitner like her work?",
        "Who was her mother?",
        "Did she have a daughter?",
        "Is the nurse coming too?",
        "My aunt has a fever.",
    ],
)
def test_a_chain_ends_where_somebody_else_may_be_meant(between: str) -> None:
    readings = where("Marie Curie")
    more = (f"user: {between}", "assistant: Well.")
    proposal = resolved("How did she die?", *ABOUT_CURIE, *more, readings=readings)
    assert proposal.standalone_question == "How did she die?"


@for_each(
    "question",
    [
        "Do nurses mourn when she dies?",
        "My sister says she died, is that true?",
        "Did Irène keep her name?",
        "Does Irène think she was happy?",
        "Did she know him?",
        "She was great.",
    ],
)
def test_a_pronoun_that_its_own_sentence_may_explain_is_left_to_the_model(question: str) -> None:
    assert text_of(question, *ABOUT_CURIE) == question


def test_a_doubtful_person_needs_a_second_reading_that_agrees() -> None:
    agreeing = Readings(
        where=("Where was Marie Curie born?", "Marie Curie", 0.6),
        how=("How did Curie die?", "Curie", 0.5),
    )
    proposal = resolved("How did she die?", *ABOUT_CURIE, readings=agreeing)
    assert proposal.standalone_question == "How did Marie Curie die?"
    assert LEAST < proposal.confidence < 0.8
    assert proposal.explanations == ('"she" stands for "Marie Curie"',)
    other = Readings(
        where=("Where was Marie Curie born?", "Marie Curie", 0.6),
        how=("How did Hela die?", "Hela", 0.5),
    )
    proposal = resolved("How did she die?", *ABOUT_CURIE, readings=other)
    assert proposal.confidence < LEAST


def test_somebody_who_was_named_at_the_beginning_of_a_sentence_is_named_inside_one() -> None:
    readings = Readings(
        where=("Where was my sister Ann born?", "My sister Ann", 0.7),
        how=("How did my sister Ann die?", "my sister Ann", 0.6),
    )
    proposal = resolved("How did she die?", *ABOUT_CURIE, readings=readings)
    assert proposal.standalone_question == "How did my sister Ann die?"
    assert proposal.confidence > LEAST


def test_what_else_a_question_points_to_is_read_with_the_person_named() -> None:
    readings = Readings(
        where=("Where was Marie Curie born?", "Marie Curie", 0.9),
        did=("Did Marie Curie get the Nobel Prize?", "the Nobel Prize", 0.8),
    )
    proposal = resolved("Did she get it?", *ABOUT_CURIE, readings=readings)
    assert readings.asked == ["Where was she born?", "Did Marie Curie get it?"]
    assert proposal.standalone_question == "Did Marie Curie get the Nobel Prize?"
    assert proposal.confidence == 0.8


def test_a_reading_that_changes_more_than_the_pronoun_tells_nothing() -> None:
    readings = Readings(where=("Where in Poland was Marie Curie born?", "Marie Curie", 0.9))
    proposal = resolved("How did she die?", *ABOUT_CURIE, readings=readings)
    assert proposal.standalone_question == "How did she die?"


@for_each(
    ("language", "first", "question", "topic", "second", "expected"),
    [
        (
            "nl",
            "Waar is hij geboren?",
            "Hoe is hij gestorven?",
            "Jan van Eyck",
            "Jan van Eyck",
            True,
        ),
        ("de", "Wo ist er geboren?", "Wann ist er gestorben?", "Konrad Zuse", "Konrad Zuse", True),
        ("nl", "Waar is hij geboren?", "Hoe is hij gestorven?", "Jan van Eyck", "Hubert", False),
        ("nl", "Waar is hij gemaakt?", "Hoe is hij gekoeld?", "de motor", "de tank", False),
    ],
)
def test_pronouns_that_may_mean_things_need_a_full_name_and_two_readings(
    language: str, first: str, question: str, topic: str, second: str, *, expected: bool
) -> None:
    pronoun = {"nl": "hij", "de": "er"}[language]
    readings = Readings(
        **{
            asked.split(maxsplit=1)[0].lower(): (asked.replace(pronoun, name), name, confidence)
            for asked, name, confidence in ((first, topic, 0.9), (question, second, 0.5))
        }
    )
    history = (f"user: {first}", "assistant: Ja.")
    proposal = resolved(question, *history, readings=readings, language=language)
    is_sent = proposal.standalone_question != question and proposal.confidence >= LEAST
    assert is_sent is expected


@pytest.mark.parametrize("reply", ["Yes, Hela Szalay.", "Hela Szalay."])
def test_a_reply_that_is_somebodys_name_leaves_the_next_question_as_asked(reply: str) -> None:
    more = ("user: Did she have a rival?", f"assistant: {reply}")
    for second in ("Marie Curie", "Hela Szalay"):
        readings = Readings(
            where=("Where was Marie Curie born?", "Marie Curie", 0.9),
            how=(f"How old was {second}?", second, 0.7),
        )
        proposal = resolved("How old was she?", *ABOUT_CURIE, *more, readings=readings)
        assert proposal.standalone_question == "How old was she?"


@for_each(
    ("question", "language", "expected"),
    [
        ("How do I reach Aydin?", "en", "How do I reach Tarik Aydin?"),
        ("What is Aydin's number?", "en", "What is Tarik Aydin's number?"),
        ("Hoe bereik ik Aydin?", "nl", "Hoe bereik ik Tarik Aydin?"),
        ("Comment joindre Aydin ?", "fr", "Comment joindre Tarik Aydin ?"),
        ("¿Dónde trabaja Aydin?", "es", "¿Dónde trabaja Tarik Aydin?"),
    ],
)
def test_a_last_name_is_completed(question: str, language: str, expected: str) -> None:
    reply = "assistant: Ask Marloes Kuipers or Tarik Aydin."
    assert text_of(question, "user: Who can help me?", reply, language=language) == expected


@for_each(
    "question",
    [
        "How do I reach Tarik?",
        "How do I reach Marloes Aydin?",
        "How do I get to the Aydin office?",
        "Is it far to travel in Aydin?",
        "Which Aydin film is best?",
        "Aydin?",
        "Is AYDIN open?",
        "How old is my son Aydin?",
        "Does Tarik know Aydin?",
    ],
)
def test_a_name_that_may_be_another_is_left_as_it_is(question: str) -> None:
    reply = "assistant: Ask Marloes Kuipers or Tarik Aydin."
    assert text_of(question, "user: Who can help me?", reply) == question


@for_each(
    "reply",
    [
        "Ask Tarik Aydin or Emre Aydin.",
        "Add Aydin to the list.",
        "We met in New Aydin.",
        "Tarik and Aydin work here.",
        "Sure:\n- Call Aydin\n- Call Anna",
        "In Paris Aydin is known.",
        "On Monday Aydin is here.",
        'He said "Ask Aydin".',
    ],
)
def test_no_name_is_completed_that_nobody_has_or_several_have(reply: str) -> None:
    question = "How do I reach Aydin?"
    assert text_of(question, "user: Who can help me?", f"assistant: {reply}") == question


def test_a_complete_question_gets_only_names_of_the_title_or_of_a_list() -> None:
    complete = Readings(need=0.1)
    question = "What is the capital of Jordan?"
    told = ("user: Who is the best?", "assistant: I like Michael Jordan.")
    assert resolved(question, *told, readings=complete).standalone_question == question
    listed = ("user: Who helps?", "assistant: They are Marloes Kuipers and Tarik Aydin.")
    proposal = resolved("How do I reach Aydin?", *listed, readings=complete)
    assert proposal.standalone_question == "How do I reach Tarik Aydin?"
    titled = ("assistant: Michael Jordan: Early life", "user: Hi", "assistant: Hi")
    for asked in ("Where did Jordan play?", "Where did Michael play?"):
        proposal = resolved(asked, *titled, readings=complete)
        assert proposal.standalone_question == "Where did Michael Jordan play?"
