"""Whether edits may be sent: they lose nothing that was asked, and splice no sentences."""

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Final

from recollect.domain.conversation.message import Role
from recollect.domain.followup.edits import Block, Edits, Insertion, Word
from recollect.domain.followup.languages import LanguageWords, starting_phrase
from recollect.models.followup.additions import (
    adds_noun,
    adds_sentence,
    asks_nothing_of,
    joins_nouns,
    loses_infinitive,
    splits_sentence,
)
from recollect.models.followup.answers import (
    answers_another,
    answers_itself,
    is_acknowledgement,
    loses_expletive,
)
from recollect.models.followup.confidence import SENTENCE, WordLists, is_beginning
from recollect.models.followup.fragments import has_no_place
from recollect.models.followup.referents import (
    leaves_items_out,
    takes_maker,
    takes_one_of_two,
)

_SENTENCE_ENDS: Final = frozenset(".?!")
_JOINTS: Final = frozenset("'\u2019-")
_PAIR: Final = 2  # words
_CLAUSE: Final = 3  # words of a question that make it a clause
_NEAR_BEGINNING: Final = 2  # words, one of which may be a sign


def is_sound(
    words: Sequence[Word],
    blocks: Sequence[Block],
    edits: Edits,
    lists: WordLists,
    known: LanguageWords,
    *,
    is_data: bool = False,
) -> bool:
    """Whether edits lose nothing that was asked, say nothing twice, and splice no sentences.

    "Exclude North" must not become "… by region for 2024 North", nor "Break that down by month"
    "… for 2024 break down by month".
    """
    faults = (
        _repeats(words, blocks, edits, lists),
        _tears(words, edits),
        _doubles_preposition(words, blocks, edits, known),
        any(_begins_inside_word(blocks, one) for one in edits.insertions),
        _edits_two_sentences(words, edits),
        _loses_predicate(words, blocks, edits, known),
        _loses_beginning(words, blocks, edits, lists),
        leaves_items_out(blocks, edits),
        _loses_verb(words, blocks, edits, known),
        _compares_with_nothing(words, blocks, edits, known),
        answers_itself(words, blocks, edits, known),
        answers_another(words, blocks, edits, known),
        loses_expletive(words, edits, known),
        takes_one_of_two(words, blocks, edits, known),
        takes_maker(words, blocks, edits, known),
        _adds_after_clause(words, blocks, edits, known),
        any(is_acknowledgement(blocks[one.span.block]) for one in edits.insertions),
        is_data and _asks_without_verb(words, blocks, edits, known),
        is_data and _begins_within(words, blocks, edits, known),
        is_data and _means_two(words, known),
        is_data and _moves_clause(words, blocks, edits, known),
        _appends_sentence(words, blocks, edits, known),
        _overlaps(edits),
        _precedes_verb(words, blocks, edits, known),
        has_no_place(words, blocks, edits, known, is_data=is_data),
        adds_noun(words, blocks, edits, known),
        adds_sentence(words, blocks, edits, known),
        asks_nothing_of(words, blocks, edits, known),
        joins_nouns(words, blocks, edits, known),
        loses_infinitive(words, blocks, edits, known),
        not is_data and splits_sentence(words, blocks, edits, known),
    )
    if any(faults):
        return False
    lost = lists.content(words[place] for place in edits.deleted)
    if lost - lists.pointers - lists.discardable:
        return False
    kept = [i for i, word in enumerate(words) if i not in edits.deleted and not word.is_sign]
    if not kept:
        return False
    longest = max(one.span.last - one.span.first + 1 for one in edits.insertions)
    follows = min(one.gap for one in edits.insertions) <= kept[0]
    opens = kept[0] == 0 and bool(lists.content(words[:1]))
    if longest >= SENTENCE and follows and opens and len(kept) >= _CLAUSE:
        return False
    if longest < SENTENCE or _is_fragment(words, blocks[0], known):
        return True
    return is_data and _shares_words(words, blocks, lists, known)


