"""Nouns that ask "of what?" and get no answer: "the phone number" → "the phone number of …"."""

from typing import Final

from recollect.domain.followup.dialogue import Signal
from recollect.domain.followup.discourse import Discourse
from recollect.domain.followup.grammar import Tag, Text
from recollect.domain.followup.languages.pack import LanguagePack
from recollect.domain.followup.nouns import has_complement, is_topic
from recollect.domain.followup.phrases import Phrase
from recollect.domain.followup.pronouns import Resolution
from recollect.domain.followup.tokens import Edit

_LEADS: Final = frozenset({Tag.AUXILIARY, Tag.MARK, Tag.VERB})
_LIST: Final = frozenset({Tag.CONJUNCTION, Tag.DETERMINER})


def resolve_attributes(
    text: Text, named: tuple[Phrase, ...], discourse: Discourse
) -> tuple[Resolution, ...]:
    """Attach the topic to the first attribute, or list of attributes, that lacks an owner."""
    pack = discourse.pack
    for place, phrase in enumerate(named):
        if phrase.head not in pack.attribute_nouns or not _asks_of_what(text, phrase, pack):
            continue
        last = _end_of_list(text, named[place:], pack)
        topic = discourse.choose(is_topic)
        if topic is None or has_complement(text, last, pack):
            return ()
        end = text.tokens[last.last - 1].end
        edit = Edit(start=end, end=end, text=f" {pack.of} {topic.as_said}")
        return (Resolution(edit=edit, signal=Signal.MISSING_COMPLEMENT, referent=topic),)
    return ()


def resolve_adverbs(text: Text, discourse: Discourse) -> tuple[Resolution, ...]:
    """Dutch "daarvoor", German "dafür": a preposition and what it stands before, in one word."""
    pack = discourse.pack
    for token in text.tokens:
        preposition = pack.pronominal_adverbs.get(token.lower)
        topic = discourse.choose(is_topic) if preposition else None
        if topic is not None:
            said = f"{preposition} {topic.as_said}"
            edit = Edit(start=token.start, end=token.end, text=said)
            return (Resolution(edit=edit, signal=Signal.PRONOMINAL_ADVERB, referent=topic),)
    return ()


def resolve_places(text: Text, discourse: Discourse) -> tuple[Resolution, ...]:
    """As in "what did they do there?": the place named last."""
    pack = discourse.pack
    for place, token in enumerate(text.tokens):
        if token.lower not in pack.place_adverbs or is_existential(text, place, pack):
            continue
        where = discourse.choose(lambda referent: float(bool(referent.place)))
        if where is not None:
            edit = Edit(start=token.start, end=token.end, text=f"{where.place} {where.as_said}")
            return (Resolution(edit=edit, signal=Signal.PLACE_ADVERB, referent=where),)
    return ()


def is_existential(text: Text, place: int, pack: LanguagePack) -> bool:
    """Whether "there" means no place: "is there a …?", "there are …"."""
    is_last = text.tag(place + 1) is Tag.MARK
    verbs = pack.copulas if is_last else pack.auxiliaries
    return bool({text.word(place - 1), text.word(place + 1)} & verbs)


def _asks_of_what(text: Text, phrase: Phrase, pack: LanguagePack) -> bool:
    if phrase.determiner:
        return phrase.determiner in pack.definite
    return text.tag(phrase.first - 1) in _LEADS


def _end_of_list(text: Text, named: tuple[Phrase, ...], pack: LanguagePack) -> Phrase:
    """The last noun of "the address, phone number and price range"."""
    last = named[0]
    for phrase in named[1:]:
        is_list = all(
            text.tags[at] in _LIST or text.word(at) == "," for at in range(last.last, phrase.first)
        )
        if not is_list or phrase.head not in pack.attribute_nouns:
            break
        last = phrase
    return last
