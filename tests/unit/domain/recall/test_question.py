from collections.abc import Sequence

from recollect.domain.recall.query import RecallQuestion, read_question
from recollect.testing import FIRST_MOMENT
from support.tables import for_each


def read(
    text: str, speakers: Sequence[str] = (), *, me: str | None = None, language: str = "en"
) -> RecallQuestion:
    return read_question(text, speakers=speakers, me=me, language=language, now=FIRST_MOMENT)


@for_each(
    ("text", "rest", "named"),
    [
        ("What did Melanie paint?", "What did paint?", {"melanie"}),
        ("What is Melanie's hobby?", "What is hobby?", {"melanie"}),
        ("Where did Ann Smith go?", "Where did go?", {"ann smith"}),
        ("Where did ann go?", "Where did go?", {"ann smith"}),
        ("Do Melanie and Ann paint?", "Do and paint?", {"melanie", "ann smith"}),
        ("Will you paint?", "Will you paint?", set()),
        ("Did Will paint?", "Did paint?", {"will"}),
        ("What about annual sales?", "What about annual sales?", set()),
        ("Melanie", "Melanie", {"melanie"}),
        ("What did Melanie do?", "What did Melanie do?", {"melanie"}),
    ],
)
def test_speakers_are_known_and_not_taken_for_the_topic(
    text: str, rest: str, named: set[str]
) -> None:
    found = read(text, ["Melanie", "Ann Smith", "Will"])
    assert (found.to_embed, found.speakers) == (rest, named)


def test_a_question_about_oneself_means_the_asking_speaker() -> None:
    assert read("What did I say?", ["Ann", "Bob"], me="bob").speakers == {"bob"}
    assert read("Wat zei ik?", ["Ann", "Bob"], me="bob", language="nl").speakers == {"bob"}
    assert read("What did I say to Ann?", ["Ann", "Bob"], me="bob").speakers == {"ann"}
    assert read("What did I say?", ["Ann"], me="bob").speakers == frozenset()
    assert read("What was said?", ["Bob"], me="bob").speakers == frozenset()


def test_names_of_speakers_weigh_less_than_other_words() -> None:
    question = read("What did Melanie paint?", ["Melanie"])
    terms = question.terms(lambda text: dict.fromkeys(text.lower().split(), 1.0))
    assert terms["melanie"] == 0.3
    assert terms["paint?"] == 1


@for_each(
    ("language", "text"),
    [
        ("en", "When did she go?"),
        ("en", "In which month did she go?"),
        ("nl", "Wanneer ging ze?"),
        ("de", "Wann ging sie?"),
        ("fr", "Depuis quand ?"),
        ("es", "¿Cuándo fue?"),
    ],
)
def test_questions_for_a_time_are_known(language: str, text: str) -> None:
    assert read(text, language=language).asks_when


def test_other_questions_ask_for_no_time() -> None:
    assert not read("Whenever she goes, who comes along?").asks_when
    assert not read("What did she say?").asks_when


def test_unusual_speaker_names_cause_no_error() -> None:
    question = read("What did (Ann.*) say [?", ["(Ann.*)", "", " ", "A", "["])
    assert question.speakers <= {"(ann.*)", "["}
