"""What a new statement does to the facts already known: nothing is stored twice or left stale."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

from recollect.domain.facts.fact import MAX_CONTENT, MERGED_BY, Fact, FactSource
from recollect.domain.facts.reading.belongings import (
    belongs_to_another,
    is_about_another,
    is_about_person,
    share_person,
)
from recollect.domain.facts.reading.favourites import favourites_in, is_other_favourite
from recollect.domain.facts.reading.introductions import names_somebody
from recollect.domain.facts.reading.languages import fact_words
from recollect.domain.facts.reading.languages.slot_names import tells_slot
from recollect.domain.facts.reading.moves import tells_former_home
from recollect.domain.facts.reading.paraphrase import negates
from recollect.domain.facts.reading.plain.changes import only_mentions, resumes, tells_change
from recollect.domain.facts.reading.plain.diets import diet_of, keep_other_diets
from recollect.domain.facts.reading.plain.employers import (
    names_other_employer,
    tells_former_work,
    tells_sought_work,
)
from recollect.domain.facts.reading.plain.slots import (
    says_now,
    tells_past_home,
)
from recollect.domain.facts.reading.wording import names_user
from recollect.domain.facts.slots import Slot, has_one_value
from recollect.domain.facts.statement import Judgement, Operation, Relation, Statement
from recollect.domain.facts.updates.additions import adds_one_more
from recollect.domain.facts.updates.claims import is_unclaimed, keeps_home
from recollect.domain.facts.updates.denials import only_denies
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
from recollect.domain.language import split_words
from recollect.domain.speech.phrases import LANGUAGES, words_in

SIMILAR: Final = 0.5
"""The least cosine of two statements about the same thing, if they are not about one slot."""
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
_SIDE_BY_SIDE: Final = frozenset({Relation.COMPLEMENT, Relation.UNRELATED})
"""Relations of which both facts hold, if they are not alike either: a slot can be misread."""
_GERMAN: Final = "de"
MAX_COMPARED: Final = 8
"""The nearest facts that a statement is compared with."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """A known fact beside a new statement."""

    fact: Fact
    similarity: float
    judgement: Judgement
    """Of a model."""

    @property
    def relation(self) -> Relation:
        """The likeliest, as the model judges it."""
        return self.judgement.relation

    def is_about(self, slot: Slot) -> bool:
        """Whether the fact is about that slot."""
        return self.fact.slot == slot


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
_SEVERAL: Final = frozenset({Slot.FAMILY, Slot.PET, Slot.VEHICLE})
"""Of which users say how many they have: another one leaves the others."""


def worth_comparing(statement: Statement, known: Sequence[tuple[Fact, float]]) -> list[Fact]:
    """The facts that may have to do with a statement.

    What says the same comes first, then what has the slot of one value, then the nearest.
    """
    gist, one_value = statement.gist, statement.slot.has_one_value
    is_met = _met_by(statement)
    candidates = [
        (fact.says(gist), one_value and fact.slot == statement.slot, similarity, fact)
        for fact, similarity in known
        if similarity >= SIMILAR or fact.slot == statement.slot or fact.says(gist) or is_met(fact)
    ]
    candidates.sort(key=lambda one: one[:3], reverse=True)
    return [fact for *_, fact in candidates[:MAX_COMPARED]]


def _met_by(statement: Statement) -> Callable[[Fact], bool]:
    """Whether a fact may be ended by the words of a statement, however far both are.

    What the statement says is read once: there may be many facts.
    """
    tests: list[Callable[[Fact], bool]] = []
    if statement.slot is Slot.ROLE and tells_slot(statement.content, Slot.ROLE):
        tests.append(partial(_tell_profession, statement))
    if _tells_former(statement):
        tests.append(partial(_was_before, statement))
    if diet_of(statement.content):
        tests.append(lambda fact: keep_other_diets(statement.content, fact.content))
    if tells_change(statement.content):
        tests.append(lambda fact: resumes(statement.content, fact.content))
    if negates(statement.content):
        tests.append(lambda fact: denies(fact, statement.content))
    if any(favourites_in(statement.content)):
        tests.append(lambda fact: is_other_favourite(statement.content, fact.content))
    return lambda fact: any(test(fact) for test in tests)


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
    ended = tuple(one.fact for one in compared if _ends(statement, one))
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
    is_of_another = _is_of_user(one.fact) and _is_about_another(statement)
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
    return has_one_value(fact.slot) and _have_other_names(statement, fact)


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
    return are_of_persons and _have_other_names(statement, fact)


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
    return _have_other_names(statement, one.fact)


def _is_german(content: str) -> bool:
    """Whether a sentence begins with a German "ich" or "mein"."""
    known, words = fact_words(_GERMAN), words_in(content)
    return known.subjects.length_at(words) > 0 or known.owners.length_at(words) > 0


def _have_other_names(statement: Statement, fact: Fact) -> bool:
    """Whether both have names, and none is the same."""
    old, new = _names_in(fact.content), _names_in(statement.content)
    return bool(old) and bool(new) and old.isdisjoint(new)


def _names_in(content: str) -> frozenset[str]:
    """Numbers and words with a capital, without the first word, which has one anyway."""
    words = split_words(content)[1:]
    return frozenset(word for word in words if word[0].isupper() or word[0].isdigit())


def _ends(statement: Statement, one: Compared) -> bool:
    """Whether the fact no longer holds, now that the statement does."""
    is_of_another = _is_of_user(one.fact) and _is_about_another(statement)
    if is_of_another or _leaves(statement, one.fact):
        return False
    if _plainly_ends(statement, one):
        return True
    is_same_slot = one.is_about(statement.slot) or _tell_profession(statement, one.fact)
    if one.is_about(statement.slot) and statement.slot.has_one_value:
        is_alike = one.similarity >= SIMILAR or has_other_value(one.fact, statement.gist)
        return statement.has_exact_slot or is_alike or one.relation not in _SIDE_BY_SIDE
    if one.relation is not Relation.CONTRADICTION:
        return False
    if is_same_slot and statement.slot is Slot.OTHER:
        return _is_same_thing(statement, one)
    return is_same_slot or (statement.operation is Operation.CHANGE and one.similarity >= SIMILAR)


def _leaves(statement: Statement, fact: Fact) -> bool:
    """Whether a statement only mentions what a fact says, or is of another time or thing."""
    is_only_mentioned = only_mentions(statement.content, fact.content)
    is_of_other = _is_of_other_times(statement, fact) or _is_of_other_thing(statement, fact)
    is_one_more = statement.slot in _SEVERAL and adds_one_more(statement.content)
    return is_only_mentioned or is_of_other or is_one_more


def _is_of_other_thing(statement: Statement, fact: Fact) -> bool:
    """Whether a statement is of another thing: "I sold my red bike", where a blue one is known."""
    is_other = not has_one_value(fact.slot) and is_of_other_kind(fact, statement.content)
    return is_other and not says_now(statement.content)


def _is_about_another(statement: Statement) -> bool:
    """Whether a statement is about somebody else, and not about who employs the user."""
    is_own = tells_slot(statement.content, statement.slot)
    return not is_own and is_about_another(statement.content)


def _is_of_user(fact: Fact) -> bool:
    """Whether a fact begins with the user: "I work at Shell"."""
    words = words_in(fact.content)
    return any(fact_words(code).subjects.length_at(words) > 0 for code in LANGUAGES)


def _is_of_other_times(statement: Statement, fact: Fact) -> bool:
    """Whether a statement tells of another home or employer than a fact: of before, or sought."""
    if tells_sought_work(statement.content) and fact.slot == Slot.EMPLOYER:
        return True
    if not has_one_value(fact.slot) or not _have_other_names(statement, fact):
        return False
    is_once = fact.slot == Slot.HOME and tells_past_home(statement.content)
    return is_once or _tells_former(statement)


def _was_before(statement: Statement, fact: Fact) -> bool:
    """Whether a statement says that the home or employer of a fact is one of before."""
    names = _names_in(fact.content)
    is_former = _tells_former(statement) and has_one_value(fact.slot)
    return is_former and bool(names) and names <= _names_in(statement.content)


def _tells_former(statement: Statement) -> bool:
    return tells_former_home(statement.content) or tells_former_work(statement.content)


def _plainly_ends(statement: Statement, one: Compared) -> bool:
    """Whether the words of both say that the fact no longer holds."""
    is_told = statement.source is FactSource.STATED or one.relation not in _SIDE_BY_SIDE
    is_replaced = is_told and not _tells_more_of_person(statement, one.fact)
    return (
        (is_replaced and replaces_value(one.fact, statement.gist))
        or denies(one.fact, statement.content)
        or (_tell_profession(statement, one.fact) and says_now(statement.content))
        or keep_other_diets(statement.content, one.fact.content)
        or resumes(statement.content, one.fact.content)
        or is_other_favourite(statement.content, one.fact.content)
        or _was_before(statement, one.fact)
    )


def _tells_more_of_person(statement: Statement, fact: Fact) -> bool:
    """Whether both are about somebody of the user's, and one of them does not name them.

    "My wife is pregnant" leaves "my wife is Ann" as it is, and the other way round.
    """
    contents = statement.content, fact.content
    is_person = any(map(is_about_person, contents))
    if not is_person or has_other_figures(fact, statement.gist):
        return False
    return not all(map(names_somebody, contents))


def _tell_profession(statement: Statement, fact: Fact) -> bool:
    """Whether both tell as what somebody works, wherever that is."""
    return statement.slot is Slot.ROLE and all(
        tells_slot(content, Slot.ROLE) for content in (statement.content, fact.content)
    )


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


def _is_same_thing(statement: Statement, one: Compared) -> bool:
    """Whether both are about the same; what is about anything has to be alike in every way."""
    is_near, shares_words = one.similarity >= SIMILAR, _share_words(one.fact, statement)
    if statement.slot is Slot.OTHER:
        return is_near and shares_words
    return is_near or shares_words


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
    return _is_same_thing(statement, one) and (not has_person or _share_words(one.fact, statement))


def _share_words(fact: Fact, statement: Statement) -> bool:
    return not words_of_meaning(fact.gist).isdisjoint(words_of_meaning(statement.gist))


def merged_content(fact: Fact, statement: Statement) -> str:
    """A fact's content with what the statement adds to it."""
    return f"{fact.content.rstrip('.')}{MERGED_BY}{statement.content}"