def changes_data_question(
    words: Sequence[Word], blocks: Sequence[Block], edits: Edits, known: LanguageWords
) -> bool:
    """Whether edits lose a figure of the last question to data, or mix it with something personal.

    "And for Globex?" after "Show sales by region for 2024" must not lose the year, "Compare with
    2019" needs both, and "What about my dentist?" is not about sales.
    """
    last = next((block.words for block in blocks if block.role is Role.USER), ())
    texts, old = ({word.text.lower() for word in some} for some in (words, last))
    kept = {
        word.text.lower()
        for one in edits.insertions
        for word in blocks[one.span.block].words[one.span.first : one.span.last + 1]
    }
    begins = any(
        one.span.first == 0 and blocks[one.span.block].role is Role.USER for one in edits.insertions
    )
    figures, own = (_figures(some, known) for some in (old, texts))
    if begins:
        is_personal = bool(known.personal & texts - old)
        return is_personal or bool(figures - kept - texts and not own)
    takes_some = not kept.isdisjoint(old) and known.pointers.isdisjoint(texts)
    return takes_some and bool(own) and bool(figures - kept - texts)


def _figures(texts: Iterable[str], known: LanguageWords) -> set[str]:
    """Numbers, and the names of months."""
    return {text for text in texts if text[0].isdigit() or text in known.months - {"may"}}


def _is_fragment(words: Sequence[Word], last: Block, known: LanguageWords) -> bool:
    """Whether a message asks for a change of the last question, and is no remark.

    "Perfect", "by Friday", "for my boss", "1" are remarks; "Lisbon?", "and in Lisbon" are not, nor
    is what answers a question of the assistant's.
    """
    texts = [word.text.lower() for word in words]
    asks_back = last.role is Role.ASSISTANT and "?" in last.text
    return "?" in texts or asks_back or bool(starting_phrase(texts, known.openers))


def _shares_words(
    words: Sequence[Word], blocks: Sequence[Block], lists: WordLists, known: LanguageWords
) -> bool:
    """Whether a fragment has words of the last question to data, or begins as a part of one."""
    texts = [word.text.lower() for word in words if not word.is_sign]
    if len(texts) < _PAIR or not (known.personal | known.weekdays).isdisjoint(texts):
        return False
    last = next((block.words for block in blocks if block.role is Role.USER), ())
    shared = lists.content(words) & lists.content(last)
    begins = texts[0] in known.comparing | known.conditions | known.extremes
    return bool(shared) or begins or not known.extremes.isdisjoint(texts[:_PAIR])


def _repeats(
    words: Sequence[Word], blocks: Sequence[Block], edits: Edits, lists: WordLists
) -> bool:
    """Whether a span comes in that repeats more of what is there than a name would."""
    seen = lists.content(word for i, word in enumerate(words) if i not in edits.deleted)
    for one in edits.insertions:
        span = lists.content(blocks[one.span.block].words[one.span.first : one.span.last + 1])
        if len(span & seen) > len(span) / 2:
            return True
        seen |= span
    return False


def _doubles_preposition(
    words: Sequence[Word], blocks: Sequence[Block], edits: Edits, known: LanguageWords
) -> bool:
    """Whether a span ends with a preposition and another one follows: "sales for in 2022"."""
    for one in edits.insertions:
        last = blocks[one.span.block].words[one.span.last].text.lower()
        kept = (i for i in range(one.gap, len(words)) if i not in edits.deleted)
        following = next(kept, None)
        if (
            following is not None
            and {last, words[following].text.lower()} <= known.common_prepositions
        ):
            return True
    return False


def _overlaps(edits: Edits) -> bool:
    """Whether two spans have a word of the history in common: "has the mayor has Ghent"."""
    spans = sorted(one.span for one in edits.insertions)
    return any(one.block == two.block and two.first <= one.last for one, two in pairwise(spans))


def _tears(words: Sequence[Word], edits: Edits) -> bool:
    """Whether a part of a word goes and the rest stays, as of "what's" or "e-mail"."""
    return any(
        place + 1 < len(words)
        and place + 1 not in edits.deleted
        and words[place + 1].start == words[place].end
        and words[place + 1].text in _JOINTS
        for place in edits.deleted
    ) or any(
        words[place].text in _JOINTS
        and 0 < place < len(words) - 1
        and place - 1 not in edits.deleted
        and words[place - 1].end == words[place].start
        for place in edits.deleted
    )


