"""What holds for every question, whatever it says."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.domain.conversation.message import Role
from recollect.domain.followup.dialogue import Method, Said
from recollect.domain.followup.languages import installed
from recollect.domain.followup.rewrite import MAX_ADDED, rewrite
from recollect.domain.followup.tokens import tokenise
from recollect.domain.followup.validation import clean_reply, is_faithful

VOCABULARY = (
    "what about and in the of it its they those that this which how many show list only 2023 by"
    " month region Marie Curie films ? . , ' \" who is was en hij daarvoor het und er dafür et elle"
    " su murió more than 5 top sort group remove else other one"
)
WORDS = st.sampled_from(tuple(VOCABULARY.split()))
SENTENCES = st.lists(WORDS, max_size=12).map(" ".join)
TEXTS = st.one_of(SENTENCES, st.text(max_size=80))
LANGUAGES = st.sampled_from(installed())
MESSAGES = st.builds(
    Said,
    role=st.sampled_from(list(Role)),
    content=TEXTS,
    sql_query=st.none() | st.just("SELECT a FROM b WHERE c = 'x'") | st.text(max_size=20),
)
HISTORIES = st.lists(MESSAGES, max_size=5)


@given(TEXTS, HISTORIES, LANGUAGES)
def test_any_text_is_read_and_the_result_is_bounded(
    question: str, history: list[Said], language: str
) -> None:
    result = rewrite(question, history, language=language)

    assert len(result.standalone_question) <= len(question) + MAX_ADDED
    assert 0 <= result.confidence <= 1
    assert result.language == language
    assert len(set(result.signals)) == len(result.signals)
    if result.method is Method.NONE:
        assert result.standalone_question == question


@given(TEXTS, HISTORIES, LANGUAGES)
def test_the_same_conversation_gives_the_same_result(
    question: str, history: list[Said], language: str
) -> None:
    first = rewrite(question, history, language=language)

    assert rewrite(question, history, language=language) == first


@given(TEXTS)
def test_without_history_every_question_stands_alone(question: str) -> None:
    result = rewrite(question, [])

    assert result.standalone_question == question
    assert not result.is_follow_up
    assert result.language in installed()


@pytest.mark.parametrize("language", installed())
@given(SENTENCES)
def test_only_follow_ups_have_signals(language: str, question: str) -> None:
    history = [Said(role=Role.USER, content="Who was Marie Curie?")]

    result = rewrite(question, history, language=language)

    assert result.is_follow_up or not result.signals


@given(st.text(max_size=200))
def test_tokens_lie_in_order_where_they_say(text: str) -> None:
    end = 0
    for token in tokenise(text):
        assert token.start >= end
        assert text[token.start : token.end] == token.text
        end = token.end


@given(TEXTS, TEXTS, HISTORIES, LANGUAGES)
def test_any_reply_of_a_model_can_be_judged(
    reply: str, question: str, history: list[Said], language: str
) -> None:
    said = clean_reply(reply)

    assert isinstance(is_faithful(said, question, history, language=language), bool)


@given(st.sampled_from(["When did she die?", "What were her prizes?", "Where was she born?"]))
def test_a_resolved_question_is_not_resolved_again(question: str) -> None:
    history = [Said(role=Role.USER, content="Who was Marie Curie?")]
    once = rewrite(question, history, language="en").standalone_question

    assert rewrite(once, history, language="en").standalone_question == once
