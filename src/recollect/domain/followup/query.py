"""The parts of a data question: what it asks for, and which rows it asks about."""

from dataclasses import dataclass
from typing import Final

from recollect.domain.followup.binding import is_before_subject
from recollect.domain.followup.grammar import Tag, Text
from recollect.domain.followup.languages.pack import LanguagePack
from recollect.domain.followup.openers import end_of_words

_LEAD: Final = frozenset({Tag.QUESTION, Tag.AUXILIARY, Tag.PERSONAL, Tag.DETERMINER, Tag.ADVERB})
_LIST: Final = frozenset({Tag.CONJUNCTION, Tag.DETERMINER})
_NOUNS: Final = frozenset({Tag.NOUN, Tag.NUMBER})
_FRONT: Final = frozenset({Tag.PREPOSITION, Tag.CLAUSE, Tag.NOUN, Tag.QUESTION})
_OPENS: Final = frozenset({Tag.QUESTION, Tag.AUXILIARY, Tag.CLAUSE})


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """A data question cut in parts; the numbers are token places.

    "show the | name | of all teams that won in 2010": the lead, the target, the rest. What a
    fronted clause says ("in 1995, …") ends at `front_end`.
    """

    text: Text
    front_end: int
    target_start: int
    target_end: int
    end: int

    @property
    def target(self) -> str:
        """What is asked for."""
        return self.text.between(self.target_start, self.target_end)

    @property
    def rest(self) -> str:
        """What follows the target: which rows are meant."""
        return self.text.between(self.target_end, self.end)

    @property
    def front(self) -> str:
        """A restriction said first, without its comma."""
        return self.text.between(0, self.front_end - 1)

    def rows(self, pack: LanguagePack, *, as_owner: bool = False) -> str:
        """What "it" or "them" stands for after this question; as an owner, what has attributes."""
        if self.text.word(self.front_end) in pack.ordering or self.has_predicate(pack):
            return self.target
        has_of = self.text.word(self.target_end) == pack.of
        is_attribute = self.text.word(self.target_end - 1) in pack.attribute_nouns
        if has_of and (as_owner or is_attribute or not self.target):
            return self.text.between(self.target_end + 1, self.end)
        article = self.text.word(self.target_start - 1) if self.target else ""
        has_article = article in pack.definite or article in pack.indefinite
        return f"{article} {self.bare_rows}" if has_article else self.bare_rows

    def has_predicate(self, pack: LanguagePack) -> bool:
        """As in "how much did | shop 2 | sell in 2020": what follows the target is said of it."""
        lead = self.target_start - 1
        lead -= self.text.tag(lead) is Tag.DETERMINER
        subject = self.text.tokens[self.target_start : self.target_end]
        is_one = any(token.is_number or token.is_capitalised for token in subject)
        does = is_one and is_before_subject(self.text, lead, pack)
        return does and (pack.inverts_verbs or self.text.tag(self.target_end) is Tag.VERB)

    @property
    def bare_rows(self) -> str:
        """The rows without an article, to stand behind "which" or "how many"."""
        return " ".join(part for part in (self.target, self.rest, self.front) if part)


def parse_query(text: Text, pack: LanguagePack) -> Query:
    """Find the target of a question and where its restrictions begin."""
    end = end_of_words(text)
    front = _front_end(text, end, pack)
    start = front
    while start < end and _is_lead(text, start, pack):
        start += 1
    stop = _target_end(text, start, end)
    return Query(text=text, front_end=front, target_start=start, target_end=stop, end=end)


def _is_lead(text: Text, place: int, pack: LanguagePack) -> bool:
    word = text.word(place)
    asks = word in pack.requests and text.tag(place - 1) is not Tag.DETERMINER
    inverts = pack.inverts_verbs and text.tag(place - 1) is Tag.QUESTION
    if inverts and text.tags[place] is Tag.VERB:
        return True
    return asks or text.tags[place] in _LEAD or word in pack.reply_words


def _front_end(text: Text, end: int, pack: LanguagePack) -> int:
    """Where the question proper starts after "in 1995," or "when the result was 45-17,"."""
    if text.tag(0) not in _FRONT:
        return 0
    for place in range(1, end - 1):
        opens = text.tag(place + 1) in _OPENS or text.word(place + 1) in pack.requests
        if text.word(place) == "," and opens:
            return place + 1
    return 0


def _target_end(text: Text, start: int, end: int) -> int:
    place = start
    while place < end and text.tags[place] in _NOUNS:
        place += 1
    while place + 1 < end and _joins(text, place, end):
        place += 1
        while place < end and text.tags[place] in _NOUNS | _LIST:
            place += 1
    return place


def _joins(text: Text, place: int, end: int) -> bool:
    """As in "the opponent, result and record": a list is one target."""
    is_joint = text.tags[place] is Tag.CONJUNCTION or text.word(place) == ","
    following = place + 1
    while following < end and text.tags[following] in _LIST:
        following += 1
    return is_joint and following < end and text.tags[following] in _NOUNS
