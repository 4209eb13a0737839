from datetime import UTC, datetime
from uuid import UUID

from recollect.domain.recall.diversity import SEARCHED, cover_each, things_in
from recollect.domain.recall.entry import Candidate, Entry
from recollect.domain.recall.ranking import Ranked
from support.tables import for_each

NOON = datetime(2024, 5, 1, 12, tzinfo=UTC)


def ranking(*texts: str) -> list[Ranked]:
    entries = [
        Entry(UUID(int=n), 1, 1, (UUID(int=n),), text, NOON)
        for n, text in enumerate(texts, start=1)
    ]
    return [
        Ranked(Candidate(entry, (0.5,), (None,)), 1 / (place + 1))
        for place, entry in enumerate(entries)
    ]


def covered(texts: list[str], *things: str) -> list[str]:
    ranked = cover_each(ranking(*texts), things, stems=str.split)
    assert [one.score for one in ranked] == sorted((one.score for one in ranked), reverse=True)
    return [one.candidate.entry.text for one in ranked]


@for_each(
    ("language", "question", "things"),
    [
        ("en", "What did we decide about the harness and about the ladder?", "harness/ladder"),
        ("en", "Is it about red paint, blue paint or the brushes?", "red paint/blue paint/brushes"),
        ("en", "Tell me of apples, pears, and plums", "apples/pears/plums"),
        ("nl", "Wat zei ik over de ladder en over het harnas?", "ladder/harnas"),
        ("nl", "Ging het over de keuken of over de tuin?", "keuken/tuin"),
        ("de", "Was war mit der Leiter und mit dem Gurt?", "leiter/gurt"),
        ("fr", "Qu'avons-nous dit de l'échelle et du harnais ?", "echelle/harnais"),
        ("es", "¿Qué dijimos de la escalera y del arnés?", "escalera/arnes"),
        ("en", "What did we decide about the ladder?", ""),
        ("en", "What did we decide, about the ladder?", ""),
        ("en", "And what about the ladder?", ""),
        ("en", "What did he and I do?", ""),
        ("en", "a1 and b1 and c1 and d1 and e1?", ""),
        ("ja", "ladder and harness", ""),
    ],
)
def test_a_question_joins_things(language: str, question: str, things: str) -> None:
    assert "/".join(things_in(question, language)) == things


def test_each_thing_has_a_result_among_the_first() -> None:
    texts = ["ladder one", "ladder two", "ladder three", "harness one", "harness two"]
    assert covered(texts, "harness", "ladder") == [
        "ladder one",
        "harness one",
        "ladder two",
        "ladder three",
        "harness two",
    ]


def test_a_result_about_both_is_enough() -> None:
    texts = ["ladder and harness", "ladder", "harness"]
    assert covered(texts, "harness", "ladder") == texts


def test_half_of_the_words_tell_the_thing() -> None:
    texts = ["ladder", "blue car", "red old big car", "red paint"]
    assert covered(texts, "ladder", "red oil paint")[1] == "red paint"


def test_things_without_a_result_change_nothing() -> None:
    far = ["ladder"] + [f"other {n}" for n in range(SEARCHED)] + ["harness"]
    assert covered(far, "harness", "ladder") == far
    assert cover_each([], ["harness", "ladder"], stems=str.split) == []
