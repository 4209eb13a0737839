"""What stands around the heart of a follow-up: "what about … instead?"."""

from dataclasses import dataclass
from typing import Final

from recollect.domain.followup.grammar import Text, found_once, read
from recollect.domain.followup.languages.pack import LanguagePack

_CLOSING_MARKS: Final = frozenset({".", "?", "!", ","})


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """A follow-up without its opener and end, and the words taken away."""

    body: Text
    opener: frozenset[str]


@found_once
def strip_opener(text: Text, pack: LanguagePack) -> Opened:
    """Take away "what about", "and", "only" in front, and "instead?" behind."""
    start = opener_end(text, pack)
    end = end_of_words(text)
    while end > start + 1 and text.word(end - 1) in pack.trailing:
        end -= 1
    removed = frozenset((*text.words(0, start), *text.words(end, len(text.tokens))))
    return Opened(body=read(text.between(start, end), pack), opener=removed - _CLOSING_MARKS)


def opener_end(text: Text, pack: LanguagePack) -> int:
    """The place after the opener, 0 if there is none."""
    start = 0
    while start < len(text.tokens):
        step = _opener_length(text, start, pack)
        if not step:
            break
        start += step
    return start


def end_of_words(text: Text) -> int:
    """The place after the last token that is no closing mark."""
    end = len(text.tokens)
    while end and text.word(end - 1) in _CLOSING_MARKS:
        end -= 1
    return end


def _opener_length(text: Text, start: int, pack: LanguagePack) -> int:
    word = text.word(start)
    for opener in pack.openers_by_word.get(word, ()):
        if text.words(start, start + len(opener)) == opener:
            return len(opener)
    if word == "," and start:
        return 1
    return int(word in pack.reply_words or word in pack.also_words or word in pack.only_words)
