from recollect.domain.summary.sentences import tighten
from support.tables import for_each


@for_each(
    ("said", "kept"),
    [
        ("Well, you know, I left.", "I left."),
        ("Show me the sales, please.", "Show me the sales."),
        ("Hi Anna, show me the sales", "Show me the sales"),
        ("Nou ja, ik wil de omzet zien, alsjeblieft.", "Nou ja, ik wil de omzet zien."),
        ("Ja, de omzet steeg.", "De omzet steeg."),
        ("I haven ' t seen it.", "I haven't seen it."),
        ("Nobody came.", "Nobody came."),
        ("No 5 is alive.", "No 5 is alive."),
        ("e-mail is down", "e-mail is down"),
    ],
)
def test_filler_words_around_a_sentence_are_removed(said: str, kept: str) -> None:
    assert tighten(said) == kept


@for_each(
    "said",
    [
        "Thank you very much!",
        "How are you?",
        "ok thanks",
        "You're welcome!",
        "Is there anything else I can help you with?",
        "Let me know if you need more.",
        "Top, dank je wel!",
        "Graag gedaan.",
        "Laat het me weten als je meer wilt zien.",
        "Kan ik je ergens mee helpen?",
    ],
)
def test_polite_phrases_are_removed_completely(said: str) -> None:
    assert tighten(said) == ""
