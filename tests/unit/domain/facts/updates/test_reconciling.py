"""What a new statement does to the facts already known."""

from dataclasses import replace
from uuid import uuid4

import pytest

from recollect.domain.facts.fact import Fact, FactSource
from recollect.domain.facts.slots import Slot
from recollect.domain.facts.statement import Operation, Relation, Statement
from recollect.domain.facts.updates.ending import Compared
from recollect.domain.facts.updates.reconciling import Outcome, reconcile, worth_comparing
from support.facts.known_facts import a_fact
from support.facts.scripted_models import judged
from support.tables import for_each


def a_statement(
    content: str, slot: Slot = Slot.OTHER, operation: Operation = Operation.ADD
) -> Statement:
    return Statement(
        message_id=uuid4(), quote=content, content=content, slot=slot, operation=operation
    )


def outcome(statement: Statement, fact: Fact, similarity: float, relation: Relation) -> Outcome:
    compared = [Compared(fact=fact, similarity=similarity, judgement=judged(relation))]
    return reconcile(statement, compared)


def test_what_says_the_same_is_compared_however_many_others_there_are() -> None:
    others = [(a_fact(f"Tool {number} is blue."), 0.0) for number in range(50)]
    same = a_fact("I live in Hull.")
    near = worth_comparing(a_statement("I live in Hull."), [*others, (same, 0.0)])
    assert near[0] is same


@for_each(
    ("old", "new", "slot", "similarity", "relation", "result"),
    [
        ("I live in Hull.", "I live in Hull!", Slot.HOME, 0.0, Relation.UNRELATED, "reinforces"),
        ("I live in Hull.", "Hull is home.", Slot.HOME, 0.6, Relation.DUPLICATE, "reinforces"),
        ("I live in Hull.", "I live in Leeds.", Slot.HOME, 0.6, Relation.UNRELATED, "supersedes"),
        ("I eat meat.", "I eat no meat.", Slot.DIET, 0.6, Relation.CONTRADICTION, "supersedes"),
        ("I like tea.", "I like coffee.", Slot.DIET, 0.5, Relation.UNRELATED, "is_new"),
        ("I have cats.", "My cats are old.", Slot.PET, 0.2, Relation.COMPLEMENT, "extends"),
        ("I use Slack.", "We run Jira.", Slot.TOOL, 0.2, Relation.COMPLEMENT, "is_new"),
        (
            "My cello is by Amati.",
            "Kim is our cook.",
            Slot.OTHER,
            0.5,
            Relation.COMPLEMENT,
            "is_new",
        ),
        (
            "I ski; I live in Hull.",
            "I live in Hull.",
            Slot.OTHER,
            0.0,
            Relation.UNRELATED,
            "reinforces",
        ),
    ],
)
def test_the_relation_and_the_slot_decide(  # a table
    old: str, new: str, slot: Slot, similarity: float, relation: Relation, result: str
) -> None:
    assert getattr(outcome(a_statement(new, slot), a_fact(old, slot), similarity, relation), result)


def test_a_value_is_kept_where_neither_relation_nor_likeness_says_that_it_changed() -> None:
    fact = a_fact("I work at Tyrell in Hull.", Slot.EMPLOYER)
    moved = a_statement("We moved to Leeds.", Slot.EMPLOYER, Operation.CHANGE)
    for relation in (Relation.COMPLEMENT, Relation.UNRELATED):
        assert outcome(moved, fact, 0.3, relation) == Outcome(is_new=True)


def test_a_value_in_the_same_words_ends_the_old_one_however_far_the_model_puts_them() -> None:
    fact = a_fact("Ik woon in Parijs.", Slot.HOME)
    result = outcome(a_statement("Ik woon in Rome.", Slot.HOME), fact, 0.2, Relation.UNRELATED)
    assert result == Outcome(is_new=True, supersedes=(fact,))


def test_a_slot_that_an_exact_rule_tells_ends_the_old_value_in_any_words() -> None:
    fact = a_fact("My home is a boat on the Thames.", Slot.HOME)
    moved = replace(a_statement("I live in Rome.", Slot.HOME), has_exact_slot=True)
    assert outcome(moved, fact, 0.1, Relation.UNRELATED).supersedes == (fact,)


