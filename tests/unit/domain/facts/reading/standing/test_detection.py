"""Standing instructions are told from everything that looks like one; doubt means none."""

import tomllib
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from recollect.domain.facts.reading.standing.detection import (
    MAX_INSTRUCTION,
    slot_of,
    standing_instructions_in,
    standing_slot,
)
from recollect.domain.facts.slots import Slot
from recollect.domain.speech.phrases import LANGUAGES
from support.tables import for_each

_DATA = Path(__file__).parent / "data"


def _messages(kind: str) -> list[str]:
    tables = (tomllib.loads((_DATA / f"{code}.toml").read_text("utf-8")) for code in LANGUAGES)
    return [line for table in tables for line in table[kind].strip().splitlines()]


@for_each("message", _messages("instructions"))
def test_a_standing_instruction_is_found(message: str) -> None:
    assert standing_instructions_in(message)


@for_each("message", _messages("others"))
def test_what_only_looks_like_one_is_none(message: str) -> None:
    assert standing_instructions_in(message) == ()


@for_each(
    ("message", "sentences"),
    [
        (
            "Hi! What did we sell in May? From now on give amounts in euros, please. Thanks!",
            ("From now on give amounts in euros, please.",),
        ),
        (
            "Bedankt.\nAntwoord voortaan  in het Nederlands…\nEn gebruik nooit tabellen!",
            ("Antwoord voortaan  in het Nederlands…", "En gebruik nooit tabellen!"),
        ),
        ("Please call me Dr. Smith. What is new?", ("Please call me Dr. Smith.",)),
        ("Never use tables. Never use tables.", ("Never use tables.",)),
        ("Always answer in Dutch\n\nWhat is the capital of Peru?", ("Always answer in Dutch",)),
    ],
)
def test_exactly_the_sentences_are_returned_as_they_stand(
    message: str, sentences: tuple[str, ...]
) -> None:
    assert standing_instructions_in(message) == sentences


@for_each(
    "message",
    [
        "Review this:\n```\n# Always answer in Dutch.\nNever use tables.\n```",
        "```\nFrom now on answer in Dutch.",
        "What does it mean?\n> Always answer in Dutch.\n> Never use tables.",
        "Our guide:\n- Always answer in full sentences.\n- Never use emojis.",
        "Our guide:\nAlways answer in full sentences.\nNever use emojis.",
        "1. Always answer in Dutch.\n2. Never use emojis.",
        "# Rules\n\n* Never use tables.",
        "    Always answer in Dutch.",
        "She wrote: “I am done. From now on answer in Dutch. Bye.”",
        'The text is "Hello. Always answer in Dutch. Bye." and nothing else.',
        "<system>From now on answer in Dutch.</system>",
        "{From now on answer in Dutch.}",
    ],
)
def test_what_is_quoted_listed_or_code_is_none(message: str) -> None:
    assert standing_instructions_in(message) == ()


def test_in_a_long_message_only_its_short_ends_are_the_users_own() -> None:
    pasted = "Always answer in full sentences. Never use emojis. " * 30
    assert standing_instructions_in(f"What is this?\n\n{pasted}\n\nThanks.") == ()
    message = f"From now on answer in Dutch.\n\n{pasted}\n\nNever use tables."
    own = ("From now on answer in Dutch.", "Never use tables.")
    assert standing_instructions_in(message) == own
    assert standing_instructions_in(pasted) == ()


def test_a_very_long_sentence_is_none() -> None:
    sentence = "Always answer in Dutch" + " and in Dutch" * (MAX_INSTRUCTION // 13)
    assert standing_instructions_in(sentence) == ()


@for_each(
    "instruction",
    [
        "From now on, please answer in Dutch.",
        "I want you to always answer in German.",
        "Voortaan graag in het Nederlands.",
        "Künftig bitte immer auf Deutsch antworten.",
        "Pourrais-tu toujours répondre en français, s'il te plaît ?",
        "A partir de ahora solo en español",
    ],
)
def test_what_names_one_language_and_nothing_else_is_about_the_language(instruction: str) -> None:
    assert standing_slot(instruction) is Slot.ANSWER_LANGUAGE


@for_each(
    "instruction",
    [
        "Never answer in Dutch.",
        "Antwoord nooit in het Engels.",
        "From now on no Dutch.",
        "From now on answer in Dutch and never use tables.",
        "From now on answer in Dutch and English.",
        "Always answer in plain English.",
        "Always answer in Dutch when I ask about sales.",
        "Never use tables.",
    ],
)
def test_everything_else_is_about_the_style_of_answers(instruction: str) -> None:
    assert slot_of(instruction) is Slot.ANSWER_STYLE


@for_each("text", ["We report in euros.", "I like tea. Never use tables.", "Hi!"])
def test_what_is_not_an_instruction_as_a_whole_has_no_slot_of_one(text: str) -> None:
    assert standing_slot(text) is None


_WORDS = ("From now on", "always", "never", "answer in Dutch", "voortaan", "noem me Sam", "é")
_MARKS = ('"', "“", "”", "```", "\n", "\n\n", ". ", "?", ":", ", ", "> ", "- ", "\u2019", " ")
_PIECES = st.sampled_from(_WORDS + _MARKS)


@given(st.lists(_PIECES, max_size=30).map("".join) | st.text(max_size=300))
def test_what_is_returned_stands_in_the_message(message: str) -> None:
    for sentence in standing_instructions_in(message):
        assert sentence in message
        assert sentence == sentence.strip() != ""
        assert len(sentence) <= MAX_INSTRUCTION


@for_each("blank", ["\n", " ", "\n \n"])
def test_a_long_blank_message_has_no_instructions(blank: str) -> None:
    assert standing_instructions_in(blank * 1000) == ()
