"""Fragments that edits force into a question which has no place for them: "And my wife?"."""

from collections.abc import Sequence
from typing import Final

from recollect.domain.conversation.message import Role
from recollect.domain.followup.edits import Block, Edits, Insertion, Word
from recollect.domain.followup.languages import LanguageWords, starting_phrase

_SENTENCE_ENDS: Final = frozenset(".?!")
_NEAR_BEGINNING: Final = 2  # words, one of which may be a sign
_PAIR: Final = 2  # words
_NOUN_PHRASE: Final = (2, 3)  # words, with the article


def has_no_place(
    words: Sequence[Word],
    blocks: Sequence[Block],
    edits: Edits,
    known: LanguageWords,
    *,
    is_data: bool = False,
) -> bool:
    """Whether a fragment is put into a question that does not ask for such a thing.

    "And my wife?" after "How do I fix my dishwasher?" is not "How do I fix my wife?".
    """
    places = [n for n, word in enumerate(words) if not word.is_sign]
    texts = [words[n].text.lower() for n in places]
    length = starting_phrase(texts, known.openers)
    tail = texts[length:]
    if not length or not tail or texts[0] not in known.adding_starts:
        return False
    dropped = _dropped(blocks, edits)
    own = places[length:]
    return (
        _is_about_person(tail, dropped, known)
        or known.next_steps.issuperset(tail)
        or _changes_topic(tail, blocks, known, is_data=is_data)
        or _replaces_name([words[n] for n in own], dropped, known)
        or _mixes_sentences(blocks, edits, tail, known)
        or _loses_preposition(words, own[0], blocks, edits, known)
        or _loses_owner(words, own, edits, known)
        or _loses_question(own, blocks, edits)
    )


def _dropped(blocks: Sequence[Block], edits: Edits) -> list[tuple[str, Word]]:
    """What a question loses behind its beginning, each word with the one before it."""
    first = edits.insertions[0].span
    source = blocks[first.block]
    if source.role is not Role.USER:
        return []
    taken = {
        place
        for one in edits.insertions
        if one.span.block == first.block
        for place in range(one.span.first, one.span.last + 1)
    }
    sentence = _sentence(source.words, first.first)
    return [
        (source.words[n - 1].text.lower() if n > sentence.start else "", source.words[n])
        for n in sentence
        if n not in taken and not source.words[n].is_sign
    ]


def _sentence(words: Sequence[Word], place: int) -> range:
    """The places of the sentence that a word stands in."""
    ends = [n for n, word in enumerate(words) if word.text in _SENTENCE_ENDS]
    start = max((n + 1 for n in ends if n < place), default=0)
    return range(start, min((n for n in ends if n >= place), default=len(words)))


def _is_about_person(
    tail: Sequence[str], dropped: Sequence[tuple[str, Word]], known: LanguageWords
) -> bool:
    """Whether a fragment names a person, and nobody in the last question goes for them."""
    if known.speakers.issuperset(tail):
        return True
    is_person = len(tail) == _PAIR and tail[0] in known.before_nouns and tail[1] in known.persons
    has_capital = tail[0] in known.capital_determiners
    return is_person and not any(
        _is_person(before, word, known, nouns_have_capitals=has_capital) for before, word in dropped
    )


def _is_person(before: str, word: Word, known: LanguageWords, *, nouns_have_capitals: bool) -> bool:
    """Whether a word is a noun or pronoun for a person, or a name that is not that of a place."""
    if word.text.lower() in known.persons | known.person_pronouns | known.speakers:
        return True
    is_name = word.text[0].isupper() and bool(before) and before not in known.before_nouns
    may_be_noun = nouns_have_capitals and before not in known.name_leads
    return is_name and not may_be_noun and before not in known.place_prepositions


def _changes_topic(
    tail: Sequence[str], blocks: Sequence[Block], known: LanguageWords, *, is_data: bool
) -> bool:
    """Whether a fragment is about the weather, a joke or a meal, and the last question is not."""
    last = next((block.words for block in blocks if block.role is Role.USER), ())
    said = {word.text.lower() for word in last}
    topics = (*map(frozenset, known.topics), known.meals if is_data else frozenset())
    return any(not topic.isdisjoint(tail) and topic.isdisjoint(said) for topic in topics)


