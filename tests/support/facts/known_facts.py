"""Facts that are known before something is said."""

from uuid import uuid4

from recollect.domain.facts.fact import Fact, FactSource, FactType, Priority
from recollect.domain.facts.slots import Slot
from recollect.testing import FIRST_MOMENT


def a_fact(content: str, slot: Slot = Slot.OTHER) -> Fact:
    """A fact of the first moment, which holds."""
    return Fact(
        fact_id=uuid4(),
        type=FactType.FACT,
        priority=Priority.HIGH,
        content=content,
        source=FactSource.API,
        created_at=FIRST_MOMENT,
        updated_at=FIRST_MOMENT,
        accessed_at=FIRST_MOMENT,
        valid_from=FIRST_MOMENT,
        slot=slot,
    )
