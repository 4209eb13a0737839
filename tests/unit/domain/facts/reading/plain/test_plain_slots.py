"""What a statement is plainly about, by its words."""

import tomllib
from importlib.resources import files
from uuid import UUID

from recollect.domain.facts.reading.plain import languages
from recollect.domain.facts.reading.plain.slots import leaves_subject_open, plain_statements
from recollect.domain.facts.reading.plain.whereabouts import tells_new_employer
from recollect.domain.facts.slots import Slot
from recollect.domain.facts.statement import Operation, Statement
from recollect.domain.speech.phrases import LANGUAGES
from support.tables import for_each


def _plain(content: str, slot: Slot, operation: Operation = Operation.ADD) -> list[tuple[str, str]]:
    """The contents and slots of what a statement plainly is."""
    statement = Statement(
        message_id=UUID(int=1),
        quote=content.rstrip("."),
        content=content,
        slot=slot,
        operation=operation,
    )
    return [(one.content, one.slot) for one in plain_statements(statement)]


@for_each("name", ["denials.toml", "slots.toml", "whereabouts.toml", "work.toml"])
@for_each("code", LANGUAGES)
def test_every_language_has_the_same_tables(name: str, code: str) -> None:
    tables = tomllib.loads(files(languages).joinpath(name).read_text("utf-8"))
    assert tables[code].keys() == tables["en"].keys()


@for_each(
    ("content", "slot"),
    [
        ("I live in Ghent.", Slot.HOME),
        ("I now live in The Hague.", Slot.HOME),
        ("Ik woon nu in Antwerpen.", Slot.HOME),
        ("Ich wohne jetzt in Bonn.", Slot.HOME),
        ("J'habite maintenant à Nantes.", Slot.HOME),
        ("Ahora vivo en Cádiz.", Slot.HOME),
        ("My name is Jan.", Slot.NAME),
        ("Ik heet Jan.", Slot.NAME),
        ("Ich heiße Jan.", Slot.NAME),
        ("Je m'appelle Jean.", Slot.NAME),
        ("Me llamo Juan.", Slot.NAME),
        ("I work at Philips.", Slot.EMPLOYER),
        ("Ik werk nu bij ASML.", Slot.EMPLOYER),
        ("My boss is Karen.", Slot.MANAGER),
        ("My birthday is on 4 March.", Slot.BIRTHDAY),
    ],
)
def test_what_is_told_has_the_slot_that_it_plainly_tells(content: str, slot: Slot) -> None:
    assert _plain(content, Slot.OTHER) == [(content, slot)]


@for_each(
    "content",
    [
        "I live in a small studio.",
        "I live alone.",
        "Ich wohne zur Miete.",
        "My address is Elm Street 3.",
        "My boss is vegan.",
        "Mein Chef ist Veganer.",
        "My name is often misspelled.",
        "I work at night.",
        "My birthday is a nice day.",
        "I don't live in Paris.",
        "I also live in Ostend.",
        "My brother lives in Antwerp.",
        "I live in my Tesla.",
        "Trabajo en Madrid.",
    ],
)
def test_what_tells_no_value_has_no_slot(content: str) -> None:
    assert _plain(content, Slot.OTHER) == [(content, Slot.OTHER)]


@for_each(
    ("content", "home", "company"),
    [
        (
            "I live in Ghent with my wife and two kids.",
            "I live in Ghent.",
            "I live with my wife and two kids.",
        ),
        (
            "Ik woon in Gent met mijn vrouw en twee kinderen.",
            "Ik woon in Gent.",
            "Ik woon met mijn vrouw en twee kinderen.",
        ),
        (
            "Ich wohne in Köln mit meiner Frau.",
            "Ich wohne in Köln.",
            "Ich wohne mit meiner Frau.",
        ),
        ("J'habite à Lyon avec ma femme.", "J'habite à Lyon.", "J'habite avec ma femme."),
        ("Vivo en Sevilla con mi mujer.", "Vivo en Sevilla.", "Vivo con mi mujer."),
    ],
)
def test_a_home_and_those_who_live_there_are_two_statements(
    content: str, home: str, company: str
) -> None:
    assert _plain(content, Slot.FAMILY) == [(home, Slot.HOME), (company, Slot.FAMILY)]


