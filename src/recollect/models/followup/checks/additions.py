"""What edits add to a question without a place for it: "Can I bring my dog the party?"."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from recollect.domain.conversation.message import Role
from recollect.domain.followup.edits import Edits, Insertion
from recollect.domain.followup.languages import LanguageWords, starting_phrase
from recollect.models.followup.confidence import SENTENCE, is_beginning
from recollect.models.followup.edited_question import EditedQuestion

_PAIR: Final = 2  # words
_THREE: Final = 3  # words


def adds_noun(edited: EditedQuestion) -> bool:
    """Whether a noun follows a question that has no place for it, without a preposition.

    "Who is coming the party?", "Can I bring my dog the party?", "Which plant my sister?".
    """
    return any(
        _has_no_object(
            edited.kept_texts, edited.known, is_owned=_starts_with_determiner(edited, one)
        )
        for one in _added(edited)
        if _is_noun(edited, one)
    )


def _added(edited: EditedQuestion) -> Iterator[Insertion]:
    """What comes in behind the last word of a question, and for none of its words."""
    for one in edited.edits.insertions:
        is_last = bool(edited.kept) and one.gap > edited.kept[-1]
        stands_for = {one.gap - 1, one.gap} & edited.edits.deleted
        if is_last and not one.connector and not stands_for and one.gap <= len(edited.words):
            yield one


def _has_no_object(texts: Sequence[str], known: LanguageWords, *, is_owned: bool) -> bool:
    """Whether no noun can follow a question, in small letters."""
    last, before = texts[-1], texts[-_PAIR] if len(texts) > 1 else ""
    ends_with_infinitive = (
        len(texts) >= _THREE
        and _is_infinitive(last, known)
        and not known.infinitive_modals.isdisjoint(texts[:_PAIR])
    )
    ends_with_noun = before in known.before_nouns and last not in known.small_words
    is_fragment = len(texts) == _PAIR  # "the costs"
    asks_for_kind = texts[0] in known.which_words and is_fragment
    is_complete = is_fragment or not _ends_with_verb(known) or not known.copulas.isdisjoint(texts)
    asks_for_object = texts[0] in known.object_questions
    has_object = asks_for_object and not known.subject_pronouns.isdisjoint(texts[1:])
    if last in known.without_object or asks_for_kind or has_object:
        return True
    return is_owned and (ends_with_infinitive or (ends_with_noun and is_complete))


def _ends_with_verb(known: LanguageWords) -> bool:
    """Whether an infinitive ends a sentence, as in Dutch and German: "mag ik … meenemen"."""
    return bool(known.infinitive_endings)


def _is_infinitive(word: str, known: LanguageWords) -> bool:
    return word.endswith(tuple(known.infinitive_endings))


def _is_noun(edited: EditedQuestion, insertion: Insertion) -> bool:
    """Whether a span begins with an article, a possessive or a name, or is a titled name."""
    said = edited.inserted(insertion)
    word = said[0].text
    is_plain = word.lower() in edited.known.small_words
    is_reply = edited.source(insertion).role is Role.ASSISTANT
    is_name = word[0].isupper() and (insertion.span.first > 0 or is_reply)
    is_titled = len(said) == _PAIR and said[1].text[0].isupper()  # "Mr Bloom" in small letters
    is_named = (is_name or is_titled) and not is_plain
    return is_named or _starts_with_determiner(edited, insertion)


def _starts_with_determiner(edited: EditedQuestion, insertion: Insertion) -> bool:
    return edited.inserted(insertion)[0].text.lower() in edited.known.before_nouns


def _follows_question(edited: EditedQuestion) -> bool:
    """Whether the words that stay follow words of the user's."""
    is_users = edited.source(edited.first).role is Role.USER
    return is_users and bool(edited.kept) and edited.first.gap <= edited.kept[0]


def joins_nouns(edited: EditedQuestion) -> bool:
    """Whether a fragment follows a noun that it cannot follow: "My washer the dryer leaks?"."""
    if not _follows_question(edited):
        return False
    known, first, follows = edited.known, edited.first, edited.kept_texts[0]
    said = [word.text.lower() for word in edited.inserted(first)]
    is_noun = said[-1] not in known.number_words | known.small_words | known.extremes
    ends_with_noun = is_noun and len(said) > 1 and said[-_PAIR] in known.before_nouns
    has_verb = len(said) > _PAIR and known.copulas.isdisjoint(said)
    is_object = has_verb and _ends_with_verb(known)  # "wanneer brengt Jan het"
    if ends_with_noun and follows in known.before_nouns and not is_object:
        return True
    is_end = all(word.is_sign for word in edited.following(first))
    is_whole = is_end and is_beginning(edited.blocks, first)
    return is_whole and (follows in known.before_nouns or _is_named(edited, follows))


