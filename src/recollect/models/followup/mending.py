"""Words that edits of the network lack, where grammar leaves no choice."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final
from unicodedata import combining, normalize

from recollect.domain.followup.edits import Block, Edits, Insertion, Span, Word
from recollect.domain.followup.languages import LanguageWords
from recollect.models.followup.edited_question import EditedQuestion

_NAME: Final = range(2, 5)  # words of a full name
_IN_NAMES: Final = frozenset(".'\u2019-")


def with_full_names(edited: EditedQuestion) -> Edits:
    """Edits that take a name as the title has it, in full: "Patrick Dempsey" for "Dempsey".

    A question that has a part of the name itself takes no more than the edits give it.
    """
    blocks, edits = edited.blocks, edited.edits
    name = _name_in_title(blocks, edited.known)
    if not name or not {*_texts(name)}.isdisjoint(_texts(edited.words)):
        return edits
    full = Span(len(blocks) - 1, 0, blocks[-1].words.index(name[-1]))
    texts = _texts(name)

    def in_full(insertion: Insertion) -> Insertion:
        said = _texts(edited.inserted(insertion))
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


def mended(edited: EditedQuestion) -> Edits:
    """Edits with the demonstratives, possessives, articles and prepositions that they need."""

    def in_full(insertion: Insertion) -> Insertion:
        named = _with_article(edited, _as_possessive(edited, insertion))
        return _with_preposition(edited, insertion) if named is insertion else named

    return replace(
        edited.edits,
        deleted=edited.edits.deleted - _needed_demonstratives(edited),
        insertions=tuple(in_full(one) for one in edited.edits.insertions),
        articles=tuple(_articles(edited)),
    )


def _articles(edited: EditedQuestion) -> Iterator[tuple[int, str]]:
    """As "the weight of the cat" for "its weight", never "weight of the cat"."""
    known, edits = edited.known, edited.edits
    for place in sorted(edits.deleted):
        article = known.possessive_articles.pairs.get(edited.text_at(place))
        if article is None or not _leaves_noun(edited, place):
            continue
        noun = edited.text_at(place + 1)
        owner = next((one for one in edits.insertions if one.gap >= place), None)
        is_owned = owner is not None and owner.gap > place + 1 and owner.connector != ""
        is_many = not known.plural_endings or noun.endswith(tuple(known.plural_endings))
        if is_owned and is_many and noun not in known.prepositions:
            yield place, article


def _leaves_noun(edited: EditedQuestion, place: int) -> bool:
    """Whether a word that carries content stays behind one that goes."""
    content = edited.lists.content(edited.words[place + 1 : place + 2])
    return place + 1 not in edited.edits.deleted and bool(content)


def _is_alone(edited: EditedQuestion, insertion: Insertion) -> bool:
    """Whether nothing else comes in at the same place."""
    return sum(one.gap == insertion.gap for one in edited.edits.insertions) == 1


def _with_article(edited: EditedQuestion, insertion: Insertion) -> Insertion:
    """As "How old is the dog?" for "How old is dog?", where "a dog" was said."""
    known, deleted, first = edited.known, edited.edits.deleted, insertion.span.first
    said = edited.source(insertion).words
    place = insertion.gap if insertion.gap in deleted else insertion.gap - 1
    is_pronoun = place in deleted and edited.text_at(place) in known.lone_pronouns
    before = said[first - 1].text.lower() if first else ""
    is_noun = said[first].text.islower() and before in known.articles
    is_bare = not insertion.connector and not insertion.is_possessive
    if is_pronoun and is_noun and is_bare and _is_alone(edited, insertion):
        return replace(insertion, connector=known.the)
    return insertion


def _needed_demonstratives(edited: EditedQuestion) -> set[int]:
    """Those that would leave a noun behind: "Who built that building in Hull?" keeps its own."""
    edits = edited.edits
    changed = {place for one in edits.insertions for place in (one.gap - 1, one.gap)}
    return {
        place
        for place in edits.deleted - changed
        if edited.text_at(place) in edited.known.demonstratives and _leaves_noun(edited, place)
    }


def _as_possessive(edited: EditedQuestion, insertion: Insertion) -> Insertion:
    """As "the tower's architect" for "its architect", never "the tower architect"."""
    known, place = edited.known, insertion.gap
    is_possessive = place in edited.edits.deleted and edited.text_at(place) in known.row_possessives
    owns = is_possessive and _leaves_noun(edited, place) and not insertion.connector
    if not owns or edited.text_at(place + 1) in known.prepositions:
        return insertion
    is_owner = _is_alone(edited, insertion) and edited.inserted(insertion)[-1].text.lower() != "s"
    return replace(insertion, is_possessive=True) if is_owner else insertion


def _with_preposition(edited: EditedQuestion, insertion: Insertion) -> Insertion:
    """As "List all facts about" before "the owners", where edits have left "about" behind."""
    known, prepositions = edited.known, edited.known.common_prepositions
    following = [word.text.lower() for word in edited.following(insertion)[:1]]
    if not edited.begins_question(insertion) or prepositions.isdisjoint(following):
        return insertion
    kept = edited.next_kept(insertion.gap)
    is_last = kept < len(edited.words) and edited.edits.insertions[-1].gap <= kept
    if not is_last or not _is_alone(edited, insertion):
        return insertion
    own, ends = edited.words[kept].text, edited.inserted(insertion)[-1].text.lower()
    is_name = own[0].isupper() and kept > 0 and own.lower() not in known.prepositions
    if not (is_name or own.lower() in known.articles) or ends in prepositions:
        return insertion
    return replace(insertion, span=insertion.span._replace(last=insertion.span.last + 1))
