from recollect.domain.followup.dialogue import HistoryMessage
from recollect.domain.followup.opening_question import opening_question
from support.followups import conversation
from support.tables import for_each


def asked(*questions: str) -> tuple[HistoryMessage, ...]:
    lines = [(f"user: {question}", "assistant: Yes, 1891.") for question in questions]
    return conversation(*(line for pair in lines for line in pair))


@for_each(
    ("language", "questions"),
    [
        (
            "en",
            ("Who was the first keeper of Skerry lighthouse?", "When was he born?", "And then?"),
        ),
        ("en", ("What do I need for a vegetable garden?", "How much sun?", "Why?")),
        ("nl", ("Wat zijn de regels voor gehoorbescherming?", "Hoe lang gaat dat mee?", "Prijs?")),
        ("de", ("Wie hoch ist der Leuchtturm von Norderney?", "Wann wurde er gebaut?")),
        ("fr", ("Quels documents faut-il pour un passeport ?", "Combien cela coûte-t-il ?")),
        ("es", ("¿Qué documentos necesito para el pasaporte?", "¿Y cuánto cuesta?")),
    ],
)
def test_questions_that_point_back_or_say_little_are_about_the_one_before_them(
    language: str, questions: tuple[str, ...]
) -> None:
    assert opening_question(asked(*questions), language) == questions[0]


def test_a_question_that_stands_alone_opens_a_topic_of_its_own() -> None:
    history = asked(
        "Wat zijn de vereisten voor valbeveiliging?",
        "Wat zijn de regels voor gehoorbescherming?",
        "Hoe lang gaat dat mee?",
    )
    assert opening_question(history, "nl") == "Wat zijn de regels voor gehoorbescherming?"


def test_without_any_that_stands_alone_it_is_the_oldest_of_the_last_ten() -> None:
    history = asked(*(f"And {number}?" for number in range(12)))
    assert opening_question(history, "en") == "And 2?"
    assert opening_question((), "en") == ""