def test_another_value_is_never_taken_for_the_same_one() -> None:
    result = outcome(
        a_statement("I live in Leeds.", Slot.HOME),
        a_fact("I live in Hull.", Slot.HOME),
        0.95,
        Relation.DUPLICATE,
    )
    assert (result.is_new, result.reinforces, len(result.supersedes)) == (True, None, 1)


@for_each(
    ("old", "new", "slot", "similarity", "relation", "result"),
    [
        ("No tables.", "no tables!", Slot.ANSWER_STYLE, 0.0, Relation.UNRELATED, "reinforces"),
        ("Use euros.", "Use only euros.", Slot.ANSWER_STYLE, 0.9, Relation.DUPLICATE, "supersedes"),
        ("Use euros.", "Use yen.", Slot.ANSWER_STYLE, 0.8, Relation.CONTRADICTION, "supersedes"),
        ("Dutch.", "English.", Slot.ANSWER_LANGUAGE, 0.0, Relation.UNRELATED, "supersedes"),
    ],
)
def test_of_wishes_about_answers_the_newest_holds(  # a table
    old: str, new: str, slot: Slot, similarity: float, relation: Relation, result: str
) -> None:
    assert getattr(outcome(a_statement(new, slot), a_fact(old, slot), similarity, relation), result)


@for_each("relation", Relation)
def test_wishes_that_are_not_alike_stand_side_by_side(relation: Relation) -> None:
    wish = a_statement("Cite sources.", Slot.ANSWER_STYLE)
    old = a_fact("Show the SQL.", Slot.ANSWER_STYLE)
    assert outcome(wish, old, 0.75, relation) == Outcome(is_new=True), "they are never merged"


def test_the_slot_of_one_value_is_compared_however_many_others_are_nearer() -> None:
    others = [(a_fact(f"Tool {number} is blue.", Slot.TOOL), 0.9) for number in range(50)]
    held = a_fact("Antworte auf Deutsch.", Slot.ANSWER_LANGUAGE)
    wish = a_statement("From now on in English.", Slot.ANSWER_LANGUAGE)
    assert worth_comparing(wish, [*others, (held, 0.0)])[0] is held


def test_what_holds_for_a_while_changes_nothing() -> None:
    statement = a_statement("This week I eat meat.", Slot.DIET)
    fact = a_fact("I eat no meat.", Slot.DIET)
    assert outcome(statement, fact, 0.7, Relation.TEMPORARY) == Outcome()


@pytest.mark.parametrize(("similarity", "count"), [(0.2, 0), (0.7, 1)])
def test_only_what_is_near_enough_is_withdrawn(similarity: float, count: int) -> None:
    statement = a_statement("I'm vegan.", operation=Operation.RETRACT)
    result = outcome(statement, a_fact("I am vegan."), similarity, Relation.UNRELATED)
    assert (len(result.retracts), result.is_new) == (count, False)


def test_only_what_a_withdrawal_may_mean_is_withdrawn() -> None:
    nuts, birthday = a_fact("I'm allergic to nuts."), a_fact("My wife's birthday is 3 May.")
    compared = [
        Compared(fact=one, similarity=near, judgement=judged(Relation.RETRACTION))
        for one, near in ((birthday, 0.3), (nuts, 0.8))
    ]
    for content in ("I'm allergic to nuts.", "I am allergic to nuts."):
        statement = a_statement(content, operation=Operation.RETRACT)
        assert reconcile(statement, compared) == Outcome(retracts=(nuts,))
    statement = a_statement("We report in euros.", operation=Operation.RETRACT)
    assert reconcile(statement, compared) == Outcome()


