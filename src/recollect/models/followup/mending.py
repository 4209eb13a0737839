"""Small words that edits of the network lack, where grammar leaves no choice."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Final
from unicodedata import combining, normalize

from recollect.domain.conversation.message import Role
from recollect.domain.followup.edits import Block, Edits, Insertion, Span, Word, words_of
from recollect.domain.followup.languages import LanguageWords, starting_phrase
from recollect.models.followup.confidence import WordLists
from recollect.models.followup.sentences import doubled_articles

_NEAR_BEGINNING: Final = 2  # words, one of which may be a sign
_NAME: Final = range(2, 5)  # words of a full name
_GENITIVE: Final = 5  # words of "of Anna Smith's"
_APOSTROPHES: Final = frozenset("'\u2019")
_IN_NAMES: Final = frozenset(".'\u2019-")
_SENTENCE_ENDS: Final = frozenset("?!.")


def with_full_names(
    words: Sequence[Word], blocks: Sequence[Block], edits: Edits, known: LanguageWords
) -> Edits:
    """Edits that take a name as the title has it, in full: "Patrick Dempsey" for "Dempsey".

    A question that has a part of the name itself takes no more than the edits give it.
    """
    name = _name_in_title(blocks, known)
    if not name or not {*_texts(name)}.isdisjoint(_texts(words)):
        return edits
    full = Span(len(blocks) - 1, 0, blocks[-1].words.index(name[-1]))
    texts = _texts(name)

    def in_full(insertion: Insertion) -> Insertion:
        block, first, last = insertion.span
        said = _texts(blocks[block].words[first : last + 1])
        is_part = 0 < len(said) < len(texts) and said in (texts[: len(said)], texts[-len(said) :])
        return replace(insertion, span=full) if is_part else insertion

    return replace(edits, insertions=tuple(in_full(one) for one in edits.insertions))


def _name_in_title(blocks: Sequence[Block], known: LanguageWords) -> Sequence[Word]:
    """The words of a name that a title begins with; none where it is no name."""
    if not blocks or not blocks[-1].is_title:
        return ()
    words = blocks[-1].words
    ends = (n for n, word in enumerate(words) if word.is_sign and word.text not in _IN_NAMES)
    name = words[: next(ends, len(words))]
    own = [word for word in name if not word.is_sign]
    is_name = all(word.text[0].isupper() for word in own) and len(own) in _NAME
    is_whole = is_name and not name[-1].is_sign and own[0].text.lower() not in known.articles
    return name if is_whole else ()


def _texts(words: Sequence[Word]) -> list[str]:
    """Words in small letters, without accents and signs."""
    plain = (normalize("NFKD", word.text.lower()) for word in words if not word.is_sign)
    return ["".join(sign for sign in text if not combining(sign)) for text in plain]


def mended(
    words: Sequence[Word],
    blocks: Sequence[Block],
    edits: Edits,
    lists: WordLists,
    known: LanguageWords,
) -> Edits:
    """Edits with the demonstratives, possessives, articles and prepositions that they need."""

    def in_full(insertion: Insertion) -> Insertion:
        owned = _as_possessive(words, blocks, edits, insertion, lists, known)
        named = _with_article(words, blocks, edits, owned, known)
        return _with_preposition(words, blocks, edits, named, known)

    return replace(
        edits,
        deleted=edits.deleted - _needed_demonstratives(words, edits, lists, known),
        insertions=tuple(in_full(one) for one in edits.insertions),
        articles=tuple(_articles(words, edits, lists, known)),
    )


def _articles(
    words: Sequence[Word], edits: Edits, lists: WordLists, known: LanguageWords
) -> Iterator[tuple[int, str]]:
    """As "the weight of the cat" for "its weight", never "weight of the cat"."""
    for place in sorted(edits.deleted):
        article = known.possessive_articles.pairs.get(words[place].text.lower())
        following = words[place + 1 : place + 2]
        if article is None or place + 1 in edits.deleted or not lists.content(following):
            continue
        noun = following[0].text.lower()
        owner = next((one for one in edits.insertions if one.gap >= place), None)
        is_owned = owner is not None and owner.gap > place + 1 and owner.connector != ""
        is_many = not known.plural_endings or noun.endswith(tuple(known.plural_endings))
        if is_owned and is_many and noun not in known.prepositions:
            yield place, article


def _with_article(
    words: Sequence[Word],
    blocks: Sequence[Block],
    edits: Edits,
    insertion: Insertion,
    known: LanguageWords,
) -> Insertion:
    """As "How old is the dog?" for "How old is dog?", where "a dog" was said."""
    block, first, _ = insertion.span
    said = blocks[block].words
    place = insertion.gap if insertion.gap in edits.deleted else insertion.gap - 1
    is_pronoun = place in edits.deleted and words[place].text.lower() in known.lone_pronouns
    before = said[first - 1].text.lower() if first else ""
    is_noun = said[first].text.islower() and before in known.articles
    if not is_pronoun or not is_noun or insertion.connector or insertion.is_possessive:
        return insertion
    if sum(one.gap == insertion.gap for one in edits.insertions) > 1:
        return insertion
    return replace(insertion, connector=known.the)


def _needed_demonstratives(
    words: Sequence[Word], edits: Edits, lists: WordLists, known: LanguageWords
) -> set[int]:
    """Those that would leave a noun behind: "Who built that building in Hull?" keeps its own."""
    changed = {place for one in edits.insertions for place in (one.gap - 1, one.gap)}
    return {
        place
        for place in edits.deleted - changed
        if words[place].text.lower() in known.demonstratives
        and place + 1 not in edits.deleted
        and lists.content(words[place + 1 : place + 2])
    }


def _as_possessive(
    words: Sequence[Word],
    blocks: Sequence[Block],
    edits: Edits,
    insertion: Insertion,
    lists: WordLists,
    known: LanguageWords,
) -> Insertion:
    """As "the tower's architect" for "its architect", never "the tower architect"."""
    place = insertion.gap
    owns = place + 1 < len(words) and place in edits.deleted and place + 1 not in edits.deleted
    if not owns or insertion.connector or words[place].text.lower() not in known.row_possessives:
        return insertion
    last = blocks[insertion.span.block].words[insertion.span.last].text
    is_alone = sum(one.gap == place for one in edits.insertions) == 1
    following = lists.content(words[place + 1 : place + 2]) - known.prepositions
    is_owner = is_alone and bool(following) and last.lower() != "s"
    return replace(insertion, is_possessive=True) if is_owner else insertion


def _with_preposition(
    words: Sequence[Word],
    blocks: Sequence[Block],
    edits: Edits,
    insertion: Insertion,
    known: LanguageWords,
) -> Insertion:
    """As "List all facts about" before "the owners", where edits have left "about" behind."""
    block, first, last = insertion.span
    source = blocks[block]
    following = [word.text.lower() for word in source.words[last + 1 : last + 2]]
    begins = source.role is Role.USER and first < _NEAR_BEGINNING and last > first
    if not begins or not following or following[0] not in known.common_prepositions:
        return insertion
    kept = [n for n in range(insertion.gap, len(words)) if n not in edits.deleted]
    others = any(one is not insertion and one.gap == insertion.gap for one in edits.insertions)
    if others or not kept or edits.insertions[-1].gap > kept[0]:
        return insertion
    own, ends = words[kept[0]].text, source.words[last].text.lower()
    is_name = own[0].isupper() and kept[0] > 0 and own.lower() not in known.prepositions
    if not (is_name or own.lower() in known.articles) or ends in known.common_prepositions:
        return insertion
    return replace(insertion, span=insertion.span._replace(last=last + 1))


def with_counted(text: str, question: str, known: LanguageWords) -> str:
    """As "the least number of masts" for "the least number masts", which nobody has asked for."""
    counts = {one[-2] for one in known.counts if one[-1] == known.of_word} - known.requests
    own = set(pairwise(word.text.lower() for word in words_of(question)))
    for one, two in pairwise(words_of(text)):
        pair = (one.text.lower(), two.text.lower())
        is_noun = two.text.isalpha() and pair[1] not in known.small_words | known.auxiliaries
        if pair[0] in counts and is_noun and pair not in own and one.end < two.start:
            return f"{text[: one.end]} {known.of_word}{text[one.end :]}"
    return text


def with_comma(text: str, question: str, known: LanguageWords) -> str:
    """As "Which is longer, the Rhine or the Rhône?", with what is compared after a comma."""
    asked = question.rstrip("?.! ")
    rest = text[len(asked) :]
    is_same = text[: len(asked)].lower() == asked.lower() and rest.startswith(" ")
    named = rest.split(" ")
    is_choice = known.or_word in named[2:] and named[1].lower() not in known.prepositions
    is_comparison = starting_phrase([one.text.lower() for one in words_of(asked)], known.which)
    return f"{text[: len(asked)]},{rest}" if is_same and is_choice and is_comparison else text


def with_answer(text: str, blocks: Sequence[Block], known: LanguageWords) -> str:
    """As "I want to send a parcel, AB-12", with an answer after a comma behind what was asked."""
    asks_back = blocks[0].role is Role.ASSISTANT and "?" in blocks[0].text
    before = blocks[1].text.rstrip("?.! ") if asks_back and len(blocks) > 1 else ""
    rest = text[len(before) :]
    if not before or text[: len(before)].lower() != before.lower() or not rest.startswith(" "):
        return text
    first = next((word.text.lower() for word in words_of(rest)), "")
    is_value = first not in known.prepositions | known.articles | known.small_words
    return f"{text[: len(before)]},{rest}" if is_value and first[:1].isalnum() else text


def with_question_mark(text: str, blocks: Sequence[Block], edits: Edits) -> str:
    """With the signs of the question whose beginning comes in."""
    first = edits.insertions[0]
    source = blocks[first.span.block]
    begins = first.span.first < _NEAR_BEGINNING and source.role is Role.USER and first.gap == 0
    if not begins or not source.text.rstrip().endswith("?") or text[-1:] in _SENTENCE_ENDS:
        return text
    opening = "¿" if source.text.lstrip().startswith("¿") and "¿" not in text else ""
    return f"{opening}{text}?"


def with_base_verb(text: str, known: LanguageWords) -> str:
    """As "did not win" for "did not won"."""
    words = words_of(text)
    for one, two, three in zip(words, words[1:], words[2:], strict=False):
        form = known.past_verbs.pairs.get(three.text.lower())
        helps = one.text.lower() in known.helping_verbs and two.text.lower() == known.not_word
        if helps and form:
            return text[: three.start] + form + text[three.end :]
    return text


def with_small_words(text: str, known: LanguageWords) -> str:
    """As "our three least busy shops" for "our three the least busy shops"; "each of the" shops."""
    for one, two in pairwise(words_of(text)):
        if not known.the or two.text.lower() != known.the:
            continue
        if one.text.lower() in known.number_words:
            return text[: two.start] + text[two.end :].lstrip()
        if one.text in known.each:
            return f"{text[: one.start]}{min(known.each)} {known.of_word}{text[one.end :]}"
    return text


def with_one_genitive(text: str, question: str, known: LanguageWords) -> str:
    """As "the rent of Anna" for "the rent of Anna's", which nobody has asked for like this."""
    words = words_of(text)
    end = len(words) - (bool(words) and words[-1].is_sign)
    before = [word.text.lower() for word in words[max(0, end - _GENITIVE) : end]]
    is_double = bool(known.row_possessives) and before[-1:] == ["s"] and known.of_word in before
    own = (word.text.lower() for word in words_of(question))
    if not is_double or before[-2] not in _APOSTROPHES or known.of_word in own:
        return text
    return text[: words[end - 2].start] + text[words[end - 1].end :]


def with_one_article(
    text: str, question: str, blocks: Sequence[Block], known: LanguageWords
) -> str:
    """As "een nieuwe MacBook" for "een nieuwe een MacBook"; not where a name stands between."""
    for article in doubled_articles(text, question, blocks, known)[:1]:
        between = text[: article.start].rsplit(maxsplit=1)[-1]
        if between.islower():
            return text[: article.start] + text[article.end :].lstrip()
    return text
