"""What a message wants of a memory that has no model: an answer, to be stored, or a kind word."""

import re
import unicodedata
from collections.abc import Collection
from dataclasses import dataclass
from enum import Enum, auto
from typing import Final

from recollect.answerers.from_memory.languages import (
    REPLY_LANGUAGES,
    ReadingWords,
    reading_words,
)
from recollect.domain.chat.requests import is_placeholder
from recollect.domain.facts.reading.commands.command import Command, CommandKind
from recollect.domain.facts.reading.commands.detection import commands_in
from recollect.domain.facts.reading.commands.forgetting import end_of_content
from recollect.domain.facts.reading.commands.openings import after_openers
from recollect.domain.facts.reading.languages import fact_words
from recollect.domain.facts.reading.own_words.detection import readable_parts
from recollect.domain.facts.reading.plain.corrections import correction_in
from recollect.domain.facts.reading.unwanted import asks_to_keep_nothing
from recollect.domain.speech.phrases import Phrase, Phrases, words_in
from recollect.domain.summary.languages import summary_words
from recollect.domain.summary.statements import is_request, read_statement

LONGEST_COMMAND: Final = 2_000
"""Characters; commands of longer messages are not done when they are stored, either."""
_LONGEST_SMALL_TALK: Final = 200
_READ: Final = 500
"""Characters of a message that tell whether it asks or tells."""
_CLOSING: Final = 8
_OPENING_WORDS: Final = 3
_FEWEST_OF_STATEMENT: Final = 4
_FEWEST_OF_OWN: Final = 3
_LONGEST_OPINION: Final = 4
"""Words behind "you are" that only tell what somebody thinks of the memory."""
_NEGATED: Final = 4
"""Words among which the negation of a command stands: "vergeet dus niet"."""
_SENTENCE: Final = re.compile(r"([^.!?…\n]+)([.!?…]*)")