@for_each(
    ("old", "slot", "withdrawn", "is_meant"),
    [
        ("I like coffee.", Slot.DIET, "I like beer", False),
        ("My son is called Tim.", Slot.FAMILY, "my son is called Bob", False),
        ("I live in Ghent.", Slot.HOME, "I live in Paris", False),
        ("My home is Ghent.", Slot.HOME, "I have my home in Paris", False),
        ("Our budget is 10k.", Slot.BUDGET, "I said our budget is 20k", False),
        ("I like black coffee.", Slot.DIET, "I like coffee", True),
        ("Ik woon in Gent.", Slot.HOME, "Ik woon daar niet meer.", True),
        ("I live in Ghent.", Slot.HOME, "I don't live there anymore.", True),
        ("I like tea; I like black coffee.", Slot.DIET, "I like coffee", True),
        ("My son is called Tim.", Slot.FAMILY, "my son is Tim", True),
        ("I live in Ghent near the canal.", Slot.HOME, "I live in Ghent", True),
        ("I have a dog and a cat.", Slot.PET, "I don't have a dog anymore", False),
        ("Ik heb een hond en een kat.", Slot.PET, "Ik heb geen hond meer", False),
        ("Ich habe einen Hund und eine Katze.", Slot.PET, "Ich habe keinen Hund mehr", False),
        ("J'ai un chien et un chat.", Slot.PET, "Je n'ai plus de chien", False),
        ("Tengo un perro y un gato.", Slot.PET, "Ya no tengo perro", False),
        ("I have a dog, a cat and a horse.", Slot.PET, "I no longer have a horse", False),
        ("I'm allergic to nuts and milk.", Slot.ALLERGY, "I'm not allergic to nuts now", False),
        ("I'm allergic to nuts and milk.", Slot.ALLERGY, "I'm not allergic to milk now", False),
        ("I have a dog and a cat.", Slot.PET, "I have no dog and no cat now", True),
        ("My wife and I have a dog.", Slot.PET, "We don't have a dog anymore", True),
    ],
)
def test_another_value_than_the_withdrawn_one_stays(
    old: str, slot: Slot, withdrawn: str, *, is_meant: bool
) -> None:
    statement = a_statement(withdrawn, operation=Operation.RETRACT)
    fact = a_fact(old, slot)
    result = outcome(statement, fact, 0.9, Relation.RETRACTION)
    assert result == Outcome(retracts=(fact,) if is_meant else ())


@for_each(
    ("old", "new"),
    [
        ("Mijn zoon heet Tim.", "Mijn dochter heet Lisa."),
        ("My son is Tim.", "My daughter is Lisa."),
        ("Mein Sohn heißt Tim.", "Meine Tochter heißt Lisa."),
        ("Mon fils est Tim.", "Ma fille est Lisa."),
        ("Mi hijo es Tim.", "Mi hija es Lisa."),
    ],
)
def test_what_is_told_of_another_person_is_no_repetition(old: str, new: str) -> None:
    fact = a_fact(old, Slot.FAMILY)
    result = outcome(a_statement(new, Slot.FAMILY), fact, 0.95, Relation.DUPLICATE)
    assert result == Outcome(is_new=True)


@for_each(
    ("old", "new"),
    [
        ("Our budget is 10k.", "Our budget is 20k."),
        ("I park on level 3.", "I park on level 5."),
        ("Invoices go to Karen.", "Invoices go to Bob."),
        ("Ons boekjaar begint in april.", "Ons boekjaar begint in januari."),
        ("Mein Arzt ist Dr. Schmidt.", "Mein Arzt ist Dr. Meyer."),
        ("I'm allergic to nuts.", "I'm actually not allergic to nuts."),
    ],
)
@for_each("relation", [Relation.DUPLICATE, Relation.COMPLEMENT])
def test_a_value_that_users_tell_anew_takes_the_place_of_the_old_one(
    old: str, new: str, relation: Relation
) -> None:
    statement, fact = replace(a_statement(new), source=FactSource.STATED), a_fact(old)
    assert outcome(statement, fact, 0.95, relation) == Outcome(is_new=True, supersedes=(fact,))


@for_each(
    ("old", "new", "slot"),
    [
        ("I live in Lyon.", "I don't live in Paris.", Slot.HOME),
        ("I'm 34.", "I'm not 40 yet.", Slot.AGE),
        ("Mijn naam is Jan.", "Mijn naam is niet Piet.", Slot.NAME),
        ("Mein Name ist Jan.", "Mein Name ist nicht Piet.", Slot.NAME),
        ("J'habite à Lyon.", "Je n'habite pas à Paris.", Slot.HOME),
        ("Vivo en Lugo.", "No vivo en Madrid.", Slot.HOME),
        ("I work at Acme.", "Unfortunately, I don't work at Globex.", Slot.EMPLOYER),
    ],
)
@for_each("operation", Operation)
@for_each("relation", Relation)
def test_a_denial_of_another_value_neither_ends_a_value_nor_is_one(
    old: str, new: str, slot: Slot, operation: Operation, relation: Relation
) -> None:
    statement = a_statement(new, slot, operation)
    assert outcome(statement, a_fact(old, slot), 0.9, relation) == Outcome()


