"""Whether what was found in a message may be stored as a fact; doubt means no.

A statement counts only if the user makes it, in their own words, about what is so and lasts. No
model is asked: what is refused, and why, can be read in the phrases of each language.
"""

import re
from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Final

from recollect.domain.facts.fact import FactSource
from recollect.domain.facts.reading.commands.openings import after_verb
from recollect.domain.facts.reading.cut_words import leaves_words_out
from recollect.domain.facts.reading.fragments import is_fragment
from recollect.domain.facts.reading.introductions import may_tell_name
from recollect.domain.facts.reading.languages import FactWords, fact_words
from recollect.domain.facts.reading.own_words.detection import readable_parts
from recollect.domain.facts.reading.own_words.letters import is_only_greeting
from recollect.domain.facts.reading.own_words.quotations import is_left_of_quotation
from recollect.domain.facts.reading.paraphrase import negates
from recollect.domain.facts.reading.plain.whereabouts import tells_whereabouts
from recollect.domain.facts.reading.plain.work import tells_day_of_work, tells_offer
from recollect.domain.facts.reading.quoted_clause import QuotedClause, place_of
from recollect.domain.facts.reading.secrets import holds_secret, secrets_in
from recollect.domain.facts.reading.standing.languages import standing_words
from recollect.domain.facts.reading.unwanted import asks_to_keep_nothing
from recollect.domain.facts.reading.wording import FIRST_PERSON
from recollect.domain.facts.slots import Slot
from recollect.domain.facts.statement import Operation, Statement
from recollect.domain.language import guess_language, split_words
from recollect.domain.speech.phrases import LANGUAGES, Phrase

_MOCKED: Final = frozenset({Slot.OTHER, Slot.ROLE, Slot.HOME})
"""What irony is about: who somebody is and where they live."""
_NEAR: Final = 4
"""Words before and after a quote in which "today" is said of it."""
_SOURCE: Final = 7
"""Words before a clause in which its source may be named: "my boss says, …"."""
_SHORT: Final = 5
"""The most words of a clause that only names a source: "…, says my boss"."""
_AFTER: Final = 10
"""Words after a statement among which it may be taken back."""
_LONGEST_VERB: Final = 3
"""Words of a command to remember before the one that may report something."""
_FIGURES: Final = re.compile(r"\d++(?:[.,]\d++)*+")
_AROUND: Final = 200
"""Characters around a quote in which a word may make it a secret."""
_LONGEST_QUESTION: Final = 200
_ONE_CLAUSE: Final = re.compile(r"[^.,;:!?…()\n\u2013\u2014]+\?+")


class Refusal(StrEnum):
    """Why a statement is not stored."""

    NOT_VERBATIM = "not_verbatim"
    """The message does not have the quote."""
    NOT_OWN_WORDS = "not_own_words"
    """It is quoted, pasted, code, a text to work on, or a letter's salutation or closing."""
    SECRET = "secret"  # noqa: S105
    PLANTED = "planted"
    """An instruction to the model, or about "the user"."""
    FICTION = "fiction"
    IRONY = "irony"
    """The opposite of what is said is meant."""
    HYPOTHETICAL = "hypothetical"
    """A condition, a wish, a plan that is only considered, or an offer."""
    RECALLED = "recalled"
    """The memory's own words, given back."""
    REPORTED = "reported"
    """What somebody else says."""
    QUESTION = "question"
    PASSING = "passing"
    """A state that passes, or a wish for this once."""
    TAKEN_BACK = "taken_back"
    UNWANTED = "unwanted"
    """The message says that it is not to be remembered."""
    KEPT = "kept"
    """What is not to be forgotten: "don't forget where I live" neither tells nor withdraws it."""
    COMMAND = "command"
    """A sentence that begins with "remember" or "forget": exact rules tell what it wants."""
    NO_NAME = "no_name"
    """Taken for a name, and holds none: "Call me when you are ready"."""
    FRAGMENT = "fragment"
    """It means nothing without what it sets right or answers: "No, in Leeds", "My wife isn't".

    Neither do things that are named without a verb, as in a search: "hotels Rome May".
    """
    ECHO = "echo"
    """Figures that the assistant has just given: "So 318, then"."""


