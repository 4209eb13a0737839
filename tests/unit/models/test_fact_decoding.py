"""From scores of tokens to statements."""

import re

import numpy as np

from recollect.models.facts.decoding import Scores, statements_in
from support.tables import for_each


def scores_of(text: str, said: str) -> tuple[list[tuple[int, int]], Scores]:
    """Tokens of a text, and a network that is sure of one part of it."""
    offsets = [match.span() for match in re.finditer(r"\w+|[^\w\s]", text)]
    first = text.index(said)
    is_in = [first <= start <= first + len(said) for start, _ in offsets]
    begins = [start == first for start, _ in offsets]
    count = len(offsets)
    scores = Scores(
        present=1.0,
        inside=np.array(is_in, dtype=np.float32),
        begin=np.array(begins, dtype=np.float32),
        slots=np.ones((count, 2), dtype=np.float32),
        operations=np.ones((count, 2), dtype=np.float32),
    )
    return offsets, scores


@for_each(
    ("text", "statements"),
    [
        ("Hi, I work at Philips. Thanks!", ["I work at Philips"]),
        ("I work at Philips and I have two cats.", ["I work at Philips", "I have two cats"]),
        ("Ik werk bij Philips en ik heb katten.", ["Ik werk bij Philips", "ik heb katten"]),
        ("Je vis à Lyon et j'ai deux chats.", ["Je vis à Lyon", "j'ai deux chats"]),
        ("My wife and I live in Ghent.", ["My wife and I live in Ghent"]),
        ("I speak Dutch and French.", ["I speak Dutch and French"]),
        ("Mein Geburtstag ist am 3. Mai.", ["Mein Geburtstag ist am 3. Mai"]),
        ("Ich bin am 12. März 1990 geboren.", ["Ich bin am 12. März 1990 geboren"]),
        ("Ich bin 34. Mein Hund bellt.", ["Ich bin 34"]),
        ("My doctor is Dr. Jansen. Thanks!", ["My doctor is Dr. Jansen"]),
        ("I work at Acme Inc. in Ohio.", ["I work at Acme Inc. in Ohio"]),
        ("I take aspirin (since 2010).", ["I take aspirin (since 2010)"]),
        ('I love "The Hobbit".', ['I love "The Hobbit"']),
        ("Ich mag „Momo“.", ["Ich mag „Momo“"]),
    ],
)
def test_each_statement_is_found_by_itself(text: str, statements: list[str]) -> None:
    said = text[text.index(statements[0]) : text.index(statements[-1]) + len(statements[-1])]
    found = statements_in(text, *scores_of(text, said))
    assert [text[one.start : one.end] for one in found] == statements


@for_each(
    ("text", "said", "statement"),
    [
        ("Piet en ik zijn gescheiden.", "ik zijn gescheiden", "Piet en ik zijn gescheiden"),
        ("Meine Frau und ich wohnen hier.", "ich wohnen hier", "Meine Frau und ich wohnen hier"),
        ("Juan y yo vivimos aquí.", "yo vivimos aquí", "Juan y yo vivimos aquí"),
        ("Tom and I live in Ghent.", "I live in Ghent", "Tom and I live in Ghent"),
        ("Het regent hier vaak en ik fiets graag.", "ik fiets graag", "ik fiets graag"),
        ("Dus: ik woon in Gent.", "ik woon in Gent", "ik woon in Gent"),
    ],
)
def test_two_who_are_the_subject_stay_together(text: str, said: str, statement: str) -> None:
    (found,) = statements_in(text, *scores_of(text, said))
    assert text[found.start : found.end] == statement


@for_each(
    ("text", "statement"),
    [
        ("My dog Rex has something in his paw.", "My dog Rex"),
        ("Ma jument Tornade boite depuis hier.", "Ma jument Tornade"),
        ("My twin sister Ann is a judge in Leeds.", "My twin sister Ann is a judge in Leeds"),
        ("My dog Rex and our cat Tom get along.", "My dog Rex and our cat Tom get along"),
        ("My manager is Ann and works in Leeds.", "My manager is Ann and works in Leeds"),
    ],
)
def test_of_somebody_named_what_is_doubted_is_left_out(text: str, statement: str) -> None:
    offsets, scores = scores_of(text, text.rstrip("."))
    scores.inside[3:] = 0.55
    (found,) = statements_in(text, offsets, scores)
    assert text[found.start : found.end] == statement


def test_of_somebody_named_what_is_sure_is_kept() -> None:
    text = "My sister Paz runs a tapas bar."
    (found,) = statements_in(text, *scores_of(text, text.rstrip(".")))
    assert text[found.start : found.end] == "My sister Paz runs a tapas bar"
