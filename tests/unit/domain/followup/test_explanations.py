"""What was done to a question, in words."""

from collections.abc import Sequence

from recollect.domain.followup.dialogue import HistoryMessage
from recollect.domain.followup.edits import (
    Edits,
    Insertion,
    ReadingLimits,
    Span,
    recent_blocks,
    words_of,
)
from recollect.domain.followup.explanations import explain, span_text
from support.followups import conversation
from support.tables import for_each


def explained(
    question: str, history: Sequence[HistoryMessage], *, deleted: set[int], inserted: dict[int, str]
) -> tuple[str, ...]:
    """Explain edits; what is inserted before which word is looked up in the history."""
    blocks = recent_blocks(history, ReadingLimits())
    insertions = []
    for gap, text in inserted.items():
        wanted = [word.text for word in words_of(text)]
        for number, block in enumerate(blocks):
            texts = [word.text for word in block.words]
            for first in range(len(texts) - len(wanted) + 1):
                if texts[first : first + len(wanted)] == wanted:
                    span = Span(number, first, first + len(wanted) - 1)
                    insertions.append(Insertion(gap=gap, span=span))
    assert len(insertions) == len(inserted), "the history has each span once"
    assert [span_text(blocks, one) for one in insertions] == list(inserted.values())
    edits = Edits(deleted=frozenset(deleted), insertions=tuple(insertions))
    return explain(question, blocks, edits, pointers={"that", "daarvoor"})


RENT = ["user: What is the average rent in Porto?", "assistant: About 1,100 euros."]
SAFETY = ["user: Wat zijn de vereisten voor valbeveiliging?", "assistant: Er zijn er drie."]
SALES = ["user: Show me total sales by region for 2024", "assistant: North 2.4M"]


@for_each(
    ("question", "history", "deleted", "inserted", "expected"),
    [
        (
            "Welke producten heb je daarvoor?",
            SAFETY,
            {4},
            {4: "valbeveiliging"},
            ('"daarvoor" stands for "valbeveiliging"',),
        ),
        (
            "What about 2023?",
            SALES,
            {0, 1, 3},
            {0: "Show me total sales by region for"},
            ('"2023" takes the place of "2024"',),
        ),
        (
            "And in Lisbon?",
            RENT,
            {0},
            {0: "What is the average rent"},
            ('"Lisbon" takes the place of "Porto"',),
        ),
        (
            "Is that high?",
            RENT,
            {1},
            {1: "the average rent in Porto"},
            ('"that" stands for "the average rent in Porto"',),
        ),
        (
            "What about the very cheapest flats in the old town?",
            RENT,
            {0, 1},
            {0: "What is the average rent"},
            ('completed with "What is the average rent"',),
        ),
        ("Since when?", RENT, set(), {2: "1,100 euros"}, ('completed with "1,100 euros"',)),
        ("Thanks!", RENT, set(), {}, ()),
    ],
)
def test_each_insertion_is_explained(
    question: str,
    history: list[str],
    deleted: set[int],
    inserted: dict[int, str],
    expected: tuple[str, ...],
) -> None:
    said = conversation(*history)

    assert explained(question, said, deleted=deleted, inserted=inserted) == expected