def _is_named(edited: EditedQuestion, follows: str) -> bool:
    """Whether "what about" names a thing: it is neither a time nor begins with a preposition."""
    known = edited.known
    times = known.months | known.weekdays | known.moment_words | known.prepositions
    is_time = follows in times | known.small_words or follows[0].isdigit()
    return starting_phrase(edited.texts, known.openers) > 1 and not is_time


def splits_sentence(edited: EditedQuestion) -> bool:
    """Whether a noun stands within a sentence and replaces nothing of it.

    "Which films popcorn are on today?", "I am moving to Rome my cat".
    """
    if not _follows_question(edited):
        return False
    known, first, follows = edited.known, edited.first, edited.kept_texts[0]
    insertions = edited.edits.insertions
    after = [one for one in insertions if one.gap > edited.kept[-1] and not one.connector]
    goes_on = any(
        one.span.block == first.span.block and one.span.first == first.span.last + 1
        for one in after
    )
    adds = known.prepositions | known.contractions | known.small_words - known.before_nouns
    times = known.moment_words | known.weekdays | known.months
    rest = [word.text.lower() for word in edited.following(first)[:1]]
    loses_phrase = not after and not known.prepositions.isdisjoint(rest)
    if loses_phrase and follows in known.before_nouns:
        return True
    return goes_on and follows not in adds | times


def loses_infinitive(edited: EditedQuestion) -> bool:
    """Whether the verb at the end of a question goes: "Kan ik thuis?" of "… op kantoor werken"."""
    known, taken, own = edited.known, edited.taken, edited.texts
    source = [w.text.lower() for w in edited.source(edited.first).words if not w.is_sign]
    if len(source) < _THREE or not _is_infinitive(source[-1], known):
        return False
    is_lost = source[-1] not in taken and source[-1] not in own
    has_modal = not known.infinitive_modals.isdisjoint(source[:_THREE])
    begins = edited.first.span.first == 0 and not known.infinitive_modals.isdisjoint(taken)
    return is_lost and has_modal and begins and known.infinitive_modals.isdisjoint(own)


def adds_sentence(edited: EditedQuestion) -> bool:
    """Whether a whole statement follows a question: "What can I take my head hurts?"."""
    begins = edited.known.prepositions | edited.known.before_nouns
    for one in _added(edited):
        _, first, last = one.span
        source = edited.source(one)
        is_end = all(word.is_sign for word in edited.following(one))
        is_whole = is_end and first == 0 and last + 1 >= SENTENCE
        is_said = source.role is Role.USER and "?" not in source.text
        if is_whole and is_said and source.words[0].text.lower() not in begins:
            return True
    return False


def with_copula(edited: EditedQuestion) -> Edits:
    """As "Where is the party?" for "Where the party?", after "When is the party?"."""
    known, edits, only = edited.known, edited.edits, edited.first
    asks = _is_question_word(edited.texts, known)
    if len(edits.insertions) != 1 or not asks or edits.deleted:
        return edits
    before = _before(edited, only)
    is_question = known.question_words.issuperset(before[:-1]) and len(before) <= _PAIR
    is_question = is_question and not known.copulas.isdisjoint(before[-1:])
    if only.gap == 0 or only.connector or not is_question:
        return edits
    longer = only.span._replace(first=only.span.first - 1)
    return replace(edits, insertions=(replace(only, span=longer),))


def _is_question_word(texts: Sequence[str], known: LanguageWords) -> bool:
    """Whether words are a question word, with a preposition or without: "since when"."""
    asks = bool(texts) and texts[-1] in known.question_words
    return asks and known.prepositions.issuperset(texts[:-1])


def _before(edited: EditedQuestion, insertion: Insertion) -> list[str]:
    """The words of a message before those that come in, in small letters."""
    said = edited.source(insertion).words[: insertion.span.first]
    return [word.text.lower() for word in said if not word.is_sign]


def asks_nothing_of(edited: EditedQuestion) -> bool:
    """Whether a lone question word gets no verb or no subject: "Where the party?"."""
    return _is_question_word(edited.kept_texts, edited.known) and any(
        _is_noun(edited, one) or _lacks_subject(edited, one) for one in _added(edited)
    )


def _lacks_subject(edited: EditedQuestion, insertion: Insertion) -> bool:
    """Whether a span follows "who", the subject of its question."""
    known, before = edited.known, _before(edited, insertion)
    verb = edited.inserted(insertion)[0].text.lower()
    is_subject = len(before) == 1 and before[0] in known.who_words
    return is_subject and verb not in known.helping_verbs | known.auxiliaries | known.copulas
