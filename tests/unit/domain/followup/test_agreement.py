"""Verbs that agree with what has come in beside them."""

from recollect.domain.followup.agreement import agreeing, disagrees
from recollect.domain.followup.languages import read_words, words_for
from support.followups import conversation
from support.tables import for_each

EN = words_for("en")
PETS = conversation("user: Who is the youngest pet?", "assistant: Rex.")


@for_each(
    ("rewrite", "agreed"),
    [
        ("What type are the youngest pet?", "What type is the youngest pet?"),
        ("How much do the youngest pet weigh?", "How much does the youngest pet weigh?"),
        ("What type are the youngest pets?", "What type are the youngest pets?"),
        ("What type are the oldest pet?", "What type are the oldest pet?"),
    ],
)
def test_a_phrase_that_had_a_singular_verb_has_one_again(rewrite: str, agreed: str) -> None:
    assert agreeing(rewrite, PETS, EN) == agreed


def test_what_somebody_has_says_nothing_of_their_number() -> None:
    history = conversation("user: Who has the largest boat?")
    text = "What are the names of those who have the largest boat?"
    assert agreeing(text, history, EN) == text


def test_languages_without_these_verbs_keep_every_word() -> None:
    assert agreeing("Wat are the youngest pet?", PETS, words_for("nl")).startswith("Wat are")


def test_a_plural_after_which_has_no_singular_verb() -> None:
    assert disagrees("Which dogs is the most popular one?", "Which one is the most popular?", EN)
    assert not disagrees("Which series is the longest?", "Which one is the longest?", EN)
    assert not disagrees("Which bus is the fastest?", "Which one is the fastest?", EN)
    assert not disagrees("Which dogs are popular?", "Which ones are popular?", EN)
    assert not disagrees("Which dogs is it about?", "Which dogs is it about?", EN)


def test_in_a_language_without_words_nothing_disagrees() -> None:
    bare, rewrite = read_words(""), "What type are the youngest pet?"

    assert not disagrees("Which dogs is the most popular one?", "Which is popular?", bare)
    assert agreeing(rewrite, PETS, bare) == rewrite