def _begins_inside_word(blocks: Sequence[Block], insertion: Insertion) -> bool:
    """Whether a span begins with a part of a word, as the "s" of "what's"."""
    words, first = blocks[insertion.span.block].words, insertion.span.first
    if first == 0 or words[first - 1].end != words[first].start:
        return False
    return words[first - 1].text in _JOINTS and first > 1


def _edits_two_sentences(words: Sequence[Word], edits: Edits) -> bool:
    ends = [place for place, word in enumerate(words[:-1]) if word.text in _SENTENCE_ENDS]
    places = (*edits.deleted, *(one.gap for one in edits.insertions))
    return bool(ends) and len({sum(end < place for end in ends) for place in places}) > 1


def _loses_predicate(
    words: Sequence[Word], blocks: Sequence[Block], edits: Edits, known: LanguageWords
) -> bool:
    """Whether a fragment with a preposition takes the place of something else.

    "On two columns?" after "How do I make an index in SQLite?" adds to it: "How do I make on two
    columns?" is not what was asked.
    """
    beginnings = [one for one in edits.insertions if _begins_question(blocks, one)]
    kept = [word for place, word in enumerate(words) if place not in edits.deleted]
    kept = kept[1:] if kept and kept[0].is_sign else kept  # "¿"
    prepositions = known.common_prepositions | known.prepositions
    if len(kept) > 1 and kept[1].text in _JOINTS and kept[0].end == kept[1].start:
        return False  # "après-demain"
    if len(beginnings) != 1 or not kept or kept[0].text.lower() not in prepositions:
        return False
    block, _, last = beginnings[0].span
    following = next((word.text.lower() for word in blocks[block].words[last + 1 :]), "")
    is_dropped = following[:1].isalnum() and not any(
        one.span.block == block and one.span.first == last + 1 for one in edits.insertions
    )
    return is_dropped and following not in prepositions | known.moment_words


def _begins_question(blocks: Sequence[Block], insertion: Insertion) -> bool:
    """Whether a span is the beginning of an earlier question, however short."""
    block, first, last = insertion.span
    is_users = blocks[block].role is Role.USER
    return is_users and first < _NEAR_BEGINNING and last > first


def _loses_beginning(
    words: Sequence[Word], blocks: Sequence[Block], edits: Edits, lists: WordLists
) -> bool:
    """Whether the end of an earlier question comes in without its beginning: "Wine for 25 men?"."""
    kept = {word.text.lower() for i, word in enumerate(words) if i not in edits.deleted}
    if not kept.isdisjoint(lists.function_words):
        return False
    ends = {
        one.span.block
        for one in edits.insertions
        if blocks[one.span.block].role is Role.USER
        and one.span.last - one.span.first + 1 >= _CLAUSE
    }
    begun = {one.span.block for one in edits.insertions if one.span.first < _NEAR_BEGINNING}
    return bool(ends - begun)


def _loses_verb(
    words: Sequence[Word], blocks: Sequence[Block], edits: Edits, known: LanguageWords
) -> bool:
    """Whether the verb that a question begins with goes, and no other question begins for it."""
    begins = any(is_beginning(blocks, one) for one in edits.insertions)
    return 0 in edits.deleted and words[0].text.lower() in known.finite_verbs and not begins


def _precedes_verb(
    words: Sequence[Word], blocks: Sequence[Block], edits: Edits, known: LanguageWords
) -> bool:
    """Whether a sentence comes in before the verb of a question: "A recipe for tea is it hot?"."""
    first = edits.insertions[0]
    is_verb = 0 not in edits.deleted and words[0].text.lower() in known.finite_verbs
    loses_subject = is_verb and 1 in edits.deleted
    return loses_subject and first.gap == 0 and is_beginning(blocks, first)


def _appends_sentence(
    words: Sequence[Word], blocks: Sequence[Block], edits: Edits, known: LanguageWords
) -> bool:
    """Whether a sentence follows another's beginning: "List all boats also include their masts"."""
    kept = [n for n in range(len(words)) if n not in edits.deleted]
    first = edits.insertions[0]
    if not kept or first.gap > kept[0] or first.span.first or not is_beginning(blocks, first):
        return False
    texts = [words[n].text.lower() for n in kept]
    lead = [text for text in texts[:_PAIR] if text not in known.additions]
    opener = starting_phrase(texts, known.openers)
    asks = any(one == "," and two in known.wh_openers for one, two in pairwise(texts))
    requests = known.requests | known.adding_words
    return opener > 1 or asks or (len(texts) > 1 and not requests.isdisjoint(lead[:1]))


