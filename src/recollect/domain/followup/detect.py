"""Signs in a question itself that it points back to something said before."""

from collections.abc import Iterator
from typing import Final

from recollect.domain.followup.attributes import is_existential
from recollect.domain.followup.binding import is_bound
from recollect.domain.followup.dialogue import Signal
from recollect.domain.followup.grammar import Tag, Text
from recollect.domain.followup.languages.pack import LanguagePack
from recollect.domain.followup.openers import strip_opener
from recollect.domain.followup.phrases import Phrase, phrases
from recollect.domain.followup.pronouns import find_pronouns
from recollect.domain.followup.replies import is_small_talk
from recollect.domain.followup.values import value_type

_FEW_WORDS: Final = 4
_PREDICATES: Final = frozenset({Tag.AUXILIARY, Tag.VERB, Tag.QUESTION})
# Signs no standalone question has; the others also occur in questions that need no history.
DECISIVE: Final = frozenset(
    {
        Signal.PRONOUN, Signal.POSSESSIVE, Signal.DEMONSTRATIVE, Signal.PRONOMINAL_ADVERB,
        Signal.PLACE_ADVERB, Signal.ELLIPSIS_OPENER, Signal.BARE_VALUE, Signal.SAME_BUT,
        Signal.ORDINAL, Signal.COMPARATIVE,
    }
)  # fmt: skip


def detect(text: Text, pack: LanguagePack) -> tuple[Signal, ...]:
    """The signals of a question, in the order of `Signal`; none for thanks and greetings."""
    found: set[Signal] = set()
    for sentence in text.sentences:
        if not is_small_talk(sentence, pack):
            found.update(_signals(sentence, pack))
    return tuple(signal for signal in Signal if signal in found)


def _signals(text: Text, pack: LanguagePack) -> Iterator[Signal]:
    named = phrases(text, pack)
    for place, _ in find_pronouns(text, pack):
        if not is_bound(text, place, named, pack):
            owns = text.tags[place] is Tag.POSSESSIVE
            yield Signal.POSSESSIVE if owns else Signal.PRONOUN
    yield from _word_signals(text, named, pack)
    yield from _shape_signals(text, pack)


def _word_signals(text: Text, named: tuple[Phrase, ...], pack: LanguagePack) -> Iterator[Signal]:
    is_bare = all(pack.never_a_topic.issuperset(phrase.words) for phrase in named)
    for place, token in enumerate(text.tokens):
        word = token.lower
        if word in pack.demonstratives and _points_back(text, place, pack):
            yield Signal.DEMONSTRATIVE
        elif word in pack.pronominal_adverbs:
            yield Signal.PRONOMINAL_ADVERB
        elif word in pack.place_adverbs and not is_existential(text, place, pack):
            yield Signal.PLACE_ADVERB
        elif word in pack.else_words or word in pack.other_words:
            yield Signal.ELSE
        elif word in pack.same_words and is_bare:
            yield Signal.SAME_BUT
        elif word in pack.ordinals and text.word(place + 1) in pack.one_words:
            yield Signal.ORDINAL
        elif word in pack.comparators and is_bare and len(text.tokens) <= _FEW_WORDS:
            yield Signal.COMPARATIVE


def _points_back(text: Text, place: int, pack: LanguagePack) -> bool:
    """Not "this year", which is about now, nor a "that" which opens a clause."""
    if text.tags[place] is Tag.CLAUSE:
        return False
    return text.word(place + 1) not in pack.time_units


def _shape_signals(text: Text, pack: LanguagePack) -> Iterator[Signal]:
    opened = strip_opener(text, pack)
    body = opened.body
    has_predicate = any(tag in _PREDICATES for tag in body.tags)
    if opened.opener - pack.reply_words and not has_predicate:
        yield Signal.FILTER if opened.opener & pack.only_words else Signal.ELLIPSIS_OPENER
    is_short = 0 < len(body.tokens) <= _FEW_WORDS
    if is_short and not has_predicate and body.word(0) not in pack.requests:
        has_value = any(value_type(token.lower, pack) for token in body.tokens)
        yield Signal.BARE_VALUE if has_value else Signal.FRAGMENT
