"""What a statement is plainly about, by its words, where a model or nobody has told its slot.

"I live alone" names no home, "I work as a nurse" no employer, and "I also live in Ostend" not the
only one: none of them ends what is known. "I live in Ghent with my wife" is two statements.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from recollect.domain.facts.fact import MERGED_BY
from recollect.domain.facts.reading.introductions import names_somebody
from recollect.domain.facts.reading.joined_clauses import joined_clauses
from recollect.domain.facts.reading.languages import fact_words
from recollect.domain.facts.reading.languages.slot_names import length_of_saying
from recollect.domain.facts.reading.paraphrase import negates
from recollect.domain.facts.reading.plain.denying.denials import limits_in
from recollect.domain.facts.reading.plain.diets import diet_of
from recollect.domain.facts.reading.plain.employers import (
    surely_tells_employer,
    tells_former_work,
    tells_place_of_work,
    tells_sought_work,
    tells_stay,
)
from recollect.domain.facts.reading.plain.languages.slots import PlainSlotWords, plain_slot_words
from recollect.domain.facts.reading.plain.sentence import PlainSentence, sentences_of
from recollect.domain.facts.reading.wording import content_of
from recollect.domain.facts.slots import Slot
from recollect.domain.facts.statement import Operation, Statement
from recollect.domain.language import guess_language, is_common_word, sentence_parts
from recollect.domain.speech.phrases import LANGUAGES, Phrase, Phrases, words_in

_LONGEST_PLACE: Final = 5
_SPANISH_ARTICLE: Final = "el "
"""Which is "he" with an accent, that words are compared without."""
_PARTICIPLES: Final = ("ado", "ido", "icho", "echo", "isto", "uesto", "ierto", "uelto", "crito")
"""How Spanish participles end, and no English verb does."""
_GERMAN: Final = "de"
"""In which every noun has a capital."""
_TELLS_LANGUAGE: Final = 6
"""The fewest words by which a text surely tells its language."""
_PLACES: Final = frozenset({Slot.HOME, Slot.EMPLOYER})
_TOLD: Final = (Slot.NAME, Slot.HOME, Slot.EMPLOYER, Slot.MANAGER, Slot.BIRTHDAY)
"""Slots that a sentence plainly tells."""
_TAKES_PLACE_OF_OTHERS: Final = frozenset({Slot.NAME, Slot.HOME})
"""Those that do so whatever a model takes the sentence for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToldValue:
    """The name that a sentence plainly tells, and where it stands in it."""

    start: int
    end: int
    before: Phrase
    """The word before it: "in"."""
    words: Phrase


def told_value(content: str, slot: Slot) -> ToldValue | None:
    """The name that is the value of a slot: "Hull" of "I live in Hull"; None if there is none."""
    for sentence in sentences_of(content):
        length = length_of_saying(sentence.words, slot, sentence.code)
        place = sentence.name_after(length) if length else None
        is_other = sentence.begins_with(_other_beginnings(sentence.known, slot))
        if place is None or (slot in _PLACES and is_other):
            continue
        end = place
        while sentence.has_capital(end):
            end += 1
        return ToldValue(
            start=sentence.tokens[place].start,
            end=sentence.tokens[end - 1].end,
            before=sentence.words[place - 1 : place],
            words=sentence.words[place:end],
        )
    return None


def plain_statements(statement: Statement) -> tuple[Statement, ...]:
    """A statement with the slot that it plainly has, as two if it also tells who lives there."""
    is_left = statement.operation is Operation.RETRACT or statement.slot.is_standing
    if is_left or statement.has_exact_slot:
        return (statement,)
    if negates(statement.content):
        is_whole = not limits_in(statement.content) and not tells_sought_work(statement.content)
        return (statement if is_whole else _without_one_value(statement),)
    sentences = sentences_of(statement.content)
    if _is_one_of_several(sentences):
        return (_without_one_value(statement),)
    if statement.slot is Slot.OTHER and diet_of(statement.content):
        return (replace(statement, slot=Slot.DIET),)
    told = next(_told_slots(sentences), None)
    is_untold = statement.slot is Slot.OTHER or told in _TAKES_PLACE_OF_OTHERS
    if told is not None and is_untold:
        placed = replace(statement, slot=told, has_exact_slot=True)
        return _home_and_company(placed) if told is Slot.HOME else (placed,)
    return (_with_value(statement, sentences),)


def plain_slot(content: str) -> Slot | None:
    """The slot of one value that a sentence plainly tells, and nothing else; None if none."""
    sentence = content.strip().rstrip(".!")
    is_whole = sum(1 for part in sentence_parts(content) if part.strip()) == 1
    is_one = is_whole and len(joined_clauses(sentence, guess_language(content))) == 1
    if not is_one or "?" in content or MERGED_BY in content or negates(content):
        return None
    sentences = sentences_of(content)
    told = {slot for slot in _told_slots(sentences) if slot.has_one_value}
    return told.pop() if len(told) == 1 and not _is_one_of_several(sentences) else None


