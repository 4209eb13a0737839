from recollect.domain.summary.statements import (
    OPEN_QUESTION,
    is_offer,
    puts_off,
    read_statement,
    read_told_statement,
)
from support.tables import for_each

NEEDED = 2.0
"""What a summary keeps first is worth as much."""


@for_each(
    ("language", "sentence"),
    [
        ("en", "My daughter Noor is seven."),
        ("en", "We decided to move to Ghent."),
        ("en", "I prefer short answers."),
        ("nl", "Wij hebben drie katten."),
        ("de", "Ich bin Veganer und esse keinen Honig."),
        ("fr", "Nous avons choisi l'appartement de la rue Lepic."),
        ("es", "Este año queremos plantar calabazas."),
    ],
)
def test_what_users_say_of_themselves_is_needed(language: str, sentence: str) -> None:
    assert read_statement(sentence, language=language).worth >= NEEDED


@for_each(
    ("language", "sentence"),
    [
        ("en", "What can I bake, given that my son is allergic to nuts?"),
        ("en", "Since I work at night, when should I call?"),
        ("en", "Which food is best for my three cats?"),
        ("nl", "Wat kook ik vanavond, want ik eet geen vlees?"),
        ("de", "Was esse ich dort, weil ich keine Milch vertrage?"),
        ("fr", "Que servir, sachant que nous ne buvons pas d'alcool ?"),
        ("es", "¿Qué pongo, ya que no queremos usar pesticidas?"),
    ],
)
def test_a_clause_beside_a_question_is_a_statement(language: str, sentence: str) -> None:
    assert read_statement(sentence, language=language).worth >= NEEDED


@for_each(
    "sentence",
    [
        "What were the sales of 2023 in Utrecht?",
        "How do I make people come back?",
        "And how can I find a supplier?",
        "Show me total sales by region for 2024",
        "Which books sell well in May?",
    ],
)
def test_questions_and_requests_for_data_state_nothing(sentence: str) -> None:
    assert read_statement(sentence, language="en").worth == 0


def test_a_request_about_the_form_of_replies_is_a_wish() -> None:
    assert read_statement("Can you use plain words with me?", language="en").worth >= NEEDED


def test_a_decision_is_worth_more_than_chatter_about_oneself() -> None:
    decided = read_statement("We agreed to sell the Volvo.", language="en")
    chatter = read_statement("My coffee is cold again.", language="en")

    assert decided.worth > chatter.worth


@for_each(
    ("language", "answer"),
    [
        ("en", "Let's come back to that later."),
        ("nl", "Daar kom ik zo op terug."),
        ("de", "Das schaue ich mir später genauer an."),
        ("fr", "Je dois vérifier."),
        ("es", "No lo sé."),
    ],
)
def test_an_answer_that_puts_a_question_off_leaves_it_open(language: str, answer: str) -> None:
    assert puts_off(answer, language)


def test_a_long_answer_answers_even_if_it_is_not_sure() -> None:
    assert not puts_off("I'm not sure, but " + "this is how it works in detail " * 6, "en")


def test_an_answer_with_the_word_later_is_an_answer() -> None:
    assert not puts_off("Start with one page. You can add online ordering later.", "en")


@for_each(
    ("language", "sentence"),
    [
        ("en", "Let me know if there's anything else you'd like to know."),
        ("nl", "Kan ik u nog ergens mee van dienst zijn?"),
        ("de", "Sag mir gern Bescheid, wenn du mehr wissen möchtest."),
        ("fr", "N'hésitez pas si vous avez d'autres questions."),
        ("es", "Avísame si tienes más preguntas."),
    ],
)
def test_an_offer_of_help_is_recognised(language: str, sentence: str) -> None:
    assert is_offer(sentence, language)


def test_a_summary_says_that_a_question_is_still_open() -> None:
    told = read_told_statement("Open question: Do I need a permit?", language="en")

    assert told.worth == OPEN_QUESTION


def test_what_an_assistant_advised_is_not_what_the_user_states() -> None:
    told = read_told_statement("Assistant: I prefer tiles, my favourite.", language="en")

    assert told.worth < NEEDED
