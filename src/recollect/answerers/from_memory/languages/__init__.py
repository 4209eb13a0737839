"""What answers without a model say, and the words they go by: a TOML file for each language."""

from dataclasses import dataclass, fields
from functools import cache
from typing import Final

from recollect.domain.followup.languages import words_for
from recollect.domain.language import fold
from recollect.domain.speech.phrases import Phrases, phrase_tables, words_in

REPLY_LANGUAGES: Final = ("nl", "en", "de", "fr", "es")
"""Those that there are texts in. The first that fits is taken where nothing else decides."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyTexts:
    """Texts of answers, and labels of quotes."""

    no_model: str
    nothing: str
    nearest: str
    noted: str
    known_about_you: str
    nothing_known: str
    not_learnt_yet: str
    """Where the conversation tells something, of which no fact is stored yet."""
    not_read: str
    """Where memory has not answered, so that nobody knows what is known."""
    forgotten: str
    messages_stay: str
    no_fact: str
    """Where a command to forget fits nothing."""
    taken_back: str
    """Where it means what was just said, of which nothing is learnt yet."""
    hidden: str
    """Where it means what was said in the conversation, and no fact."""
    not_understood: str
    """Where it is not clear what is to be forgotten."""
    which: str
    """Where it may mean several facts, or one that only mentions it."""
    erasing: str
    """Where it means everything: how that is erased."""
    not_stored: str
    greeting: str
    welcome: str
    agreed: str
    abilities: str
    reminder: str
    """The same in short."""
    unclear: str
    """Where a message has no word at all: "?"."""
    wordless: str
    """Where it has a picture alone, or nothing."""
    no_session: str
    """Where the client names no session: what it has to send."""
    left: str
    """Where the user drops a matter: "never mind, forget it"."""
    not_yet: str
    """Where what is to be forgotten could not be ended at once."""
    about_me: str
    """Where a message is about the memory, or insults it."""
    asked: str
    said: str
    answer: str
    earlier: str
    known: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadingWords:
    """Words and phrases that tell what a message wants; without accents, in small letters."""

    greetings: frozenset[str]
    greeting_phrases: Phrases
    """Greetings whose words mean something else alone: "good morning"."""
    thanks: frozenset[str]
    agreements: frozenset[str]
    small_talk: frozenset[str]
    """All words that small talk may be made of, with those above."""
    pleasantries: Phrases
    """Whole messages that are small talk: "how are you"."""
    ability_questions: Phrases
    """Whole messages that ask what the memory can do."""
    about_user: Phrases
    """Whole messages that ask what is known about the user."""
    naming: frozenset[str]
    """Words that say how something is called."""
    everything: Phrases
    """What "forget" means all by: "everything"."""
    wiping: Phrases
    """Whole messages that want all of it gone: "delete everything"."""
    leaving: Phrases
    """Whole messages that drop a matter, and want nothing forgotten: "forget it"."""
    insults: Phrases
    """Whole messages that insult."""
    addressing: Phrases
    """How a message begins that is about the memory: "you are"."""
    asking: Phrases
    """How a question begins that needs no question mark: "I want to know"."""
    asked_before: Phrases
    """What a question has that asks for an earlier one: "did I ask"."""
    asked_begin: Phrases
    """How such a question begins whose verb comes later: "habe ich"."""
    asked_end: Phrases
    """The verb that comes later: "gefragt"."""
    asked_last: Phrases
    """What a question has that asks for any earlier one: "was my last question"."""
    subjects: frozenset[str]
    """Words for the user that begin a statement: "I"."""
    verbs: frozenset[str]
    """Verbs of statements."""


@cache
def reply_texts(code: str) -> ReplyTexts:
    """The texts of a language; of English where there are none."""
    tables = phrase_tables(__package__, code if code in REPLY_LANGUAGES else "en")
    texts = {one.name: " ".join(tables[one.name].split()) for one in fields(ReplyTexts)}
    return ReplyTexts(**texts)


@cache
def reading_words(code: str) -> ReadingWords:
    """The words of a language that there are texts in."""
    tables = phrase_tables(__package__, code)

    def words(name: str) -> frozenset[str]:
        return frozenset(words_in(f"{tables[name]} "))

    greetings, thanks, agreements = words("greetings"), words("thanks"), words("agreements")
    known = words_for(code)
    others = frozenset(map(fold, known.small_talk | known.closing_words)) | words("fillers")
    return ReadingWords(
        greetings=greetings,
        greeting_phrases=Phrases.parse(tables["greeting_phrases"]),
        thanks=thanks,
        agreements=agreements,
        small_talk=greetings | thanks | agreements | others,
        pleasantries=Phrases.parse(tables["pleasantries"]),
        ability_questions=Phrases.parse(tables["ability_questions"]),
        about_user=Phrases.parse(tables["about_user"]),
        naming=words("naming"),
        everything=Phrases.parse(tables["everything"]),
        wiping=Phrases.parse(tables["wiping"]),
        leaving=Phrases.parse(tables["leaving"]),
        insults=Phrases.parse(tables["insults"]),
        addressing=Phrases.parse(tables["addressing"]),
        asking=Phrases.parse(tables["asking"]),
        asked_before=Phrases.parse(tables["asked_before"]),
        asked_begin=Phrases.parse(tables["asked_begin"]),
        asked_end=Phrases.parse(tables["asked_end"]),
        asked_last=Phrases.parse(tables["asked_last"]),
        subjects=words("subjects"),
        verbs=words("verbs"),
    )


def are_words_read() -> bool:
    """Whether the words of all languages have been read before."""
    return reading_words.cache_info().currsize == len(REPLY_LANGUAGES)


@cache
def naming_words() -> frozenset[str]:
    """The words of all languages that say how something is called."""
    return frozenset().union(*(reading_words(code).naming for code in REPLY_LANGUAGES))
