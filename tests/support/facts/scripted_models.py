"""A fact extractor and a model of relations that follow a script."""

from collections.abc import Mapping, Sequence

from recollect.domain.conversation.message import Message, Role
from recollect.domain.facts.reading.wording import content_of
from recollect.domain.facts.slots import Slot
from recollect.domain.facts.statement import Judgement, Operation, Relation, Statement

Line = tuple[str, Slot] | tuple[str, Slot, Operation]
"""A quote, what it is about, and what it does."""


class ScriptedExtractor:
    """Finds in a message what is given for its text, and remembers what it was shown."""

    def __init__(self, script: Mapping[str, Sequence[Line]]) -> None:
        self._script = script
        self.seen: list[tuple[str, ...]] = []

    async def extract(
        self, messages: Sequence[Message], *, before: Sequence[Message] = ()
    ) -> tuple[Statement, ...]:
        self.seen.append(tuple(message.content for message in [*before, *messages]))
        return tuple(
            Statement(
                message_id=message.message_id,
                quote=quote,
                content=content_of(quote, asked=None),
                slot=slot,
                operation=operation[0] if operation else Operation.ADD,
                confidence=0.9,
                language="en",
            )
            for message in messages
            if message.role is Role.USER
            for quote, slot, *operation in self._script.get(message.content, ())
        )


class ScriptedRelations:
    """Tells the relation that is given for two statements; others are unrelated."""

    def __init__(self, script: Mapping[tuple[str, str], Relation] | None = None) -> None:
        self._script = script or {}

    async def relations(self, statement: str, known: Sequence[str]) -> tuple[Judgement, ...]:
        relations = (self._script.get((statement, one), Relation.UNRELATED) for one in known)
        return tuple(judged(relation) for relation in relations)


def judged(relation: Relation) -> Judgement:
    """The judgement of a model that is sure."""
    return Judgement(relation=relation, sameness=float(relation is Relation.DUPLICATE))