@for_each("operation", Operation)
def test_a_denial_of_a_value_withdraws_it(operation: Operation) -> None:
    fact = a_fact("I live in Lyon.", Slot.HOME)
    denial = a_statement("I don't live in Lyon anymore.", Slot.HOME, operation)
    assert outcome(denial, fact, 0.9, Relation.RETRACTION) == Outcome(retracts=(fact,))


@for_each(
    "new",
    [
        "I don't live in Paris but in Rome.",
        "I don't live in Lyon anymore, I live in Paris now.",
        "i don't live in lyon anymore, i live in paris now",
        "I live in Rome, not in Lyon.",
        "I live in a village that isn't on the map.",
        "No, I live in Rome.",
    ],
)
def test_a_value_beside_a_denial_takes_the_place_of_the_old_one(new: str) -> None:
    fact = a_fact("I live in Lyon.", Slot.HOME)
    result = outcome(a_statement(new, Slot.HOME), fact, 0.7, Relation.CONTRADICTION)
    assert result == Outcome(is_new=True, supersedes=(fact,))


def test_what_is_not_so_is_stored_where_there_can_be_many_values() -> None:
    statement, fact = a_statement("I don't eat fish.", Slot.DIET), a_fact("I'm tall.", Slot.HEALTH)
    assert outcome(statement, fact, 0.1, Relation.UNRELATED) == Outcome(is_new=True)


def test_facts_about_anything_contradict_each_other_only_if_they_are_about_the_same() -> None:
    statement, fact = a_statement("My wife's birthday is in May."), a_fact("We report in euros.")
    assert outcome(statement, fact, 0.3, Relation.CONTRADICTION) == Outcome(is_new=True)


@for_each(
    ("old", "new"),
    [
        ("I like tea.", "I like coffee."),
        ("Hablo francés.", "Hablo inglés."),
        ("My birthday is 3 May.", "My wife's birthday is 5 June."),
        ("My brother is vegetarian.", "My brother is allergic to nuts."),
        ("My sister is a nurse.", "My sister is a mother."),
    ],
)
def test_what_is_said_of_something_else_is_no_repetition(old: str, new: str) -> None:
    statement = replace(a_statement(new), source=FactSource.STATED)
    assert outcome(statement, a_fact(old), 0.95, Relation.DUPLICATE) == Outcome(is_new=True)


@for_each(
    ("content", "operation", "is_added"),
    [
        ("Ik ga naar de tennisclub.", Operation.ADD, True),
        ("Ik ga naar de tennisclub.", Operation.CHANGE, False),
        ("Ik ga weer naar de tennisclub.", Operation.ADD, False),
        ("I no longer go to the club.", Operation.ADD, False),
        ("Ich gehe wieder in den Club.", Operation.ADD, False),
        ("Je vais de nouveau au club.", Operation.ADD, False),
        ("Ya no voy al club.", Operation.ADD, False),
    ],
)
def test_a_change_is_never_added_to_what_it_changes(
    content: str, operation: Operation, *, is_added: bool
) -> None:
    fact = a_fact("Ik speel geen tennis.", Slot.HOBBY)
    statement = a_statement(content, Slot.HOBBY, operation)
    result = outcome(statement, fact, 0.7, Relation.COMPLEMENT)
    assert result == (Outcome(extends=fact) if is_added else Outcome(is_new=True))


@for_each(
    ("old", "new"),
    [
        ("I eat gluten-free.", "I can eat gluten again."),
        ("Ik eet glutenvrij.", "Ik mag weer gluten eten."),
        ("Ich esse glutenfrei.", "Ich darf wieder Gluten essen."),
        ("Je mange sans gluten.", "Je peux de nouveau manger du gluten."),
        ("Yo como sin gluten.", "Yo puedo comer gluten otra vez."),
        ("Ik drink geen alcohol.", "Ik drink weer alcohol."),
        ("I don't drink any alcohol.", "I may have alcohol again."),
    ],
)
def test_what_is_had_again_takes_the_place_of_what_excludes_it(old: str, new: str) -> None:
    fact = a_fact(old, Slot.DIET)
    for relation in (Relation.COMPLEMENT, Relation.DUPLICATE, Relation.UNRELATED):
        result = outcome(a_statement(new, Slot.DIET), fact, 0.7, relation)
        assert result == Outcome(is_new=True, supersedes=(fact,))


