"""Slots: what a fact is about. Some have one value at a time, such as where somebody lives."""

from enum import StrEnum
from typing import Final

from recollect.domain.facts.fact import FactType


class Slot(StrEnum):
    """What a fact says of the user."""

    NAME = "name"
    ROLE = "role"
    EMPLOYER = "employer"
    TEAM = "team"
    MANAGER = "manager"
    COLLEAGUE = "colleague"
    FAMILY = "family"
    PET = "pet"
    HOME = "home"
    BIRTHPLACE = "birthplace"
    BIRTHDAY = "birthday"
    AGE = "age"
    EDUCATION = "education"
    LANGUAGE = "language"
    HEALTH = "health"
    ALLERGY = "allergy"
    DIET = "diet"
    HOBBY = "hobby"
    VEHICLE = "vehicle"
    TOOL = "tool"
    PRODUCT = "product"
    PROJECT = "project"
    DEADLINE = "deadline"
    BUDGET = "budget"
    SCHEDULE = "schedule"
    CURRENCY = "currency"
    UNIT = "unit"
    CONVENTION = "convention"
    DEFINITION = "definition"
    ANSWER_STYLE = "answer_style"
    ANSWER_LANGUAGE = "answer_language"
    OTHER = "other"

    @property
    def has_one_value(self) -> bool:
        """Whether a new value takes the place of the one before."""
        return self in _ONE_VALUE

    @property
    def is_standing(self) -> bool:
        """Whether it says how answers are to be, so that it matters to every question."""
        return self in _STANDING

    @property
    def fact_type(self) -> FactType:
        """The type of most facts about it."""
        return _TYPES.get(self, FactType.FACT)


_ONE_VALUE: Final = frozenset(
    {
        Slot.NAME,
        Slot.EMPLOYER,
        Slot.HOME,
        Slot.BIRTHPLACE,
        Slot.BIRTHDAY,
        Slot.AGE,
        Slot.MANAGER,
        Slot.ANSWER_LANGUAGE,
    }
)
_TYPES: Final = {
    Slot.MANAGER: FactType.RELATIONSHIP,
    Slot.COLLEAGUE: FactType.RELATIONSHIP,
    Slot.FAMILY: FactType.RELATIONSHIP,
    Slot.PET: FactType.ENTITY,
    Slot.PRODUCT: FactType.ENTITY,
    Slot.DIET: FactType.PREFERENCE,
    Slot.UNIT: FactType.PREFERENCE,
    Slot.ANSWER_STYLE: FactType.PREFERENCE,
    Slot.ANSWER_LANGUAGE: FactType.PREFERENCE,
    Slot.PROJECT: FactType.CONTEXT,
    Slot.DEADLINE: FactType.CONTEXT,
    Slot.BUDGET: FactType.CONTEXT,
    Slot.CONVENTION: FactType.PROCEDURE,
    Slot.CURRENCY: FactType.PROCEDURE,
    Slot.DEFINITION: FactType.PROCEDURE,
}


_STANDING: Final = frozenset({Slot.ANSWER_STYLE, Slot.ANSWER_LANGUAGE})
STANDING_SLOTS: Final = tuple(sorted(_STANDING))
"""What facts are about that matter to every question."""


def is_standing(slot: str | None) -> bool:
    """Whether a fact about this slot matters to every question; not if it is unknown."""
    return slot in _STANDING


def has_one_value(slot: str | None) -> bool:
    """Whether a fact about this slot takes the place of another; not if it is unknown."""
    return slot in _ONE_VALUE