def refuses(
    statement: Statement, message: str, *, reply: str | None = None, earlier: str | None = None
) -> Refusal | None:
    """Why a statement that was found in a message may not be stored; None if it may.

    `reply` is what the assistant said before, and `earlier` what the user said before that.
    """
    quote = statement.quote.strip()
    if not quote or quote not in message:
        return Refusal.NOT_VERBATIM
    if reply is not None and _echoes(quote, reply):
        return Refusal.ECHO
    parts = readable_parts(message)
    start = place_of(quote, parts)
    if start is None or is_only_greeting(quote):
        return Refusal.NOT_OWN_WORDS
    end = start + len(quote)
    if _is_secret(message, start, end) or holds_secret(statement.content):
        return Refusal.SECRET
    if statement.source is FactSource.EXTRACTED and asks_to_keep_nothing(parts):
        return Refusal.UNWANTED
    clause = QuotedClause.read(parts, start=start, end=end)
    language = statement.language or guess_language(message)
    found = _misleads(statement, clause, language)
    if found is None and is_left_of_quotation(quote, start, message, parts):
        found = Refusal.FRAGMENT
    return found or _misread(statement, clause, reply, earlier)


def _misleads(statement: Statement, clause: QuotedClause, language: str | None) -> Refusal | None:
    """Why what the words of a clause say is not so, or does not last, in a language or in all."""
    if any(fact_words(code).planted.are_in(clause.words) for code in LANGUAGES):
        return Refusal.PLANTED
    codes = (language,) if language in LANGUAGES else LANGUAGES
    checks = _checks_of(statement).items()
    found = (refusal for refusal, is_so in checks for code in codes if is_so(clause, code))
    return next(found, None)


def _misread(
    statement: Statement, clause: QuotedClause, reply: str | None, earlier: str | None
) -> Refusal | None:
    """Why what a model has found is something else than it takes it for."""
    if statement.source is not FactSource.EXTRACTED or statement.is_event:
        return None
    if leaves_words_out(clause) or is_fragment(statement, clause, reply, earlier):
        return Refusal.FRAGMENT
    if tells_whereabouts(clause, reply, earlier) or tells_day_of_work(clause):
        return Refusal.PASSING
    if (is_mocked := _is_mocked(statement, clause)) or tells_offer(clause):
        return Refusal.IRONY if is_mocked else Refusal.HYPOTHETICAL
    if _is_command(clause):
        return Refusal.COMMAND
    is_name = statement.slot is not Slot.NAME or may_tell_name(statement.content)
    return None if is_name else Refusal.NO_NAME


def only_asks(message: str) -> bool:
    """Whether a message is one question in one clause, without a word for the user.

    Such a message states nothing, so that no model has to read it. Of 3,262 messages with facts
    that the model was trained on it holds for none, of 3,786 without for 598.
    """
    text = message.strip()
    if len(text) > _LONGEST_QUESTION or not _ONE_CLAUSE.fullmatch(text):
        return False
    return FIRST_PERSON.isdisjoint(split_words(text.lower()))


def _echoes(quote: str, reply: str) -> bool:
    """Whether a quote tells figures that a reply has, unless the reply asks."""
    figures = set(_FIGURES.findall(quote))
    return bool(figures) and "?" not in reply and figures <= set(_FIGURES.findall(reply))


def _is_secret(message: str, start: int, end: int) -> bool:
    first = max(0, start - _AROUND)
    found = secrets_in(message[first : end + _AROUND])
    return any(first + begin < end and first + stop > start for begin, stop in found)


def _is_fiction(clause: QuotedClause, code: str) -> bool:
    known = fact_words(code)
    if known.songs.are_in(clause.words) or _is_joke(clause, code):
        return True
    if known.role_play.are_in(clause.words[: clause.sentence_end]):
        return True
    return known.stories.are_in(clause.words[: clause.sentence_start])


def _is_ironic(clause: QuotedClause, code: str) -> bool:
    """Whether "yeah, right" stands before the clause, in a clause or a sentence of its own."""
    return _said_before(clause) in fact_words(code).ironies


def _is_mocked(statement: Statement, clause: QuotedClause) -> bool:
    """Whether "sure" stands before a clause with "and": "Sure, and I'm the queen of England".

    What somebody may well add to a plain "sure", such as an allergy, is not mocked. The "sure"
    itself tells nothing in any case.
    """
    known = [fact_words(code) for code in LANGUAGES]
    if any(clause.words[clause.start : clause.end] in one.assents for one in known):
        return True
    said = _said_before(clause)
    return statement.slot in _MOCKED and any(
        one.joints.length_at(clause.words, clause.clause_start) > 0 and said in one.assents
        for one in known
    )


def _said_before(clause: QuotedClause) -> Phrase:
    """The words before a clause in its sentence, or else the sentence before."""
    is_first = clause.clause_start == clause.sentence_start
    before = clause.words[clause.sentence_start : clause.clause_start]
    said = clause.sentence_before if is_first else before
    return said[: -1 if said[-1:] == (",",) else None]


