"""Items of a list: named by their place, or compared."""

from recollect.domain.followup.rules.candidate import rule_candidate
from recollect.domain.followup.rules.lists import item_titles
from support.followups import conversation
from support.tables import for_each

MANAGERS = (
    "Solid choices:\n\n1. Bitwarden: open source\n2. **1Password**: polished\n3. KeePassXC (local)"
)


def resolved(question: str, reply: str, language: str = "en") -> str | None:
    """What the rules make of a question after a reply."""
    history = conversation("user: Which one would you take?", f"assistant: {reply}")
    proposal = rule_candidate(question, history, language)
    return proposal.standalone_question if proposal else None


@for_each(
    ("question", "language", "expected"),
    [
        ("tell me more about the third one", "en", "tell me more about KeePassXC"),
        ("Is the last one free?", "en", "Is KeePassXC free?"),
        ("is the last one free", "en", "is KeePassXC free"),
        ("The last one is free?", "en", "KeePassXC is free?"),
        ("Wat kost de eerste?", "nl", "Wat kost Bitwarden?"),
        ("Wat kost dat laatste?", "nl", "Wat kost KeePassXC?"),
        ("Was kostet der erste?", "de", "Was kostet Bitwarden?"),
        ("Quel est le prix du troisième ?", "fr", "Quel est le prix du KeePassXC ?"),
        ("¿Cuánto cuesta la última?", "es", "¿Cuánto cuesta KeePassXC?"),
    ],
)
def test_an_ordinal_names_an_item_of_the_last_reply(
    question: str, language: str, expected: str
) -> None:
    assert resolved(question, MANAGERS, language) == expected


@for_each(
    "question",
    [
        "What should I do first?",
        "Does it work in the first week?",
        "Is the fourth one free?",
        "Compare the first with the last",
        "Is the last one better for her?",
    ],
)
def test_what_is_not_certain_is_left_to_the_model(question: str) -> None:
    assert resolved(question, MANAGERS) is None


@for_each(
    ("question", "language", "expected"),
    [
        ("which is cheaper?", "en", "which is cheaper: Bitwarden, OnePass or KeePassXC?"),
        ("Welke is het veiligst?", "nl", "Welke is het veiligst: Bitwarden, OnePass of KeePassXC?"),
        ("¿cuál es la más corta?", "es", "¿cuál es la más corta: Bitwarden, OnePass o KeePassXC?"),
        ("which country is bigger?", "en", None),
        ("which of them did he buy?", "en", None),
    ],
)
def test_a_comparison_is_between_all_items(
    question: str, language: str, expected: str | None
) -> None:
    reply = "1. Bitwarden: open source\n2. OnePass: polished\n3. KeePassXC: local"

    assert resolved(question, reply, language) == expected


def test_an_item_that_is_a_sentence_is_not_put_into_another() -> None:
    reply = "1. Heat flows from hot to cold by itself\n2. You can never reach absolute zero"

    assert resolved("Who discovered the last one?", reply) is None


def test_items_are_called_by_what_is_bold_or_stands_first() -> None:
    text = "- Check for a **leaking valve** first\n- Solo 3, a small one\n- Duo: big"

    assert item_titles(text) == ["leaking valve", "Solo 3", "Duo"]


@for_each(
    "text", ["no list", "- one item", "- a\n- b\n\nOr:\n- c\n- d", "| a |\n|---|\n| b |\n| c |"]
)
def test_without_one_list_of_lines_there_are_no_titles(text: str) -> None:
    assert item_titles(text) == []
