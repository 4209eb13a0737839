"""What a new statement does to the facts already known: nothing is stored twice or left stale."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from recollect.domain.facts.fact import MAX_CONTENT, MERGED_BY, Fact, FactSource
from recollect.domain.facts.reading.belongings import (
    belongs_to_another,
    is_about_person,
    share_person,
)
from recollect.domain.facts.reading.languages import fact_words
from recollect.domain.facts.reading.plain.changes import resumes, tells_change
from recollect.domain.facts.reading.plain.diets import keep_other_diets
from recollect.domain.facts.reading.plain.employers import (
    names_other_employer,
)
from recollect.domain.facts.reading.wording import names_user
from recollect.domain.facts.slots import Slot, has_one_value
from recollect.domain.facts.statement import Operation, Relation, Statement
from recollect.domain.facts.updates.claims import is_unclaimed, keeps_home
from recollect.domain.facts.updates.denials import only_denies
from recollect.domain.facts.updates.ending import (
    SIMILAR,
    Compared,
    ended_by_words,
    ends,
    have_other_names,
    is_of_user,
    is_same_thing,
    share_words,
    tells_of_another,
)
from recollect.domain.facts.updates.kinds import is_of_other_kind
from recollect.domain.facts.updates.values import (
    denies,
    has_other_figures,
    has_other_value,
    names_nothing_else,
    replaces_value,
    tells_beside,
    words_of_meaning,
)
from recollect.domain.speech.phrases import LANGUAGES, words_in

_SAME: Final = 0.93
"""From this cosine on, two statements of one slot say the same."""
_SAME_TOGETHER: Final = 1.2
"""From this sum of the cosine and the model's probability on, two statements say the same.

Neither tells it alone: of 90 held-out pairs that do, 53 are found with it, and 6 of 390 others are
taken for such. The likeliest relation with a cosine of 0.45 in one slot found 28 and took 5.
"""
_WITHDRAWN: Final = 0.62
"""The least cosine of a fact that is withdrawn, where no word for word match is known."""
_MEANT: Final = 0.5
"""The least share of the words of a withdrawal that a fact has, if it is not near."""
_SAME_WISH: Final = 0.8
"""The least cosine of two wishes about answers of which only the newer holds.

Below it, the model takes most wishes for duplicates or contradictions of each other.
"""
_GERMAN: Final = "de"
MAX_COMPARED: Final = 8
"""The nearest facts that a statement is compared with."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What becomes of the known facts, and whether the statement becomes one."""

    is_new: bool = False
    """Whether a fact is made of the statement."""
    reinforces: Fact | None = None
    """The fact that says the same already."""
    extends: Fact | None = None
    """The fact that the statement tells more of."""
    supersedes: tuple[Fact, ...] = ()
    retracts: tuple[Fact, ...] = ()


NOTHING: Final = Outcome()


def worth_comparing(statement: Statement, known: Sequence[tuple[Fact, float]]) -> list[Fact]:
    """The facts that may have to do with a statement.

    What says the same comes first, then what has the slot of one value, then the nearest.
    """
    gist, one_value = statement.gist, statement.slot.has_one_value
    is_met = ended_by_words(statement)
    candidates = [
        (fact.says(gist), one_value and fact.slot == statement.slot, similarity, fact)
        for fact, similarity in known
        if similarity >= SIMILAR or fact.slot == statement.slot or fact.says(gist) or is_met(fact)
    ]
    candidates.sort(key=lambda one: one[:3], reverse=True)
    return [fact for *_, fact in candidates[:MAX_COMPARED]]


def reconcile(statement: Statement, compared: Sequence[Compared], *, said: str = "") -> Outcome:
    """What to do about a statement, given the facts that may have to do with it.

    `said` is the message that it is from.
    """
    if statement.operation is Operation.RETRACT:
        return NOTHING if keeps_home(statement, said) else _withdraw(statement, compared)
    if statement.slot.is_standing:
        return _wish(statement, compared)
    if statement.slot.has_one_value and only_denies(statement.content):
        return Outcome(retracts=_denied(statement, compared))
    return _value(statement, compared, said)


