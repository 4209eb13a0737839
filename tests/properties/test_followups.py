"""What holds for every question, whatever it says."""

from hypothesis import given
from hypothesis import strategies as st

from recollect.domain.conversation.message import Role
from recollect.domain.followup.dialogue import HistoryMessage
from recollect.domain.followup.edits import words_of
from recollect.domain.followup.languages import installed, words_for
from recollect.domain.followup.rules.candidate import rule_candidate
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
    HistoryMessage,
    role=st.sampled_from(list(Role)),
    content=TEXTS,
    sql_query=st.none() | st.just("SELECT a FROM b WHERE c = 'x'") | st.text(max_size=20),
)
HISTORIES = st.lists(MESSAGES, max_size=5)


@given(TEXTS, HISTORIES, LANGUAGES)
def test_rules_change_one_question_and_invent_nothing(
    question: str, history: list[HistoryMessage], language: str
) -> None:
    proposal = rule_candidate(question, history, language)

    if proposal is not None:
        known = words_for(language)
        heard = " ".join((question, *(message.content for message in history)))
        wording = f"{known.without_word} {known.sorted_by}"
        new = _words(proposal.standalone_question) - _words(f"{heard} {wording}")
        assert not new
        assert 0 <= proposal.confidence <= 1


def _words(text: str) -> set[str]:
    return {word.text.lower() for word in words_of(text)}


@given(TEXTS, TEXTS, HISTORIES, LANGUAGES)
def test_any_reply_of_a_model_can_be_judged(
    reply: str, question: str, history: list[HistoryMessage], language: str
) -> None:
    said = clean_reply(reply)

    assert isinstance(is_faithful(said, question, history, language=language), bool)
