"""Dutch and German clauses behind "dat", whose verb a sentence has elsewhere.

"ik geen uien lust" becomes "ik lust geen uien". What is not surely subject and verb stays as it is.
"""

from typing import Final

from recollect.domain.facts.reading.languages import FactWords, fact_words
from recollect.domain.facts.reading.languages.first_names import is_first_name
from recollect.domain.speech.phrases import LANGUAGES, Phrase, Phrases, words_in

_MOST_BEFORE_NOUN: Final = 3
_INFINITIVE: Final = "n"


def main_clause(clause: str, before: str) -> str:
    """A clause with its verb where a sentence has it, if "dat" or "dass" stands before it."""
    for known in map(fact_words, LANGUAGES):
        if not known.clause_openers.length_at(words_in(before)[-1:]):
            continue
        words = clause.rstrip(".!").split()
        subject = _subject_of(words, known)
        if subject and (ordered := _ordered(words, subject, known)):
            return " ".join(ordered)
    return clause


def _subject_of(words: list[str], known: FactWords) -> int:
    """How many words the subject has that a clause begins with; 0 if that is not sure."""
    if _is(words[:1], known.subjects):
        return 1
    if not _is(words[:1], known.owners):
        return 0
    for at in range(1, min(1 + _MOST_BEFORE_NOUN, len(words))):
        if _is(words[at : at + 1], known.persons):
            has_name = is_first_name(words[at + 1]) if len(words) > at + 3 else False
            return at + 1 + has_name
        is_german = known is fact_words("de")
        if words[at][0].isupper() if is_german else not words[at].endswith("e"):
            return at + 1 if words[at].isalpha() else 0
    return 0


def _ordered(words: list[str], subject: int, known: FactWords) -> list[str] | None:
    """The words of a clause in the order of a sentence; None if they have it, or may have."""
    end = _end_of_clause(words, subject, known)
    clause, rest = words[:end], words[end:]
    if subject >= len(clause) - 1 or _is(clause[subject : subject + 1], known.clause_verbs):
        return None
    parts = _joined(clause, subject, known)
    if len(parts) > 1:
        first, *others = (_with_verb_first(part, known) for part in parts)
        if first is None or None in others:
            return None
        joined = [word for one in others if one for word in (clause[len(parts[0]) + subject], *one)]
        return [*clause[:subject], *first, *joined, *rest]
    told = _with_verb_first(clause[subject:], known)
    return [*clause[:subject], *told, *rest] if told else None


def _end_of_clause(words: list[str], subject: int, known: FactWords) -> int:
    """The place where another clause begins: at a comma, or at "omdat"."""
    for at in range(subject, len(words)):
        if at > subject and _is(words[at : at + 1], known.clause_joints):
            return at
        if words[at].endswith((",", ";", ":")):
            return at + 1
    return len(words)


def _joined(clause: list[str], subject: int, known: FactWords) -> list[list[str]]:
    """What "en" joins, if a verb stands right before it: two clauses of one subject."""
    for at in range(subject + 1, len(clause) - 1):
        is_joint = _is(clause[at : at + 1], known.joints)
        if is_joint and _is(clause[at - 1 : at], known.clause_verbs):
            return [clause[subject:at], clause[at + 1 :]]
    return [clause[subject:]]


def _with_verb_first(words: list[str], known: FactWords) -> list[str] | None:
    """The words behind a subject with their verb first; None if it is not sure which one it is."""
    mark = words[-1][-1] if words[-1][-1] in ",;:" else ""
    bare = [*words[:-1], words[-1].rstrip(",;:")]
    verbs = [at for at in range(len(bare)) if _is(bare[at : at + 1], known.clause_verbs)]
    found: list[str] | None = None
    if len(bare) > 1 and _is(bare[-2:-1], known.clause_modals) and bare[-1].endswith(_INFINITIVE):
        found = [bare[-2], *bare[:-2], bare[-1]]
    elif verbs and verbs[-1] == len(bare) - 1:
        found = [bare[-1], *bare[:-1]]
    elif particle := _particle_of(bare[-1], known):
        found = [bare[-1][len(particle) :], *bare[:-1], particle]
    elif len(verbs) == 1 and _is(bare[verbs[0] + 1 : verbs[0] + 2], known.clause_prepositions):
        found = [bare[verbs[0]], *bare[: verbs[0]], *bare[verbs[0] + 1 :]]
    return [*found[:-1], found[-1] + mark] if found else None


def _particle_of(verb: str, known: FactWords) -> str:
    """What a verb begins with that stands apart in a sentence: the "op" of "opsta"; or nothing."""
    for end in range(2, len(verb) - 1):
        is_verb = _is([verb[end:]], known.clause_verbs)
        if is_verb and _is([verb[:end]], known.clause_particles):
            return verb[:end]
    return ""


def _is(words: list[str], phrases: Phrases) -> bool:
    found: Phrase = words_in(" ".join(words))
    return bool(found) and phrases.length_at(found) == len(found)
