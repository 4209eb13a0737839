"""What edits add to a question without a place for it: "Can I bring my dog the party?"."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from recollect.domain.conversation.message import Role
from recollect.domain.followup.edits import Block, Edits, Insertion, Word
from recollect.domain.followup.languages import LanguageWords, starting_phrase
from recollect.models.followup.confidence import SENTENCE, is_beginning

_PAIR: Final = 2  # words
_THREE: Final = 3  # words


def adds_noun(
    words: Sequence[Word], blocks: Sequence[Block], edits: Edits, known: LanguageWords
) -> bool:
    """Whether a noun follows a question that has no place for it, without a preposition.

    "Who is coming the party?", "Can I bring my dog the party?", "Which plant my sister?".
    """
    kept = [n for n, word in enumerate(words) if n not in edits.deleted and not word.is_sign]
    texts = [words[n].text.lower() for n in kept]
    return any(
        _has_no_object(texts, known, is_owned=_starts_with_determiner(blocks, one, known))
        for one in _added(words, kept, edits)
        if _is_noun(blocks, one, known)
    )


def _added(words: Sequence[Word], kept: Sequence[int], edits: Edits) -> Iterator[Insertion]:
    """What comes in behind the last word of a question, and for none of its words."""
    for one in edits.insertions:
        is_last = bool(kept) and one.gap > kept[-1]
        stands_for = {one.gap - 1, one.gap} & edits.deleted
        if is_last and not one.connector and not stands_for and one.gap <= len(words):
            yield one


def _has_no_object(texts: Sequence[str], known: LanguageWords, *, is_owned: bool) -> bool:
    """Whether no noun can follow a question, in small letters."""
    last, before = texts[-1], texts[-_PAIR] if len(texts) > 1 else ""
    is_verb_last = bool(known.adverb_beginnings)  # as in Dutch and German: "mag ik … meenemen"
    ends_with_infinitive = (
        is_verb_last
        and len(texts) >= _THREE
        and last.endswith("n")
        and not known.infinitive_modals.isdisjoint(texts[:_PAIR])
    )
    ends_with_noun = before in known.before_nouns and last not in known.small_words
    asks_for_kind = texts[0] in known.which_words and len(texts) == _PAIR
    is_fragment = len(texts) == _PAIR  # "the costs"
    is_complete = is_fragment or not is_verb_last or not known.copulas.isdisjoint(texts)
    has_object = texts[0] in known.object_questions and not known.subject_pronouns.isdisjoint(
        texts[1:]
    )
    if last in known.without_object or asks_for_kind or has_object:
        return True
    return is_owned and (ends_with_infinitive or (ends_with_noun and is_complete))


def _is_noun(blocks: Sequence[Block], insertion: Insertion, known: LanguageWords) -> bool:
    """Whether a span begins with an article, a possessive or a name, or is a titled name."""
    block, first, last = insertion.span
    source = blocks[block]
    word = source.words[first].text
    may_be_name = first > 0 or source.role is Role.ASSISTANT
    is_name = word[0].isupper() and may_be_name and word.lower() not in known.small_words
    is_titled = (
        last == first + 1
        and source.words[last].text[0].isupper()
        and word.lower() not in known.small_words  # "Mr Bloom" in small letters
    )
    return is_name or is_titled or _starts_with_determiner(blocks, insertion, known)


def _starts_with_determiner(
    blocks: Sequence[Block], insertion: Insertion, known: LanguageWords
) -> bool:
    first = blocks[insertion.span.block].words[insertion.span.first]
    return first.text.lower() in known.before_nouns


def joins_nouns(
    words: Sequence[Word], blocks: Sequence[Block], edits: Edits, known: LanguageWords
) -> bool:
    """Whether a fragment follows a noun that it cannot follow: "My washer the dryer leaks?"."""
    first = edits.insertions[0]
    places = (n for n, word in enumerate(words) if n not in edits.deleted and not word.is_sign)
    kept = next(places, len(words))
    source = blocks[first.span.block]
    if kept == len(words) or first.gap > kept or source.role is not Role.USER:
        return False
    said = [w.text.lower() for w in source.words[first.span.first : first.span.last + 1]]
    is_noun = said[-1] not in known.number_words | known.small_words | known.extremes
    ends_with_noun = is_noun and len(said) > 1 and said[-_PAIR] in known.before_nouns
    follows = words[kept].text.lower()
    has_verb = len(said) > _PAIR and known.copulas.isdisjoint(said)
    is_object = has_verb and bool(known.adverb_beginnings)  # "wanneer brengt Jan het"
    if ends_with_noun and follows in known.before_nouns and not is_object:
        return True
    rest = source.words[first.span.last + 1 :]
    is_whole = is_beginning(blocks, first) and all(word.is_sign for word in rest)
    return is_whole and (follows in known.before_nouns or _is_named(words, kept, known))


def _is_named(words: Sequence[Word], place: int, known: LanguageWords) -> bool:
    """Whether "what about" names a thing: it is neither a time nor begins with a preposition."""
    texts = [word.text.lower() for word in words if not word.is_sign]
    follows = words[place].text.lower()
    times = known.months | known.weekdays | known.moment_words | known.prepositions
    is_time = follows in times | known.small_words or follows[0].isdigit()
    return starting_phrase(texts, known.openers) > 1 and not is_time


def splits_sentence(
    words: Sequence[Word], blocks: Sequence[Block], edits: Edits, known: LanguageWords
) -> bool:
    """Whether a noun stands within a sentence and replaces nothing of it.

    "Which films popcorn are on today?", "I am moving to Rome my cat".
    """
    first = edits.insertions[0]
    kept = [n for n, word in enumerate(words) if n not in edits.deleted and not word.is_sign]
    source = blocks[first.span.block]
    if not kept or first.gap > kept[0] or source.role is not Role.USER:
        return False
    follows = words[kept[0]].text.lower()
    after = [one for one in edits.insertions if one.gap > kept[-1] and not one.connector]
    goes_on = any(
        one.span.block == first.span.block and one.span.first == first.span.last + 1
        for one in after
    )
    adds = known.prepositions | known.contractions | known.small_words - known.before_nouns
    times = known.moment_words | known.weekdays | known.months
    rest = [word.text.lower() for word in source.words[first.span.last + 1 :][:1]]
    loses_phrase = not after and not known.prepositions.isdisjoint(rest)
    if loses_phrase and follows in known.before_nouns:
        return True
    return goes_on and follows not in adds | times


def loses_infinitive(
    words: Sequence[Word], blocks: Sequence[Block], edits: Edits, known: LanguageWords
) -> bool:
    """Whether the verb at the end of a question goes: "Kan ik thuis?" of "… op kantoor werken"."""
    first = edits.insertions[0]
    source = [word.text.lower() for word in blocks[first.span.block].words if not word.is_sign]
    taken = {
        word.text.lower()
        for one in edits.insertions
        for word in blocks[one.span.block].words[one.span.first : one.span.last + 1]
    }
    own = {word.text.lower() for word in words}
    ends = len(source) >= _THREE and source[-1].endswith("n") and source[-1] not in taken | own
    has_modal = bool(known.adverb_beginnings) and not known.infinitive_modals.isdisjoint(
        source[:_THREE]
    )
    begins = first.span.first == 0 and not known.infinitive_modals.isdisjoint(taken)
    return has_modal and begins and ends and known.infinitive_modals.isdisjoint(own)


def adds_sentence(
    words: Sequence[Word], blocks: Sequence[Block], edits: Edits, known: LanguageWords
) -> bool:
    """Whether a whole statement follows a question: "What can I take my head hurts?"."""
    kept = [n for n, word in enumerate(words) if n not in edits.deleted and not word.is_sign]
    for one in _added(words, kept, edits):
        block, first, last = one.span
        source = blocks[block]
        rest = source.words[last + 1 :]
        is_whole = first == 0 and last + 1 >= SENTENCE and all(word.is_sign for word in rest)
        is_said = source.role is Role.USER and "?" not in source.text
        begins = source.words[0].text.lower()
        if is_whole and is_said and begins not in known.prepositions | known.before_nouns:
            return True
    return False


def with_copula(
    words: Sequence[Word], blocks: Sequence[Block], edits: Edits, known: LanguageWords
) -> Edits:
    """As "Where is the party?" for "Where the party?", after "When is the party?"."""
    own = [word.text.lower() for word in words if not word.is_sign]
    asks = bool(own) and own[-1] in known.question_words and set(own[:-1]) <= known.prepositions
    if len(edits.insertions) != 1 or not asks or edits.deleted:
        return edits
    (only,) = edits.insertions
    said = blocks[only.span.block].words[: only.span.first]
    before = [word.text.lower() for word in said if not word.is_sign]
    is_question = set(before[:-1]) <= known.question_words and len(before) <= _PAIR
    is_question = is_question and not known.copulas.isdisjoint(before[-1:])
    if only.gap == 0 or only.connector or not is_question:
        return edits
    longer = only.span._replace(first=only.span.first - 1)
    return replace(edits, insertions=(replace(only, span=longer),))


def asks_nothing_of(
    words: Sequence[Word], blocks: Sequence[Block], edits: Edits, known: LanguageWords
) -> bool:
    """Whether a lone question word gets no verb or no subject: "Where the party?"."""
    kept = [n for n, word in enumerate(words) if n not in edits.deleted and not word.is_sign]
    own = [words[n].text.lower() for n in kept]
    asks = bool(own) and own[-1] in known.question_words and set(own[:-1]) <= known.prepositions
    return asks and any(
        _is_noun(blocks, one, known) or _lacks_subject(blocks, one, known)
        for one in _added(words, kept, edits)
    )


def _lacks_subject(blocks: Sequence[Block], insertion: Insertion, known: LanguageWords) -> bool:
    """Whether a span follows "who", the subject of its question."""
    block, first, _ = insertion.span
    before = [word.text.lower() for word in blocks[block].words[:first] if not word.is_sign]
    verb = blocks[block].words[first].text.lower()
    is_subject = len(before) == 1 and before[0] in known.who_words
    return is_subject and verb not in known.helping_verbs | known.auxiliaries | known.copulas