@for_each(
    ("old", "new"),
    [
        ("I eat gluten-free.", "My son can eat gluten again."),
        ("My son eats gluten-free.", "I can eat gluten again."),
        ("I eat gluten-free.", "I can't eat gluten again."),
        ("I eat gluten-free.", "I also eat without lactose."),
        ("I eat gluten-free.", "I can eat lactose again."),
        ("I eat gluten-free.", "I want to eat gluten again."),
        ("I eat gluten-free.", "If I eat gluten again I get ill."),
        ("I eat gluten-free.", "I got sick from gluten again."),
        ("I eat gluten-free.", "I accidentally ate gluten again."),
        ("Ik eet glutenvrij.", "Ik kreeg weer last van gluten."),
        ("Ik eet glutenvrij.", "Ik hoop weer gluten te mogen eten."),
        ("I eat gluten.", "I can eat bread again."),
        ("Ik eet glutenvrij.", "Ik eet weer glutenvrij brood."),
        ("Ik heb vrij op vrijdag.", "Ik werk weer op zondag."),
        ("Ik drink geen koffie.", "Ik heb weer koffie gemorst."),
        ("I drink no coffee.", "I'm making coffee again for my wife."),
        ("I eat no meat.", "I have bought meat again for the dog."),
        ("Ich esse kein Fleisch.", "Ich habe wieder Fleisch für den Hund gekauft."),
        ("Je mange sans viande.", "J'ai de nouveau acheté de la viande pour le chien."),
        ("Yo como sin carne.", "He comprado carne otra vez para mi perro."),
        ("Ich habe frei.", "Ich habe wieder Zeit."),
    ],
)
def test_what_is_not_excluded_is_not_ended(old: str, new: str) -> None:
    fact = a_fact(old, Slot.DIET)
    result = outcome(a_statement(new, Slot.DIET), fact, 0.6, Relation.COMPLEMENT)
    assert result.supersedes == ()


@for_each(
    ("old", "new", "is_ended"),
    [
        ("I work at Shell.", "My husband no longer works at Shell.", False),
        ("I work at Shell.", "Peter resigned from Shell.", False),
        ("Ich arbeite bei Bosch.", "Meine Frau hat bei Bosch gekündigt.", False),
        ("Ik werk bij KPN.", "Mijn broer werkt niet meer bij KPN.", False),
        ("Je travaille chez Renault.", "Mon frère ne travaille plus chez Renault.", False),
        ("I work at Shell.", "I no longer work at Shell.", True),
        ("I work at Shell.", "My employer is BP.", True),
        ("My husband works at Shell.", "My husband no longer works at Shell.", True),
    ],
)
def test_what_holds_for_another_ends_nothing_of_the_user(
    old: str, new: str, *, is_ended: bool
) -> None:
    fact = a_fact(old, Slot.EMPLOYER)
    statement = a_statement(new, Slot.EMPLOYER, Operation.CHANGE)
    result = outcome(statement, fact, 0.8, Relation.CONTRADICTION)
    assert (fact in (*result.supersedes, *result.retracts)) is is_ended


@for_each(
    ("text", "is_ended"),
    [
        ("De hond van de buren is dood.", False),
        ("The dog next door is no more.", False),
        ("De hond van mijn broer is weg.", False),
        ("Mijn hond is er niet meer.", True),
    ],
)
def test_what_is_of_others_withdraws_nothing_of_the_user(text: str, *, is_ended: bool) -> None:
    fact = a_fact("Mijn hond heet Rex." if "hond" in text else "My dog is Rex.", Slot.PET)
    statement = a_statement(text, Slot.PET, Operation.RETRACT)
    result = outcome(statement, fact, 0.9, Relation.RETRACTION)
    assert bool(result.retracts) is is_ended


