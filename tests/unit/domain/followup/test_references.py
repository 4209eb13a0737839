"""Pronouns, possessives and nouns that point back."""

import pytest

from recollect.domain.followup.dialogue import Signal
from recollect.domain.followup.rewrite import rewrite
from support.followups import conversation, rewrite_after, standalone


def test_a_pronoun_becomes_the_person_asked_about() -> None:
    result = rewrite_after("When did she die?", after="Who was Marie Curie?")

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


def test_the_next_question_is_about_the_entity_the_answer_introduced() -> None:
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
    result = rewrite_after("Anything else interesting?", after="When did MC Hammer start singing?")

    assert result.standalone_question == "Anything else interesting about MC Hammer?"
    assert result.signals[0] is Signal.ELSE


def test_an_answer_of_indifference_is_completed_by_the_assistants_question() -> None:
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


def test_a_surname_is_completed_by_the_name_the_user_gave() -> None:
    result = rewrite_after("When did Curie die?", after="Who was Marie Curie?")

    assert result.standalone_question == "When did Marie Curie die?"
    assert result.signals == (Signal.PARTIAL_NAME,)


def test_a_surname_is_completed_in_dutch() -> None:
    question = "Wanneer stopte Cruijff?"

    assert standalone(question, after="Wie is Johan Cruijff?", language="nl") == (
        "Wanneer stopte Johan Cruijff?"
    )


def test_a_surname_under_a_heading_stays() -> None:
    history = conversation("assistant: Cathy Rush: Coaching career", "user: Where did she coach?")

    question = "Did Rush win a title?"
    assert rewrite(question, history, language="en").standalone_question == question


def test_an_article_is_named_for_what_the_first_question_was_about() -> None:
    question = "What else does this article say?"

    assert standalone(question, after="Who was Marie Curie?") == (
        "What else does the Marie Curie article say?"
    )


def test_this_article_under_a_heading_is_not_rewritten() -> None:
    history = conversation("assistant: Cathy Rush: Coaching career", "user: Where did she coach?")

    question = "What else does this article say?"
    assert rewrite(question, history, language="en").standalone_question == question


@pytest.mark.parametrize(
    ("language", "before", "question"),
    [
        ("en", "Who was Marie Curie?", "Goulash? What is that?"),
        ("en", "What is the Tour de France?", "How did it go in Paris?"),
        ("en", "What is cassoulet?", "Tell me about feijoada and its history."),
        ("en", "Is Top Gear a magazine?", "Is there anything else interesting about top gear?"),
        ("nl", "Wat is de Elfstedentocht?", "Hoe ging het in Friesland?"),
        ("nl", "Wat is een stoofpot?", "Vertel me over hutspot en zijn geschiedenis."),
    ],
)
def test_a_reference_resolved_within_the_question_is_not_expanded(
    language: str, before: str, question: str
) -> None:
    assert standalone(question, after=before, language=language) == question


def test_a_person_is_not_explained_by_a_thing_said_before() -> None:
    question = "I like physics books. Where was she born?"

    assert standalone(question, after="Who was Marie Curie?") == (
        "I like physics books. Where was Marie Curie born?"
    )


def test_a_possessive_is_not_explained_by_owners_of_another_number() -> None:
    assert standalone("What do critics say about its furniture?", after="Who founded IKEA?") == (
        "What do critics say about IKEA's furniture?"
    )


def test_an_acronym_is_no_person() -> None:
    history = conversation("user: Who founded IKEA?", "assistant: Ingvar Kamprad founded IKEA.")

    assert rewrite("How did he die?", history, language="en").standalone_question == (
        "How did Ingvar Kamprad die?"
    )
