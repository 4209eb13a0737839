"""Something else of what the last question asked about."""

from recollect.domain.followup.rules.candidate import rule_candidate, with_complete_questions
from support.followups import conversation
from support.tables import for_each

ACME = "Who is the CEO of Acme?"
TOWER = "How tall is the Eiffel Tower?"


def resolved(
    question: str,
    last: str,
    reply: str = "Nobody here has written that down.",
    language: str = "en",
) -> str:
    """What the rules make of a question; the question itself where they do not apply."""
    history = conversation(f"user: {last}", f"assistant: {reply}")
    proposal = rule_candidate(question, history, language)
    return proposal.standalone_question if proposal else question


@for_each(
    ("language", "last", "question", "expected"),
    [
        ("en", ACME, "And the CFO?", "Who is the CFO of Acme?"),
        ("en", ACME, "And the CFO of Globex?", "Who is the CFO of Globex?"),
        ("en", ACME, "and the founder", "The founder of Acme?"),
        (
            "en",
            "What is the GDP of France?",
            "And the population?",
            "What is the population of France?",
        ),
        (
            "en",
            "What's the price of the iPhone 15?",
            "What about the weight?",
            "What's the weight of the iPhone 15?",
        ),
        ("nl", "Wie is de CEO van Philips?", "En de CFO?", "Wie is de CFO van Philips?"),
        (
            "nl",
            "Wat is de hoofdstad van Frankrijk?",
            "En de munteenheid?",
            "Wat is de munteenheid van Frankrijk?",
        ),
        (
            "fr",
            "Quelle est la capitale du Portugal ?",
            "Et la monnaie ?",
            "Quelle est la monnaie du Portugal ?",
        ),
        (
            "fr",
            "Quelle est la capitale du Portugal ?",
            "Et le drapeau ?",
            "Le drapeau du Portugal ?",
        ),
        ("es", "¿Cuál es la capital de Perú?", "¿Y la moneda?", "¿Cuál es la moneda de Perú?"),
        ("es", "¿Quién es el alcalde de Madrid?", "¿Y el presidente?", "¿El presidente de Madrid?"),
    ],
)
def test_another_noun_belongs_to_what_the_last_question_names(
    language: str, last: str, question: str, expected: str
) -> None:
    assert resolved(question, last, language=language) == expected


@for_each(
    ("language", "last", "question", "expected"),
    [
        ("en", TOWER, "And how wide?", "How wide is the Eiffel Tower?"),
        ("nl", "Hoe hoog is de Eiffeltoren?", "En hoe oud?", "Hoe oud is de Eiffeltoren?"),
        ("de", "Wie hoch ist der Eiffelturm?", "Und wie schwer?", "Wie schwer ist der Eiffelturm?"),
    ],
)
def test_another_property_is_asked_of_the_same_thing(
    language: str, last: str, question: str, expected: str
) -> None:
    assert resolved(question, last, language=language) == expected


@for_each(
    ("language", "last", "question"),
    [
        ("en", "What is the GDP of France?", "And the UK?"),  # takes the place of France
        ("en", ACME, "And the Netherlands?"),
        ("de", "Wer ist der Geschäftsführer von Siemens?", "Und der Finanzchef?"),
        ("de", "Wer ist der Präsident von Frankreich?", "Und die Schweiz?"),
        ("en", "Who is the president of the club?", "And the treasurer?"),  # or another club
        ("en", "Is the CEO of Acme married?", "And the CFO?"),
        ("en", "Who lives in the capital of Peru?", "And the president?"),
        ("en", "What's the population of Georgia?", "No, I meant the country"),
        ("en", "What is the name of her dog?", "And the breed?"),
        ("en", "What is the price of the album of Adele?", "And the title?"),
    ],
)
def test_what_may_mean_something_else_is_left_to_the_model(
    language: str, last: str, question: str
) -> None:
    assert resolved(question, last, language=language) == question


@for_each(
    "question",
    [
        *("And the reason?", "And the weekend?", "And the kids?", "What about the weather?"),
        *("And the others?", "And the next one?", "And the best?", "And the answer?", "the CFO"),
        *("And the CFO, please tell me?", "And the first?", "And the CEO of Acme and of Globex?"),
    ],
)
def test_what_nothing_owns_belongs_to_no_name(question: str) -> None:
    assert resolved(question, ACME) == question


@for_each(
    ("last", "question"),
    [
        ("How far is Rome?", "And how long?"),
        ("How tall is Anna?", "And how come?"),
        ("How tall is Anna?", "And how much?"),
        ("How tall is she?", "And how old?"),
        ("How do I cook rice?", "And how long?"),
    ],
)
def test_how_long_the_way_is_or_how_it_comes_is_no_property(last: str, question: str) -> None:
    assert resolved(question, last) == question


def test_a_chain_of_such_questions_stays_with_the_name() -> None:
    history = conversation(
        f"user: {ACME}",
        "assistant: Jane Miller.",
        "user: And the CFO?",
        "assistant: Tom Berg.",
    )

    proposal = rule_candidate("And the CTO?", with_complete_questions(history, "en"), "en")

    assert proposal is not None
    assert proposal.standalone_question == "Who is the CTO of Acme?"


@for_each(
    ("language", "last", "question"),
    [
        ("en", "What is the population of Paris?", "And the city of London?"),
        ("en", "What is the population of Paris?", "And the world?"),
        ("en", "What's the price of Bitcoin?", "And the dollar?"),
        ("en", "What is the mass of Mars?", "And the sun?"),
        ("en", ACME, "And the dentist?"),
        ("en", ACME, "And the former?"),
        ("nl", "Wat is de prijs van Bitcoin?", "En de dollar?"),
        ("es", "¿Cuál es el precio de Netflix?", "¿Y el anterior?"),
    ],
)
def test_a_noun_that_names_do_not_have_is_left_to_the_model(
    language: str, last: str, question: str
) -> None:
    assert resolved(question, last, language=language) == question


def test_a_verb_or_an_adverb_is_no_property() -> None:
    assert resolved("Und wie heißt?", "Wie alt ist Tom?", language="de") == "Und wie heißt?"
    assert resolved("En hoe verder?", "Hoe oud is Tom?", language="nl") == "En hoe verder?"


def test_a_verb_that_does_not_agree_is_left_out() -> None:
    assert resolved("And the price?", "What are the colours of Nutella?") == (
        "The price of Nutella?"
    )