def test_what_holds_for_another_withdraws_nothing_of_the_user() -> None:
    fact = a_fact("I work at Shell.", Slot.EMPLOYER)
    for text, is_ended in (
        ("My husband no longer works at Shell.", False),
        ("I no longer work at Shell.", True),
    ):
        statement = a_statement(text, Slot.EMPLOYER, Operation.RETRACT)
        assert bool(outcome(statement, fact, 0.9, Relation.RETRACTION).retracts) is is_ended


def test_what_is_excluded_and_only_mentioned_again_ends_nothing() -> None:
    fact = a_fact("Ik drink geen koffie.", Slot.DIET)
    spilled = a_statement("Ik heb weer koffie gemorst.", Slot.DIET)
    drunk = a_statement("Ik drink weer koffie.", Slot.DIET)

    assert outcome(spilled, fact, 0.6, Relation.CONTRADICTION).supersedes == ()
    assert outcome(drunk, fact, 0.6, Relation.CONTRADICTION).supersedes == (fact,)


def test_a_denial_of_nothing_in_particular_ends_nothing() -> None:
    statement, fact = a_statement("I can not be there."), a_fact("I can do this.")
    assert outcome(statement, fact, 0.5, Relation.UNRELATED) == Outcome(is_new=True)


@pytest.mark.parametrize(("similarity", "is_same"), [(0.3, True), (0.1, False)])
def test_the_same_in_other_words_is_told_by_model_and_cosine_together(
    similarity: float, *, is_same: bool
) -> None:
    statement, fact = a_statement("Ich unterrichte Mathe.", Slot.ROLE), a_fact("Ich bin Lehrer.")
    result = outcome(statement, fact, similarity, Relation.DUPLICATE)
    assert (result.reinforces is fact, result.is_new) == (is_same, not is_same)


@for_each(
    ("old", "new"),
    [
        ("My wife is Ann.", "My wife is pregnant."),
        ("Mijn vrouw is Ann.", "Mijn vrouw is zwanger."),
        ("Mein Chef ist Karl.", "Mein Chef ist Veganer."),
        ("Ma femme est Anne.", "Ma femme est enceinte."),
        ("Mi mujer es Ana.", "Mi mujer es alérgica."),
        ("My brother is Tom.", "My brother is Dutch."),
    ],
)
def test_what_somebody_is_does_not_end_who_they_are(old: str, new: str) -> None:
    told = replace(a_statement(new), source=FactSource.STATED)
    assert outcome(told, a_fact(old), 0.8, Relation.UNRELATED).supersedes == ()


@pytest.mark.parametrize(
    ("old", "new"),
    [("My wife is Ann.", "My wife is Els."), ("My son is 8.", "My son is 9.")],
)
def test_another_name_or_figure_of_somebody_takes_the_place_of_the_old(old: str, new: str) -> None:
    told, fact = replace(a_statement(new), source=FactSource.STATED), a_fact(old)
    assert outcome(told, fact, 0.8, Relation.UNRELATED).supersedes == (fact,)


def test_a_new_profession_ends_the_old_one_wherever_that_was() -> None:
    old = a_fact("I work as a nurse at UZ Gent.", Slot.EMPLOYER)
    new = a_statement("I work as a teacher now.", Slot.ROLE)

    assert worth_comparing(new, [(old, 0.0)]) == [old]
    assert outcome(new, old, 0.2, Relation.UNRELATED).supersedes == (old,)


def test_another_profession_stands_beside_the_first() -> None:
    old, new = a_fact("I work as a nurse.", Slot.ROLE), a_statement("I work as a DJ.", Slot.ROLE)
    assert outcome(new, old, 0.6, Relation.UNRELATED).supersedes == ()


def test_a_job_that_is_left_for_another_one_ends_however_it_is_said() -> None:
    old = a_fact("I work at KBC.", Slot.EMPLOYER)
    new = a_statement("I quit my job at KBC yesterday and joined ING.")

    assert worth_comparing(new, [(old, 0.0)]) == [old]
    assert outcome(new, old, 0.2, Relation.UNRELATED).supersedes == (old,)


def test_what_names_something_else_of_something_else_is_no_repetition() -> None:
    home, work = a_fact("I live in Ghent.", Slot.HOME), a_statement("I work in Antwerp.")
    assert outcome(work, home, 0.7, Relation.DUPLICATE) == Outcome(is_new=True)
