"""Whether users say that a value is theirs, or only a model takes it for that."""

from typing import Final

from recollect.domain.facts.fact import FactSource
from recollect.domain.facts.reading.languages import fact_words
from recollect.domain.facts.reading.languages.slot_names import tells_slot
from recollect.domain.facts.reading.plain.languages.corrections import correction_words
from recollect.domain.facts.reading.plain.languages.denials import denial_words
from recollect.domain.facts.reading.wording import names_user
from recollect.domain.facts.slots import Slot
from recollect.domain.facts.statement import Statement
from recollect.domain.language import sentence_parts
from recollect.domain.speech.phrases import LANGUAGES, Phrase, words_in

_WITHOUT_PRONOUN: Final = "es"
"""The language whose verbs alone tell that users speak of themselves."""
_LONGEST: Final = 300
"""Characters before and behind a statement that are read."""


def is_unclaimed(statement: Statement, said: str) -> bool:
    """Whether nothing but the model says that the one value of a slot is the user's.

    A short message is easily read as another value of what was told right before it: "Paris" and
    "Call Peter" after "I live in Hull". An answer has its question, and "moved to Leeds" the "I" of
    its sentence.
    """
    if statement.source is not FactSource.EXTRACTED or not statement.slot.has_one_value:
        return False
    content = statement.content
    is_plain = statement.has_exact_slot or tells_slot(content, statement.slot) or "?" in content
    sentence = _sentence_of(statement.quote, said)
    has_verb = fact_words(_WITHOUT_PRONOUN).own_verbs.are_in(words_in(sentence))
    return not (is_plain or has_verb or names_user(sentence))


def keeps_home(statement: Statement, said: str) -> bool:
    """Whether a home is only had for another reason: "not for work any more, but for love"."""
    if statement.slot is not Slot.HOME or statement.source is not FactSource.EXTRACTED:
        return False
    place = said.find(statement.quote)
    end = place + len(statement.quote)
    after = tuple(w for w in words_in(said[end : end + _LONGEST]) if w[0].isalnum())
    own = words_in(statement.quote)
    return place >= 0 and any(_is_contrast(after, own, code) for code in LANGUAGES)


def _is_contrast(after: Phrase, own: Phrase, code: str) -> bool:
    """Whether "but for" follows what has a "for"."""
    purposes = denial_words(code).purposes
    is_but = after[:1] in correction_words(code).but
    return is_but and purposes.length_at(after, 1) > 0 and purposes.are_in(own)


def _sentence_of(quote: str, said: str) -> str:
    """A quote and what stands before it in its sentence."""
    place = said.find(quote)
    before = said[max(0, place - _LONGEST) : place] if place > 0 else ""
    *_, sentence = sentence_parts(before)
    return f"{sentence} {quote}"
