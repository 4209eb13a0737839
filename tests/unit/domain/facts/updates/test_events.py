"""An event ends the facts that it plainly means, and none where it may be one or another."""

import pytest

from recollect.domain.facts.reading.plain.events import events_in
from recollect.domain.facts.slots import Slot
from recollect.domain.facts.updates.events import ended_by, outcome_of
from recollect.domain.facts.updates.reconciling import Outcome
from support.facts.known_facts import a_fact
from support.tables import for_each

JOB = ("I work at Philips.", Slot.EMPLOYER)
DOG = ("My dog is called Max.", Slot.PET)
GIRLFRIEND = ("My girlfriend is Ann.", Slot.FAMILY)
Told = tuple[str, Slot]


def _ended(text: str, known: list[Told]) -> list[str]:
    (event,) = events_in(text)
    facts = [a_fact(content, slot) for content, slot in known]
    return [fact.content for fact in ended_by(event, facts)]


@for_each(
    ("text", "known", "ended"),
    [
        ("I got fired.", JOB, [JOB[0]]),
        ("I quit my job at Philips.", JOB, [JOB[0]]),
        ("I quit my job at ASML.", JOB, []),
        ("I left work.", JOB, []),
        ("I got fired.", ("Ik werk bij Philips.", Slot.OTHER), ["Ik werk bij Philips."]),
        ("We broke up.", GIRLFRIEND, [GIRLFRIEND[0]]),
        ("We broke up.", ("I'm married to Ann.", Slot.FAMILY), ["I'm married to Ann."]),
        ("We broke up.", ("My bandmate is Tom.", Slot.COLLEAGUE), []),
        ("We got divorced.", GIRLFRIEND, []),
        ("We got divorced.", ("My wife is Ann.", Slot.OTHER), ["My wife is Ann."]),
        ("I broke up with my boyfriend.", GIRLFRIEND, []),
        ("I'm divorced.", ("I'm married to Tom.", Slot.FAMILY), ["I'm married to Tom."]),
        ("I'm divorced.", ("I'm engaged to Tom.", Slot.FAMILY), []),
        ("I'm divorced.", GIRLFRIEND, []),
        ("Ik ben gescheiden.", ("Ik ben met Jan getrouwd.", Slot.FAMILY), None),
        ("Ich bin geschieden.", ("Ich bin mit Jan verheiratet.", Slot.FAMILY), None),
        ("Ann and I split up.", GIRLFRIEND, [GIRLFRIEND[0]]),
        ("Eve and I split up.", GIRLFRIEND, []),
        ("Ann and I split up.", ("My sister is Ann.", Slot.FAMILY), []),
        ("Jan en ik zijn uit elkaar.", ("Ik ben getrouwd met Jan.", Slot.FAMILY), None),
        ("Jan en ik zijn uit elkaar.", ("Ik ben getrouwd met Piet.", Slot.FAMILY), []),
        ("Jan und ich haben uns getrennt.", ("Ich bin mit Jan zusammen.", Slot.FAMILY), None),
        ("Paul et moi avons rompu.", ("Je sors avec Paul.", Slot.FAMILY), None),
        ("Juan y yo hemos roto.", ("Mi novio es Juan.", Slot.FAMILY), None),
        ("I'm self-employed now.", JOB, [JOB[0]]),
        ("I resigned from ASML.", JOB, []),
        ("Ich habe bei Siemens gekündigt.", ("Ich arbeite bei Bosch.", Slot.EMPLOYER), []),
        ("Max died.", DOG, [DOG[0]]),
        ("Rex died.", DOG, []),
        ("My dog died.", DOG, [DOG[0]]),
        ("My cat died.", DOG, []),
        ("My dog died.", ("I have two dogs.", Slot.PET), []),
        ("Max died.", ("I have two cats, Max and Moritz.", Slot.PET), []),
        ("Max died.", ("My son is called Max.", Slot.FAMILY), []),
    ],
)
def test_what_is_over_ends_what_it_plainly_means(
    text: str, known: Told, ended: list[str] | None
) -> None:
    expected = [known[0]] if ended is None else ended
    assert _ended(text, [known, ("I live in Ghent.", Slot.HOME)]) == expected


def test_what_is_known_of_a_named_partner_ends_and_of_others_stays() -> None:
    known = [
        ("My wife is Ann.", Slot.FAMILY),
        ("My wife is a doctor.", Slot.FAMILY),
        ("I'm married.", Slot.FAMILY),
        ("My sister is Ann.", Slot.FAMILY),
        ("My boyfriend is Tom.", Slot.FAMILY),
    ]
    assert _ended("Ann and I split up.", known) == [content for content, _ in known[:3]]


def test_a_state_that_is_known_already_is_not_stored_twice() -> None:
    (event,) = events_in("I'm retired.")
    job, state = a_fact(*JOB), a_fact("I'm retired.", Slot.ROLE)

    assert outcome_of(event, [job]) == Outcome(is_new=True, supersedes=(job,))
    assert outcome_of(event, [job, state]) == Outcome(retracts=(job,))


@for_each(
    ("text", "known"),
    [
        ("I got fired.", [JOB, ("I also work at the fire brigade.", Slot.OTHER)]),
        ("We broke up.", [GIRLFRIEND, ("My wife is Els.", Slot.FAMILY)]),
        ("Max died.", [DOG, ("My son is called Max.", Slot.FAMILY)]),
        ("My dog died.", [DOG, ("My dog is called Rex.", Slot.PET)]),
        ("My dog died.", [("My dog is called Rex; My other dog is called Max.", Slot.PET)]),
        (
            "My exam is moved to Friday.",
            [("My exam is on Monday.", Slot.OTHER), ("My exam is in May.", Slot.EDUCATION)],
        ),
    ],
)
def test_nothing_is_ended_where_it_is_not_plain_which_one(text: str, known: list[Told]) -> None:
    assert _ended(text, known) == []


@for_each(
    ("text", "known"),
    [
        ("My dog died yesterday.", ("I have a dog allergy.", Slot.ALLERGY)),
        ("My dog died yesterday.", ("I work as a dog trainer.", Slot.ROLE)),
        ("My cat died.", ("I'm allergic to cat hair.", Slot.ALLERGY)),
        ("My cat died.", ("My sister has a cat.", Slot.PET)),
        ("Mon chien est mort.", ("Je suis allergique au poil de chien.", Slot.ALLERGY)),
        ("Ann died.", ("My sister Ann has a cat.", Slot.FAMILY)),
        ("Bowie died.", ("My dog is named after Bowie.", Slot.PET)),
        ("My appointment is postponed to Friday.", ("My appointment is with Ann.", Slot.OTHER)),
        ("I left Ghent.", ("I work at Ghent University.", Slot.EMPLOYER)),
        ("We broke up.", ("My partner in the firm is Bob.", Slot.OTHER)),
    ],
)
def test_a_fact_that_only_shares_a_word_with_an_event_stays(text: str, known: Told) -> None:
    assert _ended(text, [known]) == []


@pytest.mark.parametrize(
    "text", ["My sister has moved to Ghent.", "My desk is moved to the corner."]
)
def test_what_moves_to_no_day_is_no_event(text: str) -> None:
    assert list(events_in(text)) == []