def leaves_subject_open(content: str) -> bool:
    """Whether a sentence does not say of whom it is true: "He got fired".

    Its language decides where that is known: the Dutch "er" of "er zijn" is nobody.
    """
    words = words_in(content)
    is_spanish = content.lower().startswith(_SPANISH_ARTICLE) or _is_spanish_perfect(words)
    if is_spanish or any(plain_slot_words(code).nobody.length_at(words) for code in LANGUAGES):
        return False
    language = guess_language(content)
    codes = (language,) if language in LANGUAGES else LANGUAGES
    return any(
        plain_slot_words(code).others.length_at(words, fact_words(code).joints.length_at(words)) > 0
        for code in codes
    )


def _is_spanish_perfect(words: Phrase) -> bool:
    """Whether a sentence begins with what the user has done: the "he" of "he aceptado"."""
    return words[:1] == ("he",) and any(word.endswith(_PARTICIPLES) for word in words[1:2])


def keeps_slot(slot: str | None, before: str, content: str) -> bool:
    """Whether a fact in other words is still about the same: "I live in York" for Leeds.

    What is told to do always stays so.
    """
    if slot is None or slot not in set(Slot) or Slot(slot).is_standing:
        return True
    old, new = (set(words_in(text)) for text in (before, content))
    shared = {word for word in old & new if not is_common_word(word)}
    return bool(shared) or slot in set(_told_slots(sentences_of(content)))


def tells_past_home(content: str) -> bool:
    """Whether a sentence tells where the user lived once: "I lived in Leeds"."""
    words = words_in(content)
    return any(_is_of_past_home(words, plain_slot_words(code)) for code in LANGUAGES)


def _is_of_past_home(words: Phrase, known: PlainSlotWords) -> bool:
    if known.past_home.are_in(words):
        return True
    return known.lived_home.are_in(words) and not known.until_now.are_in(words)


def says_now(content: str) -> bool:
    """Whether a sentence says that something is new: "I work as a teacher now"."""
    words = words_in(content)
    return any(plain_slot_words(code).now.are_in(words) for code in LANGUAGES)


def _is_one_of_several(sentences: Sequence[PlainSentence]) -> bool:
    return any(one.known.beside.are_in(one.words) for one in sentences)


def _without_one_value(statement: Statement) -> Statement:
    is_one = statement.slot in _PLACES
    return replace(statement, slot=Slot.OTHER) if is_one else statement


def _with_value(statement: Statement, sentences: Sequence[PlainSentence]) -> Statement:
    """A statement without its slot if that is where somebody lives or works, and it names none.

    One that plainly tells an employer has that slot, whatever a model takes it for.
    """
    if surely_tells_employer(sentences):
        return replace(statement, slot=Slot.EMPLOYER, has_exact_slot=True)
    if statement.slot is Slot.EMPLOYER and any(map(_tells_profession_alone, sentences)):
        return replace(statement, slot=Slot.ROLE)
    is_other = tells_former_work(statement.content) or tells_sought_work(statement.content)
    is_other = is_other or any(map(tells_place_of_work, sentences))
    is_other = is_other or (any(map(tells_stay, sentences)) and not says_now(statement.content))
    if statement.slot is Slot.EMPLOYER and is_other:
        return replace(statement, slot=Slot.OTHER)
    if statement.slot is Slot.HOME and tells_past_home(statement.content):
        return replace(statement, slot=Slot.OTHER)
    is_of_work = statement.slot is Slot.EMPLOYER
    spoken = [one for one in sentences if one.known.works_in.length_at(one.words)]
    sentences = spoken if is_of_work and spoken else sentences
    if statement.slot in _PLACES and not any(_names(one, statement.slot) for one in sentences):
        return replace(statement, slot=Slot.OTHER)
    return statement


def _told_slots(sentences: Sequence[PlainSentence]) -> Iterator[Slot]:
    """The slots of which a sentence plainly tells the value."""
    for sentence in sentences:
        for slot in _TOLD:
            length = length_of_saying(sentence.words, slot, sentence.code)
            if length and _has_value(sentence, slot, length):
                yield slot


def _has_value(sentence: PlainSentence, slot: Slot, place: int) -> bool:
    """Whether a value of a slot stands behind how a sentence about it begins."""
    if slot is Slot.BIRTHDAY:
        rest = sentence.words[place:]
        return any(word[0].isdigit() for word in rest) and not sentence.known.spans.are_in(rest)
    if slot is Slot.MANAGER:
        return sentence.has_capital(place) and names_somebody(sentence.text)
    if slot is Slot.NAME:
        return sentence.has_capital(place)
    is_address = slot is Slot.HOME and not sentence.begins_with(sentence.known.home_verbs)
    is_doubtful = slot is Slot.EMPLOYER and sentence.begins_with(sentence.known.works_maybe)
    if is_address or is_doubtful or sentence.begins_with(_other_beginnings(sentence.known, slot)):
        return False
    name = sentence.name_after(place)
    return name is not None and (sentence.code != _GERMAN or name <= place + 1)


