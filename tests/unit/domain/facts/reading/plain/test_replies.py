"""Replies of the assistant that say something of their own, and those that do not."""

import pytest

from recollect.domain.facts.reading.plain.replies import (
    asks_about_told,
    asks_user,
    only_acknowledges,
)
from recollect.domain.facts.slots import Slot


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
        ("Got it, Hull. Is that right?", "I live in Hull."),
        ("Nice to meet you, Max! How can I help you today?", "I'm Max."),
        ("Hallo Thijs! Waarmee kan ik je helpen?", "Ik heet Thijs."),
        ("Freut mich, Max! Wie kann ich dir helfen?", "Ich heiße Max."),
        ("Enchanté, Luc ! Comment puis-je vous aider ?", "Je m'appelle Luc."),
        ("¡Mucho gusto, Ana! ¿En qué puedo ayudarte?", "Me llamo Ana."),
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
        "How can I help you with Wales?",
        "Hi! How can I help you? Hull is in Wales.",
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


@pytest.mark.parametrize(
    ("reply", "earlier", "slot", "is_so"),
    [
        ("Do you work in Ghent too?", "I live in Ghent.", Slot.HOME, True),
        ("Do you work in Ghent too?", "I live in Ghent.", Slot.EMPLOYER, True),
        ("Is your brother called Paul?", "I'm Max.", Slot.NAME, True),
        ("Do you work at Shell?", "I live in Ghent.", Slot.EMPLOYER, False),
        ("Do you live in Ghent?", "Can you fill in a form for me?", Slot.HOME, False),
        ("Do you live in Ghent?", "I live in Ghent. " * 20, Slot.HOME, False),
    ],
)
def test_a_reply_may_ask_about_what_was_just_told(
    reply: str, earlier: str, slot: Slot, *, is_so: bool
) -> None:
    assert asks_about_told(reply, earlier, slot) is is_so
