"""Users who set right in a few words what they have just said."""

import pytest

from recollect.domain.facts.reading.plain.corrections import (
    asks_user,
    corrected,
    correction_in,
    is_fragment,
    only_acknowledges,
)
from recollect.domain.facts.slots import Slot
from recollect.domain.speech.phrases import spelled_words_in, words_in
from support.facts.known_facts import a_fact

HOME = ("I live in Hull.", Slot.HOME)
JOB = ("I work at Shell.", Slot.EMPLOYER)
Told = tuple[str, Slot]


def _corrected(text: str, *known: Told) -> str | None:
    correction = correction_in(text)
    assert correction is not None
    assert correction.quote in text
    found = corrected(correction, [a_fact(content, slot) for content, slot in known])
    return found[1] if found else None


@pytest.mark.parametrize(
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


@pytest.mark.parametrize(
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


@pytest.mark.parametrize(
    "text",
    [
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


@pytest.mark.parametrize(
    ("text", "is_so"),
    [
        ("No, in Leeds", True),
        ("Nee, Amersfoort", True),
        ("Nein, in Ulm", True),
        ("Non, à Lille", True),
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
    assert is_fragment(words, capitals) is is_so


@pytest.mark.parametrize(
    ("reply", "message"),
    [
        ("Okay.", "I live in Hull."),
        ("Got it, you live in Hull!", "I live in Hull."),
        ("This is stored, and can be asked for later: I live in Hull.", "I live in Hull."),
        (
            "Dit is opgeslagen, en u kunt er later naar vragen: Ik woon in Utrecht.",
            "Ik woon in Utrecht.",
        ),
        ("Prima, genoteerd.", "Ik woon in Utrecht."),
        ("Alles klar, danke!", "Ich wohne in Ulm."),
        ("Alles klar, ich merke mir, dass du in Ulm wohnst.", "Ich wohne in Ulm."),
        ("Prima, ik onthoud dat je bij KPN werkt.", "Ik werk bij KPN."),
        ("C'est noté, merci !", "J'habite à Lyon."),
        ("De acuerdo, lo recordaré.", "Vivo en Madrid."),
    ],
)
def test_some_replies_only_say_that_a_message_was_heard(reply: str, message: str) -> None:
    assert only_acknowledges(reply, message)


@pytest.mark.parametrize(
    "reply",
    [
        "Hull is in Wales.",
        "The weather in Hull is sunny.",
        "Here are the sales of Hull: 12.",
        "I'll put it in Word.",
        "Trains from Hull go to York.",
        "Is Hull nice?",
        "Okay?",
        "De omzet in Hull was 12.",
        "Hull ist schön, es regnet oft.",
    ],
)
def test_a_reply_that_says_more_may_be_what_is_corrected(reply: str) -> None:
    assert not only_acknowledges(reply, "I live in Hull.")


@pytest.mark.parametrize(
    ("reply", "is_so"),
    [
        ("Where do you live?", True),
        ("Woon je in Utrecht?", True),
        ("Nice. Do you work in Leeds?", True),
        ("Shall I look for trains to York?", False),
        ("Wil je de cijfers van Utrecht zien?", False),
        ("Soll ich Köln zeigen?", False),
        ("Voulez-vous la météo à Lyon ?", False),
        ("¿Quieres ver Madrid?", False),
        ("Okay.", False),
    ],
)
def test_an_offer_asks_nothing_about_the_user(reply: str, *, is_so: bool) -> None:
    assert asks_user(reply) is is_so
