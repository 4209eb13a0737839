from recollect.domain.recall.wording import NOTHING_WANTED, read_wording, wanted_in
from support.tables import for_each


@for_each(
    ("language", "of_self", "of_others"),
    [
        ("en", "I sold my boat", "You sold your boat"),
        ("nl", "Ik heb mijn boot verkocht", "Jij hebt jouw boot verkocht"),
        ("de", "Ich habe mein Boot verkauft", "Du hast dein Boot verkauft"),
        ("fr", "J'ai vendu mon bateau", "Tu as vendu ton bateau"),
        ("es", "Yo vendí mi barco", "Tú vendiste tu barco"),
    ],
)
def test_who_tells_of_themselves_is_worth_more_than_who_talks_of_another(
    language: str, of_self: str, of_others: str
) -> None:
    neither = read_wording("sold", language).worth
    assert read_wording(of_self, language).worth > neither > read_wording(of_others, language).worth


def test_a_word_counts_as_its_language_means_it() -> None:
    assert read_wording("je", "fr").worth > 0 > read_wording("je", "nl").worth


def test_names_are_words_with_capitals_inside_a_sentence() -> None:
    assert read_wording("We met Ann in Ghent. Then it rained", "en").names == 2
    assert read_wording("Ann, Bob, Cas, Dee, Eva, Finn", "en").names == 3


def test_german_nouns_are_no_names() -> None:
    assert read_wording("Wir haben das Boot verkauft", "de").names == 0


@for_each(
    ("text", "language"),
    [("12 eggs", "en"), ("Twice!", "en"), ("een paar", "nl"), ("fünf", "de"), ("deux", "fr")],
)
def test_numbers_are_digits_or_words(text: str, language: str) -> None:
    assert read_wording(text, language).has_number


def test_only_the_beginning_is_read() -> None:
    assert read_wording("la " * 200 + "12", "en") == read_wording("la " * 200, "en")


@for_each("text", ["", "?!", "的"])
def test_a_text_without_words_tells_nothing(text: str) -> None:
    assert read_wording(text, "en") == (0.0, 0, False)


def test_of_an_unknown_language_only_digits_are_read() -> None:
    assert read_wording("I met Ann and you, 3 times", "fi") == (0.0, 0, True)
    assert wanted_in("How many?", "fi") == NOTHING_WANTED


@for_each(
    ("language", "question"),
    [
        ("en", "How many boats did she sell?"),
        ("nl", "Hoeveel boten heeft ze verkocht?"),
        ("de", "Wie viele Boote hat sie verkauft?"),
        ("fr", "Quel âge a-t-il ?"),
        ("es", "¿Cuántos barcos vendió?"),
    ],
)
def test_a_question_for_a_number_wants_no_name(language: str, question: str) -> None:
    assert wanted_in(question, language) == (False, True)


@for_each(
    ("language", "question"),
    [
        ("en", "Who sold the boat?"),
        ("nl", "Waar ligt de boot?"),
        ("de", "Welches Boot war das?"),
        ("fr", "Où est le bateau ?"),
        ("es", "¿Dónde está el barco?"),
    ],
)
def test_a_question_for_a_name_wants_no_number(language: str, question: str) -> None:
    assert wanted_in(question, language) == (True, False)


def test_other_questions_want_neither() -> None:
    assert wanted_in("Why did she sell the boat?", "en") == NOTHING_WANTED