def _other_beginnings(known: PlainSlotWords, slot: Slot) -> Phrases:
    return known.no_home if slot is Slot.HOME else known.no_employer


def _tells_profession_alone(sentence: PlainSentence) -> bool:
    """Whether a sentence tells as what somebody works, and not where."""
    length = length_of_saying(sentence.words, Slot.ROLE, sentence.code)
    if not length:
        return False
    return not _is_followed_by_name(sentence, sentence.known.employed_at, first=length)


def _is_followed_by_name(sentence: PlainSentence, phrases: Phrases, *, first: int = 0) -> bool:
    """Whether a name stands behind one of some phrases, from a place on."""
    places = [at for at in phrases.places_in(sentence.words) if at >= first]
    return any(sentence.name_after(at + 1) is not None for at in places)


def _names(sentence: PlainSentence, slot: Slot) -> bool:
    """Whether a sentence of one language may name where somebody lives or works."""
    words, known = sentence.words, sentence.known
    if known.changes.length_at(words):
        return True
    if slot is Slot.EMPLOYER and known.works_in.length_at(words):
        return _is_followed_by_name(sentence, known.employed_by)
    moves = known.moves_home if slot is Slot.HOME else known.moves_work
    length = length_of_saying(words, slot, sentence.code) or moves.length_at(words)
    if length and not sentence.begins_with(_other_beginnings(known, slot)):
        is_work = slot is Slot.EMPLOYER
        return is_work or _is_place(sentence, length)
    return _has_name(sentence)


def _is_place(sentence: PlainSentence, place: int) -> bool:
    if sentence.name_after(place) is not None:
        return True
    rest = sentence.words[place : place + 1]
    return bool(rest) and not sentence.known.articles.length_at(sentence.words, place)


def _has_name(sentence: PlainSentence) -> bool:
    """Whether any word but the first has a capital, in a language where not every noun has one."""
    if not _is_of_language(sentence):
        return False
    if sentence.code == _GERMAN:
        known = sentence.known
        others = (known.no_home, known.no_employer)
        is_other = any(sentence.begins_with(one) for one in others)
        return not is_other and not _is_surely_foreign(sentence)
    places = range(1, len(sentence.tokens))
    return any(sentence.has_capital(at) and sentence.words[at] != "i" for at in places)


def _is_surely_foreign(sentence: PlainSentence) -> bool:
    """Whether a text that is long enough to tell is in another language."""
    if len(sentence.words) < _TELLS_LANGUAGE:
        return False
    return guess_language(sentence.text) not in {None, sentence.code}


def _is_of_language(sentence: PlainSentence) -> bool:
    known = fact_words(sentence.code)
    words = sentence.words
    if known.subjects.are_in(words) or known.owners.are_in(words):
        return True
    others = (fact_words(code) for code in LANGUAGES if code != sentence.code)
    return not any(one.subjects.are_in(words) or one.owners.are_in(words) for one in others)


def _home_and_company(statement: Statement) -> tuple[Statement, ...]:
    """A statement about the home, and one about those who live there, if it tells of both."""
    text = _quoted_sentence(statement)
    own = len(text) - len(statement.quote)
    for sentence in sentences_of(text):
        if end := _dangling(sentence):
            return (_with_words(statement, text[own:end], content=text[:end]),)
        if cut := _before_company(sentence):
            end, verb = cut
            home = text[:end].rstrip(" ,")
            company = replace(statement, slot=Slot.FAMILY, has_exact_slot=False)
            return (
                _with_words(statement, home[own:], content=home),
                _with_words(company, company.quote, content=f"{text[:verb]} {text[end:]}"),
            )
    return (statement,)


def _quoted_sentence(statement: Statement) -> str:
    """The quote of a statement, with the subject that its content has before it: "I "."""
    sentence = statement.content.rstrip(".")
    return sentence if sentence.endswith(statement.quote) else statement.quote


def _with_words(statement: Statement, quote: str, *, content: str) -> Statement:
    return replace(statement, quote=quote, content=content_of(content, asked=None))


def _dangling(sentence: PlainSentence) -> int:
    """Where a statement ends before a "with" of which the rest is another one; 0 if it has none."""
    words, known = sentence.words, sentence.known
    is_home = known.home_verbs.length_at(words) > 0
    is_cut = is_home and known.company.length_at(words, len(words) - 1) > 0
    return sentence.tokens[-2].end if is_cut else 0


def _before_company(sentence: PlainSentence) -> tuple[int, int] | None:
    """Where a home's name and the verb before it end, if company follows; None if none does."""
    words, known = sentence.words, sentence.known
    verb = known.home_verbs.length_at(words)
    if not verb:
        return None
    for at in known.company.places_in(words):
        mine = at + known.company.length_at(words, at)
        is_home = verb < at <= verb + _LONGEST_PLACE
        named = any(sentence.has_capital(place) for place in range(verb, at))
        if is_home and named and known.mine.length_at(words, mine):
            return sentence.tokens[at].start, sentence.tokens[verb - 1].end
    return None
