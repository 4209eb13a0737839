"""Values that are plainly the user's, and those that only a model takes for theirs."""

from uuid import uuid4

from recollect.domain.facts.fact import FactSource
from recollect.domain.facts.slots import Slot
from recollect.domain.facts.statement import Operation, Statement
from recollect.domain.facts.updates.claims import is_unclaimed, keeps_home
from support.tables import for_each


def said(quote: str, *, slot: Slot = Slot.HOME, source: FactSource | None = None) -> Statement:
    return Statement(
        message_id=uuid4(),
        quote=quote,
        content=f"{quote}.",
        slot=slot,
        source=source or FactSource.EXTRACTED,
    )


@for_each("text", ["Paris", "Call Peter", "Hotels in Köln", "Speak formally"])
def test_a_short_message_is_nobodys(text: str) -> None:
    assert is_unclaimed(said(text), text)


@for_each(
    ("quote", "message"),
    [
        ("I live in Leeds", "I live in Leeds."),
        ("moved to Leeds", "I resigned and moved to Leeds."),
        ("ben verhuisd naar Gent", "Ik heb ontslag genomen en ben verhuisd naar Gent."),
        ("Vivo en Toledo", "Vivo en Toledo."),
        ("He aceptado el puesto en Lugo", "He aceptado el puesto en Lugo."),
        ("Where do you live? Leeds", "Leeds"),
    ],
)
def test_what_has_a_word_a_verb_or_a_question_of_the_user_is_theirs(
    quote: str, message: str
) -> None:
    assert not is_unclaimed(said(quote), message)


def test_what_users_enter_and_what_has_many_values_needs_no_word() -> None:
    assert not is_unclaimed(said("Paris", source=FactSource.STATED), "Paris")
    assert not is_unclaimed(said("Tennis", slot=Slot.OTHER), "Tennis")


@for_each(
    ("quote", "rest", "is_kept"),
    [
        ("Ik woon niet meer in Gent voor het werk", ", maar voor mijn vriendin.", True),
        ("Je n'habite plus à Gand pour le travail", " mais pour ma femme.", True),
        ("Ik woon niet meer in Gent", ", maar in Brugge.", False),
        ("Ik woon niet meer in Gent voor het werk", ".", False),
    ],
)
def test_a_home_for_another_reason_is_kept(quote: str, rest: str, *, is_kept: bool) -> None:
    statement = Statement(
        message_id=uuid4(),
        quote=quote,
        content=quote,
        slot=Slot.HOME,
        operation=Operation.RETRACT,
    )
    assert keeps_home(statement, quote + rest) is is_kept
