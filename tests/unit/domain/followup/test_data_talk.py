"""Follow-ups to questions about data, read off the form of the last question."""

from recollect.domain.followup.data_questions.phrases import data_phrase
from recollect.domain.followup.languages import words_for
from support.followups import data_question
from support.tables import for_each


@for_each(
    ("question", "phrase"),
    [
        ("Show me all boats in the harbour.", "all boats in the harbour"),
        ("Which boats are longer than 20 m?", "the boats that are longer than 20 m"),
        ("What ferries leave from Dover?", "the ferries that leave from Dover"),
        ("How many skippers are there in Hull?", "the skippers in Hull"),
        ("Of the boats in Hull, which are for sale?", "the boats in Hull that are for sale"),
        ("Find the number of boats built before 1990", "the boats built before 1990"),
    ],
)
def test_what_a_question_asks_for_is_a_noun_phrase(question: str, phrase: str) -> None:
    read = data_phrase(question, words_for("en"))
    assert read is not None
    assert read.text == phrase


@for_each("question", ["Is Dover a harbour?", "Hello there", "Which of them?", "How about by km?"])
def test_other_questions_have_no_such_phrase(question: str) -> None:
    assert data_phrase(question, words_for("en")) is None


@for_each(
    ("before", "question", "expected"),
    [
        (
            "Which ferries leave from Dover?",
            "How many are there?",
            "How many ferries leave from Dover?",
        ),
        ("List the boats built in 1990", "How many?", "How many boats built in 1990 are there?"),
        (
            "Which ferries leave from Dover?",
            "What are their names?",
            "What are the names of the ferries that leave from Dover?",
        ),
        (
            "Show the names of the skippers from Hull",
            "Which of them own a boat?",
            "Of the skippers from Hull, which own a boat?",
        ),
        (
            "Which boats are for sale?",
            "Of those, which cost less than 5000?",
            "Of the boats that are for sale, which cost less than 5000?",
        ),
        (
            "Show the names of the harbours in Wales",
            "How many boats are in those harbours?",
            "How many boats are in the harbours in Wales?",
        ),
        ("Which boat is from 1952?", "which is from 1949?", "Which boat is from 1949?"),
        (
            "What is the oldest boat in Hull?",
            "Who is its owner?",
            "Who is the owner of the oldest boat in Hull?",
        ),
        (
            "Which harbour has the deepest water?",
            "How many boats are in that harbour?",
            "How many boats are in the harbour that has the deepest water?",
        ),
        (
            "Show the boat named 'Ruth'",
            "What is this boat's length and weight?",
            "What is the length and weight of the boat named 'Ruth'?",
        ),
        (
            "What is the average length of the boats in Hull?",
            "Which boats are longer than that?",
            "Which boats are longer than the average length of the boats in Hull?",
        ),
        (
            "Show each boat with a motor",
            "Show the one with the lowest price",
            "Of the boats with a motor, show the one with the lowest price",
        ),
        (
            "Which harbour is Ruth in?",
            "How many boats does it have?",
            "How many boats does the harbour that Ruth is in have?",
        ),
    ],
)
def test_pointers_stand_for_the_rows_that_were_asked_for(
    before: str, question: str, expected: str
) -> None:
    assert data_question(before, question) == expected


@for_each(
    ("before", "question", "expected"),
    [
        (
            "Show the berth number for all boats",
            "For each of them, count the boats",
            "For each berth number for all boats, count the boats",
        ),
        (
            "List the home ports of all ferries",
            "For each of them, how many ferries are there?",
            "For each of the home ports of all ferries, how many ferries are there?",
        ),
        ("Which boats are for sale?", "For each of them, count the boats", None),
        (
            "Show the songs and their length",
            "Show the singers and the total length of their songs",
            None,
        ),
        ("List all ferries", "Show the skippers with a wage higher than these", None),
    ],
)
def test_what_a_question_names_itself_is_not_what_it_points_to(
    before: str, question: str, expected: str | None
) -> None:
    assert data_question(before, question) == expected


