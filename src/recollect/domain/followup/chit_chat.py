"""Messages that ask nothing: thanks, greetings, agreement, goodbyes, "and you?"."""

import re
from typing import Final

from recollect.domain.followup.languages import starting_phrase, words_for

_LONGEST: Final = 200  # characters
_OPENING_WORDS: Final = 3
_WORD: Final = re.compile(r"[^\W\d_]+(?:['\u2019][^\W\d_]+)*|\d+")
_FIRST_SENTENCE: Final = re.compile(r"[^.!?\n]{1,200}[.!?]\s+(?=\S)")
_SENTENCE_END: Final = re.compile(r"[.!?…\n]+")


def is_chit_chat(message: str, language: str) -> bool:
    """Whether a message only thanks, greets, agrees or closes, and so asks nothing."""
    if len(message) > _LONGEST:
        return False
    sentences = (_WORD.findall(part) for part in _SENTENCE_END.split(message.lower()))
    return all(_asks_nothing(words, language) for words in sentences)


def without_chit_chat(message: str, language: str) -> str:
    """A message without the thanks and agreement that its first sentences are made of."""
    text, start = message.strip(), 0
    while (sentence := _FIRST_SENTENCE.match(text, start)) and is_chit_chat(
        sentence.group(), language
    ):
        start = sentence.end()
    return text[start:]


def _asks_nothing(words: list[str], language: str) -> bool:
    known = words_for(language)
    if not known.closing_words.isdisjoint(words[:_OPENING_WORDS]):
        return True
    if words and starting_phrase(words, known.questions_back) == len(words):
        return True
    return all(_stem(word) in known.small_talk for word in words)


def _stem(word: str) -> str:
    """A word without its contraction: "that's" is "that"."""
    return word.replace("\u2019", "'").partition("'")[0]
