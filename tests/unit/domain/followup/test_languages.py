"""Which language a text is in, and how the words of a language are read."""

import pytest

from recollect.domain.followup.language import detect_language, known_language, language_of
from recollect.domain.followup.languages import read_words, starting_phrase
from support.followups import conversation
from support.tables import for_each


@for_each(
    ("code", "text"),
    [
        ("en", "What are the opening hours of the museum?"),
        ("nl", "Wat zijn de openingstijden van het museum?"),
        ("de", "Was sind die Öffnungszeiten des Museums?"),
        ("fr", "Quels sont les horaires du musée ?"),
        ("es", "¿Cuáles son los horarios del museo?"),
    ],
)
def test_the_language_is_detected(code: str, text: str) -> None:
    assert detect_language(text) == code


@for_each(
    ("text", "code"),
    [
        ("Hoi", None),
        ("Hello!", None),
        ("Hoi hoi hoi hoi", None),
        ("1 2 3 4 5", None),
        ("test one test two test", None),
        ("Wat is dit?", "nl"),
        ("Toon totale omzet regio Noord", "nl"),
        ("Montre ventes totales région 2023", "fr"),
        ("What are the opening hours of the museum?", "en"),
    ],
)
def test_a_language_is_known_only_where_the_text_leaves_no_doubt(
    text: str, code: str | None
) -> None:
    assert known_language(text) == code


def test_a_short_follow_up_takes_the_language_of_the_question_before() -> None:
    history = conversation("user: Toon de totale omzet per regio voor 2023")

    assert language_of("En 2022?", history) == "nl"


def test_what_the_file_of_a_language_leaves_out_is_empty() -> None:
    known = read_words('articles = "the a"\npossessives = "my"')

    assert known.before_nouns == {"the", "a", "my"}
    assert known.persons == frozenset()
    assert known.by_word == ""
    assert starting_phrase(["what", "about"], known.openers) == 0
    assert not known.short_forms.pairs


def test_a_key_that_no_check_knows_is_refused() -> None:
    with pytest.raises(TypeError, match="persns"):
        read_words('persns = "wife"')


def test_short_messages_keep_the_language_of_the_conversation() -> None:
    history = conversation("user: What is my dog called, and how old is he?", "user: thanks!")
    assert language_of("ok", history) == "en"
    dutch = conversation("user: Hoe heet mijn hond en hoe oud is hij?", "user: top!", "user: ja")
    assert language_of("ok", dutch) == "nl"


@for_each(
    ("question", "code"),
    [
        ("Who am I?", "en"),
        ("Do I drive?", "en"),
        ("Où j'habite ?", "fr"),
        ("Wo wohne ich?", "de"),
        ("¿Dónde vivo?", "es"),
        ("In 2022?", "nl"),
        ("and in 2022?", "nl"),
        ("Berlin?", "nl"),
        ("2+2", "nl"),
        ("asdf", "nl"),
    ],
)
def test_a_short_message_is_of_another_language_only_where_its_words_tell(
    question: str, code: str
) -> None:
    history = conversation("user: Ik woon in Leiden", "user: Mijn fiets is rood")
    assert language_of(question, history) == code


def test_what_is_no_sentence_tells_no_language() -> None:
    history = conversation(
        "user: Ik woon in Leiden", "user: <script>alert(1)</script>", "user: qwerty zxcv"
    )
    assert language_of("2+2", history) == "nl"
    assert language_of("asdf qwer zxcv uiop", history) == "nl"
