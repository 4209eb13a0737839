"""Questions whose "it" means nothing."""

from recollect.domain.followup.expletives import asks_about_now, asks_about_user, needs_no_history
from recollect.domain.followup.languages import words_for
from support.tables import for_each


@for_each(
    ("question", "language"),
    [
        ("What time is it?", "en"),
        ("And what time is it right now?", "en"),
        ("Is it still raining outside?", "en"),
        ("How warm is it outside today?", "en"),
        ("Hoe laat is het nu?", "nl"),
        ("Regent het buiten?", "nl"),
        ("En welke dag is het vandaag?", "nl"),
        ("Wie spät ist es?", "de"),
        ("Schneit es gerade?", "de"),
        ("Quelle heure est-il ?", "fr"),
        ("Est-ce qu\u2019il pleut dehors ?", "fr"),
        ("¿Qué hora es?", "es"),
        ("¿Hace frío hoy?", "es"),
    ],
)
def test_time_date_and_weather_are_asked_for_now(question: str, language: str) -> None:
    assert asks_about_now(question, words_for(language))


@for_each(
    ("question", "language"),
    [
        ("What day is it on?", "en"),
        ("What time is it there?", "en"),
        ("How cold is it?", "en"),
        ("What is it?", "en"),
        ("What time is it " + "now " * 40, "en"),
        ("Hoe laat is het afgelopen?", "nl"),
        ("Wie teuer ist es heute?", "de"),
        ("Quelle heure est-il là-bas à Lima ?", "fr"),
        ("¿Qué día es la boda?", "es"),
        ("", "es"),
    ],
)
def test_other_questions_may_be_about_what_was_said(question: str, language: str) -> None:
    assert not asks_about_now(question, words_for(language))


@for_each(
    ("question", "language"),
    [
        ("What\u2019s my name?", "en"),
        ("And how old am I now?", "en"),
        ("Hoe heet ik?", "nl"),
        ("En waar woon ik nu?", "nl"),
        ("Wie heiße ich?", "de"),
        ("Comment je m\u2019appelle ?", "fr"),
        ("Quel âge ai-je ?", "fr"),
        ("¿Cómo me llamo?", "es"),
        ("Hoe laat moet ik werken?", "nl"),
        ("Hoe laat moet ik morgen werken?", "nl"),
        ("What time do I have to work tomorrow?", "en"),
        ("Um wie viel Uhr muss ich arbeiten?", "de"),
        ("À quelle heure dois-je travailler demain ?", "fr"),
        ("¿A qué hora tengo que trabajar mañana?", "es"),
    ],
)
def test_users_ask_for_themselves(question: str, language: str) -> None:
    assert asks_about_user(question, words_for(language))
    assert needs_no_history(question, words_for(language))


@for_each(
    ("question", "language"),
    [
        ("Where do I live it out?", "en"),
        ("Who am I talking about?", "en"),
        ("Hoe heet hij?", "nl"),
        ("What is my name " + "now " * 40, "en"),
    ],
)
def test_what_users_ask_of_others_may_need_a_history(question: str, language: str) -> None:
    assert not asks_about_user(question, words_for(language))
    assert not needs_no_history(question, words_for(language))
