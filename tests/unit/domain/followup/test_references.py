"""Pronouns, possessives and nouns that point back."""

import pytest

from recollect.domain.followup.dialogue import Signal
from recollect.domain.followup.rewrite import rewrite
from support.dialogue import asked, conversation, standalone


def test_a_pronoun_becomes_the_person_asked_about() -> None:
    result = asked("When did she die?", after="Who was Marie Curie?")

    assert result.standalone_question == "When did Marie Curie die?"
    assert result.signals == (Signal.PRONOUN,)


def test_a_possessive_becomes_a_genitive() -> None:
    assert standalone("What were her discoveries?", after="Who was Marie Curie?") == (
        "What were Marie Curie's discoveries?"
    )


def test_only_the_first_of_two_pronouns_is_replaced() -> None:
    assert standalone("Did he win while he was in college?", after="Who is Phil Mickelson?") == (
        "Did Phil Mickelson win while he was in college?"
    )


def test_a_thing_is_preferred_for_it_and_a_person_for_he() -> None:
    history = conversation(
        "user: Who directed the film Alien?", "assistant: Alien is a film by Ridley Scott."
    )

    assert rewrite("When was it released?", history, language="en").standalone_question == (
        "When was Alien released?"
    )
    assert rewrite("How old is he?", history, language="en").standalone_question == (
        "How old is Ridley Scott?"
    )


def test_what_an_answer_introduces_is_what_the_next_question_is_about() -> None:
    history = conversation(
        "user: I am looking for a cheap restaurant in the north part of town.",
        "assistant: Royal Spice is a cheap Indian restaurant. Would you like the address?",
    )

    result = rewrite("What is the phone number?", history, language="en")

    assert result.standalone_question == "What is the phone number of Royal Spice?"
    assert result.signals == (Signal.MISSING_COMPLEMENT,)


def test_a_list_of_attributes_gets_its_owner_once() -> None:
    history = conversation(
        "user: Is there a Korean restaurant?", "assistant: Little Seoul is a Korean restaurant."
    )

    result = rewrite("Can I have the address and phone number?", history, language="en")

    expected = "Can I have the address and phone number of Little Seoul?"
    assert result.standalone_question == expected


def test_a_class_noun_is_given_its_name() -> None:
    history = conversation("user: What is INXS?", "assistant: INXS is a rock band from Sydney.")

    result = rewrite("Who else was in the band?", history, language="en")

    assert result.standalone_question == "Who else was in the band INXS?"


def test_a_heading_names_what_the_conversation_is_about() -> None:
    history = conversation("assistant: Cathy Rush: Coaching career")

    assert rewrite("Where did she coach?", history, language="en").standalone_question == (
        "Where did Cathy Rush coach?"
    )


def test_a_short_question_gets_the_topic_as_last_resort() -> None:
    result = asked("Anything else interesting?", after="When did MC Hammer start singing?")

    assert result.standalone_question == "Anything else interesting about MC Hammer?"
    assert result.signals[0] is Signal.ELSE


def test_indifference_is_completed_by_what_was_asked() -> None:
    history = conversation(
        "user: I want a cheap restaurant.", "assistant: What type of food would you like?"
    )

    assert rewrite("I don't care.", history, language="en").standalone_question == (
        "I don't care about the type of food."
    )


def test_a_chain_of_pronouns_keeps_its_topic() -> None:
    questions = ("Who was Marie Curie?", "Where was she born?", "What did she discover?")

    assert standalone("Did she win a Nobel Prize?", after=questions) == (
        "Did Marie Curie win a Nobel Prize?"
    )


def test_a_new_topic_takes_over() -> None:
    questions = ("Who was Marie Curie?", "Where was she born?", "Who was Rosalind Franklin?")

    assert standalone("Where did she study?", after=questions) == (
        "Where did Rosalind Franklin study?"
    )


@pytest.mark.parametrize("filler", ["Thanks!", "ok", "Hello"])
def test_thanks_between_questions_do_not_hide_the_topic(filler: str) -> None:
    questions = ("Who was Marie Curie?", filler)

    assert standalone("When did she die?", after=questions) == "When did Marie Curie die?"