@for_each(
    "content",
    [
        "I work as a data engineer.",
        "Ik werk als data engineer.",
        "Ich arbeite als Ingenieur.",
        "Je travaille comme ingénieur.",
        "Trabajo como ingeniera.",
    ],
)
def test_a_profession_is_no_employer(content: str) -> None:
    assert _plain(content, Slot.EMPLOYER) == [(content, Slot.ROLE)]


@for_each(
    ("content", "slot"),
    [
        ("I live alone.", Slot.HOME),
        ("Ik woon samen.", Slot.HOME),
        ("Ich wohne allein.", Slot.HOME),
        ("J'habite seule.", Slot.HOME),
        ("Vivo sola.", Slot.HOME),
        ("I live near the station.", Slot.HOME),
        ("On weekends I live in Ostend.", Slot.HOME),
        ("Ik woon doordeweeks in Gent.", Slot.HOME),
        ("Am Wochenende wohne ich in Ulm.", Slot.HOME),
        ("J'habite aussi à Nice.", Slot.HOME),
        ("Los fines de semana vivo en Cádiz.", Slot.HOME),
        ("We bought a house in Bruges.", Slot.HOME),
        ("We hebben een huis gekocht in Brugge.", Slot.HOME),
        ("Wir haben in Ulm ein Haus gekauft.", Slot.HOME),
        ("Nous avons acheté une maison à Nice.", Slot.HOME),
        ("Hemos comprado una casa en Cádiz.", Slot.HOME),
        ("I work in Antwerp.", Slot.EMPLOYER),
        ("Ik werk in Antwerpen.", Slot.EMPLOYER),
        ("Ich arbeite in Bonn.", Slot.EMPLOYER),
        ("Je travaille à Paris.", Slot.EMPLOYER),
        ("I work in marketing.", Slot.EMPLOYER),
        ("I work from home.", Slot.EMPLOYER),
        ("Ik werk deeltijds.", Slot.EMPLOYER),
        ("Ich arbeite im Homeoffice.", Slot.EMPLOYER),
        ("Je travaille à domicile.", Slot.EMPLOYER),
        ("Trabajo desde casa.", Slot.EMPLOYER),
        ("Ik werk ook bij de brandweer.", Slot.EMPLOYER),
        ("I live in fear of my inbox.", Slot.HOME),
        ("As a child I lived in Leeds.", Slot.HOME),
        ("I have lived in Leeds.", Slot.HOME),
        ("Toen ik jong was woonde ik in Aalst.", Slot.HOME),
        ("Als Kind habe ich in Bonn gewohnt.", Slot.HOME),
        ("J'ai vécu à Pau.", Slot.HOME),
        ("Viví en Vigo tres años.", Slot.HOME),
        ("We put in an offer on a house in Bergen.", Slot.HOME),
        ("I've applied for a job at ASML.", Slot.EMPLOYER),
        ("Ik heb gesolliciteerd bij ASML.", Slot.EMPLOYER),
        ("Ich habe mich bei BMW beworben.", Slot.EMPLOYER),
        ("J'ai postulé chez Airbus.", Slot.EMPLOYER),
        ("Quiero trabajar en Iberdrola.", Slot.EMPLOYER),
        ("Me han dado el alta en el hospital.", Slot.EMPLOYER),
        ("I don't only work at Shell.", Slot.EMPLOYER),
        ("Ik woon niet graag in Gent.", Slot.HOME),
    ],
)
def test_what_names_no_value_or_one_of_several_takes_no_place(content: str, slot: Slot) -> None:
    assert _plain(content, slot) == [(content, Slot.OTHER)]