def _compares_with_nothing(
    words: Sequence[Word], blocks: Sequence[Block], edits: Edits, known: LanguageWords
) -> bool:
    """Whether one thing alone stands at the end of a comparison: "Which is cheaper the train?"."""
    texts = [word.text.lower() for word in words if not word.is_sign]
    kept = [n for n, word in enumerate(words) if n not in edits.deleted and not word.is_sign]
    if len(edits.insertions) != 1 or not starting_phrase(texts, known.which) or not kept:
        return False
    verb = starting_phrase(texts, known.which)
    only = edits.insertions[0]
    span = blocks[only.span.block].words[only.span.first : only.span.last + 1]
    said = [word.text.lower() for word in span]
    is_last = only.gap > kept[-1] and only.gap not in edits.deleted and not only.connector
    is_comparison = not known.comparing_copulas.isdisjoint(texts[verb : verb + 1])
    is_alone = known.or_word not in said and said[0] not in known.prepositions
    return is_last and is_comparison and is_alone


def _asks_without_verb(
    words: Sequence[Word], blocks: Sequence[Block], edits: Edits, known: LanguageWords
) -> bool:
    """Whether a question of one word about data gets no verb: "Why total sales by region?"."""
    said = [word for word in words if not word.is_sign]
    if len(said) != 1 or 0 in edits.deleted or any(one.gap == 0 for one in edits.insertions):
        return False
    spans = (
        blocks[one.span.block].words[one.span.first : one.span.last + 1] for one in edits.insertions
    )
    return not any(word.text.lower() in known.finite_verbs for span in spans for word in span)


def _begins_within(
    words: Sequence[Word], blocks: Sequence[Block], edits: Edits, known: LanguageWords
) -> bool:
    """Whether a fragment follows the middle of a question to data: "Prices 3 or less of boats"."""
    texts = [word.text.lower() for word in words]
    if not starting_phrase(texts, known.openers) or not edits.insertions:
        return False
    first = edits.insertions[0]
    kept = next((n for n in range(len(words)) if n not in edits.deleted), len(words))
    block, start, _ = first.span
    is_first = first.gap <= kept and blocks[block].role is Role.USER
    asks = blocks[block].words[start].text.lower() in known.wh_openers | known.requests
    return is_first and start >= _NEAR_BEGINNING and not asks


def _moves_clause(
    words: Sequence[Word], blocks: Sequence[Block], edits: Edits, known: LanguageWords
) -> bool:
    """Whether a clause about "those" follows a verb: "the boats that were built that sail"."""
    for one in edits.insertions:
        kept = next((n for n in range(one.gap, len(words)) if n not in edits.deleted), len(words))
        follows = words[kept].text.lower() if kept < len(words) else ""
        before = words[kept - 1].text.lower() if kept - 1 in edits.deleted else ""
        last = blocks[one.span.block].words[one.span.last].text.lower()
        is_clause = follows in known.relatives and before in known.row_determiners
        if is_clause and (last.endswith("ed") or last in known.auxiliaries):
            return True
    return False


def _means_two(words: Sequence[Word], known: LanguageWords) -> bool:
    """Whether a fragment is about two things that were named: "Give me both"."""
    said = [word.text.lower() for word in words if not word.is_sign]
    return bool(said) and said[-1] in known.pair_words


def _adds_after_clause(
    words: Sequence[Word], blocks: Sequence[Block], edits: Edits, known: LanguageWords
) -> bool:
    """Whether a fragment comes behind a clause that it may replace: "when it rains for the cat"."""
    kept = next((n for n in range(len(words)) if n not in edits.deleted), len(words))
    first = edits.insertions[0]
    if not is_beginning(blocks, first) or first.gap > kept or kept == len(words):
        return False
    source = blocks[first.span.block].words
    has_clause = any(w.text.lower() in known.conjunctions for w in source[1 : first.span.last])
    is_whole = all(word.is_sign for word in source[first.span.last + 1 :])
    return has_clause and is_whole and words[kept].text.lower() in known.common_prepositions
