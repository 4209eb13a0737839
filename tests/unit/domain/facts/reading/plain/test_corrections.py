"""Users who set right in a few words what they have just said."""

from recollect.domain.facts.reading.plain.corrections import (
    corrected,
    correction_in,
    is_short_correction,
)
from recollect.domain.facts.slots import Slot
from recollect.domain.speech.phrases import spelled_words_in, words_in
from support.facts.known_facts import a_fact
from support.tables import for_each

HOME = ("I live in Hull.", Slot.HOME)
JOB = ("I work at Shell.", Slot.EMPLOYER)
NAME = ("My name is Max.", Slot.NAME)
BIRTHDAY = ("My birthday is 3 May.", Slot.BIRTHDAY)
AGE = ("I'm 34 years old.", Slot.AGE)
Told = tuple[str, Slot]


def _corrected(text: str, *known: Told) -> str | None:
    correction = correction_in(text)
    assert correction is not None
    assert correction.quote in text
    found = corrected(correction, [a_fact(content, slot) for content, slot in known])
    return found[1] if found else None


@for_each(
    ("text", "known", "content"),
    [
        ("No, I mean Exxon.", JOB, "I work at Exxon."),
        ("No, at Exxon!", JOB, "I work at Exxon."),
        ("Sorry, I meant Leeds.", HOME, "I live in Leeds."),
        ("Correction: Leeds.", HOME, "I live in Leeds."),
        ("Leeds, not Hull.", HOME, "I live in Leeds."),
        ("Not Hull but Leeds.", HOME, "I live in Leeds."),
        ("Nee, in Amersfoort.", ("Ik woon in Utrecht.", Slot.HOME), "Ik woon in Amersfoort."),
        (
            "Nee, ik bedoel Den Haag.",
            ("Ik woon nu in Utrecht.", Slot.HOME),
            "Ik woon nu in Den Haag.",
        ),
        ("Niet bij KPN maar bij Odido.", ("Ik werk bij KPN als tester.", Slot.EMPLOYER), None),
        ("Nein, in Kassel.", ("Ich wohne in Ulm.", Slot.HOME), "Ich wohne in Kassel."),
        ("Nein, nicht Ulm, sondern Kassel.", ("Ich wohne in Ulm.", Slot.HOME), None),
        ("Non, à Lille.", ("J'habite à Lyon.", Slot.HOME), "J'habite à Lille."),
        ("No, en Sevilla.", ("Vivo en Madrid.", Slot.HOME), "Vivo en Sevilla."),
        ("Nee, bij IBM.", ("Ik werk bij KPN.", Slot.EMPLOYER), "Ik werk bij IBM."),
        ("No, at BP.", ("I work at Shell in Hull.", Slot.EMPLOYER), "I work at BP in Hull."),
        ("No, I meant Tom Barker.", ("My name is Tom Baker.", Slot.NAME), "My name is Tom Barker."),
    ],
)
def test_a_value_is_set_right(text: str, known: Told, content: str | None) -> None:
    others = {
        "Niet bij KPN maar bij Odido.": "Ik werk bij Odido als tester.",
        "Nein, nicht Ulm, sondern Kassel.": "Ich wohne in Kassel.",
    }
    assert _corrected(text, known) == (content or others[text])


@for_each(
    ("text", "known", "content"),
    [
        ("No wait, in Leeds.", HOME, "I live in Leeds."),
        ("No, wait, in Leeds!", HOME, "I live in Leeds."),
        ("Wrong, in Leeds.", HOME, "I live in Leeds."),
        ("Nee, sorry, in Brugge.", ("Ik woon in Gent.", Slot.HOME), "Ik woon in Brugge."),
        ("Non, attends, à Nantes.", ("J'habite à Lyon.", Slot.HOME), "J'habite à Nantes."),
        ("No, perdón, en Vitoria.", ("Vivo en Bilbao.", Slot.HOME), "Vivo en Vitoria."),
        ("Quatsch, in Bonn.", ("Ich wohne in Köln", Slot.HOME), "Ich wohne in Bonn"),
        ("Sorry, ich meinte Bonn.", ("Ich wohne in Köln.", Slot.HOME), "Ich wohne in Bonn."),
        ("No, Moritz.", NAME, "My name is Moritz."),
        ("Nein, Moritz.", ("Ich heiße Max.", Slot.NAME), "Ich heiße Moritz."),
        ("Nein, falsch, Moritz.", ("Ich bin Max.", Slot.NAME), "Ich bin Moritz."),
        ("Nee, Teun.", ("Ik heet Thijs.", Slot.NAME), "Ik heet Teun."),
        ("Non, Marc.", ("Je suis Luc.", Slot.NAME), "Je suis Marc."),
        ("No, Eva.", ("Soy Ana.", Slot.NAME), "Soy Eva."),
        ("No, Sandra.", ("My manager is Karin.", Slot.MANAGER), "My manager is Sandra."),
    ],
)
def test_a_bare_name_is_a_value_where_it_can_be_nothing_else(
    text: str, known: Told, content: str
) -> None:
    assert _corrected(text, known) == content


