"""Whether edits may be sent: they lose nothing that was asked, and splice no sentences."""

from collections.abc import Callable
from itertools import pairwise
from typing import Final

from recollect.domain.conversation.message import Role
from recollect.domain.followup.edits import Insertion
from recollect.domain.followup.languages import starting_phrase
from recollect.models.followup.checks.additions import (
    adds_noun,
    adds_sentence,
    asks_nothing_of,
    joins_nouns,
    loses_infinitive,
    splits_sentence,
)
from recollect.models.followup.checks.answers import (
    answers_another,
    answers_itself,
    loses_expletive,
    takes_acknowledgement,
)
from recollect.models.followup.checks.data_edits import (
    asks_without_verb,
    begins_within,
    means_two,
    moves_clause,
    shares_words,
)
from recollect.models.followup.checks.fragments import has_no_place
from recollect.models.followup.checks.referents import (
    leaves_items_out,
    takes_maker,
    takes_one_of_two,
)
from recollect.models.followup.confidence import NEAR_BEGINNING, SENTENCE, is_beginning
from recollect.models.followup.edited_question import EditedQuestion

Check = Callable[[EditedQuestion], bool]
_SENTENCE_ENDS: Final = frozenset(".?!")
_JOINTS: Final = frozenset("'\u2019-")
_PAIR: Final = 2  # words
_CLAUSE: Final = 3  # words of a question that make it a clause


def is_sound(edited: EditedQuestion) -> bool:
    """Whether edits lose nothing that was asked, say nothing twice, and splice no sentences.

    "Exclude North" must not become "… by region for 2024 North", nor "Break that down by month"
    "… for 2024 break down by month".
    """
    others = _FAULTS_ABOUT_DATA if edited.is_data else _FAULTS_ELSEWHERE
    if any(has_fault(edited) for has_fault in (*_FAULTS, *others)):
        return False
    longest = max(len(edited.inserted(one)) for one in edited.edits.insertions)
    if longest < SENTENCE or _is_fragment(edited):
        return True
    return edited.is_data and shares_words(edited)


def _loses_content(edited: EditedQuestion) -> bool:
    """Whether a word goes that says what is asked."""
    lists = edited.lists
    lost = lists.content(edited.words[place] for place in edited.edits.deleted)
    return bool(lost - lists.pointers - lists.discardable)


def _keeps_nothing(edited: EditedQuestion) -> bool:
    return not edited.kept


def _precedes_clause(edited: EditedQuestion) -> bool:
    """Whether a sentence comes in before a clause that says something by itself."""
    insertions = edited.edits.insertions
    if edited.kept[:1] != [0] or len(edited.kept) < _CLAUSE:
        return False
    is_sentence = any(len(edited.inserted(one)) >= SENTENCE for one in insertions)
    opens = bool(edited.lists.content(edited.words[:1]))
    return is_sentence and opens and any(one.gap == 0 for one in insertions)


def _is_fragment(edited: EditedQuestion) -> bool:
    """Whether a message asks for a change of the last question, and is no remark.

    "Perfect", "by Friday", "for my boss", "1" are remarks; "Lisbon?", "and in Lisbon" are not, nor
    is what answers a question of the assistant's.
    """
    last = edited.blocks[0]
    texts = [word.text.lower() for word in edited.words]
    asks_back = last.role is Role.ASSISTANT and "?" in last.text
    return "?" in texts or asks_back or bool(starting_phrase(texts, edited.known.openers))


def _repeats(edited: EditedQuestion) -> bool:
    """Whether a span comes in that repeats more of what is there than a name would."""
    seen = edited.lists.content(edited.words[n] for n in edited.kept)
    for one in edited.edits.insertions:
        span = edited.lists.content(edited.inserted(one))
        if len(span & seen) > len(span) / 2:
            return True
        seen |= span
    return False


def _doubles_preposition(edited: EditedQuestion) -> bool:
    """Whether a span ends with a preposition and another one follows: "sales for in 2022"."""
    return any(
        edited.known.common_prepositions.issuperset(
            (edited.inserted(one)[-1].text.lower(), edited.text_at(edited.next_kept(one.gap)))
        )
        for one in edited.edits.insertions
    )


def _overlaps(edited: EditedQuestion) -> bool:
    """Whether two spans have a word of the history in common: "has the mayor has Ghent"."""
    spans = sorted(one.span for one in edited.edits.insertions)
    return any(one.block == two.block and two.first <= one.last for one, two in pairwise(spans))


def _tears(edited: EditedQuestion) -> bool:
    """Whether a part of a word goes and the rest stays, as of "what's" or "e-mail"."""
    words, deleted = edited.words, edited.edits.deleted
    return any(
        place + 1 < len(words)
        and place + 1 not in deleted
        and words[place + 1].start == words[place].end
        and words[place + 1].text in _JOINTS
        for place in deleted
    ) or any(
        words[place].text in _JOINTS
        and 0 < place < len(words) - 1
        and place - 1 not in deleted
        and words[place - 1].end == words[place].start
        for place in deleted
    )


def _begins_inside_word(edited: EditedQuestion) -> bool:
    """Whether a span begins with a part of a word, as the "s" of "what's"."""

    def is_inside(insertion: Insertion) -> bool:
        words, first = edited.source(insertion).words, insertion.span.first
        if first <= 1 or words[first - 1].end != words[first].start:
            return False
        return words[first - 1].text in _JOINTS

    return any(map(is_inside, edited.edits.insertions))


def _edits_two_sentences(edited: EditedQuestion) -> bool:
    ends = [n for n, word in enumerate(edited.words[:-1]) if word.text in _SENTENCE_ENDS]
    places = (*edited.edits.deleted, *(one.gap for one in edited.edits.insertions))
    return bool(ends) and len({sum(end < place for end in ends) for place in places}) > 1


