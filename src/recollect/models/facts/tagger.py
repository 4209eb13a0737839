"""Finding facts with a network of our own, on top of the embedder that comes with Recollect."""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from functools import cached_property
from itertools import chain, islice
from typing import TYPE_CHECKING, Final, NamedTuple, Self, TypeVar

from recollect.domain.conversation.message import Message, Role
from recollect.domain.facts.fact import FactType
from recollect.domain.facts.reading.gate import refuses
from recollect.domain.facts.reading.introductions import (
    introductions,
    opening_of,
    sentences_after_introduction,
)
from recollect.domain.facts.reading.joined_clauses import (
    Clause,
    added_wishes,
    clauses_after_personal_data,
    joined_clauses,
    tells_of_user,
)
from recollect.domain.facts.reading.own_words.detection import readable_parts
from recollect.domain.facts.reading.plain.whereabouts import tells_new_employer
from recollect.domain.facts.reading.wording import content_of, names_user
from recollect.domain.facts.slots import Slot
from recollect.domain.facts.statement import Judgement, Operation, Relation, Statement
from recollect.domain.language import guess_language
from recollect.domain.speech.spoken import Part, sentences_of
from recollect.errors import ModelUnavailable
from recollect.models.embedding.local_embedder import lower_priority
from recollect.models.facts.decoding import Found, Scores, statements_in
from recollect.models.facts.features import Features, tokens_of
from recollect.models.networks import Network, installed_network, open_tokenizer
from recollect.models.weights import TOKENS, WEIGHTS

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from tokenizers import Tokenizer

_SURE_WITHOUT_STOP: Final = 0.995
"""Of the training rows' statements that are found so, ten are right and one is not."""
CONFIDENT: Final = 0.8
"""The least confidence of a statement that is stored; measured by `benchmarks/facts.py`."""
_SLOTS: Final = tuple(Slot)
_OPERATIONS: Final = tuple(Operation)
_RELATIONS: Final = tuple(Relation)
_DUPLICATE: Final = _RELATIONS.index(Relation.DUPLICATE)
_STATES: Final = ("states_3", "states_6")
_NAME, _ADD = _SLOTS.index(Slot.NAME), _OPERATIONS.index(Operation.ADD)
_INTRODUCED: Final = 0.95
"""How sure a name is that a rule has found."""
_SURE_OF_SLOT: Final = 0.85
"""How likely a slot must be that a statement has without its neighbours."""
_TELLS_SOMETHING: Final = 0.5
"""How likely a clause tells something of the user that is stored: not "and have a question"."""
_BEFORE: Final = 2
"""Messages before the user's that are read as its context."""

_FEW: Final = 6
"""Sentences of a text whose clauses are read one by one: each takes a run of the network."""

Result = TypeVar("Result")


class _Alone(NamedTuple):
    """What the network says of a sentence that it reads alone."""

    slot: int
    operation: int
    certainty: float
    """How likely the slot is."""
    presence: float
    """How likely it tells anything of the user."""