@for_each(
    ("text", "known", "content"),
    [
        ("No wait, 4 May.", BIRTHDAY, "My birthday is 4 May."),
        ("No, on the 4th of May.", BIRTHDAY, "My birthday is 4th of May."),
        ("No, 4 May 1990.", BIRTHDAY, "My birthday is 4 May 1990."),
        ("No, May 4th.", ("My birthday is May 3rd.", Slot.BIRTHDAY), "My birthday is May 4th."),
        (
            "No, 4 May.",
            ("I was born on 3 May 1990.", Slot.BIRTHDAY),
            "I was born on 4 May 1990.",
        ),
        (
            "No, May 4.",
            ("I was born on May 3rd, 1990.", Slot.BIRTHDAY),
            "I was born on May 4, 1990.",
        ),
        ("Nee, op 4 mei.", ("Ik ben jarig op 3 mei.", Slot.BIRTHDAY), "Ik ben jarig op 4 mei."),
        (
            "Nein, am 4. Mai.",
            ("Mein Geburtstag ist am 3. Mai.", Slot.BIRTHDAY),
            "Mein Geburtstag ist am 4. Mai.",
        ),
        (
            "Non, le 4 mai.",
            ("Mon anniversaire est le 3 mai.", Slot.BIRTHDAY),
            "Mon anniversaire est le 4 mai.",
        ),
        (
            "No, el 4 de mayo.",
            ("Nací el 3 de mayo de 1990.", Slot.BIRTHDAY),
            "Nací el 4 de mayo de 1990.",
        ),
        (
            "No, 04/05/1990.",
            ("My birthday is 03/05/1990.", Slot.BIRTHDAY),
            "My birthday is 04/05/1990.",
        ),
        ("No, 35.", AGE, "I'm 35 years old."),
        ("Nee wacht, 35.", ("Ik ben 34.", Slot.AGE), "Ik ben 35."),
    ],
)
def test_a_day_or_an_age_is_set_right(text: str, known: Told, content: str) -> None:
    assert _corrected(text, known) == content


@for_each(
    ("text", "known"),
    [
        ("No wait, 4 May.", [HOME]),
        ("No wait, 4 May.", [NAME]),
        ("No wait, 4 May.", [("My deadline is 3 May.", Slot.DEADLINE)]),
        ("No wait, 3 May.", [BIRTHDAY]),
        ("No wait, 4 May.", [("I turn 40 on 3 May.", Slot.BIRTHDAY)]),
        ("No wait, 4 May.", [("My birthday is 03/05/1990.", Slot.BIRTHDAY)]),
        ("No, 35.", [NAME]),
        ("No, 35.", [BIRTHDAY]),
        ("No, 34.", [AGE]),
        ("No, 24/7.", [BIRTHDAY]),
        ("No, 9-5.", [BIRTHDAY]),
        ("No, 35.", [("I'm 34 and have 2 children.", Slot.AGE)]),
        ("No wait, in Leeds.", [BIRTHDAY]),
        ("No wait, in Leeds.", [NAME]),
        ("No wait, in Leeds.", [HOME, JOB]),
        ("No, in Leeds.", [HOME, JOB]),
        ("No, in Leeds.", [("I live in Hull and York.", Slot.HOME)]),
        ("No, in Leeds.", [("I live in Hull, York and Ely.", Slot.HOME)]),
        ("No wait, Peter.", [HOME]),
        ("No, Peter.", [JOB]),
        ("No, Moritz.", [("My name is Max Miller.", Slot.NAME)]),
        ("No, Moritz.", [("I'm Max Miller.", Slot.NAME)]),
        ("No, Max.", [NAME]),
    ],
)
def test_a_value_of_another_kind_or_of_several_sets_nothing_right(
    text: str, known: list[Told]
) -> None:
    assert _corrected(text, *known) is None


