"""Where users live now, told beside where they lived before."""

from hypothesis import given
from hypothesis import strategies as st

from recollect.domain.facts.reading.moves import moves_in, tells_former_home
from support.tables import for_each


@for_each(
    ("text", "content"),
    [
        ("I used to live in Paris but now I'm in Rome.", "I live in Rome."),
        ("I used to live in Paris, but now I live in New York", "I live in New York."),
        ("Hi! I used to live in Paris, now I live in the Hague. Thanks.", "I live in the Hague."),
        ("Ik woonde in Parijs maar nu in Rome", "Ik woon in Rome."),
        ("Vroeger woonde ik in Gent, maar nu woon ik in Den Haag.", "Ik woon in Den Haag."),
        ("Früher wohnte ich in Ulm, aber jetzt lebe ich in Kiel!", "Ich wohne in Kiel."),
        ("Ich habe früher in Ulm gewohnt, jetzt wohne ich in Köln.", "Ich wohne in Köln."),
        ("J\u2019habitais à Paris mais maintenant je vis au Mans.", "J'habite au Mans."),
        ("Antes vivía en París, pero ahora estoy en La Palma.", "Vivo en La Palma."),
        ("¡Hola! Me mudé a Vigo.", "Vivo en Vigo."),
        ("El mes pasado me mudé a La Coruña.", "Vivo en La Coruña."),
        ("Me he mudado a Vigo hace dos semanas", "Vivo en Vigo."),
        ("Je viens d\u2019emménager au Havre.", "J'habite au Havre."),
        ("J'ai emménagé à Paris le mois dernier.", "J'habite à Paris."),
    ],
)
def test_the_place_of_now_is_the_home(text: str, content: str) -> None:
    (move,) = moves_in(text)
    assert move.content == content
    assert move.quote in text


@for_each(
    "text",
    [
        "I used to live in Paris.",
        "I used to live in Paris but now I'm in Rome for a week.",
        "Me mudé a Vigo en 1990.",
        "Me mudé a Vigo cuando tenía cinco años.",
        "Me mudé a Vigo y luego a Lugo.",
        "No me mudé a Vigo.",
        "Mi hija se mudó a Vigo.",
        "¿Me mudé a Vigo?",
        "Me mudé a un piso.",
        "Je viens d'emménager à Paris chez ma sœur.",
        "I used to live in Paris but now I'm in Rome?",
        "I used to live in Paris but now I'm in love.",
        "I used to live in Paris but now my sister lives in Rome.",
        "I used to work in Paris but now I'm in Rome.",
        "I never used to live in Paris but now I'm in Rome.",
        "If I used to live in Paris but now I'm in Rome, what tax do I pay?",
        "My brother used to live in Paris but now he's in Rome.",
        "She says I used to live in Paris but now I'm in Rome.",
        "I live in Rome.",
        "Ik woonde in Parijs maar nu in een tent",
        "Woonde ik in Parijs maar nu in Rome?",
        "Mijn zus woonde in Parijs maar nu in Rome.",
        "Früher wohnte ich in Ulm, aber jetzt bin ich in Rente.",
        "Er wohnte früher in Ulm, aber jetzt wohnt er in Kiel.",
        "Il habitait à Paris mais maintenant il est à Rome.",
        "Mi hermana vivía en París, pero ahora vive en Roma.",
    ],
)
def test_what_is_not_surely_a_home_is_none(text: str) -> None:
    assert [*moves_in(text)] == []


@given(st.text(alphabet="iI usedtolvnwPRm',.aber\n", max_size=300))
def test_a_move_is_quoted_letter_by_letter(text: str) -> None:
    assert all(move.quote in text for move in moves_in(text))


def test_a_former_home_is_told_from_a_home() -> None:
    assert tells_former_home("Früher wohnte ich in Ulm, aber jetzt bin ich in Rente.")
    assert tells_former_home("I used to live in Paris.")
    assert not tells_former_home("I live in Paris.")
    assert not tells_former_home("We know that I used to live in Paris.")
