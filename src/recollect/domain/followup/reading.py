"""One turn of a conversation, read in the light of the turns before it."""

from dataclasses import dataclass

from recollect.domain.followup.attributes import (
    resolve_adverbs,
    resolve_attributes,
    resolve_places,
)
from recollect.domain.followup.data import rewrite_data
from recollect.domain.followup.dialogue import Signal
from recollect.domain.followup.discourse import Discourse
from recollect.domain.followup.ellipsis import substitute_value
from recollect.domain.followup.grammar import Tag, Text
from recollect.domain.followup.injection import inject_topic
from recollect.domain.followup.languages.pack import LanguagePack
from recollect.domain.followup.mentions import is_telling
from recollect.domain.followup.nouns import resolve_nouns
from recollect.domain.followup.openers import opener_end, strip_opener
from recollect.domain.followup.partial_names import complete_names
from recollect.domain.followup.phrases import Phrase, phrases
from recollect.domain.followup.pronouns import Resolution, resolve_pronouns
from recollect.domain.followup.query import parse_query
from recollect.domain.followup.register import is_data_question, is_data_talk
from recollect.domain.followup.replies import asks_nothing, complete_indifference, is_small_talk
from recollect.domain.followup.tokens import apply_edits


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """A question made standalone; without a signal it was so already."""

    text: Text
    signals: tuple[Signal, ...] = ()


def read_turn(text: Text, discourse: Discourse) -> Reading:
    """Make a question standalone, as far as the conversation so far allows."""
    pack = discourse.pack
    if asks_nothing(text, pack):
        return Reading(text=text)
    previous = discourse.last_question
    if previous is not None and _is_data_talk(text, previous, discourse):
        found = rewrite_data(text, _as_stored(previous, discourse), pack)
        return Reading(text=text) if found is None else _reading(found[0], (found[1],), discourse)
    return _read_talk(text, previous, discourse)


def _read_talk(text: Text, previous: Text | None, discourse: Discourse) -> Reading:
    pack = discourse.pack
    reply = complete_indifference(text, discourse.last_answer, pack)
    if reply is not None:
        return _reading(apply_edits(text.text, [reply]), (Signal.REPLY,), discourse)
    replaced = _replace_value(text, previous, pack)
    if replaced is not None:
        return _reading(replaced, (Signal.ELLIPSIS_OPENER,), discourse)
    found_all = _resolve(text, discourse)
    if not found_all:
        return Reading(text=text)
    edited = apply_edits(text.text, [resolution.edit for resolution in found_all])
    return _reading(edited, tuple(resolution.signal for resolution in found_all), discourse)


def _reading(question: str, signals: tuple[Signal, ...], discourse: Discourse) -> Reading:
    capital = question[:1].upper() + question[1:]
    return Reading(text=discourse.reader.read(capital), signals=signals)


def _is_data_talk(text: Text, previous: Text, discourse: Discourse) -> bool:
    if discourse.last_sql is not None:
        return True
    if discourse.last_answer:
        return is_data_question(previous, discourse.pack)
    return is_data_talk(
        previous, text, discourse.pack, had_open_question=discourse.had_open_question
    )


def _as_stored(previous: Text, discourse: Discourse) -> Text:
    if discourse.last_sql is None:
        return previous
    return discourse.reader.as_stored(previous, discourse.last_sql)


def _replace_value(text: Text, previous: Text | None, pack: LanguagePack) -> str | None:
    """As in "And in 2023?" after any question with a year in it."""
    if previous is None or not opener_end(text, pack):
        return None
    body = strip_opener(text, pack).body
    opens = body.tag(0) in {Tag.QUESTION, Tag.AUXILIARY, Tag.VERB} or body.word(0) in pack.requests
    if opens or not body.tokens:
        return None
    return substitute_value(parse_query(previous, pack), body, pack)


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
