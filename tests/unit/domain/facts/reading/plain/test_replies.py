"""Replies of the assistant that say something of their own, and those that do not."""

from recollect.domain.facts.reading.plain.replies import (
    asks_user,
    only_acknowledges,
    tells_slot_again,
)
from recollect.domain.facts.slots import Slot
from support.tables import for_each


@for_each(
    ("reply", "message"),
    [
        ("Okay.", "I live in Hull."),
        ("Got it, you live in Hull!", "I live in Hull."),
        ("This is stored, and can be asked for later: I live in Hull.", "I live in Hull."),
        (
            "Dit is opgeslagen, en u kunt er later naar vragen: Ik woon in Utrecht.",
            "Ik woon in Utrecht.",
        ),
        (
            "Das ist gespeichert, und Sie können später danach fragen: Ich heiße Max.",
            "Ich heiße Max.",
        ),
        (
            "C'est enregistré, et vous pourrez le demander plus tard : Je m'appelle Luc.",
            "Je m'appelle Luc.",
        ),
        ("Queda guardado, y puede preguntarlo más tarde: Me llamo Ana.", "Me llamo Ana."),
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


@for_each(
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


@for_each(
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


@for_each(
    "reply",
    [
        "You work in Hull, is that right?",
        "And she works in Hull, is that right?",
        "So he lives in Hull, is that correct?",
    ],
)
def test_a_check_of_what_was_not_said_is_a_question(reply: str) -> None:
    assert not only_acknowledges(reply, "I live in Hull.")


@for_each(
    ("earlier", "slot", "is_so"),
    [
        ("I live in Ghent.", Slot.HOME, True),
        ("I live in Ghent.", Slot.EMPLOYER, False),
        ("My name is Max.", Slot.HOME, False),
        ("I'm Max.", Slot.NAME, True),
        ("What is the capital of Peru?", Slot.HOME, False),
    ],
)
def test_an_answer_may_be_taken_for_what_was_just_told(
    earlier: str, slot: Slot, *, is_so: bool
) -> None:
    assert tells_slot_again(earlier, slot) is is_so