@for_each(
    ("text", "known"),
    [
        ("No, at Exxon.", [HOME]),
        ("No, I mean Leeds.", [HOME, JOB]),
        ("No, I mean Leeds.", [("I have two dogs.", Slot.PET)]),
        ("No, I mean Leeds.", [("I live alone.", Slot.HOME)]),
        ("No, I mean Leeds.", [("I live in a village.", Slot.HOME)]),
        ("No, I mean Hull.", [HOME]),
        ("Leeds, not York.", [HOME]),
        ("No, I mean Peter.", [HOME]),
        ("No, I mean Q3.", [HOME]),
        ("No, I mean HR.", [HOME]),
        ("Nee, ik bedoel HR.", [("Mijn manager is Karin.", Slot.MANAGER)]),
        ("No, I mean Exxon.", [("I work at Shell in Hull.", Slot.EMPLOYER)]),
        ("No, I mean York.", [("I live in Hull, near Leeds.", Slot.HOME)]),
        ("Nee, bij Philips.", [("Ik woon in Utrecht.", Slot.HOME)]),
    ],
)
def test_nothing_is_set_right_where_it_is_not_sure_what(text: str, known: list[Told]) -> None:
    assert _corrected(text, *known) is None


@for_each(
    "text",
    [
        "No wait, Stop!",
        "NO WAIT, FORGET IT",
        "My bad, Boss.",
        "Actually, in Excel.",
        "No wait, Leeds.",
        "Leeds.",
        "In Leeds.",
        "No, Exxon.",
        "No. Leeds.",
        "No, Excel.",
        "No. Stop.",
        "Nee. Klaar.",
        "Nee, Den Haag.",
        "Wait, ChatGPT.",
        "Sorry. Bye!",
        "No, French.",
        "No wait. Stop.",
        "No wait, French.",
        "No wait, Claude.",
        "No, Alexa.",
        "No wait, never mind.",
        "No problem.",
        "No, 3.",
        "Wait, 15.",
        "No, May.",
        "No, 4 May or 5 May.",
        "Nein, morgen.",
        "Nein, falsch, Bonn.",
        "Quatsch, Unsinn!",
        "Nee, dank je.",
        "No pasa nada.",
        "No, thanks.",
        "No, Thanks.",
        "No, Monday.",
        "No, I live in Leeds.",
        "No, the one in Leeds.",
        "No, Leeds?",
        "No, Leeds is in the north.",
        "No idea.",
        "Nein, Lehrer.",
        "Nee, bedankt.",
        "Sorry, Claude.",
        "Wait, Barbara.",
        "Wacht, Leeuwarden.",
        "Désolée, Lyon.",
        "Perdón, Sevilla.",
        "Non, merci.",
        "No, gracias.",
        "No, Leeds. " * 20,
        "",
    ],
)
def test_what_says_anything_else_is_no_correction(text: str) -> None:
    assert correction_in(text) is None


@for_each(
    ("text", "is_so"),
    [
        ("No, in Leeds", True),
        ("Nee, Amersfoort", True),
        ("Nein, in Ulm", True),
        ("Non, à Lille", True),
        ("No wait, 4 May", True),
        ("Nee, op 4 mei", True),
        ("No, el 4 de mayo", True),
        ("Non, le 4 mai", True),
        ("Nein, 35", True),
        ("Sorry, 4 May is my birthday", False),
        ("Quatsch, in Bonn", True),
        ("No, I live in Leeds", False),
        ("No, my wife is Ann", False),
        ("Sorry, the budget is 20k", False),
        ("Leeds, not Hull", False),
        ("In England, not in Scotland", True),
        ("Not in Word but in Excel", True),
        ("In Word, niet in Excel", True),
        ("Nicht in Word, sondern in Excel", True),
        ("En Excel, no en Word", True),
        ("In Leeds, not far from Hull", False),
        ("Not a fan of Leeds", False),
        ("In Leeds", False),
        ("Nee, het project begint in mei", False),
        ("No como carne", False),
        ("No milk please, lactose intolerant", False),
        ("No", False),
    ],
)
def test_a_fragment_means_nothing_by_itself(text: str, *, is_so: bool) -> None:
    words = words_in(text)
    capitals = {at for at, word in enumerate(spelled_words_in(text)) if word[0].isupper()}
    assert is_short_correction(words, capitals) is is_so