def _loses_predicate(edited: EditedQuestion) -> bool:
    """Whether a fragment with a preposition takes the place of something else.

    "On two columns?" after "How do I make an index in SQLite?" adds to it: "How do I make on two
    columns?" is not what was asked.
    """
    insertions, known = edited.edits.insertions, edited.known
    beginnings = [one for one in insertions if edited.begins_question(one)]
    kept = [word for n, word in enumerate(edited.words) if n not in edited.edits.deleted]
    kept = kept[1:] if kept and kept[0].is_sign else kept  # "¿"
    prepositions = known.common_prepositions | known.prepositions
    if len(kept) > 1 and kept[1].text in _JOINTS and kept[0].end == kept[1].start:
        return False  # "après-demain"
    if len(beginnings) != 1 or not kept or kept[0].text.lower() not in prepositions:
        return False
    block, _, last = beginnings[0].span
    following = "".join(word.text.lower() for word in edited.following(beginnings[0])[:1])
    is_dropped = following[:1].isalnum() and not any(
        one.span.block == block and one.span.first == last + 1 for one in insertions
    )
    return is_dropped and following not in prepositions | known.moment_words


def _loses_beginning(edited: EditedQuestion) -> bool:
    """Whether the end of an earlier question comes in without its beginning: "Wine for 25 men?"."""
    insertions = edited.edits.insertions
    if not edited.lists.function_words.isdisjoint(edited.kept_texts):
        return False
    ends = {
        one.span.block
        for one in insertions
        if edited.source(one).role is Role.USER and len(edited.inserted(one)) >= _CLAUSE
    }
    begun = {one.span.block for one in insertions if one.span.first < NEAR_BEGINNING}
    return bool(ends - begun)


def _loses_verb(edited: EditedQuestion) -> bool:
    """Whether the verb that a question begins with goes, and no other question begins for it."""
    is_lost = 0 in edited.edits.deleted and edited.text_at(0) in edited.known.finite_verbs
    return is_lost and not any(is_beginning(edited.blocks, one) for one in edited.edits.insertions)


def _precedes_verb(edited: EditedQuestion) -> bool:
    """Whether a sentence comes in before the verb of a question: "A recipe for tea is it hot?"."""
    deleted, first = edited.edits.deleted, edited.first
    is_verb = 0 not in deleted and edited.text_at(0) in edited.known.finite_verbs
    loses_subject = is_verb and 1 in deleted
    return loses_subject and first.gap == 0 and is_beginning(edited.blocks, first)


def _appends_sentence(edited: EditedQuestion) -> bool:
    """Whether a sentence follows another's beginning: "List all boats also include their masts"."""
    known, first = edited.known, edited.first
    is_start = first.span.first == 0 and is_beginning(edited.blocks, first)
    if not is_start or first.gap > edited.next_kept(0):
        return False
    deleted = edited.edits.deleted
    texts = [word.text.lower() for n, word in enumerate(edited.words) if n not in deleted]
    lead = [text for text in texts[:_PAIR] if text not in known.additions]
    opener = starting_phrase(texts, known.openers)
    asks = any(one == "," and two in known.wh_openers for one, two in pairwise(texts))
    requests = known.requests | known.adding_words
    return opener > 1 or asks or (len(texts) > 1 and not requests.isdisjoint(lead[:1]))


def _compares_with_nothing(edited: EditedQuestion) -> bool:
    """Whether one thing alone stands at the end of a comparison: "Which is cheaper the train?"."""
    known, edits, only = edited.known, edited.edits, edited.first
    verb = starting_phrase(edited.texts, known.which)
    if len(edits.insertions) != 1 or not verb or not edited.kept:
        return False
    said = [word.text.lower() for word in edited.inserted(only)]
    is_last = only.gap > edited.kept[-1] and only.gap not in edits.deleted and not only.connector
    is_comparison = not known.copulas.isdisjoint(edited.texts[verb : verb + 1])
    is_alone = known.or_word not in said and said[0] not in known.prepositions
    return is_last and is_comparison and is_alone


def _adds_after_clause(edited: EditedQuestion) -> bool:
    """Whether a fragment comes behind a clause that it may replace: "when it rains for the cat"."""
    known, first, kept = edited.known, edited.first, edited.next_kept(0)
    if not is_beginning(edited.blocks, first) or first.gap > kept:
        return False
    source = edited.source(first).words[1 : first.span.last]
    has_clause = any(word.text.lower() in known.conjunctions for word in source)
    is_whole = all(word.is_sign for word in edited.following(first))
    return has_clause and is_whole and edited.text_at(kept) in known.common_prepositions


_FAULTS: Final[tuple[Check, ...]] = (
    _keeps_nothing,
    _loses_content,
    _precedes_clause,
    _repeats,
    _tears,
    _overlaps,
    _doubles_preposition,
    _begins_inside_word,
    _edits_two_sentences,
    _loses_predicate,
    _loses_beginning,
    _loses_verb,
    _precedes_verb,
    _compares_with_nothing,
    _adds_after_clause,
    _appends_sentence,
    leaves_items_out,
    takes_one_of_two,
    takes_maker,
    takes_acknowledgement,
    answers_itself,
    answers_another,
    loses_expletive,
    has_no_place,
    adds_noun,
    adds_sentence,
    asks_nothing_of,
    joins_nouns,
    loses_infinitive,
)
_FAULTS_ABOUT_DATA: Final[tuple[Check, ...]] = (
    asks_without_verb,
    begins_within,
    means_two,
    moves_clause,
)
_FAULTS_ELSEWHERE: Final[tuple[Check, ...]] = (splits_sentence,)
