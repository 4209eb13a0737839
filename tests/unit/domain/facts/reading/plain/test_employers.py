"""Which sentences plainly tell where the user works now."""

from recollect.domain.facts.reading.plain.employers import (
    names_other_employer,
    surely_tells_employer,
)
from recollect.domain.facts.reading.plain.sentence import sentences_of
from recollect.domain.facts.reading.plain.slots import leaves_subject_open
from support.tables import for_each


@for_each(
    "content",
    [
        "I work at Shell.",
        "I work as a planner at Shell.",
        "I'm at Philips as an engineer.",
        "I've accepted the offer from Philips.",
        "Ik werk als technicus bij Philips.",
        "Ik heb de functie bij ASML aanvaard.",
        "Ich arbeite als Techniker bei Siemens.",
        "Ich habe bei BMW angefangen.",
        "Ik ben bij ASML begonnen.",
        "Ich habe die Stelle bei Siemens angenommen.",
        "Je travaille comme technicien chez Dassault.",
        "J'ai accepté le poste chez Dassault.",
        "Trabajo en Telefónica.",
        "Trabajo en la Universidad de Sevilla.",
        "Trabajo de técnico en Telefónica.",
        "He aceptado el puesto en Telefónica.",
    ],
)
def test_a_plain_employer(content: str) -> None:
    assert surely_tells_employer(sentences_of(content))


@for_each(
    "content",
    [
        "I'm at the Hilton as a guest.",
        "I'm at Philips.",
        "I work as a planner.",
        "I accepted the job at Philips in 2012.",
        "I accepted the parcel from Philips.",
        "My wife accepted the job at Philips.",
        "Ik zit bij Anna.",
        "Ik zit bij mijn zus.",
        "Ich bin bei Siemens als Gast.",
        "Ich habe bei Anna angefangen.",
        "Ich habe bei BMW gegessen.",
        "Trabajo en Madrid.",
        "Trabajo en La Coruña.",
        "Trabajo en Excel todo el día.",
        "Trabajo en un proyecto para Nike.",
        "Trabajo de noche en Madrid.",
        "Estoy en Telefónica de visita.",
    ],
)
def test_no_plain_employer(content: str) -> None:
    assert not surely_tells_employer(sentences_of(content))


def test_two_sentences_that_name_other_employers() -> None:
    bosch = "Ich bin Ingenieur bei Bosch."

    assert names_other_employer("Ich arbeite bei Siemens.", bosch)
    assert not names_other_employer("Ich arbeite bei Bosch.", bosch)
    assert not names_other_employer("Ich arbeite viel.", bosch)


def test_what_a_spaniard_has_done_leaves_nobody_open() -> None:
    assert not leaves_subject_open("He aceptado el puesto.")
    assert leaves_subject_open("He accepted the job.")
