"""Messages that ask nothing."""

from recollect.domain.followup.chit_chat import is_chit_chat
from support.tables import for_each


@for_each(
    ("message", "language"),
    [
        ("Thanks!", "en"),
        ("That's great, thank you so much", "en"),
        ("lol", "en"),
        ("never mind", "en"),
        ("for example?", "en"),
        ("Bedankt voor de hulp. Tot ziens!", "nl"),
        ("Gezellig, tot dan!", "nl"),
        ("Super, alles klar", "de"),
        ("merci beaucoup", "fr"),
        ("vale, perfecto", "es"),
        ("!!!", "en"),
    ],
)
def test_thanks_greetings_and_goodbyes_ask_nothing(message: str, language: str) -> None:
    assert is_chit_chat(message, language)


@for_each(
    ("message", "language"),
    [
        ("And in Lisbon?", "en"),
        ("ok, and 2023?", "en"),
        ("Great. When does it open?", "en"),
        ("Hoe laat begint dat?", "nl"),
        ("Hoe gaat het met de verkoop?", "nl"),
        ("¿Qué tal las ventas?", "es"),
        ("thanks " * 50, "en"),
    ],
)
def test_what_asks_something_is_no_chit_chat(message: str, language: str) -> None:
    assert not is_chit_chat(message, language)


@for_each(
    ("message", "language"),
    [
        ("And you?", "en"),
        ("How is it going?", "en"),
        ("Hoe gaat het?", "nl"),
        ("Wie geht's?", "de"),
        ("Comment ça va ?", "fr"),
        ("Comment allez-vous ?", "fr"),
        ("¿Qué tal?", "es"),
        ("Fine, thanks. What about you?", "en"),
        ("En jij?", "nl"),
        ("Und dir?", "de"),
        ("Et toi ?", "fr"),
        ("¿Y tú?", "es"),
    ],
)
def test_a_question_back_to_the_assistant_is_small_talk(message: str, language: str) -> None:
    assert is_chit_chat(message, language)


@for_each(
    ("message", "language"),
    [("And you said?", "en"), ("En jij komt wanneer?", "nl"), ("And Yolanda?", "en")],
)
def test_what_the_assistant_does_is_no_small_talk(message: str, language: str) -> None:
    assert not is_chit_chat(message, language)
