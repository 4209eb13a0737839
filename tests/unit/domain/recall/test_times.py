from datetime import UTC, datetime, timedelta

from recollect.domain.recall.query import CalendarTime, Period, Time, time_in
from support.tables import for_each

NOW = datetime(2026, 5, 20, 10, tzinfo=UTC)  # a Wednesday


def named(question: str, language: str = "en") -> Time | None:
    return time_in(question, language=language, now=NOW)


def days(first: str, last: str | None = None) -> Period:
    start = datetime.fromisoformat(first).date()
    return Period(first=start, last=datetime.fromisoformat(last).date() if last else start)


@for_each(
    ("question", "expected"),
    [
        ("What did Ann buy on 7 May 2023?", CalendarTime(year=2023, month=5, day=7)),
        ("What did she find on May 7th, 2023?", CalendarTime(year=2023, month=5, day=7)),
        ("What happened on 2023-05-07?", CalendarTime(year=2023, month=5, day=7)),
        ("What happened on 7/5/2023?", CalendarTime(year=2023, month=5, day=7)),
        ("What happened on 5/27/2023?", CalendarTime(year=2023, month=5, day=27)),
        ("What did I say in May about skis?", CalendarTime(month=5)),
        ("Where did they go in July, 2022?", CalendarTime(year=2022, month=7)),
        ("What did we plan for the 3rd of March?", CalendarTime(month=3, day=3)),
        ("What did we do in 2022?", CalendarTime(year=2022)),
        ("What did I ask yesterday?", days("2026-05-19")),
        ("What did I ask last week?", days("2026-05-11", "2026-05-17")),
        ("And last month?", CalendarTime(year=2026, month=4)),
        ("And last year?", CalendarTime(year=2025)),
        ("What did I ask this week?", days("2026-05-18", "2026-05-24")),
        ("What did I ask three days ago?", days("2026-05-17")),
        ("What did I ask two weeks ago?", days("2026-05-03", "2026-05-09")),
        ("What did we discuss on Monday?", days("2026-05-18")),
        ("May I ask what we march for?", None),
        ("What did we say on the 35th of May?", CalendarTime(month=5)),
        ("What was said on 2023-13-45?", CalendarTime(year=2023)),
        ("What does she like?", None),
        ("", None),
    ],
)
def test_the_time_of_a_question_is_read(question: str, expected: Time | None) -> None:
    assert named(question) == expected


@for_each(
    ("language", "question", "expected"),
    [
        ("nl", "Wat zei ik op 7 mei 2023 over ski's?", CalendarTime(year=2023, month=5, day=7)),
        ("nl", "Wat vroeg ik vorige week?", days("2026-05-11", "2026-05-17")),
        ("nl", "Wat vroeg ik eergisteren?", days("2026-05-18")),
        ("nl", "Wat staat hier?", None),
        ("de", "Was sagte ich am 7. März 2023?", CalendarTime(year=2023, month=3, day=7)),
        ("de", "Was fragte ich vor zwei Wochen?", days("2026-05-03", "2026-05-09")),
        ("de", "Was war letzten Monat?", CalendarTime(year=2026, month=4)),
        ("fr", "Qu'ai-je dit le 1er août 2022 ?", CalendarTime(year=2022, month=8, day=1)),
        ("fr", "Qu'ai-je demandé la semaine dernière ?", days("2026-05-11", "2026-05-17")),
        ("fr", "Qu'ai-je demandé hier ?", days("2026-05-19")),
        ("es", "¿Qué dije el 7 de mayo de 2023?", CalendarTime(year=2023, month=5, day=7)),
        ("es", "¿Qué pregunté hace tres días?", days("2026-05-17")),
        ("es", "¿Qué pregunté el mes pasado?", CalendarTime(year=2026, month=4)),
    ],
)
def test_times_are_read_in_five_languages(
    language: str, question: str, expected: Time | None
) -> None:
    assert named(question, language) == expected


def test_a_day_is_near_for_a_while_and_its_month_a_little() -> None:
    day = CalendarTime(year=2023, month=5, day=7)
    near = [
        day.nearness(datetime(2023, 5, 7, 23, tzinfo=UTC) + timedelta(days=n)) for n in range(9)
    ]
    assert near == [1, 1, 1, 0.75, 0.75, 0.75, 0.75, 0.75, 0.5]
    assert day.nearness(datetime(2023, 6, 20, tzinfo=UTC)) == 0
    assert day.nearness(datetime(2024, 5, 7, tzinfo=UTC)) == 0


def test_a_month_without_a_year_is_near_in_each() -> None:
    for year in (2021, 2024):
        assert CalendarTime(month=5).nearness(datetime(year, 5, 30, tzinfo=UTC)) == 0.5
    assert CalendarTime(month=12, day=31).nearness(datetime(2024, 1, 1, tzinfo=UTC)) == 1
    assert CalendarTime(month=2, day=29).nearness(datetime(2023, 2, 28, tzinfo=UTC)) == 0.5


def test_a_time_before_the_first_year_causes_no_error() -> None:
    assert named("What was said 9999 years ago?") is not None


@for_each(
    ("language", "question"),
    [
        ("en", "What did I say yesterday?"),
        ("nl", "Wat heb ik gisteren gezegd?"),
        ("de", "Was habe ich gestern gesagt?"),
        ("fr", "Qu'est-ce que j'ai dit hier ?"),
        ("es", "¿Qué dije ayer?"),
    ],
)
def test_yesterday_is_nearer_than_today_and_the_day_before(language: str, question: str) -> None:
    yesterday = named(question, language)
    assert yesterday is not None
    near = [yesterday.nearness(NOW - timedelta(days=n)) for n in range(4)]
    assert near == [0.5, 1, 0.5, 0]
    late = NOW.replace(hour=0) - timedelta(seconds=1)
    assert yesterday.nearness(late) == 1, "the last second of yesterday"


def test_today_and_weekdays_are_days_of_their_own() -> None:
    today, monday = named("What did I say today?"), named("What did I say on Monday?")
    assert today is not None
    assert monday is not None
    assert [today.nearness(NOW - timedelta(days=n)) for n in range(3)] == [1, 0.5, 0]
    assert [monday.nearness(NOW - timedelta(days=n)) for n in range(5)] == [0, 0.5, 1, 0.5, 0]
