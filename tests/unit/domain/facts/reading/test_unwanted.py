"""Messages that say that they are not to be remembered, in five languages."""

from recollect.domain.facts.reading.commands.command import CommandKind
from recollect.domain.facts.reading.commands.detection import commands_in
from recollect.domain.facts.reading.own_words.detection import readable_parts
from recollect.domain.facts.reading.unwanted import asks_to_keep_nothing
from support.tables import for_each


def _keeps_nothing(text: str) -> bool:
    return asks_to_keep_nothing(readable_parts(text))


@for_each(
    "text",
    [
        "Don't remember this. I live in Leeds.",
        "Do not store the following: I live in Leeds.",
        "I live in Leeds, but please don't save that.",
        "I live in Leeds. Don't keep it in memory, thanks.",
        "This is private, don't save it. I live in Leeds.",
        "No need to remember this, but I live in Leeds.",
        "I don't want you to remember what I just said.",
        "Off the record, I'm allergic to nuts.",
        "Onthoud dit niet. Ik woon in Leeds.",
        "Ik woon in Leeds, maar sla dat niet op.",
        "Dit hoef je niet te onthouden: ik woon in Leeds.",
        "Merk dir das bitte nicht. Ich wohne in Leeds.",
        "Ich wohne in Leeds. Bitte nicht speichern!",
        "Ich möchte nicht, dass du dir das merkst. Ich wohne in Leeds.",
        "Ne retiens pas ça : j'habite à Leeds.",
        "J'habite à Leeds. Ne l\u2019enregistre pas, s'il te plaît.",
        "No guardes esto: vivo en Leeds.",
        "Vivo en Leeds, pero no lo recuerdes.",
    ],
)
def test_a_clause_says_that_the_message_is_not_to_be_remembered(text: str) -> None:
    assert _keeps_nothing(text)


@for_each(
    "text",
    [
        "Don't forget this: I live in Leeds.",
        "I don't remember this. I live in Leeds.",
        "I do not remember that, but I live in Leeds.",
        "My phone doesn't store it. I live in Leeds.",
        "Don't remember this? I live in Leeds.",
        "Don't remember this street. I live in Leeds.",
        "Don't save this file. I live in Leeds.",
        "Don't save it to the desktop. I live in Leeds.",
        "Never keep it that way! I live in Leeds.",
        "I'm vegan. Don't keep it a secret.",
        "Can you not remember this? I live in Leeds.",
        "Don't remember that I live in Leeds.",  # withdraws that, and says nothing of the message
        'She wrote "don\'t save this". I live in Leeds.',
        "I live in Leeds.",
        "Ik kan dat niet onthouden. Ik woon in Leeds.",
        "Mijn telefoon kan het niet opslaan. Ik woon in Leeds.",
        "Ich kann mir das nicht merken. Ich wohne in Leeds.",
        "Mi madre no guarda eso. Vivo en Leeds.",
        "Non, je ne retiens pas ça. J'habite à Leeds.",
    ],
)
def test_what_tells_of_a_bad_memory_or_of_a_file_says_no_such_thing(text: str) -> None:
    assert not _keeps_nothing(text)


@for_each(
    "text",
    [
        "Don't remember that.",
        "Please do not save this.",
        "No need to remember that.",
        "Oh, and don't store what I just said, please",
        "That was off the record.",
        "Onthoud dat alsjeblieft niet.",
        "Merk dir das nicht!",
        "Ne le retiens pas.",
        "No lo recuerdes, por favor.",
    ],
)
def test_alone_it_means_the_message_before(text: str) -> None:
    (command,) = commands_in(text)

    assert command.kind is CommandKind.FORGET_THAT


@for_each(
    "text",
    [
        "Don't remember that?",
        "I don't remember that.",
        "Don't save it yet.",
        "Don't save this file.",
        "I live in Leeds. Don't remember that.",
        "Ik kan dat niet onthouden.",
    ],
)
def test_what_says_something_else_withdraws_nothing(text: str) -> None:
    assert commands_in(text) == ()


def test_do_not_remember_withdraws_what_it_names_like_dont_remember() -> None:
    for text in ("Do not remember that I live in Leeds.", "Don't remember that I live in Leeds."):
        (command,) = commands_in(text)
        assert (command.kind, command.content) == (CommandKind.FORGET, "I live in Leeds")
