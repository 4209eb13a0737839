"""Short messages that look like fragments of a question and are none."""

import pytest

from recollect.domain.conversation.message import Role
from recollect.domain.followup.dialogue import HistoryMessage
from recollect.domain.followup.edits import words_of
from recollect.domain.followup.languages import installed, words_for
from recollect.domain.followup.rules import items
from recollect.domain.followup.rules.candidate import rule_candidate, with_complete_questions
from recollect.domain.followup.rules.refinements import is_remark
from support.followups import conversation
from support.tables import for_each

LIST = "1. **Alpha Pro**: light\n2. **Beta Max**: cheap\n3. **Gamma**: big"
QUESTIONS = {
    "en": (
        "Show me the total sales by region for 2024",
        "How many orders are open in Berlin?",
        "Show me the top 5 customers in March",
        "What is the weather like in Paris on Monday?",
        "Which laptops do you recommend for students?",
    ),
    "nl": (
        "Toon de totale omzet per regio voor 2024",
        "Hoeveel orders zijn open in Berlijn?",
        "Geef de top 5 klanten in maart",
        "Wat is het weer in Parijs op maandag?",
        "Welke laptops raad je aan voor studenten?",
    ),
    "de": (
        "Zeige mir den Umsatz pro Region für 2024",
        "Wie viele Bestellungen sind in Berlin offen?",
        "Zeig mir die Top 5 Kunden im März",
        "Wie ist das Wetter in Paris am Montag?",
        "Welche Laptops empfiehlst du für Studenten?",
    ),
    "fr": (
        "Montre-moi les ventes par région pour 2024",
        "Combien de commandes sont ouvertes à Berlin ?",
        "Donne-moi les 5 meilleurs clients en mars",
        "Quel temps fait-il à Paris lundi ?",
        "Quels ordinateurs recommandes-tu pour les étudiants ?",
    ),
    "es": (
        "Muéstrame las ventas por región para 2024",
        "¿Cuántos pedidos están abiertos en Berlín?",
        "Dame los 5 mejores clientes en marzo",
        "¿Qué tiempo hace en París el lunes?",
        "¿Qué portátiles recomiendas para estudiantes?",
    ),
}
MESSAGES = {
    "en": """only the first paragraph | without emojis please | in French | and in French?
        per email
        by email please | by Friday | by 5 | by 2025 | by tomorrow | by the way | by mistake
        per se
        just kidding | just a moment | only a bit shorter | without a doubt | skip the intro
        skip to the end | drop the formatting | leave out the greeting
        ignore the previous question
        just the code | only those two | in two sentences | in bullet points | in a table | in JSON
        in general | top! | 2 | ok, Super | on my phone | order by phone | the last one was fine
        I like the second one | at first I thought so | What do I do at first? | which is nice""",
    "nl": """alleen de eerste alinea | zonder emoji's graag | in het Frans | per mail
        liever per mail
        per ongeluk | alleen maar een grapje | zonder problemen | verwijder de emoji's | in één zin
        in drie zinnen | in tabelvorm | in Excel | in orde | in principe | tot maandag | 2
        de laatste was prima | ik neem de tweede""",
    "de": """nur den ersten Absatz | ohne Emojis bitte | auf Französisch | bis Freitag
        nur ein Scherz
        nur so | ohne Zweifel | entferne die Emojis | in zwei Sätzen | in Stichpunkten | in Ordnung
        je nachdem | je nach Lage | nach Feierabend | nach Hause | zum Beispiel | 2
        die letzte war gut | ich nehme die zweite""",
    "fr": """seulement le premier paragraphe | sans emojis | en français | par mail | par exemple
        par contre | par hasard | juste une blague | sans doute | sans problème | en deux phrases
        en bref | en fait | à lundi | à demain | à plus | avec plaisir | de rien | 2
        je prends le deuxième""",
    "es": """solo el primer párrafo | sin emojis por favor | en francés | por correo | por ejemplo
        por supuesto | por cierto | por último | solo una broma | sin duda | menos mal
        quita los emojis
        en dos frases | en serio | en general | a ver | a las cinco | hasta el lunes | 2
        me quedo con el segundo""",
}  # fmt: skip


@for_each("language", installed())
def test_remarks_and_wishes_about_the_form_of_a_reply_change_no_question(language: str) -> None:
    messages = [one.strip() for line in MESSAGES[language].split("\n") for one in line.split("|")]
    rewrites = {
        (message, question): proposal.standalone_question
        for message in messages
        for question in QUESTIONS[language]
        if (proposal := rule_candidate(message, _asked(question), language))
    }

    assert rewrites == {}