def _is_joke(clause: QuotedClause, code: str) -> bool:
    """Whether the clause or what follows in its sentence says that it was none of the truth.

    "Just kidding, I live in Leeds" tells the truth, and so does what is no joke.
    """
    jokes, words = fact_words(code).jokes, clause.words
    if jokes.length_at(words, clause.start) == clause.end - clause.start:
        return False  # what is said before was the joke
    places = range(clause.clause_start, clause.sentence_end)
    return any(
        jokes.length_at(words, at) > 0 and not negates(words[at - 1] if at else "") for at in places
    )


def _is_hypothetical(clause: QuotedClause, code: str) -> bool:
    known, words = fact_words(code), clause.words
    if known.suppositions.are_in(words[: clause.end]) or _is_supposed(clause, known):
        return True
    before = clause.clause_before if len(clause.clause_before) < _NEAR else ()
    if known.wishes.are_in(before) or known.wishes.are_in(clause.source(0)):
        return True
    if clause.covers_start(known.conditions):
        return True
    if known.almost.are_in(words[clause.clause_start : clause.clause_end]):
        return True
    sentence = words[clause.sentence_start : clause.sentence_end]
    if not known.conditions.are_in(sentence):
        return False
    begins = known.conditions.length_at(words, clause.start) > 0
    is_unreal = known.unreal.are_in(words[clause.clause_start : clause.clause_end])
    return is_unreal or (begins and clause.is_asked)


def _is_supposed(clause: QuotedClause, known: FactWords) -> bool:
    """Whether a clause up to the quote begins with "angenommen", and does not end with it.

    "Ich habe die Stelle bei Siemens angenommen" supposes nothing.
    """
    words = clause.words
    for at in known.suppositions_first.places_in(words[: clause.end]):
        first = at
        while first > 0 and known.openers.length_at(words[first - 1 : first]):
            first -= 1
        begins = first == 0 or not words[first - 1][0].isalnum()
        if begins and words[at + 1 : at + 2] not in (("\n",), (".",)):
            return True
    return False


def _is_recalled(clause: QuotedClause, code: str) -> bool:
    known = fact_words(code)
    return known.recalled.are_in(clause.source(_reach(clause, known)))


def _is_reported(clause: QuotedClause, code: str) -> bool:
    known = fact_words(code)
    before = clause.source(_reach(clause, known))
    after = clause.next_clause
    sources = (before, after) if len(after) <= _SHORT else (before,)
    return any(
        not known.subjects.are_in(words[max(0, at - 2) : at])
        for words in sources
        for at in known.reports.places_in(words)
        if not _is_in_command(words, at, known)
    )


def _is_in_command(words: Phrase, place: int, known: FactWords) -> bool:
    """Whether a word is one of a command to remember: the "cuenta" of "ten en cuenta que"."""
    starts = range(max(0, place - _LONGEST_VERB), place + 1)
    return any(start + known.remember.length_at(words, start) > place for start in starts)


def _reach(clause: QuotedClause, known: FactWords) -> int:
    """How many words before the clause its source may be named; none if it sets that right."""
    return 0 if known.contrasts.length_at(clause.words, clause.clause_start) else _SOURCE


def _is_question(clause: QuotedClause, code: str) -> bool:
    """Whether the quote itself is asked; a statement within a question is not."""
    known, words, start = fact_words(code), clause.words, clause.start
    if known.roles.length_at(words, start):
        return False
    if "¿" in words[max(0, start - 1) : start + 1]:
        return True
    inverted = known.inverted.length_at(words, start) or clause.covers_start(known.inverted)
    if inverted and (clause.is_asked or (start == clause.sentence_start and not clause.is_told)):
        return True
    is_indirect = known.subjects.length_at(words, start) > 0 and clause.follows(known.whether)
    return is_indirect or (clause.is_asked and _is_what_is_asked(clause, known))


def _is_what_is_asked(clause: QuotedClause, known: FactWords) -> bool:
    """Whether the quote is what a question asks, by its first words, a tag, or its extent."""
    words, start = clause.words, clause.start
    begins = start == clause.clause_start
    if begins and known.inverted_subjects.length_at(words, start + 1):
        return True
    if known.interrogatives.length_at(words, start) or _has_tag(clause, known):
        return True
    is_whole = start == clause.sentence_start and clause.end == clause.sentence_end
    return is_whole and known.subjects.are_in(words[start : clause.end])


def _has_tag(clause: QuotedClause, known: FactWords) -> bool:
    """Whether the sentence ends with a word that asks for consent: "…, right?"."""
    tag = clause.clause_end
    while clause.words[tag : tag + 1] in ((",",), ("¿",)):
        tag += 1
    length = known.tags.length_at(clause.words, tag)
    return length > 0 and tag + length == clause.sentence_end


