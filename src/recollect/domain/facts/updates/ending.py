"""Whether a known fact no longer holds, now that a statement does."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Final

from recollect.domain.facts.fact import Fact, FactSource
from recollect.domain.facts.reading.belongings import (
    is_about_another,
    is_about_person,
)
from recollect.domain.facts.reading.favourites import is_other_favourite
from recollect.domain.facts.reading.introductions import names_somebody
from recollect.domain.facts.reading.languages import fact_words
from recollect.domain.facts.reading.languages.slot_names import tells_slot
from recollect.domain.facts.reading.moves import tells_former_home
from recollect.domain.facts.reading.paraphrase import negates
from recollect.domain.facts.reading.plain.changes import only_mentions, resumes, tells_change
from recollect.domain.facts.reading.plain.diets import diet_of, keep_other_diets
from recollect.domain.facts.reading.plain.employers import (
    tells_former_work,
    tells_sought_work,
)
from recollect.domain.facts.reading.plain.slots import (
    says_now,
    tells_past_home,
)
from recollect.domain.facts.slots import Slot, has_one_value
from recollect.domain.facts.statement import Judgement, Operation, Relation, Statement
from recollect.domain.facts.updates.additions import adds_one_more
from recollect.domain.facts.updates.kinds import is_of_other_kind
from recollect.domain.facts.updates.values import (
    denies,
    has_other_figures,
    has_other_value,
    replaces_value,
    words_of_meaning,
)
from recollect.domain.language import split_words
from recollect.domain.speech.phrases import LANGUAGES, words_in

SIMILAR: Final = 0.5
"""The least cosine of two statements about the same thing, if they are not about one slot."""
_SIDE_BY_SIDE: Final = frozenset({Relation.COMPLEMENT, Relation.UNRELATED})
"""Relations of which both facts hold, if they are not alike either: a slot can be misread."""
_SEVERAL: Final = frozenset({Slot.FAMILY, Slot.PET, Slot.VEHICLE})
"""Of which users say how many they have: another one leaves the others."""


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


def ended_by_words(statement: Statement) -> Callable[[Fact], bool]:
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
    if statement.has_exact_slot:
        tests.append(lambda fact: is_other_favourite(statement.content, fact.content))
    return lambda fact: any(test(fact) for test in tests)


def ends(statement: Statement, one: Compared) -> bool:
    """Whether the fact no longer holds, now that the statement does."""
    is_of_another = is_of_user(one.fact) and tells_of_another(statement)
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
        return is_same_thing(statement, one)
    return is_same_slot or (statement.operation is Operation.CHANGE and one.similarity >= SIMILAR)


def _leaves(statement: Statement, fact: Fact) -> bool:
    """Whether a statement only mentions what a fact says, or is of another time or thing."""
    is_only_mentioned = only_mentions(statement.content, fact.content)
    is_of_other = _is_of_other_times(statement, fact) or _is_of_other_thing(statement, fact)
    is_one_more = statement.slot in _SEVERAL and adds_one_more(statement.content)
    # Who plainly tells another employer says nothing of a cat, whatever a model thinks.
    is_apart = statement.has_exact_slot and statement.slot is Slot.EMPLOYER
    is_apart = is_apart and fact.slot not in {None, Slot.OTHER, Slot.EMPLOYER, Slot.ROLE}
    return is_only_mentioned or is_of_other or is_one_more or is_apart


def _is_of_other_thing(statement: Statement, fact: Fact) -> bool:
    """Whether a statement is of another thing: "I sold my red bike", where a blue one is known."""
    is_other = not has_one_value(fact.slot) and is_of_other_kind(fact, statement.content)
    return is_other and not says_now(statement.content)


def tells_of_another(statement: Statement) -> bool:
    """Whether a statement is about somebody else, and not about who employs the user."""
    is_own = tells_slot(statement.content, statement.slot)
    return not is_own and is_about_another(statement.content)


def is_of_user(fact: Fact) -> bool:
    """Whether a fact begins with the user: "I work at Shell"."""
    words = words_in(fact.content)
    return any(fact_words(code).subjects.length_at(words) > 0 for code in LANGUAGES)


def _is_of_other_times(statement: Statement, fact: Fact) -> bool:
    """Whether a statement tells of another home or employer than a fact: of before, or sought."""
    if tells_sought_work(statement.content) and fact.slot == Slot.EMPLOYER:
        return True
    if not has_one_value(fact.slot) or not have_other_names(statement, fact):
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
        or (statement.has_exact_slot and is_other_favourite(statement.content, one.fact.content))
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


def is_same_thing(statement: Statement, one: Compared) -> bool:
    """Whether both are about the same; what is about anything has to be alike in every way."""
    is_near, shares_words = one.similarity >= SIMILAR, share_words(one.fact, statement)
    if statement.slot is Slot.OTHER:
        return is_near and shares_words
    return is_near or shares_words


def share_words(fact: Fact, statement: Statement) -> bool:
    """Whether both have a word that means something by itself."""
    return not words_of_meaning(fact.gist).isdisjoint(words_of_meaning(statement.gist))


def have_other_names(statement: Statement, fact: Fact) -> bool:
    """Whether both have names, and none is the same."""
    old, new = _names_in(fact.content), _names_in(statement.content)
    return bool(old) and bool(new) and old.isdisjoint(new)


def _names_in(content: str) -> frozenset[str]:
    """Numbers and words with a capital, without the first word, which has one anyway."""
    words = split_words(content)[1:]
    return frozenset(word for word in words if word[0].isupper() or word[0].isdigit())