def _asked(question: str) -> tuple[HistoryMessage, ...]:
    return conversation(f"user: {question}", f"assistant: {LIST}")


@pytest.mark.parametrize(
    ("before", "question", "expected"),
    [
        (
            "How do you say 'hello' in French?",
            "and in German?",
            "How do you say 'hello' in German?",
        ),
        ("How do I read a file in Python?", "and in Java?", "How do I read a file in Java?"),
    ],
)
def test_words_about_form_take_each_others_place(before: str, question: str, expected: str) -> None:
    proposal = rule_candidate(question, _asked(before), "en")

    assert proposal is not None
    assert proposal.standalone_question == expected


@for_each(
    ("language", "before", "question", "expected"),
    [
        ("en", "Show me the top 5 customers in March", "top 10",
         "Show me the top 10 customers in March"),
        ("nl", "Geef de top 5 klanten in maart", "de eerste 10", "Geef de top 10 klanten in maart"),
        ("de", "Zeig mir die Top 5 Kunden im März", "die ersten 10",
         "Zeig mir die Top 10 Kunden im März"),
        ("fr", "Donne-moi les ventes par région pour 2024", "trie-les par montant",
         "Donne-moi les ventes par région pour 2024, trié par montant"),
        ("fr", "Montre-moi les ventes pour 2024", "qu\u2019en est-il de 2021 ?",
         "Montre-moi les ventes pour 2021"),
    ],
)  # fmt: skip
def test_fragments_after_requests_are_read(
    language: str, before: str, question: str, expected: str
) -> None:
    proposal = rule_candidate(question, _asked(before), language)

    assert proposal is not None
    assert proposal.standalone_question == expected


def test_a_value_in_small_letters_is_no_part_of_the_name_before_it() -> None:
    history = [
        HistoryMessage(role=Role.USER, content="Wie viele Bestellungen sind in Berlin offen?"),
        HistoryMessage(
            role=Role.ASSISTANT, content="42", sql_query="… WHERE a = 'offen' AND b = 'Berlin'"
        ),
    ]

    proposal = rule_candidate("Und in Hamburg?", history, "de")

    assert proposal is not None
    assert proposal.standalone_question == "Wie viele Bestellungen sind in Hamburg offen?"


@for_each(
    ("message", "expected"),
    [
        ("without emojis please", True),
        ("ok, now in French", True),
        ("by the way", True),
        ("just a quick thought", True),
        ("in Python?", False),
        ("in general, the north sells more than the south", False),
        ("by month", False),
        ("Write it in French", False),
        ("for me", True),
        ("sorry, wrong chat", True),
        ("with them", False),
        ("in may", False),
        ("why", False),
    ],
)
def test_remarks_are_idioms_and_wishes_about_form(message: str, expected: bool) -> None:  # noqa: FBT001  # a table
    assert is_remark(message, words_for("en"), is_answer=False) is expected


def test_small_words_alone_may_answer_a_question() -> None:
    assert is_remark("without", words_for("en"), is_answer=False)
    assert not is_remark("without", words_for("en"), is_answer=True)


def test_a_long_message_is_not_even_cut_into_words(monkeypatch: pytest.MonkeyPatch) -> None:
    lengths: list[int] = []
    monkeypatch.setattr(items, "words_of", lambda text: lengths.append(len(text)) or words_of(text))

    assert rule_candidate("?" * 100_000, _asked(QUESTIONS["en"][0]), "en") is None
    assert lengths == []


def test_thanks_in_a_history_stay_as_they_are() -> None:
    history = conversation(
        "user: Wie ist Berlin im Mai?", "assistant: Warm.", "user: Nein Danke", "assistant: Gut."
    )

    assert with_complete_questions(history, "de") == list(history)


@for_each("language", installed())
def test_phrases_are_written_as_messages_are_cut_into_words(language: str) -> None:
    known = words_for(language)
    phrases = (*known.fragments, *known.limit, *known.instead, *known.idioms)
    without_signs = (*known.data_questions, *known.which, *known.of_them)

    assert [one for one in phrases if _cut(one) != one] == []
    assert [
        one for one in without_signs if _cut(one) != one or not " ".join(one)[0].isalpha()
    ] == []


def _cut(phrase: tuple[str, ...]) -> tuple[str, ...]:
    text = " ".join(phrase).replace("' ", "'")  # French elisions
    return tuple(word.text for word in words_of(f"{text} x"))[:-1]