def _is_passing(clause: QuotedClause, code: str) -> bool:
    known = fact_words(code)
    near = clause.near(_NEAR)
    beside = [one for one in (clause.clause_before, clause.next_clause) if len(one) <= _NEAR]
    is_passing = any(known.passing.are_in(words) for words in (near, *beside))
    return is_passing and not any(known.lasting.are_in(words) for words in (near, *beside))


def _is_taken_back(clause: QuotedClause, code: str) -> bool:
    retractions = standing_words(code).retractions
    after = (clause.words[end + 1 :] for end in (clause.clause_end, clause.sentence_end))
    return any(retractions.length_at(_without_commas(words[:_AFTER])) for words in after)


def _is_kept(clause: QuotedClause, code: str) -> bool:
    known = fact_words(code)
    sentence = clause.words[clause.sentence_start : clause.sentence_end]
    is_negated = known.last_negations.length_at(sentence, len(sentence) - 1) > 0
    is_asked = known.interrogatives.length_at(sentence) > 0
    verbs = (known.forget_verbs, known.forget_verbs_asked)
    is_told = (is_negated or is_asked) and any(one.are_in(sentence) for one in verbs)
    return is_told or known.keeping.are_in(sentence)


def _is_command(clause: QuotedClause) -> bool:
    """Whether the sentence begins with the verb of a command, in any language.

    What begins with "I" right behind the verb or in a clause of its own is a statement beside it:
    "Forget it, I live in Hull".
    """
    sentence = clause.words[clause.sentence_start : clause.sentence_end]
    verbs = ((fact_words(code), after_verb(sentence, fact_words(code))) for code in LANGUAGES)
    return any(
        place is not None and not _stands_beside(clause, clause.sentence_start + place, known)
        for known, place in verbs
    )


def _stands_beside(clause: QuotedClause, place: int, known: FactWords) -> bool:
    is_own_clause = clause.start == clause.clause_start > clause.sentence_start
    has_subject = known.subjects.length_at(clause.words, clause.start) > 0
    return has_subject and (is_own_clause or clause.start == place)


def _begins_as_command(clause: QuotedClause, code: str) -> bool:
    return fact_words(code).keeping.length_at(clause.words, clause.start) > 0


def _without_commas(words: Phrase) -> Phrase:
    return tuple(word for word in words if word != ",")


def _checks_of(statement: Statement) -> "Mapping[Refusal, _Check]":
    if statement.is_event:
        return _EVENT_CHECKS
    if statement.operation is Operation.RETRACT:
        return _WITHDRAWAL_CHECKS
    if statement.source is not FactSource.STATED:
        return _CHECKS
    return _INSTRUCTION_CHECKS if statement.slot.is_standing else _COMMAND_CHECKS


_Check = Callable[[QuotedClause, str], bool]
_UNREAL_CHECKS: Final[Mapping[Refusal, _Check]] = {
    Refusal.FICTION: _is_fiction,
    Refusal.IRONY: _is_ironic,
    Refusal.HYPOTHETICAL: _is_hypothetical,
}
_WITHDRAWAL_CHECKS: Final[Mapping[Refusal, _Check]] = {
    **_UNREAL_CHECKS,
    Refusal.KEPT: _is_kept,
}
_CHECKS: Final[Mapping[Refusal, _Check]] = {
    **_UNREAL_CHECKS,
    Refusal.RECALLED: _is_recalled,
    Refusal.REPORTED: _is_reported,
    Refusal.QUESTION: _is_question,
    Refusal.PASSING: _is_passing,
    Refusal.TAKEN_BACK: _is_taken_back,
    Refusal.KEPT: _begins_as_command,
}
# "Could you always …, please?" is none: the rule that finds instructions has told it from others.
_INSTRUCTION_CHECKS: Final[Mapping[Refusal, _Check]] = {
    refusal: check for refusal, check in _CHECKS.items() if refusal is not Refusal.QUESTION
}
# "Can you remember that …?" neither asks nor gives back what the memory has said.
_COMMAND_CHECKS: Final[Mapping[Refusal, _Check]] = {
    refusal: check
    for refusal, check in _INSTRUCTION_CHECKS.items()
    if refusal is not Refusal.RECALLED
}
# "I got fired today" does not pass.
_EVENT_CHECKS: Final[Mapping[Refusal, _Check]] = {
    refusal: check for refusal, check in _CHECKS.items() if refusal is not Refusal.PASSING
}
