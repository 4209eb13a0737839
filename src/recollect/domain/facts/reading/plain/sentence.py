"""A sentence by whose words it is told what it is plainly about."""

from dataclasses import dataclass, replace
from typing import Final

from recollect.domain.facts.reading.cut_words import place_behind_other
from recollect.domain.facts.reading.plain.languages.slots import PlainSlotWords, plain_slot_words
from recollect.domain.language import is_common_word
from recollect.domain.speech.phrases import LANGUAGES, Phrase, Phrases
from recollect.domain.speech.spoken import Part
from recollect.domain.speech.tokens import Token, tokens_of

_MOST_BEFORE_NAME: Final = 2
"""Small words between how a sentence begins and the name of a place: "in the"."""
_WE: Final = {"en": "we", "nl": "we", "de": "wir", "fr": "nous", "es": None}
"""What the verb of two has before it: in Spanish it stands alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlainSentence:
    """The words of a sentence without adverbs, in one language."""

    code: str
    tokens: tuple[Token, ...]
    words: Phrase
    text: str

    @classmethod
    def read(cls, text: str, code: str) -> "PlainSentence":
        """Read a sentence in one language, without commas at its beginning."""
        tokens = tuple(tokens_of(Part(start=0, text=text)))
        words = tuple(token.word for token in tokens)
        kept: list[Token] = []
        at = 0
        while at < len(tokens):
            length = plain_slot_words(code).adverbs.length_at(words, at)
            is_left_out = length or (words[at] == "," and not kept)
            kept += [] if is_left_out else [tokens[at]]
            at += length or 1
        both = _with_one_subject(kept, code)
        return cls(code=code, tokens=both, words=tuple(one.word for one in both), text=text)

    @property
    def known(self) -> PlainSlotWords:
        """The words of its language."""
        return plain_slot_words(self.code)

    def has_capital(self, place: int) -> bool:
        """Whether a word is written with a capital."""
        return 0 <= place < len(self.tokens) and self.text[self.tokens[place].start].isupper()

    def begins_with(self, phrases: Phrases) -> bool:
        """Whether it begins with one of some phrases."""
        return phrases.length_at(self.words) > 0

    def name_after(self, place: int) -> int | None:
        """The place of a name, behind small words; None if there is none."""
        for at in range(place, place + _MOST_BEFORE_NAME + 1):
            if self.has_capital(at):
                return at
            is_other = self.known.not_named.length_at(self.words, at) > 0  # "a Victorian house"
            if at >= len(self.tokens) or is_other or not is_common_word(self.words[at]):
                return None
        return None


def sentences_of(text: str) -> tuple[PlainSentence, ...]:
    """A sentence as each of the `LANGUAGES` reads it."""
    return tuple(PlainSentence.read(text, code) for code in LANGUAGES)


def _with_one_subject(tokens: list[Token], code: str) -> tuple[Token, ...]:
    """The words of a sentence with "we" for the user and another one: "my sister and I live"."""
    place = place_behind_other(tuple(token.word for token in tokens), code)
    if not place:
        return tuple(tokens)
    first = place + 1 if tokens[place + 1 : place + 2] and tokens[place + 1].word == "," else place
    we = _WE[code]
    last = tokens[first]
    pronoun = () if we is None else (replace(last, word=we),)
    return (*pronoun, *tokens[first + 1 :])
