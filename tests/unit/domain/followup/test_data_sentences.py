"""Follow-ups to data are sentences that a person could say."""

import pytest

from support.followups import data_question
from support.tables import for_each


@for_each(
    ("questions", "expected"),
    [
        (
            ("Which boats leave from Hull?", "Of those, which land in Dover?", "Show their names"),
            "Show the names of the boats that leave from Hull and land in Dover",
        ),
        (
            ("Which crews have a cook?", "Who also has a medic?", "What are their ages?"),
            "What are the ages of the crews that have a cook and also have a medic?",
        ),
        (
            ("Which boats are in Hull?", "Which boats are also for sale?", "Show their prices"),
            "Show the prices of the boats that are in Hull and are also for sale",
        ),
        (
            ("Which boats that came in May have a motor?", "Show their names"),
            "Show the names of the boats that came in May and have a motor",
        ),
        (
            (
                "Which crews deliver to Hull?",
                "Which crews also deliver to Dover?",
                "How many are there?",
            ),
            "How many crews that deliver to Hull and also deliver to Dover are there?",
        ),
        (
            (
                "How many crews currently live in Oslo?",
                "How many of those crews have not paid?",
                "What are their names?",
            ),
            "What are the names of the crews that currently live in Oslo and have not paid?",
        ),
    ],
)
def test_two_conditions_are_joined(questions: tuple[str, ...], expected: str) -> None:
    assert data_question(*questions) == expected


@for_each(
    ("before", "question", "expected"),
    [
        ("Show all the boat ids in Hull", "What are their masts?", "all the boats in Hull"),
        ("Show the boat ids", "Also show their price", "the boats"),
        ("List the boat names", "Who built them?", "the boats"),
        ("List all crew information", "How many of them are from Oslo?", "all crews"),
    ],
)
def test_things_and_not_their_names_have_properties(
    before: str, question: str, expected: str
) -> None:
    made = data_question(before, question)
    assert made is not None
    assert expected in made
    assert "boat ids" not in made


@for_each(
    ("before", "expected"),
    [
        ("Show all full names", "How many full names are there?"),
        ("List the harbour information in Kent", "How many harbours in Kent are there?"),
        ("Show all names that contain the word sea", "How many names that contain the word sea"),
    ],
)
def test_what_is_counted_can_be_counted(before: str, expected: str) -> None:
    made = data_question(before, "How many are there?")
    assert made is not None
    assert made.startswith(expected)


@for_each(
    ("questions", "expected"),
    [
        (
            ("How many harbours are there?", "How many boats lie in each one?"),
            "How many boats lie in each of the harbours?",
        ),
        (
            ("What is the age of each skipper?", "Also show the town for each."),
            "Also show the town for each of the skippers.",
        ),
        (
            ("Show the number of masts for each boat", "Which one has the most masts?"),
            "Of the boats, which one has the most masts?",
        ),
        (
            ("How many masts does each boat have?", "Which ones have at least 2?"),
            "Of the boats, which have at least 2 masts?",
        ),
        (
            ("Give the number of masts for each boat", "Give the average price and name"),
            "Give the average price and name for each boat",
        ),
        (
            ("What is the length of each boat?", "What is the average length?"),
            "What is the average length of the boats?",
        ),
        (
            ("What is the length of each boat?", "What is the average?"),
            "What is the average length of the boats?",
        ),
    ],
)
def test_each_one_is_each_of_the_rows(questions: tuple[str, ...], expected: str) -> None:
    assert data_question(*questions) == expected


@for_each(
    ("questions", "expected"),
    [
        (
            (
                "In which towns is Frisian spoken?",
                "Which lands are they in?",
                "How many are there?",
            ),
            "How many lands are the towns in which Frisian is spoken in?",
        ),
        (
            ("Show me all harbours", "Sort them by number of boats", "Which one has the most?"),
            "Of all harbours, which one has the most boats?",
        ),
        (
            ("Show me all harbours", "Show them in descending order of their depth"),
            "Show me all harbours, sorted in descending order of depth",
        ),
        (
            ("Show all boats", "Which ones have no masts?", "Which ones have at least one?"),
            "Of all boats, which have at least one mast?",
        ),
        (
            ("Show all tide times", "What is the largest one?"),
            "What is the largest of all tide times?",
        ),
        (
            ("What is the highest mast of any boat?", "Who owns the flag of this boat?"),
            "Who owns the flag of the boat with the highest mast?",
        ),
        (
            ("Which boat has a mast below 9?", "Among them, which are red?"),
            "Of the boats that have a mast below 9, which are red?",
        ),
        (
            ("Show all boats", "Among these boats, which of them are red?"),
            "Among the boats, which are red?",
        ),
        (
            ("What are the ids of every boat?", "Which of those belong to a club?"),
            "Of the ids of every boat, which belong to a club?",
        ),
        (
            ("What is the length of each boat?", "Who has the largest length?"),
            "Of the boats, who has the largest length?",
        ),
        (
            (
                "Show the flag code for all boats",
                "For each of them, show the number of boats",
                "Which of them are used by more than 3?",
            ),
            "Of the flag codes for all boats, which are used by more than 3?",
        ),
        (
            (
                "What are ids of every boat?",
                "For those, which refer to boats in Hull?",
                "Show their age",
            ),
            "Show the age of the boats in Hull",
        ),
        (
            ("Give me the crew details for Hull", "When were they paid?"),
            "When were the crews for Hull paid?",
        ),
        (
            ("What is the average catch for each boat?", "Which one has the highest?"),
            "Of the boats, which one has the highest average catch?",
        ),
        (
            ("For each harbour, show the depth", "Which one has the lowest?"),
            "Of the harbours, which one has the lowest depth?",
        ),
        (
            ("How many masts does each boat have?", "Who has the most?"),
            "Of the boats, who has the most masts?",
        ),
        (
            ("Show all boats from Hull", "What is the most expensive one?"),
            "What is the most expensive of all boats from Hull?",
        ),
        (
            ("Who bought more than 3 maps?", "Of those, who paid cash?", "What are their names?"),
            "What are the names of those who bought more than 3 maps and paid cash?",
        ),
        (
            ("Which boats won a race in Hull?", "Which did not?"),
            "Which boats did not win a race in Hull?",
        ),
        (("Which boats are for sale?", "Which are not?"), "Which boats are not for sale?"),
        (("Which boats have a motor?", "Which don't?"), "Which boats do not have a motor?"),
        (("Which crews live in Hull?", "Which ones don't?"), "Which crews do not live in Hull?"),
        (
            ("Who is the owner of the red boat?", "What is his phone number?"),
            "What is the phone number of the owner of the red boat?",
        ),
        (
            ("Which crews visited somebody else?", "How many are there?"),
            "How many crews visited somebody else?",
        ),
        (
            ("Show me information on the skipper Ruth", "How many boats does she have?"),
            "How many boats does the skipper Ruth have?",
        ),
        (
            ("Show the tide for all harbours", "What is the average tide for those?"),
            "What is the average tide for all harbours?",
        ),
    ],
)
def test_rows_are_named_as_a_person_would(questions: tuple[str, ...], expected: str) -> None:
    assert data_question(*questions) == expected


