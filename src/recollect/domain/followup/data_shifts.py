"""Questions after a data question that are about something else."""

from typing import Final

from recollect.domain.followup.binding import is_before_subject
from recollect.domain.followup.grammar import Tag, Text
from recollect.domain.followup.languages.pack import LanguagePack
from recollect.domain.followup.phrases import phrases
from recollect.domain.followup.query import Query
from recollect.domain.followup.register import is_open_question

_NOUNS: Final = frozenset({Tag.NOUN, Tag.NUMBER})


def names_its_rows(body: Text, query: Query, pack: LanguagePack) -> bool:
    """Whether a full question says what it is about, so that the last one's rows are not meant."""
    explains = body.word(0) in pack.open_words and is_open_question(body, pack)
    if explains or _has_subject(body, pack) or _has_own(body, query, pack):
        return True
    lacks_noun = body.word(0) in pack.which_words or body.word(1) in pack.counting
    return not lacks_noun and _has_new_name(body, query, pack)


def _has_subject(body: Text, pack: LanguagePack) -> bool:
    """As in "how much did shop 2 sell": somebody named does it, nothing is left to ask of."""
    place = 1 + (body.word(1) in pack.counting)
    if body.tag(0) is not Tag.QUESTION or not is_before_subject(body, place, pack):
        return False
    start = place + 1 + (body.tag(place + 1) is Tag.DETERMINER)
    end = start
    while body.tag(end) in _NOUNS:
        end += 1
    has_verb = body.tag(place) is Tag.VERB or Tag.VERB in body.tags[end:]
    return end > start and has_verb


def _has_own(body: Text, query: Query, pack: LanguagePack) -> bool:
    """As in "our refund policy", but not "our revenue": whose it is, is said, not left to guess."""
    known = {token.lower for token in query.text.tokens} | pack.attribute_nouns
    for place in range(len(body.tokens) - 1):
        end = place + 2
        while body.tag(end) in _NOUNS:
            end += 1
        if body.word(place) in pack.own_words and body.word(end - 1) not in known:
            return True
    return False


def _has_new_name(body: Text, query: Query, pack: LanguagePack) -> bool:
    known = {token.lower for token in query.text.tokens}
    return any(phrase.is_name and known.isdisjoint(phrase.words) for phrase in phrases(body, pack))