class FactTagger:
    """A `FactExtractor` and `RelationModel` on a thread of its own, of low priority.

    The networks are loaded when they are first needed; the embedder's is shared with it.
    """

    def __init__(self, *, confidence: float = CONFIDENT) -> None:
        self._confidence = confidence
        self._thread = ThreadPoolExecutor(
            max_workers=1, thread_name_prefix="facts", initializer=lower_priority
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await asyncio.to_thread(self._thread.shutdown, cancel_futures=True)

    async def extract(
        self, messages: Sequence[Message], *, before: Sequence[Message] = ()
    ) -> tuple[Statement, ...]:
        """What the user's messages say about their user."""
        work = self._submit(self._extract, messages, before)
        return await asyncio.wrap_future(work)

    async def relations(self, statement: str, known: Sequence[str]) -> tuple[Judgement, ...]:
        """How a statement stands to each of the known ones."""
        work = self._submit(self._relations, statement, known)
        return await asyncio.wrap_future(work)

    def _submit(self, work: Callable[..., Result], *given: object) -> Future[Result]:
        try:
            return self._thread.submit(work, *given)
        except RuntimeError:
            raise ModelUnavailable("the model of facts was closed") from None

    def _extract(
        self, messages: Sequence[Message], before: Sequence[Message] = ()
    ) -> tuple[Statement, ...]:
        statements: list[Statement] = []
        conversation = [*before, *messages]
        for at, message in enumerate(messages, start=len(before)):
            if message.role is Role.USER:
                earlier = conversation[max(0, at - _BEFORE) : at]
                talk = [(one.role, one.content) for one in earlier if one.role is not Role.SYSTEM]
                statements += self._statements_of(message, talk[::-1])
        return tuple(statements)

    def _statements_of(
        self, message: Message, before: Sequence[tuple[Role, str]]
    ) -> list[Statement]:
        """The statements of a message's own words, which the gate lets through."""
        reply = before[0][1] if before and before[0][0] is Role.ASSISTANT else None
        earlier = before[1][1] if reply and before[1:] and before[1][0] is Role.USER else None
        language = guess_language(message.content)
        statements: list[Statement] = []
        for part in readable_parts(message.content):
            for found in self._found_in(part.text, before):
                quote = part.text[found.start : found.end]
                is_job = tells_new_employer(quote, earlier)
                statement = Statement(
                    message_id=message.message_id,
                    quote=quote,
                    content=content_of(found.subject + quote, asked=reply),
                    slot=Slot.EMPLOYER if is_job else _SLOTS[found.slot],
                    operation=_OPERATIONS[found.operation],
                    confidence=round(found.confidence, 3),
                    language=language,
                )
                refusal = refuses(statement, message.content, reply=reply, earlier=earlier)
                if refusal is None:
                    statements += self._by_clause(statement, message.content)
        return statements

    def _by_clause(self, statement: Statement, message: str) -> Iterator[Statement]:
        """A statement as one for each clause that "and" joins to the first, if there are any."""
        quote = statement.quote
        clauses = joined_clauses(quote, statement.language)
        if len(clauses) == 1 or statement.operation is Operation.RETRACT:
            yield statement
            return
        for clause in clauses:
            sentence = clause.sentence_in(quote)
            alone = self._alone(sentence)
            if alone.presence < _TELLS_SOMETHING:
                continue
            one = replace(
                statement,
                quote=clause.quote_in(quote),
                content=content_of(sentence, asked=None),
                slot=_SLOTS[alone.slot],
                operation=_OPERATIONS[alone.operation],
            )
            if refuses(one, message) is None:
                yield one

    def _found_in(self, text: str, before: Sequence[tuple[Role, str]]) -> list[Found]:
        """What the network is sure of, in parts of a text that it can read at once."""
        named = [_introduced(clause) for clause in introductions(text)]
        found = self._sure_in(text, before) or self._sure_in_core(text)
        sure = [one for one in found if not any(map(one.has_words_of, named))]
        added: list[Found] = []
        for one in chain(named, self._added(text, sure)):
            if not any(map(one.overlaps, (*sure, *added))):
                added.append(one)
        has_neighbours = len(sure) + len(added) > 1 or bool(before)
        said = [content for role, content in before if role is Role.USER]
        own = [self._with_own_slot(text, one, said, has_neighbours=has_neighbours) for one in sure]
        return own + added

    def _added(self, text: str, sure: Sequence[Found]) -> Iterator[Found]:
        """What is read alone, because the network is not sure of it beside the rest of a text."""
        for clause in added_wishes(text):
            alone = self._read_alone(text, clause)
            yield from (one for one in alone if _SLOTS[one.slot].is_standing)
        # Of "My number is … and I live in Ghent" as a whole the network is not sure.
        for clause in () if sure else clauses_after_personal_data(text):
            yield from self._read_alone(text, clause)
        for clause in _clauses_beside(text, sure):
            yield from self._read_clause(text, clause)
        for clause in _short_statements(text):
            alone = self._read_alone(text, clause)
            is_whole = len(alone) == 1 and alone[0].end == clause.end
            yield from (one for one in alone if is_whole and _says_who(_SLOTS[one.slot]))

    def _sure_in(self, text: str, before: Sequence[tuple[Role, str]]) -> list[Found]:
        """What the network is sure of in a text."""
        features = tokens_of(self._tokenizer, text, before)
        if not features.offsets:
            return []
        found = statements_in(text, features.offsets, self._tags(features))
        return [one for one in found if one.confidence >= self._confidence]

    def _sure_in_core(self, text: str) -> list[Found]:
        """The same without what the text begins and ends with: "Hi, I'm Emma," and a full stop.

        For either the network doubts short statements, as "I'm vegetarian." with its full stop.
        """
        start, end = opening_of(text), len(text.rstrip().rstrip("."))
        core = Clause(start=start, end=end)
        if end - start in {len(text), 0} or not tells_of_user(core.quote_in(text)):
            return []
        least = self._confidence if start else _SURE_WITHOUT_STOP
        return [one for one in self._read_alone(text, core) if one.confidence >= least]

    def _read_alone(self, text: str, clause: Clause) -> list[Found]:
        """What the network is sure of in a clause that it reads alone."""
        return [
            replace(one, start=one.start + clause.start, end=one.end + clause.start)
            for one in self._sure_in(clause.quote_in(text), ())
        ]

    def _read_clause(self, text: str, clause: Clause) -> Iterator[Found]:
        """A clause as a statement, if the network is sure of all of it beside its subject."""
        sentence = clause.sentence_in(text)
        for one in self._sure_in(sentence, ()):
            if one.start <= len(clause.subject) and one.end == len(sentence):
                yield replace(one, start=clause.start, end=clause.end, subject=clause.subject)

    def _with_own_slot(
        self, text: str, found: Found, said: Sequence[str], *, has_neighbours: bool
    ) -> Found:
        """A statement with the slot that it has without its neighbours, where it may be theirs.

        "I moved to Leiden", said after "I work at Globex", is not about the employer: in a slot of
        one value it would end what is known of that. A slot of many values takes its place only
        where the network is sure: "I'm allergic to nuts", said after "I'm from Ghent"; or where
        what the user said before has that one value: "I'm at Philips", said after "I live in Hull".
        Neighbours are the other statements of its message, and the messages before.
        """
        quote = text[found.start : found.end]
        if found.is_joined:
            alone = self._alone(quote)
            return replace(found, slot=alone.slot, operation=alone.operation)
        if not (_SLOTS[found.slot].has_one_value or has_neighbours) or not names_user(quote):
            return found
        alone = self._alone(quote)
        is_theirs = _SLOTS[alone.slot].has_one_value == _SLOTS[found.slot].has_one_value
        is_own = has_neighbours and alone.certainty >= _SURE_OF_SLOT
        if is_theirs or is_own or self._has_slot_of(found, alone, said):
            return replace(found, slot=alone.slot)
        return found

    def _has_slot_of(self, found: Found, alone: "_Alone", said: Sequence[str]) -> bool:
        """Whether a statement has the one value of what was said before, and not alone."""
        is_doubtful = _SLOTS[found.slot].has_one_value and alone.slot != found.slot
        return is_doubtful and any(self._alone(one).slot == found.slot for one in said)

    def _alone(self, sentence: str) -> "_Alone":
        """What a sentence is about and does where nothing stands beside it."""
        tags = self._tags(tokens_of(self._tokenizer, sentence, ()))
        slots, operations = tags.slots.mean(0), tags.operations.mean(0)
        slot = int(slots.argmax())
        operation = int(operations.argmax())
        return _Alone(
            slot=slot,
            operation=operation,
            certainty=float(slots[slot]),
            presence=tags.present,
        )

    def _tags(self, features: Features) -> Scores:
        """What the network says of a message's own tokens."""
        present, inside, begin, slots, operations, _ = self._scores(features)
        own = slice(1, 1 + len(features.offsets))
        return Scores(
            present=float(present[0]),
            inside=inside[0, own],
            begin=begin[0, own],
            slots=slots[0, own],
            operations=operations[0, own],
        )

    def _relations(self, statement: str, known: Sequence[str]) -> tuple[Judgement, ...]:
        return tuple(self._relation(statement, fact) for fact in known)

    def _relation(self, statement: str, fact: str) -> Judgement:
        *_, scores = self._scores(tokens_of(self._tokenizer, statement, [(Role.USER, fact)]))
        return Judgement(
            relation=_RELATIONS[int(scores[0].argmax())], sameness=float(scores[0, _DUPLICATE])
        )

    def _scores(self, features: Features) -> "list[NDArray[np.float32]]":
        """The probabilities that the heads give, from the states that the embedder gives."""
        import numpy as np  # noqa: PLC0415  # loaded with the networks

        ids = np.array([features.token_ids], np.int64)
        types = np.array([features.token_types], np.int64)
        ones = ids * 0 + 1
        given = {"input_ids": ids, "attention_mask": ones, "token_type_ids": ones}
        states = np.concatenate(self._encoder.run(given, _STATES), axis=-1)
        return self._heads.run({"states": states, "token_types": types})

    @cached_property
    def _encoder(self) -> Network:
        return installed_network(WEIGHTS / "embedder.onnx")

    @cached_property
    def _heads(self) -> Network:
        return installed_network(WEIGHTS / "facts.onnx")

    @cached_property
    def _tokenizer(self) -> "Tokenizer":
        return open_tokenizer(WEIGHTS, TOKENS)


def _introduced(clause: Clause) -> Found:
    return Found(
        start=clause.start, end=clause.end, slot=_NAME, operation=_ADD, confidence=_INTRODUCED
    )


def _clauses_beside(text: str, sure: Sequence[Found]) -> Iterator[Clause]:
    """The joined clauses of the first sentences of which nothing is found yet."""
    sentences = islice(sentences_of(Part(start=0, text=text)), _FEW)
    for sentence in sentences:
        start, stated = sentence.start, sentence.text.rstrip().rstrip(".!")
        clauses = joined_clauses(stated, guess_language(stated))
        for one in clauses if len(clauses) > 1 else ():
            clause = replace(one, start=start + one.start, end=start + one.end)
            if not any(clause.start < other.end and other.start < clause.end for other in sure):
                yield clause


def _short_statements(text: str) -> Iterator[Clause]:
    clauses = sentences_after_introduction(text)
    return (clause for clause in clauses if tells_of_user(clause.quote_in(text)))


def _says_who(slot: Slot) -> bool:
    """Whether a slot says who somebody is; most of the others passes: "I am at the airport"."""
    return slot is not Slot.OTHER and slot.fact_type is not FactType.CONTEXT