@for_each(
    ("before", "question", "expected"),
    [
        (
            "List boats with masts above the average height",
            "How about below this?",
            "List boats with masts below the average height",
        ),
        (
            "Show the catch above the average",
            "And below that?",
            "Show the catch below the average",
        ),
        (
            "What is the lowest mast of all boats?",
            "Show the names of those with a mast higher than this",
            "Show the names of all boats with a mast higher than the lowest mast of all boats",
        ),
        (
            "Of all boats, which have at least 5 masts?",
            "how about at least 1?",
            "Of all boats, which have at least 1 mast?",
        ),
        (
            "Of all boats, which have more than 1 mast?",
            "How about more than 2?",
            "Of all boats, which have more than 2 masts?",
        ),
        (
            "What was the catch in week 1, 2 and 3?",
            "just in week 4",
            "What was the catch in week 4?",
        ),
        (
            "Group all boats by their harbour and flag",
            "only by the flag",
            "Group all boats by their flag",
        ),
        (
            "How many times did Ruth Vane sail to Oslo?",
            "What about Ruth Moor in that?",
            "How many times did Ruth Moor sail to Oslo?",
        ),
        (
            "What is the maximum number of masts?",
            "average of them",
            "Average of the number of masts",
        ),
        (
            "Show the boats that were sold at Hull",
            "Display them at Dover",
            "Display the boats that were sold at Dover",
        ),
        ("Count the boats in Hull", "In Dover?", "Count the boats in Dover"),
        ("How many buyers came to Hull?", "Sellers?", "How many sellers came to Hull?"),
        (
            "Of all boats, which have 5 masts or less?",
            "How about 3 or less?",
            "Of all boats, which have 3 masts or less?",
        ),
        (
            "Of the boats in Hull, show the one with the lowest price",
            "And the highest price?",
            "Of the boats in Hull, show the one with the highest price",
        ),
    ],
)
def test_a_change_leaves_a_sentence(before: str, question: str, expected: str) -> None:
    assert data_question(before, question) == expected


@for_each(
    ("before", "question"),
    [
        ("Show the flag of each person", "Group people by their flag"),
        ("List the boats and skippers", "For each flag, count the masts, and order them by size"),
        ("How many buyers came to Hull?", "Texas?"),
        ("Show the place and tide at Hull", "I want the boat whose harbour is it"),
        ("Show the type codes for all boats", "How many crews are using this boat?"),
        ("What is the largest harbour of Kent?", "How warm is it there?"),
        ("Which towns have no harbours?", "How about at least one?"),
        ("Show all data", "How many are there?"),
    ],
)
def test_what_is_not_certain_stays_as_asked(before: str, question: str) -> None:
    assert data_question(before, question) is None


@pytest.mark.parametrize("sql", ["SELECT 1", None])
def test_the_us_is_not_us(sql: str | None) -> None:
    made = data_question(
        "What are all the harbours?",
        "Which of those have a flag that is a US flag?",
        "For those, what is the depth?",
        sql=sql,
    )
    assert made == "For all the harbours that have a flag that is a US flag, what is the depth?"
    assert data_question("Now, show me just the boats in Hull", "Show their names", sql=None) == (
        "Show the names of the boats in Hull"
    )


@pytest.mark.parametrize("sql", [None, "SELECT skipper FROM boats"])
def test_it_does_not_mean_those_who_were_asked_for(sql: str | None) -> None:
    asked = "Who won the cup?"

    assert data_question(asked, "Is it long?", answer="Ines won the cup.", sql=sql) is None
    assert (
        data_question(asked, "Can you describe it in one sentence?", answer="Ines.", sql=sql)
        is None
    )
    assert data_question(asked, "How old are they?", sql=sql) == (
        "How old are those who won the cup?"
    )