@for_each(
    ("content", "slot"),
    [
        ("I live in antwerp now.", Slot.HOME),
        ("I moved to Leiden.", Slot.HOME),
        ("I work for a bank now.", Slot.EMPLOYER),
        ("I've changed jobs.", Slot.EMPLOYER),
        ("I work in Antwerp for KBC.", Slot.EMPLOYER),
        ("Ich arbeite in Bonn bei der Telekom.", Slot.EMPLOYER),
        ("I work as a nurse at UZ Gent.", Slot.EMPLOYER),
        ("Ich bin nach Bonn gezogen.", Slot.HOME),
        ("I don't live in Paris.", Slot.HOME),
        ("I have lived in Leeds since 2019.", Slot.HOME),
        ("Ik heb altijd in Gent gewoond.", Slot.HOME),
        ("wohne in winterthur.", Slot.HOME),
    ],
)
def test_what_may_name_a_value_keeps_its_slot(content: str, slot: Slot) -> None:
    assert _plain(content, slot) == [(content, slot)]


def test_a_withdrawal_is_left_as_it_is() -> None:
    content = "I live in Ghent."
    assert _plain(content, Slot.OTHER, Operation.RETRACT) == [(content, Slot.OTHER)]


@for_each(
    "content",
    [
        "Ik werk bij KBC als analist.",
        "I work at KBC as an analyst.",
        "Ich arbeite bei Bosch als Ingenieur.",
        "Je travaille chez Renault comme ingénieur.",
    ],
)
def test_a_sentence_about_the_employer_is_about_no_school(content: str) -> None:
    assert _plain(content, Slot.EDUCATION) == [(content, Slot.EMPLOYER)]


def test_a_home_ends_before_a_company_that_is_told_apart() -> None:
    assert _plain("I live in Ghent with.", Slot.HOME) == [("I live in Ghent.", Slot.HOME)]


@for_each(
    "text",
    [
        "He got fired.",
        "She's a nurse.",
        "Hij werkt bij Philips.",
        "Er arbeitet bei Bosch.",
        "Sie wohnt in Ulm.",
        "Il travaille chez Renault.",
        "Ella vive en Lugo.",
        "Él trabaja en Orange.",
    ],
)
def test_a_sentence_about_he_or_she_leaves_open_of_whom_it_is_true(text: str) -> None:
    assert leaves_subject_open(text)


@for_each(
    "text",
    [
        "I work with her.",
        "Er werken drie mensen in mijn team.",
        "Er zijn vijf mensen in mijn team.",
        "Il y a cinq personnes dans mon équipe.",
        "Il faut deux signatures pour nos contrats.",
        "El presupuesto de mi equipo es de 20.000 euros.",
        "Mijn zus woont in Gent.",
    ],
)
def test_a_sentence_that_only_begins_like_one_is_kept(text: str) -> None:
    assert not leaves_subject_open(text)


@for_each(
    ("quote", "earlier", "is_so"),
    [
        ("I'm at ASML now", "I work at Shell.", True),
        ("Ik ben nu bij ASML", "Ik werk bij Shell.", True),
        ("Ich bin jetzt bei Siemens", "Ich arbeite bei Bosch.", True),
        ("Je suis maintenant chez Peugeot", "Je travaille chez Renault.", True),
        ("Ahora estoy en Orange", "Trabajo en Telefónica.", False),
        ("I'm at ASML", "I work at Shell.", False),
        ("I'm at ASML now", "I live in Hull.", False),
        ("I'm at ASML now", None, False),
        ("I'm at the office now", "I work at Shell.", False),
        ("I'm at home now", "I work from home.", False),
    ],
)
def test_who_said_where_they_work_may_say_where_they_do_now(
    quote: str, earlier: str | None, *, is_so: bool
) -> None:
    assert tells_new_employer(quote, earlier) is is_so