def _value(statement: Statement, compared: Sequence[Compared], said: str) -> Outcome:
    """What to do about what is said to be so."""
    same = _the_same(statement, compared)
    if same is not None:
        return Outcome(reinforces=same)
    is_known = any(one.is_about(statement.slot) for one in compared)
    if is_known and is_unclaimed(statement, said):
        return NOTHING
    is_temporary = any(one.relation is Relation.TEMPORARY for one in compared[:1])
    if is_temporary and statement.source is not FactSource.STATED:
        return NOTHING
    ended = tuple(one.fact for one in compared if ends(statement, one))
    if ended:
        return Outcome(is_new=True, supersedes=ended)
    return _more(statement, compared)


def placed(statement: Statement, outcome: Outcome, compared: Sequence[Compared]) -> Statement:
    """The statement, without its slot if that has one value and another fact keeps it.

    Both hold then, and a slot of one value has room for one: the new one's was probably misread.
    """
    is_taken = outcome.is_new and any(
        one.is_about(statement.slot) and one.fact not in outcome.supersedes for one in compared
    )
    if is_taken and statement.slot.has_one_value:
        return replace(statement, slot=Slot.OTHER)
    return statement


def _denied(statement: Statement, compared: Sequence[Compared]) -> tuple[Fact, ...]:
    """The facts that a statement denies, and nothing else: Ghent stays if it is not Bruges."""
    return tuple(one.fact for one in compared if denies(one.fact, statement.content))


def _withdraw(statement: Statement, compared: Sequence[Compared]) -> Outcome:
    """Withdraw what the statement names: word for word, all about a topic, or the nearest.

    The model takes much for a withdrawal, so that what is neither near nor shares a word stays.
    """
    named = tuple(one.fact for one in compared if one.fact.says(statement.gist))
    if named:
        return Outcome(retracts=named)
    meant = [one for one in compared if _may_mean(statement, one)]
    told = [one for one in meant if one.relation is Relation.RETRACTION]
    whole = tuple(one.fact for one in told if _covered(one.fact, statement) == 1)
    nearest = max(told or meant, key=lambda one: one.similarity, default=None)
    return Outcome(retracts=whole or ((nearest.fact,) if nearest is not None else ()))


def _may_mean(statement: Statement, one: Compared) -> bool:
    """Whether a withdrawal may be about a fact."""
    is_of_another = is_of_user(one.fact) and tells_of_another(statement)
    is_of_others = is_of_another or _belongs_to_others(statement)
    is_left = is_of_others or tells_beside(one.fact, statement.gist)
    if statement.source is FactSource.EXTRACTED and is_left:
        return False
    covered = _covered(one.fact, statement)
    is_told = one.relation is Relation.RETRACTION
    is_near = one.similarity >= (SIMILAR if is_told else _WITHDRAWN)
    is_meant = covered > 0 and (is_near or (is_told and covered >= _MEANT))
    return is_meant and not _withdraws_another(statement, one.fact)


def _belongs_to_others(statement: Statement) -> bool:
    """Whether a statement begins with a thing that is not the user's: "The cat next door"."""
    words = words_in(statement.content)
    is_thing = any(fact_words(code).articles.length_at(words) > 0 for code in LANGUAGES)
    is_nobodys = is_thing and not names_user(statement.content)
    return is_nobodys or belongs_to_another(statement.content)


def _withdraws_another(statement: Statement, fact: Fact) -> bool:
    """Whether a withdrawal names another value than a fact: beer, where coffee is known."""
    gist = statement.gist
    if names_nothing_else(fact, gist):
        return False
    if has_other_value(fact, gist) or has_other_figures(fact, gist):
        return True
    if is_of_other_kind(fact, statement.content):
        return True
    return has_one_value(fact.slot) and have_other_names(statement, fact)


def _covered(fact: Fact, statement: Statement) -> float:
    """The share of a statement's words of meaning that a fact has."""
    words = words_of_meaning(statement.gist)
    return len(words & words_of_meaning(fact.gist)) / len(words) if words else 0.0


