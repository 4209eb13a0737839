"""One turn of a conversation, read in the light of the turns before it."""

from typing import NamedTuple

from recollect.domain.followup.attributes import (
    resolve_adverbs,
    resolve_attributes,
    resolve_places,
)
from recollect.domain.followup.dialogue import Signal
from recollect.domain.followup.discourse import Discourse
from recollect.domain.followup.grammar import Text
from recollect.domain.followup.injection import inject_topic
from recollect.domain.followup.mentions import is_telling
from recollect.domain.followup.nouns import resolve_nouns
from recollect.domain.followup.partial_names import complete_names
from recollect.domain.followup.phrases import Phrase, phrases
from recollect.domain.followup.pronouns import Resolution, resolve_pronouns
from recollect.domain.followup.question import Question
from recollect.domain.followup.replies import is_small_talk
from recollect.domain.followup.tokens import apply_edits


class Reading(NamedTuple):
    """A question made standalone; without a signal it was so already."""

    question: Question
    signals: tuple[Signal, ...] = ()


def read_turn(question: Question, discourse: Discourse) -> Reading:
    """Make a question standalone, as far as the conversation so far allows."""
    restated = discourse.reader.restate(question, discourse.before)
    if restated is not None:
        return _reading(question, restated.said, restated.signals, discourse)
    if not question.may_point_back:
        return Reading(question=question)
    discourse.was_searched = False
    found_all = _resolve(question.text, discourse)
    question.may_point_back = discourse.was_searched
    said = apply_edits(question.said, [resolution.edit for resolution in found_all])
    return _reading(question, said, tuple(one.signal for one in found_all), discourse)


def _reading(
    question: Question, said: str, signals: tuple[Signal, ...], discourse: Discourse
) -> Reading:
    if not signals:
        return Reading(question=question)
    capital = said[:1].upper() + said[1:]
    return Reading(question=discourse.reader.read(capital), signals=signals)


def _resolve(text: Text, discourse: Discourse) -> tuple[Resolution, ...]:
    """Resolve the first sentence that asks something; a name in it makes it stand alone."""
    pack, has_topic = discourse.pack, False
    for sentence in text.sentences:
        if is_small_talk(sentence, pack):
            continue
        named = phrases(sentence, pack)
        if has_topic:
            found = resolve_pronouns(sentence, named, discourse, only_persons=True)
        else:
            found = _resolve_sentence(sentence, named, discourse)
        if found or any(phrase.is_name for phrase in named):
            return found
        # "Goulash? What is that?": what the message has named explains the rest of it.
        has_topic = has_topic or any(is_telling(sentence, phrase, pack) for phrase in named)
    return ()


def _resolve_sentence(
    sentence: Text, named: tuple[Phrase, ...], discourse: Discourse
) -> tuple[Resolution, ...]:
    found = (
        resolve_pronouns(sentence, named, discourse)
        or resolve_adverbs(sentence, discourse)
        or resolve_places(sentence, discourse)
    )
    if found:
        return found
    if any(phrase.is_name for phrase in named):
        return complete_names(sentence, named, discourse)
    return (
        resolve_nouns(sentence, named, discourse)
        or resolve_attributes(sentence, named, discourse)
        or inject_topic(sentence, discourse)
    )
