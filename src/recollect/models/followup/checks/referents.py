"""Referents that are not meant: one of two things, who made a thing, what was denied."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from recollect.domain.conversation.message import Role
from recollect.domain.followup.edits import Block, Edits, Insertion, Span, Word
from recollect.domain.followup.languages import LanguageWords
from recollect.domain.followup.rules.lists import list_items
from recollect.models.followup.edited_question import EditedQuestion


def takes_one_of_two(edited: EditedQuestion) -> bool:
    """Whether one of two names comes in for a plural: "they" after "the Elbe and the Oder"."""
    known, only = edited.known, edited.first
    if len(edited.edits.insertions) != 1:
        return False
    said = _without_articles(edited.inserted(only), known)
    is_name = any(word.text[0].isupper() for word in said)
    if not is_name or known.plural_pointers.isdisjoint(_pointers(edited, only)):
        return False
    name = [word.text.lower() for word in said]
    is_one = known.and_words.isdisjoint(name)
    return is_one and any(_is_joined(name, block, known) for block in edited.blocks)


def leaves_items_out(edited: EditedQuestion) -> bool:
    """Whether several items of a list come in, but not all: "Which is longer, A or B?" of three."""
    blocks, insertions = edited.blocks, edited.edits.insertions
    places = Counter(one.span.block for one in insertions)
    for number in (block for block, count in places.items() if count > 1):
        items = list_items(blocks[number].text, blocks[number].words)
        named = {one.span.first for one in insertions if one.span.block == number}
        if len(named & items.keys()) > 1 and not items.keys() <= named:
            return True
    return False


def takes_maker(edited: EditedQuestion) -> bool:
    """Whether the maker of a thing comes in for it: "its price" after "by Imogen Frye"."""
    known = edited.known
    return any(
        not known.thing_pointers.isdisjoint(_pointers(edited, one))
        and _is_maker(edited, one)
        and edited.text_at(one.gap + 1) not in known.makers
        for one in edited.edits.insertions
    )


def with_maker(edited: EditedQuestion) -> Edits:
    """As "What else did Imogen Frye write?" for "its author", after "by Imogen Frye"."""
    known, edits = edited.known, edited.edits
    for one in edits.insertions:
        noun = one.gap + 1
        is_owned = one.gap in edits.deleted and edited.text_at(one.gap) in known.thing_pointers
        is_made = is_owned and edited.text_at(noun) in known.makers
        if is_made and noun not in edits.deleted and _is_maker(edited, one):
            named = replace(one, gap=noun + 1, is_possessive=False)
            insertions = tuple(named if other is one else other for other in edits.insertions)
            return replace(edits, deleted=edits.deleted | {noun}, insertions=insertions)
    return edits


def without_denied(edited: EditedQuestion) -> Edits:
    """Edits without what a reply has denied.

    After "Can I keep figs in the fridge?" and "No", "How long do they last then?" is about figs,
    and no longer about the fridge.
    """
    edits, last = edited.edits, edited.blocks[0]
    reply = last.words[:1] if last.role is Role.ASSISTANT else ()
    is_denied = any(word.text.lower() in edited.known.denials for word in reply)
    if not is_denied or 0 in edits.deleted or not edited.words:
        return edits  # what begins another question is no pointer
    kept = tuple(
        shortened
        for one in edits.insertions
        if (shortened := _up_to_preposition(edited, one)) is not None
    )
    return replace(edits, insertions=kept) if kept else edits


def _up_to_preposition(edited: EditedQuestion, insertion: Insertion) -> Insertion | None:
    block, first, _ = insertion.span
    said = enumerate(word.text.lower() for word in edited.inserted(insertion))
    place = next((n for n, word in said if word in edited.known.denied_prepositions), None)
    if block != 1 or place is None:
        return insertion
    return replace(insertion, span=Span(block, first, first + place - 1)) if place else None


def _is_maker(edited: EditedQuestion, insertion: Insertion) -> bool:
    first = insertion.span.first
    before = edited.source(insertion).words[max(0, first - 1) : first]
    return any(word.text.lower() == edited.known.by_word for word in before)


def _pointers(edited: EditedQuestion, insertion: Insertion) -> set[str]:
    """The deleted words beside an insertion, in small letters."""
    places = (insertion.gap - 1, insertion.gap)
    return {edited.text_at(n) for n in places if n in edited.edits.deleted}


def _without_articles(words: Sequence[Word], known: LanguageWords) -> list[Word]:
    return [word for word in words if word.text.lower() not in known.name_articles]


def _is_joined(name: Sequence[str], block: Block, known: LanguageWords) -> bool:
    """Whether "and" joins a name with another one in a message."""
    words = _without_articles(block.words, known)
    texts = [word.text.lower() for word in words]
    for place in range(len(texts) - len(name) + 1):
        if texts[place : place + len(name)] == name:
            before, after = place - 1, place + len(name)
            joins_after = after + 1 < len(texts) and texts[after] in known.and_words
            joins_before = before > 0 and texts[before] in known.and_words
            if joins_after and words[after + 1].text[0].isupper():
                return True
            if joins_before and words[before - 1].text[0].isalnum():
                return True
    return False
