"""Messages that answer the assistant rather than ask: thanks, and "I don't care"."""

from typing import Final

from recollect.domain.followup.grammar import Tag, Text, found_once, read
from recollect.domain.followup.languages import pack_for
from recollect.domain.followup.languages.pack import LanguagePack
from recollect.domain.followup.phrases import Phrase, phrases
from recollect.domain.followup.tokens import Edit

_OPENING_WORDS: Final = 3
_LONGEST_CHIT_CHAT: Final = 200  # characters
ANSWER_END: Final = 300  # characters: what an answer asks stands there


@found_once
def is_small_talk(sentence: Text, pack: LanguagePack) -> bool:
    """Whether a sentence only thanks, greets or closes."""
    said = [
        token.lower.replace("\u2019", "'")
        for token in sentence.tokens
        if token.is_word or token.text[0] in "'\u2019"
    ]
    if any(word in pack.closing_words for word in said[:_OPENING_WORDS]):
        return True
    return all(word in pack.small_talk or word in pack.reply_words for word in said)


@found_once
def asks_nothing(text: Text, pack: LanguagePack) -> bool:
    """Whether all of a message is thanks, greetings and closings."""
    return all(is_small_talk(sentence, pack) for sentence in text.sentences)


def is_chit_chat(message: str, language: str) -> bool:
    """Whether a message only thanks, greets, agrees or closes, and so asks nothing."""
    if len(message) > _LONGEST_CHIT_CHAT:
        return False
    pack = pack_for(language)
    return asks_nothing(read(message, pack), pack)


def complete_indifference(text: Text, last_answer: str, pack: LanguagePack) -> Edit | None:
    """As in "I don't care" → "I don't care about the price range", if that was asked."""
    end = _indifference_end(text, pack)
    asked = _asked_for(last_answer, pack) if end else ""
    if not asked:
        return None
    start = text.tokens[end - 1].end
    said = f" {pack.about} {asked}"
    if text.tag(end) is Tag.MARK:
        return Edit(start=start, end=start, text=said)
    end += text.word(end) == pack.about
    is_open = text.tag(end) is Tag.PRONOUN and text.tag(end + 1) is not Tag.NOUN
    return Edit(start=start, end=text.tokens[end].end, text=said) if is_open else None


def _indifference_end(text: Text, pack: LanguagePack) -> int:
    """The place after "I don't care", or 0."""
    said = [token.lower.replace("\u2019", "'") for token in text.tokens]
    if pack.indifferent_words.isdisjoint(said):
        return 0
    for pattern in pack.indifference:
        for place in range(len(said) - len(pattern) + 1):
            if tuple(said[place : place + len(pattern)]) == pattern:
                return place + len(pattern)
    return 0


def _asked_for(answer: str, pack: LanguagePack) -> str:
    """What the last question of an answer wants to know: "the price range"."""
    asked = [
        sentence
        for sentence in read(answer[-ANSWER_END:], pack).sentences
        if sentence.tokens[-1].lower == "?"
    ]
    if not asked:
        return ""
    text = asked[-1]
    for phrase in phrases(text, pack):
        if _is_wanted(text, phrase, pack):
            has_of = text.word(phrase.last) == pack.of and text.tag(phrase.last + 1) is Tag.NOUN
            return f"{pack.the} {text.between(phrase.first, phrase.last + 2 * has_of)}"
    return ""


def _is_wanted(text: Text, phrase: Phrase, pack: LanguagePack) -> bool:
    if phrase.is_name or phrase.head in pack.preferring:
        return False
    asks = text.tag(phrase.first - 1) is Tag.QUESTION
    lead = {phrase.before, *text.words(max(phrase.first - 3, 0), phrase.first)}
    return asks or bool(lead & pack.preferring)
