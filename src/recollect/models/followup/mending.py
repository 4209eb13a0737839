"""Small words that edits of the network lack, where grammar leaves no choice."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Final
from unicodedata import combining, normalize

from recollect.domain.conversation.message import Role
from recollect.domain.followup.edits import Block, Edits, Insertion, Span, Word, words_of
from recollect.domain.followup.languages import LanguageWords
from recollect.models.followup.confidence import WordLists
from recollect.models.followup.sentences import doubled_articles
from recollect.models.followup.soundness import PREPOSITIONS

_NEAR_BEGINNING: Final = 2  # words, one of which may be a sign
_NAME: Final = range(2, 5)  # words of a full name
_GENITIVE: Final = 5  # words of "of Anna Smith's"
_DEMONSTRATIVES: Final = frozenset(
    (
        *("this", "that", "these", "those", "dit", "dat", "deze", "die"),
        *("dieser", "diese", "dieses", "diesen", "diesem", "ce", "cet", "cette", "ces"),
        *("este", "esta", "estos", "estas", "ese", "esa", "esos", "esas"),
    )
)
_APOSTROPHES: Final = frozenset("'\u2019")
_IN_NAMES: Final = frozenset(".'\u2019-")


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
    """Edits with the demonstratives, possessives and prepositions that they need."""
    return replace(
        edits,
        deleted=edits.deleted - _needed_demonstratives(words, edits, lists),
        insertions=tuple(
            _with_preposition(
                words, blocks, edits, _as_possessive(words, blocks, edits, one, lists, known), known
            )
            for one in edits.insertions
        ),
    )


def _needed_demonstratives(words: Sequence[Word], edits: Edits, lists: WordLists) -> set[int]:
    """Those that would leave a noun behind: "Who built that building in Hull?" keeps its own."""
    changed = {place for one in edits.insertions for place in (one.gap - 1, one.gap)}
    return {
        place
        for place in edits.deleted - changed
        if words[place].text.lower() in _DEMONSTRATIVES
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
    if not begins or not following or following[0] not in PREPOSITIONS:
        return insertion
    kept = [n for n in range(insertion.gap, len(words)) if n not in edits.deleted]
    others = any(one is not insertion and one.gap == insertion.gap for one in edits.insertions)
    if others or not kept or edits.insertions[-1].gap > kept[0]:
        return insertion
    own, ends = words[kept[0]].text, source.words[last].text.lower()
    is_name = own[0].isupper() and kept[0] > 0 and own.lower() not in known.prepositions
    if not (is_name or own.lower() in known.articles) or ends in PREPOSITIONS:
        return insertion
    return replace(insertion, span=insertion.span._replace(last=last + 1))


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