def test_a_chain_keeps_all_that_restricts_it() -> None:
    chain = ("What are the ferries to Calais?", "Which ones are late?", "What are their names?")
    assert data_question(*chain) == "What are the names of the ferries to Calais that are late?"


@for_each(
    "question",
    [
        "Show the skippers and the boats they own",  # its own skippers
        "plot that as a bar chart",
        "what about it?",
        "Is it possible to export this?",
        "Which boats have a motor? Show their length.",
    ],
)
def test_other_pointers_are_left_to_the_model(question: str) -> None:
    assert data_question("Show the boats in the harbour of Hull", question) is None


def test_where_the_reply_names_something_a_single_pointer_is_left_to_the_model() -> None:
    reply = "The Salt Road by Imogen Frye, with 611 loans in Halifax."
    assert (
        data_question("What was the most popular title?", "Who is its author?", answer=reply)
        is None
    )


@for_each(
    ("before", "fragment", "expected"),
    [
        ("Which boat has the highest mast", "the lowest", "Which boat has the lowest mast"),
        (
            "Show boats with a keel below 2 m",
            "with a keel below 3 m",
            "Show boats with a keel below 3 m",
        ),
        (
            "Show name, length and price of all boats",
            "remove price",
            "Show name, length of all boats",
        ),
        ("List boats with the top 5 prices", "top 10 .", "List boats with the top 10 prices"),
        (
            "Show all boats of Corcoran",
            "where year is 1999",
            "Show all boats of Corcoran where year is 1999",
        ),
        ("How many boats cost more than 500?", "than 900", "How many boats cost more than 900?"),
        (
            "What boats were built before 1990?",
            "how about after 2000?",
            "What boats were built after 2000?",
        ),
        ("What was the catch in 2019?", "and the year before?", "What was the catch in 2018?"),
        (
            "Who owns a boat with a mast of 9 m?",
            "what about a mast of 12 m?",
            "Who owns a boat with a mast of 12 m?",
        ),
        (
            "Which boats in Hull with a motor are for sale?",
            "remove the motor filter",
            "Which boats in Hull are for sale?",
        ),
        (
            "List the boats sorted by age in ascending order",
            "by price in descending order",
            "List the boats sorted by price in descending order",
        ),
        (
            "What was the catch in the harbour of Hull?",
            "and the price?",
            "What was the price in the harbour of Hull?",
        ),
        (
            "Which boats sail to Hull?",
            "also include boats that sail to Dover",
            "Which boats sail to Hull or Dover?",
        ),
        (
            "Show all boats built in 1990",
            "limit them to those with a motor",
            "Show all boats built in 1990 with a motor",
        ),
    ],
)
def test_fragments_change_what_they_share_with_the_question(
    before: str, fragment: str, expected: str
) -> None:
    assert data_question(before, fragment, answer="Here is the result.", sql=None) == expected


@for_each(
    "question",
    [
        "What is the refund policy?",
        "Show the open tickets",
        "What are the rules?",
        "Which one do you prefer?",
        "how about a joke?",
        "next year",
    ],
)
def test_a_question_of_its_own_is_not_put_into_the_last_one(question: str) -> None:
    assert data_question("Show the catch of each boat in 2019", question) in {None, question}


@for_each("remark", ["for my boss", "with pleasure", "by Friday", "for the meeting"])
def test_remarks_change_nothing(remark: str) -> None:
    assert data_question("Show total sales for the north by region", remark, sql=None) is None


@for_each(
    ("before", "question", "expected"),
    [
        (
            "What is the price of the two-masted boat?",
            "Who is the skipper of that boat?",
            "Who is the skipper of the two-masted boat?",
        ),
        (
            "What is the home of the one-year old seal?",
            "Who is the keeper of that seal?",
            "Who is the keeper of the one-year old seal?",
        ),
        (
            "Show the names of all out-of-date charts",
            "Which of those charts were sold?",
            "Which of the out-of-date charts were sold?",
        ),
    ],
)
def test_words_with_hyphens_are_not_cut(before: str, question: str, expected: str) -> None:
    assert data_question(before, question) == expected