def _wish(statement: Statement, compared: Sequence[Compared]) -> Outcome:
    """A wish about answers stands by itself, in place of those that it says anew or contradicts."""
    same = next((one.fact for one in compared if one.fact.says(statement.gist)), None)
    if same is not None:
        return Outcome(reinforces=same)
    ended = tuple(one.fact for one in compared if _ends_wish(statement, one))
    return Outcome(is_new=True, supersedes=ended)


def _ends_wish(statement: Statement, one: Compared) -> bool:
    if not one.is_about(statement.slot):
        return False
    is_meant = one.relation in {Relation.DUPLICATE, Relation.CONTRADICTION}
    return statement.slot.has_one_value or (is_meant and one.similarity >= _SAME_WISH)


def _the_same(statement: Statement, compared: Sequence[Compared]) -> Fact | None:
    for one in compared:
        if one.fact.says(statement.gist):
            return one.fact
        if _names_another(statement, one) or _differs(statement, one):
            continue
        is_repeated = one.is_about(statement.slot) and one.similarity >= _SAME
        is_meant = one.similarity + one.judgement.sameness >= _SAME_TOGETHER
        if is_repeated or is_meant:
            return one.fact
    return None


def _differs(statement: Statement, one: Compared) -> bool:
    """Whether both are alike because they say the same of different things, or the opposite."""
    tests = (has_other_value, replaces_value, has_other_figures)
    is_other = any(test(one.fact, statement.gist) for test in tests)
    is_other = is_other or keep_other_diets(statement.content, one.fact.content)
    is_other = is_other or resumes(statement.content, one.fact.content)
    is_other = is_other or _are_of_other_persons(statement, one.fact)
    return is_other or denies(one.fact, statement.content)


def _are_of_other_persons(statement: Statement, fact: Fact) -> bool:
    """Whether they tell of two persons of the user's: "My son is Tim", "My daughter is Lisa"."""
    contents = statement.content, fact.content
    are_of_persons = all(map(is_about_person, contents)) and not share_person(*contents)
    return are_of_persons and have_other_names(statement, fact)


def _names_another(statement: Statement, one: Compared) -> bool:
    """Whether both name a value of a slot that has one, and not the same: Ghent, then Bruges.

    What is about something else and names something else is no repetition, either; in German
    every noun looks like a name.
    """
    is_same_slot = one.is_about(statement.slot)
    if is_same_slot and not statement.slot.has_one_value:
        return False
    if not is_same_slot and any(map(_is_german, (statement.content, one.fact.content))):
        return names_other_employer(statement.content, one.fact.content)
    return have_other_names(statement, one.fact)


def _is_german(content: str) -> bool:
    """Whether a sentence begins with a German "ich" or "mein"."""
    known, words = fact_words(_GERMAN), words_in(content)
    return known.subjects.length_at(words) > 0 or known.owners.length_at(words) > 0


def _more(statement: Statement, compared: Sequence[Compared]) -> Outcome:
    """Add a statement to the fact that it tells more of; a change is never more of the same."""
    if statement.operation is Operation.CHANGE or tells_change(statement.content):
        return Outcome(is_new=True)
    for one in compared:
        tells_more = one.relation is Relation.COMPLEMENT and _is_more_of(statement, one)
        tells_more = tells_more and not _differs(statement, one)
        fits = len(one.fact.content) + len(statement.content) < MAX_CONTENT // 2
        if tells_more and one.is_about(statement.slot) and fits:
            return Outcome(extends=one.fact)
    return Outcome(is_new=True)


def _is_more_of(statement: Statement, one: Compared) -> bool:
    """Whether a statement and a fact are so much about the same that they can be one fact.

    They end together. So what is said of somebody shares a word with it, and what is said of two
    persons stands for itself.
    """
    are_of_persons = [is_about_person(part) for part in one.fact.content.split(MERGED_BY)]
    is_of_person = is_about_person(statement.content)
    if is_of_person and any(are_of_persons):
        return share_person(statement.content, one.fact.content)
    has_person = is_of_person or any(are_of_persons)
    return is_same_thing(statement, one) and (not has_person or share_words(one.fact, statement))


def merged_content(fact: Fact, statement: Statement) -> str:
    """A fact's content with what the statement adds to it."""
    return f"{fact.content.rstrip('.')}{MERGED_BY}{statement.content}"
