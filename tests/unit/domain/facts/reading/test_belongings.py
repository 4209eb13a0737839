"""What belongs to somebody of the user's is not the user's."""

from uuid import UUID

from recollect.domain.facts.reading.belongings import belongs_to_another, with_own_slot
from recollect.domain.facts.slots import Slot
from recollect.domain.facts.statement import Statement
from support.tables import for_each

_ANOTHERS = """
My manager's manager is Bob.
My boss\u2019s boss is Ann.
My direct manager's boss is Bob
The manager of my manager is Bob.
My wife's home town is Hull.
De manager van mijn manager is Bob.
Mijn managers manager is Bob.
Mijn manager's manager heet Bob.
Der Chef meines Chefs ist Bob.
Die Chefin meiner Chefin heißt Ann.
Le chef de mon chef est Bob.
El jefe de mi jefe es Bob.
"""
_OWN = """
My manager is Bob.
My manager's Bob.
My manager's name is Bob.
My manager's called Bob and he is nice.
The name of my manager is Bob.
My name's Emma.
My boss is my sister.
My team's manager is Bob.
I work for my brother's company.
I live with the parents of my wife.
The date of my birth is 3 May.
De naam van mijn manager is Bob.
Mijn manager is Bob.
Mijn managers zijn Bob en Ann.
Mijn thuis adres is Gent.
De dag van mijn geboorte is 3 mei.
Mein Chef ist Bob.
Der Name meines Chefs ist Bob.
Der Ort meiner Geburt ist Ulm.
Ich wohne mit meiner Frau in Ulm.
Mon chef est Bob.
Le nom de mon chef est Bob.
Mi jefe es Bob.
El nombre de mi jefe es Bob.
El lugar de mi nacimiento es Lugo.
"""


@for_each("content", _ANOTHERS.strip().splitlines())
def test_what_belongs_to_somebody_of_the_users_is_told(content: str) -> None:
    assert belongs_to_another(content)


@for_each("content", _OWN.strip().splitlines())
def test_what_is_the_users_own_is_told_from_it(content: str) -> None:
    assert not belongs_to_another(content)


@for_each(
    ("content", "slot", "own"),
    [
        ("My manager's manager is Bob.", Slot.MANAGER, Slot.COLLEAGUE),
        ("My manager's address is 3 Elm Street.", Slot.HOME, Slot.OTHER),
        ("My brother's wife is a nurse.", Slot.FAMILY, Slot.FAMILY),
        ("My manager is Bob.", Slot.MANAGER, Slot.MANAGER),
        ("I used to live in Paris.", Slot.HOME, Slot.OTHER),
        ("I live in Paris.", Slot.HOME, Slot.HOME),
    ],
)
def test_only_a_slot_of_one_value_is_given_up(content: str, slot: Slot, own: Slot) -> None:
    statement = Statement(message_id=UUID(int=1), quote=content, content=content, slot=slot)
    assert with_own_slot(statement).slot is own