def _replaces_name(
    tail: Sequence[Word], dropped: Sequence[tuple[str, Word]], known: LanguageWords
) -> bool:
    """Whether "the pool" takes the place of a name: "the opening hours of the library in the pool".

    German nouns all have capitals: there a name is what has no article.
    """
    if dropped and _replaces_time(tail[0], dropped[0], known):
        return True
    if len(tail) not in _NOUN_PHRASE or tail[0].text.lower() not in known.articles or not dropped:
        return False
    before, first = dropped[0]
    is_name = first.text[0].isupper() and before != ""
    if tail[-1].text.islower():
        return is_name
    is_noun = tail[0].text.lower() in known.capital_determiners
    return is_name and is_noun and before not in known.before_nouns


def _replaces_time(first: Word, dropped: tuple[str, Word], known: LanguageWords) -> bool:
    """Whether "my pay" takes the place of a time: "the turnover in my pay", of "in March"."""
    before, word = dropped
    text = word.text.lower()
    is_time = text in known.months | known.weekdays or text[0].isdigit()
    follows = first.text.lower() in known.before_nouns and before in known.prepositions
    return is_time and follows


def _mixes_sentences(
    blocks: Sequence[Block], edits: Edits, tail: Sequence[str], known: LanguageWords
) -> bool:
    """Whether what follows a fragment stood in another sentence than what it follows.

    "What should I buy for my mother has a birthday?" has the sentence before the question in it.
    """
    first = edits.insertions[0]
    begins = blocks[first.span.block].role is Role.USER
    if not begins or not known.others_possessives.isdisjoint(tail):
        return False
    sentence = _sentence(blocks[first.span.block].words, first.span.first)
    return any(
        one.gap > first.gap
        and not one.connector
        and (one.span.block != first.span.block or one.span.first not in sentence)
        for one in edits.insertions[1:]
    )


def _loses_preposition(
    words: Sequence[Word],
    place: int,
    blocks: Sequence[Block],
    edits: Edits,
    known: LanguageWords,
) -> bool:
    """Whether a fragment's preposition goes, and no other stands there: "the cake fan oven"."""
    is_lost = place in edits.deleted and words[place].text.lower() in known.prepositions
    before = [one for one in edits.insertions if one.gap <= place + 1]
    return is_lost and bool(before) and not _ends_with_preposition(blocks, before[-1], known)


def _ends_with_preposition(
    blocks: Sequence[Block], insertion: Insertion, known: LanguageWords
) -> bool:
    said = blocks[insertion.span.block].words[insertion.span.first : insertion.span.last + 1]
    ends = {word.text.lower() for word in said[-_PAIR:]}
    return bool(insertion.connector) or not ends.isdisjoint(known.prepositions | known.contractions)


def _loses_owner(
    words: Sequence[Word], own: Sequence[int], edits: Edits, known: LanguageWords
) -> bool:
    """Whether "his" goes and nobody comes in for it: "What do I buy for wife?"."""
    gaps = {one.gap for one in edits.insertions}
    return any(
        place in edits.deleted
        and words[place].text.lower() in known.others_possessives
        and gaps.isdisjoint(range(place, place + 4))
        for place in own
    )


def _loses_question(own: Sequence[int], blocks: Sequence[Block], edits: Edits) -> bool:
    """Whether a question's end follows a fragment without its beginning: "The bike of Tom?"."""
    kept = [place for place in own if place not in edits.deleted]
    if len(kept) != len(own) or edits.insertions[0].gap <= kept[0]:
        return False
    sources = [blocks[one.span.block] for one in edits.insertions]
    asks = all(source.role is Role.USER and "?" in source.text for source in sources)
    ends = all(one.span.first >= _NEAR_BEGINNING for one in edits.insertions)
    return asks and ends
