"""Letters of others are told from messages that users write like one."""

from hypothesis import given
from hypothesis import strategies as st

from recollect.domain.facts.reading.own_words.detection import readable_parts
from recollect.domain.facts.reading.own_words.letters import is_only_greeting, letters_in
from support.tables import for_each


def _own(text: str) -> list[str]:
    return [part.text for part in readable_parts(text)]


@for_each(
    ("own", "letter"),
    [
        ("What now?", "Beste,\n\nIk woon in Hasselt. Kan dat?\n\nMvg,\nPeter"),
        ("See this.", "Hi Jan,\n\nI live in Hull.\n\nKind regards,\nPeter Claes\nSales, Acme"),
        ("See this.", "Dear Jan, I live in Hull. Best, Peter"),
        ("Lies das mal.", "Guten Tag,\nich wohne in Ulm.\n\nViele Grüße\nPeter"),
        ("Lies das mal.", "Sehr geehrter Herr Claes,\nich wohne in Ulm."),
        ("Voilà le mail.", "Bonjour,\n\nJ'habite à Lyon.\n\nCordialement,\nPierre"),
        ("Mira esto.", "Estimado Juan:\nVivo en Lugo.\n\nSaludos,\nPedro"),
        ("Can you reply to this?", "I'm Peter and I live in Hull."),
        ("I got this email, what should I answer?", "I live in Hull.\n\nThanks,\nPeter"),
        ("Kan je antwoorden op deze mail?", "Ik woon in Hasselt."),
        ("Was soll ich antworten?", "Ich wohne in Ulm."),
        ("Que répondre à ce mail ?", "J'habite à Lyon."),
        ("¿Qué contesto?", "Vivo en Lugo."),
    ],
)
@for_each("gap", ["\n", "\n\n"])
def test_a_letter_behind_the_users_words_is_not_theirs(own: str, letter: str, gap: str) -> None:
    assert _own(f"{own}{gap}{letter}") == [own]


def test_what_follows_the_signature_of_a_letter_is_the_users_again() -> None:
    message = "Look.\n\nHi Jan,\nI live in Hull.\n\nRegards,\n\nPeter\n\nI am a nurse."
    assert _own(message) == ["Look.", "I am a nurse."]


def test_the_end_of_a_long_letter_is_not_the_users() -> None:
    body = "I have seen your house and want to live there. " * 50
    assert _own(f"What is this?\n\nDear Jan,\n{body}\n\nI live in Hull.") == ["What is this?"]
    assert _own(f"What is this?\n\nDear Jan,\n{body * 9}\n\nI live in Hull.") == ["What is this?"]


@for_each(
    "message",
    [
        "Hi, I'm Emma and I live in Hull.",
        "Hi Jan, I'm Emma.\nI live in Hull.",
        "Hello,\n\nI'm Emma.\n\nI live in Hull.",
        "I have a question.\nHi, I'm Emma and I live in Hull.",
        "I live in Hull.\nHi there, I'm Emma.",
        "Ik zoek iets.\nBeste restaurant in Gent, waar ik woon?",
        "I need help.\nThanks!\nI live in Hull.",
        "Can you answer my question?\nI live in Hull.",
        "Kun je antwoorden op mijn vraag?\nIk woon in Gent.",
        "Dank dafür.\nLiebe wohnt hier, ich auch.",
    ],
)
def test_what_users_write_like_a_letter_stays_their_own(message: str) -> None:
    assert " ".join(" ".join(_own(message)).split()) == " ".join(message.split())


@for_each("end", ["Mvg,\nPeter", "Kind regards,\n\nPeter Claes", "Thanks, Peter"])
def test_a_signature_of_the_users_is_no_statement(end: str) -> None:
    assert _own(f"Hi, I live in Hull.\n\n{end}") == ["Hi, I live in Hull."]


@for_each(
    ("text", "is_greeting"),
    [
        ("Mvg.", True),
        ("Hi Jan", True),
        ("Bonjour.", True),
        ("Kind regards, Peter Claes", True),
        ("Hi, I'm Emma", False),
        ("Peter", False),
        ("Thanks to Ann I live in Hull", False),
    ],
)
def test_a_greeting_is_told_from_a_statement(text: str, *, is_greeting: bool) -> None:
    assert is_only_greeting(text) is is_greeting


_PIECES = st.sampled_from(("Hi Jan,", "Mvg", "\n", "\n\n", "Peter", "I live here.", "```", " "))


@given(st.lists(_PIECES, max_size=30).map("".join) | st.text(max_size=300))
def test_letters_stand_in_their_message_one_after_the_other(message: str) -> None:
    end = 0
    for start, stop in letters_in(message):
        assert end <= start < stop <= len(message)
        end = stop