class Wish(Enum):
    """What a message wants."""

    ABOUT_USER = auto()
    """To know what is known about the user."""
    ABILITIES = auto()
    """To know what the memory can do."""
    LEAVING = auto()
    """To drop a matter: nothing is to be forgotten."""
    ABOUT_MEMORY = auto()
    """Nothing: it says something of the memory, or insults it."""
    THANKS = auto()
    GREETING = auto()
    SMALL_TALK = auto()
    FORGETTING = auto()
    """That something is forgotten, whether or not it is a command that can be done."""
    STORING = auto()
    """That something is remembered: it tells, and does not ask."""
    UNWANTED = auto()
    """That something is not remembered which it tells: "Off the record: …"."""
    ANSWER = auto()
    UNCLEAR = auto()
    """Nobody knows what: it has marks alone, such as "?"."""
    WORDLESS = auto()
    """The same: it has no text, but what stands for a picture or for nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadMessage:
    """What a message wants, and in which languages it says so."""

    wish: Wish
    languages: tuple[str, ...] = ()
    """Empty where its words do not tell."""


def read_message(text: str, language: str) -> ReadMessage:
    """What a message wants; `language` is the one it is most likely in."""
    if is_placeholder(text):
        return ReadMessage(wish=Wish.WORDLESS, languages=REPLY_LANGUAGES)
    if _has_marks_alone(text):
        return ReadMessage(wish=Wish.UNCLEAR)
    talk = {code: wish for code in REPLY_LANGUAGES if (wish := small_talk(text, code))}
    if talk and not means_everything(text):  # "Forget it all"
        codes = [code for code, wish in talk.items() if _is_sure(text, wish, code)] or list(talk)
        wish = talk[language if language in codes else codes[0]]
        same = tuple(code for code in codes if talk[code] is wish)
        return ReadMessage(wish=wish, languages=same)
    if wants_forgetting(text):
        return ReadMessage(wish=Wish.FORGETTING, languages=_forgetting_languages(text))
    return ReadMessage(wish=_wish_of_plain_words(text, language))


def _wish_of_plain_words(text: str, language: str) -> Wish:
    if commands_of(text):
        return Wish.STORING
    if not tells(text, language):
        return Wish.ANSWER
    parts = readable_parts(text[:LONGEST_COMMAND])
    return Wish.UNWANTED if asks_to_keep_nothing(parts) else Wish.STORING


def commands_of(text: str) -> tuple[Command, ...]:
    """The commands of a message that is short enough for them."""
    return commands_in(text) if len(text) <= LONGEST_COMMAND else ()


def is_forgetting(command: Command) -> bool:
    """Whether a command tells to forget something."""
    return command.kind is not CommandKind.REMEMBER


def wants_forgetting(text: str) -> bool:
    """Whether a message tells to forget something, be it a command that can be done or not."""
    if any(map(is_forgetting, commands_of(text))):
        return True
    return "?" not in text and (means_everything(text) or _opens_forgetting(text))


def means_everything(text: str) -> bool:
    """Whether a message tells to forget everything, without a word of what: "forget everything"."""
    words = tuple(word for word in _plain(text[:_READ]) if word[0].isalnum())
    return any(_forgets_all(words, code) for code in REPLY_LANGUAGES)


def _forgets_all(words: Phrase, code: str) -> bool:
    known = fact_words(code)
    place = after_openers(words, 0, known)
    start = place + known.forget_verbs.length_at(words, place)
    length = reading_words(code).everything.length_at(words, start) if start > place else 0
    wiping = reading_words(code).wiping.length_at(words, place)
    end = max(start + length if length else place, place + wiping)
    return end > place and not end_of_content(words[end:], known.topic_endings)


def is_small_talk(text: str) -> bool:
    """Whether a message is small talk in any language, or has no words at all."""
    return is_placeholder(text) or any(small_talk(text, code) for code in REPLY_LANGUAGES)


def small_talk(text: str, code: str) -> Wish | None:
    """Which small talk of a language a message is; None if it is none."""
    if len(text) > _LONGEST_SMALL_TALK:
        return None
    sentences = [(_plain(part), "?" in marks) for part, marks in _SENTENCE.findall(text)]
    known = reading_words(code)
    wishes = [_talk_of(words, known, code, asks=asks) for words, asks in sentences if words]
    if None in wishes:
        return None
    found = [wish for wish in wishes if wish is not None]
    return min(found, key=lambda wish: wish.value, default=Wish.SMALL_TALK)


def asks(text: str, language: str) -> bool:
    """Whether a message asks for something, with or without a question mark."""
    start = text.strip()[:_READ]
    if "?" in text:
        return True
    words = _plain(start)
    known = summary_words(language)
    while words and words[0] in known.conjunctions:
        words = words[1:]
    if _known(language).asking.length_at(words) or is_request(" ".join(words), language):
        return True
    return bool(words) and words[0] in known.question_openers and start[-1] not in ".!"


def asks_for_questions(text: str) -> bool:
    """Whether a message asks for what its user has asked before: "What did I ask about Rome?"."""
    words = words_in(text[:_READ])
    return any(_asks_for_question(words, reading_words(code)) for code in REPLY_LANGUAGES)


def _asks_for_question(words: Phrase, known: ReadingWords) -> bool:
    begin = next(known.asked_begin.places_in(words), len(words))
    is_apart = known.asked_end.are_in(words[begin:])
    return is_apart or known.asked_before.are_in(words) or known.asked_last.are_in(words)


def asks_for_last_questions(text: str) -> bool:
    """Whether a message asks for earlier questions about anything: "What was my last question?"."""
    words = words_in(text[:_READ])
    return any(reading_words(code).asked_last.are_in(words) for code in REPLY_LANGUAGES)


def tells(text: str, language: str) -> bool:
    """Whether a message tells something: of the user, in a whole sentence, or by a correction."""
    if asks(text, language):
        return False
    start = text.strip()[:_READ]
    statement = read_statement(start, language=language)
    words = _plain(start)
    known = _known(language)
    has_verb = not known.verbs.isdisjoint(words[1:])
    is_sentence = len(words) >= _FEWEST_OF_STATEMENT and has_verb
    is_own = len(words) >= _FEWEST_OF_OWN and words[0] in known.subjects
    is_plain = is_sentence or is_own or correction_in(start) is not None
    return is_plain or (statement.is_own and statement.worth > 0)


def _talk_of(words: Phrase, known: ReadingWords, code: str, *, asks: bool) -> Wish | None:
    """What a sentence of small talk wants; None if it is none."""
    rest = _after_greeting(words, known)
    if wish := _wish_of_phrase(words, rest, known, code):
        return wish
    if not asks and _is_joined(words, known.leaving, known.small_talk):
        return Wish.LEAVING
    if not asks and _is_about_memory(rest, known, code):
        return Wish.ABOUT_MEMORY
    return _plain_talk(words, rest, known, code, asks=asks)


def _wish_of_phrase(words: Phrase, rest: Phrase, known: ReadingWords, code: str) -> Wish | None:
    """What a sentence wants that is one phrase, perhaps behind a greeting: `rest`."""
    joined = summary_words(code).conjunctions
    asked = rest[1:] if rest[:1] and rest[0] in joined else rest  # "And what do you know …"
    for phrases, wish in (
        (known.about_user, Wish.ABOUT_USER),
        (known.ability_questions, Wish.ABILITIES),
        (known.leaving, Wish.LEAVING),
        (known.insults, Wish.ABOUT_MEMORY),
        (known.pleasantries, Wish.SMALL_TALK),
    ):
        if any(_is_whole(one, phrases) for one in (words, rest, asked)):
            return wish
    return None


def _plain_talk(
    words: Phrase, rest: Phrase, known: ReadingWords, code: str, *, asks: bool
) -> Wish | None:
    """Whether a sentence greets, thanks or agrees."""
    if any(word[0].isdigit() for word in words) or (asks and rest):
        return None
    core = known.greetings | known.thanks | known.agreements
    is_talk = known.small_talk.issuperset(words) and not core.isdisjoint(words)
    if len(rest) < len(words) and (len(rest) <= 1 or is_talk):  # "Good morning Ann"
        return Wish.GREETING
    if not (is_talk or _is_thanking(words, known, code)):
        return None
    return Wish.SMALL_TALK if known.thanks.isdisjoint(words) else Wish.THANKS


def _is_sure(text: str, wish: Wish, code: str) -> bool:
    """Whether a message is of this language: no word of it is taken for a name."""
    is_phrase = wish in {Wish.ABOUT_USER, Wish.ABILITIES}
    return is_phrase or reading_words(code).small_talk.issuperset(_plain(text))


def _is_thanking(words: Phrase, known: ReadingWords, code: str) -> bool:
    """Whether a sentence thanks for something, and tells nothing of the user beside it."""
    if known.thanks.isdisjoint(words[:_OPENING_WORDS]) or len(words) > _CLOSING:
        return False
    statement = read_statement(" ".join(words), language=code)
    return not (statement.is_own and statement.worth > 0)


def _opens_forgetting(text: str) -> bool:
    """Whether a message begins as a command to forget does, and no negation follows."""
    words = words_in(text[:_READ])
    return any(_forgets(words, code) for code in REPLY_LANGUAGES)


def _forgetting_languages(text: str) -> tuple[str, ...]:
    """The languages in which a message begins as a command to forget does: "vergiss" is German."""
    words = words_in(text[:_READ])
    plain = _plain(text[:_READ])
    return tuple(
        code for code in REPLY_LANGUAGES if _forgets(words, code) or _forgets_all(plain, code)
    )


def _forgets(words: Phrase, code: str) -> bool:
    known = fact_words(code)
    place = after_openers(words, 0, known)
    if not known.forget_verbs.length_at(words, place):
        return False
    return summary_words(code).negations.isdisjoint(words[place : place + _NEGATED])


def _known(language: str) -> ReadingWords:
    return reading_words(language if language in REPLY_LANGUAGES else "en")


def _plain(text: str) -> Phrase:
    """The words of a text, without commas and colons."""
    return tuple(word for word in words_in(text) if word[0].isalnum())


def _after_greeting(words: Phrase, known: ReadingWords) -> Phrase:
    """The words after a greeting; all of them where one that means more alone would be left."""
    if length := known.greeting_phrases.length_at(words):
        is_sure = length > 1 or length == len(words)
        return words[length:] if is_sure else words
    start = 0
    while start < len(words) and words[start] in known.greetings:
        start += 1
    return words[start:]


def _is_joined(words: Phrase, phrases: Phrases, others: Collection[str]) -> bool:
    """Whether words are phrases and small talk alone: "ok, never mind, forget it"."""
    place, count = 0, 0
    while place < len(words):
        length = phrases.length_at(words, place)
        if not length and words[place] not in others:
            return False
        place, count = place + (length or 1), count + (length > 0)
    return count > 0


def _is_about_memory(words: Phrase, known: ReadingWords, code: str) -> bool:
    """Whether a sentence says something of the memory, and nothing of the user beside it."""
    length = known.addressing.length_at(words)
    about_user = (fact_words(code).subjects, fact_words(code).owners)
    is_short = 0 < len(words) - length <= _LONGEST_OPINION
    return length > 0 and is_short and not any(one.are_in(words) for one in about_user)


def _has_marks_alone(text: str) -> bool:
    """Whether a message has no letter, number or picture: "?"."""
    marks = "".join(text[:_READ].split())
    return bool(marks) and all(unicodedata.category(one).startswith("P") for one in marks)


def _is_whole(words: Phrase, phrases: Phrases) -> bool:
    return bool(words) and phrases.length_at(words) == len(words)
