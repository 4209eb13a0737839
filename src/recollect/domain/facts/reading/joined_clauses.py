"""Clauses that "and" joins: each tells a fact of its own, with words of its own as evidence.

"I live in Ghent and work at ACME" is two facts: what changes one of them says nothing of the other.
So are "I work at ACME and my wife is a doctor". What is not surely two clauses about the user stays
one.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from recollect.domain.facts.reading.languages import FactWords, fact_words
from recollect.domain.facts.reading.plain.languages.events import event_words
from recollect.domain.facts.reading.plain.languages.slots import plain_slot_words
from recollect.domain.facts.reading.standing.languages import StandingWords, standing_words
from recollect.domain.privacy.personal_data import personal_data_in
from recollect.domain.speech.phrases import LANGUAGES, Phrase
from recollect.domain.speech.spoken import Part
from recollect.domain.speech.tokens import Token, tokens_of

_MIN_BEFORE: Final = 2
"""Words before "and", without "I", that can be a statement: "I live and work" has fewer."""
_MIN_CLAUSE: Final = 3
"""The fewest words of a second clause, its verb among them: not "and have two"."""
_LONGEST_EVENT: Final = 8
"""The most words of the end of a job: "I resigned from Shell last week"."""
_MOST_WORDS: Final = 80
"""Of a statement that is cut: each joint is looked at with all words before and behind it."""
_LONGEST: Final = 500
"""Characters of a text that tells a number or an address and something more."""
_BEGINNING: Final = 60
"""Characters in which a text says whom it is about."""
_MARKS: Final = frozenset(",;:.?()\n\u2013\u2014")
_AROUND_PRONOUN: Final = " '\u2019"
_JE: Final = frozenset({"je", "j"})
_VOWELS: Final = frozenset("aeiouhy")


@dataclass(frozen=True, slots=True, kw_only=True)
class Clause:
    """A part of a text that tells something of its own."""

    start: int
    end: int
    subject: str = ""
    """Whom it is about, where an earlier clause says that: "I "."""

    def quote_in(self, text: str) -> str:
        """Its words as they stand in the text."""
        return text[self.start : self.end]

    def sentence_in(self, text: str) -> str:
        """Its words with their subject."""
        return self.subject + self.quote_in(text)


def joined_clauses(text: str, language: str | None) -> tuple[Clause, ...]:
    """The clauses of one statement about the user; one alone if it cannot surely be cut."""
    tokens = tuple(tokens_of(Part(text=text, start=0)))
    if len(tokens) > _MOST_WORDS:
        return (Clause(start=0, end=len(text)),)
    codes = (language,) if language in LANGUAGES else LANGUAGES
    found = (
        tuple(reading)
        for code in codes
        for reading in (
            _clauses(text, tokens, fact_words(code)),
            _event_and_move(text, tokens, code),
        )
    )
    return next((one for one in found if len(one) > 1), (Clause(start=0, end=len(text)),))


def begins_move(before: Phrase, after: Phrase, code: str) -> bool:
    """Whether a clause tells of a new home or employer, with the subject of the one before or not.

    "I resigned" and "moved to Leeds" are such clauses.
    """
    known, subjects = plain_slot_words(code), fact_words(code).subjects
    subject = next((at for at in subjects.places_in(before)), 0)
    owner = before[subject : subject + subjects.length_at(before, subject)]
    sayings = (after, owner + after)
    moves = (known.moves_home, known.moves_work)
    is_move = any(one.length_at(said) > 0 for one in moves for said in sayings)
    has_started = known.started.length_at(after[-1:]) > 0
    return is_move or (has_started and any(known.starts_at.length_at(said) for said in sayings))


def added_wishes(text: str) -> Iterator[Clause]:
    """Clauses behind a comma and "and" that wish for answers of a kind."""
    tokens = tuple(tokens_of(Part(text=text, start=0)))
    words = tuple(token.word for token in tokens)
    for code in LANGUAGES:
        joints, known = fact_words(code).joints, standing_words(code)
        for at in joints.places_in(words):
            if words[at - 1 : at] != (",",):
                continue  # so that each word is looked at for one clause alone
            first, last = at + 1, _end_of_clause(words, at + 1)
            if _wishes(words[first:last], known):
                yield Clause(start=tokens[first].start, end=tokens[last - 1].end)


def clauses_after_personal_data(text: str) -> Iterator[Clause]:
    """What users tell of themselves behind a number or an address: "… and I live in Ghent"."""
    if len(text) > _LONGEST:
        return
    tokens = tuple(tokens_of(Part(text=text, start=0)))
    words = tuple(token.word for token in tokens)
    for code in LANGUAGES:
        known = fact_words(code)
        for at in known.joints.places_in(words):
            first, last = at + 1, _end_of_clause(words, at + 1)
            is_own = _is_own(words[first:last], known)
            if is_own and personal_data_in(text[: tokens[at].start]):
                yield Clause(start=tokens[first].start, end=tokens[last - 1].end)


def tells_of_user(text: str) -> bool:
    """Whether a text begins with the user and what they do: "I live", "vivo"."""
    words = tuple(token.word for token in tokens_of(Part(text=text[:_BEGINNING], start=0)))
    return any(_begins_with_user(words, fact_words(code)) for code in LANGUAGES)


def _begins_with_user(words: Phrase, known: FactWords) -> bool:
    """In Spanish the verb alone says whom it is about: "vivo"."""
    subject = known.subjects.length_at(words)
    verb = 0 if known.own_verbs.length_at(words) else subject
    return subject > 0 and known.own_verbs.length_at(words, verb) > 0


def _is_own(clause: Phrase, known: FactWords) -> bool:
    """Whether a clause begins with the user and what they do, and means nothing of another."""
    subject = known.subjects.length_at(clause)
    adverb = known.clause_adverbs.length_at(clause, subject)
    if not subject or not known.own_verbs.length_at(clause, subject + adverb):
        return False
    return len(clause) >= _MIN_CLAUSE + adverb and not known.referring.are_in(clause)


def _wishes(clause: Phrase, known: StandingWords) -> bool:
    length = known.wishes.length_at(clause)
    if not length or any(one.are_in(clause) for one in (known.one_off, known.pointers)):
        return False
    return known.about_answers.are_in(clause[length:])


def _end_of_clause(words: Phrase, place: int) -> int:
    return next((at for at in range(place, len(words)) if words[at] in _MARKS), len(words))


def _clauses(text: str, tokens: Sequence[Token], known: FactWords) -> Iterator[Clause]:
    words = tuple(token.word for token in tokens)
    if not _begins_with_user(words, known):
        return
    pronoun = 0 if known.own_verbs.length_at(words) else known.subjects.length_at(words)
    subject = text[: tokens[pronoun].start].strip(_AROUND_PRONOUN)
    first, owner = 0, ""
    for joint in (*_joints(words, pronoun, known), len(words)):
        last = joint - 1
        while words[last] in _MARKS:
            last -= 1
        yield Clause(start=tokens[first].start, end=tokens[last].end, subject=owner)
        if joint < len(words):
            first = joint + 1
            is_named = _names_subject(words[first:], known)
            owner = "" if is_named else _subject_before(tokens[first].word, subject)


def _event_and_move(text: str, tokens: Sequence[Token], code: str) -> Iterator[Clause]:
    """The end of a job and what follows it, as two clauses: "I resigned and moved to Leeds"."""
    words = tuple(token.word for token in tokens)
    known = fact_words(code)
    for joint in known.joints.places_in(words):
        before, after = words[:joint], words[joint + 1 :]
        events = event_words(code)
        is_event = events.job_ended.length_at(before) or events.job_left.length_at(before)
        is_long = joint > _LONGEST_EVENT
        if (
            not is_event
            or is_long
            or len(after) < _MIN_CLAUSE
            or not begins_move(before, after, code)
        ):
            continue
        subject = 0 if known.own_verbs.length_at(words) else known.subjects.length_at(words)
        is_named = known.subjects.length_at(after) > 0 or not subject
        pronoun = text[: tokens[subject].start].strip(_AROUND_PRONOUN)
        owner = "" if is_named else _subject_before(after[0], pronoun)
        last = joint - 1 if words[joint - 1] not in _MARKS else joint - 2
        yield Clause(start=tokens[0].start, end=tokens[last].end)
        yield Clause(start=tokens[joint + 1].start, end=tokens[-1].end, subject=owner)
        return


def _joints(words: Phrase, pronoun: int, known: FactWords) -> list[int]:
    """Where clauses are joined: by "and", and by the commas before the last "and"."""
    first = pronoun + _MIN_BEFORE
    joints = [at for at in known.joints.places_in(words) if at >= first]
    joints = [at for at in joints if _joins(words, at, known)]
    last = joints[-1] if joints else 0
    commas = [at for at in range(first, last) if words[at] == ","]
    own = (at for at in commas if at + 1 not in joints and _is_next_verb(words, at, known))
    return sorted((*joints, *own))


def _joins(words: Phrase, joint: int, known: FactWords) -> bool:
    """Whether another clause about the user, or somebody of theirs, begins behind an "and"."""
    if _names_subject(words[joint + 1 :], known):
        return not known.subordinating.are_in(words[:joint])
    return _is_next_verb(words, joint, known)


def _is_next_verb(words: Phrase, joint: int, known: FactWords) -> bool:
    """Whether another verb of the same subject begins behind a joint."""
    before, after = words[:joint], words[joint + 1 :]
    if known.subordinating.are_in(before):
        return False
    adverb = known.clause_adverbs.length_at(after)
    if not known.own_verbs.length_at(after, adverb) or known.own_verbs.length_at(words, joint - 1):
        return False
    return len(after) >= _MIN_CLAUSE + adverb and not known.referring.are_in(after)


def _names_subject(clause: Phrase, known: FactWords) -> bool:
    """Whether a clause says itself whom it is about: the user, or somebody of theirs."""
    return _is_own(clause, known) or _is_of_person(clause, known)


def _is_of_person(clause: Phrase, known: FactWords) -> bool:
    """Whether a clause begins with somebody of the user's, or their name, and a verb: "my wife is".

    The name may stand before or behind them: "my wife's name is", "de naam van mijn vrouw is".
    """
    named = _length_of_name(clause, known)
    owner = 0 if named else known.owners.length_at(clause)
    person = known.persons.length_at(clause, named + owner) if named or owner else 0
    if not person:
        return False
    end = named + owner + person
    if genitive := known.genitives.length_at(clause, end):
        end += genitive + known.name_nouns.length_at(clause, end + genitive)
    verb = known.statement_verbs.length_at(clause, end)
    return verb > 0 and len(clause) > end + verb


def _length_of_name(clause: Phrase, known: FactWords) -> int:
    """How many words of a clause are "the name of my"; 0 if it does not begin so."""
    article = known.articles.length_at(clause)
    noun = known.name_nouns.length_at(clause, article)
    mine = known.of_mine.length_at(clause, article + noun)
    return article + noun + mine if article and noun and mine else 0


def _subject_before(word: str, subject: str) -> str:
    """A subject as it stands before a verb: French "je" loses its vowel before another."""
    if subject.lower() in _JE:
        return "J'" if word[0] in _VOWELS else "Je "
    return f"{subject} " if subject else ""
