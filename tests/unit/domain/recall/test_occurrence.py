from recollect.domain.recall.occurrence import Occurrence, asked_occurrence
from support.tables import for_each

FIRST, LAST = Occurrence.FIRST, Occurrence.LAST


@for_each(
    ("language", "question", "occurrence", "subject"),
    [
        ("en", "When did I first ask about the ladder?", FIRST, "When did I about the ladder?"),
        ("en", "When was the first time we spoke of Ann?", FIRST, "When was we of Ann?"),
        ("en", "What was the last thing I asked about tax?", LAST, "What was I about tax?"),
        ("en", "My most recent question about tax?", LAST, "about tax?"),
        ("en", "When did we most recently discuss rent?", LAST, "When did we rent?"),
        (
            "nl",
            "Wat vroeg ik de eerste keer over de ladder?",
            FIRST,
            "Wat ik de ladder?",
        ),
        ("nl", "Wanneer vroeg ik voor het eerst naar tax?", FIRST, "Wanneer ik tax?"),
        ("nl", "Wat vroeg ik laatst over de ladder?", LAST, "Wat ik de ladder?"),
        ("nl", "Wat is het laatste wat ik over tax vroeg?", LAST, "Wat is tax ?"),
        ("de", "Wann habe ich zuletzt nach der Leiter gefragt?", LAST, None),
        ("de", "Wann habe ich zum ersten Mal nach der Leiter gefragt?", FIRST, None),
        ("de", "Was habe ich zuerst über die Leiter gefragt?", FIRST, None),
        ("de", "Was war meine letzte Frage zur Leiter?", LAST, "Was war zur Leiter?"),
        ("fr", "Quand ai-je parlé de l'échelle pour la première fois ?", FIRST, None),
        ("fr", "Qu'ai-je dit la dernie\u0300re fois sur l'échelle ?", LAST, None),
        ("fr", "Quelle est la dernière question que j'ai posée sur l'échelle ?", LAST, None),
        ("es", "¿Cuándo pregunté por primera vez por la escalera?", FIRST, None),
        ("es", "¿Qué dije la última vez sobre la escalera?", LAST, None),
        ("es", "¿Qué fue lo último que pregunté sobre la escalera?", LAST, None),
    ],
)
def test_a_question_asks_for_the_first_or_the_last_time(
    language: str, question: str, occurrence: Occurrence, subject: str | None
) -> None:
    asked = asked_occurrence(question, language=language)
    assert asked.occurrence is occurrence
    assert subject in {None, asked.subject}
    assert len(asked.subject) < len(question)


@for_each(
    ("language", "question"),
    [
        ("en", "What did we sell last week?"),
        ("en", "What is my first name, and my last name?"),
        ("en", "Show the first quarter of 2024 and last quarter"),
        ("en", "What were last year's figures?"),
        ("en", "How many first-time buyers did we have?"),
        ("en", "What is the first thing I should do about the leak?"),
        ("en", "Which one came last in the race?"),
        ("en", "Compare the first time we met with the last time we met"),
        ("nl", "Wat verkochten we de laatste week en het laatste kwartaal?"),
        ("nl", "Toon het eerste kwartaal van 2024"),
        ("nl", "Wat is het eerste wat ik moet doen?"),
        ("nl", "Wat moet ik eerst doen?"),
        ("de", "Was haben wir letzte Woche und im letzten Quartal verkauft?"),
        ("de", "Zeig das erste Quartal 2024"),
        ("de", "Was muss ich zuerst tun?"),
        ("fr", "Qu'avons-nous vendu la semaine dernière et l'année dernière ?"),
        ("fr", "Montre le premier trimestre 2024"),
        ("fr", "Quelle est la première chose que je dois faire ?"),
        ("es", "¿Qué vendimos la última semana y el último año?"),
        ("es", "Muestra el primer trimestre de 2024"),
        ("es", "¿Qué es lo primero que debo hacer?"),
        ("ja", "the last time"),
    ],
)
def test_other_firsts_and_lasts_are_left_alone(language: str, question: str) -> None:
    assert asked_occurrence(question, language=language) == (None, question)


def test_a_question_for_nothing_but_the_time_stays_whole() -> None:
    assert asked_occurrence("What was the last time?", language="en") == (
        LAST,
        "What was the last time?",
    )
