"""Which items of an import are stored, and which stay as they are."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple
from uuid import UUID

from recollect.domain.facts.fact import FactChange, FactRecord
from recollect.domain.facts.stored import EmbeddedFact, claims_of, statements_in
from recollect.domain.profile.profile import MAX_KEYS, MAX_PROFILE_BYTES, ProfileItem
from recollect.domain.transfer.document import Outcome
from recollect.domain.transfer.records import MessagePlace, MessageRecord, place_of


class TakenPlace(NamedTuple):
    """A stored message and its place."""

    message_id: UUID
    place: MessagePlace


@dataclass(frozen=True, slots=True, kw_only=True)
class SortedMessages:
    """The messages of an import: those to be stored, and what becomes of the others."""

    new: tuple[MessageRecord, ...]
    outcome: Outcome
    diverged: frozenset[UUID]
    """Sessions that have gone on in another way here: nothing more is added to them."""


def sort_messages(
    records: Sequence[MessageRecord],
    *,
    sessions: Collection[UUID],
    taken: Iterable[TakenPlace],
) -> SortedMessages:
    """Tell which messages can be stored, given the sessions there are and the stored messages.

    A message is known if it is stored at its place. Where another one has its place, or it has
    another place, the session has diverged: none of its later messages is stored.
    """
    stored = dict(taken)
    holders = {place: message_id for message_id, place in stored.items()}
    new: list[MessageRecord] = []
    diverged: set[UUID] = set()
    known = 0
    for record in records:
        message_id, place = record.message.message_id, place_of(record.message)
        if holders.get(place) == message_id:
            known += 1
        elif place.session_id in diverged or place.session_id not in sessions:
            continue
        elif place in holders or message_id in stored:
            diverged.add(place.session_id)
        else:
            stored[message_id], holders[place] = place, message_id
            new.append(record)
    conflicting = len(records) - known - len(new)
    outcome = Outcome(added=len(new), known=known, conflicting=conflicting)
    return SortedMessages(new=tuple(new), outcome=outcome, diverged=frozenset(diverged))


def sort_profile(
    items: Sequence[ProfileItem],
    sizes: Mapping[str, int],
    *,
    known: Mapping[str, int],
    last_version: int,
) -> tuple[list[ProfileItem], Outcome]:
    """Tell which values a profile takes, and with which versions.

    `sizes` are those of the given values, `known` those of the stored ones, both by key. A version
    that the profile may have given to another value already is replaced by a new one.
    """
    given = {item.key: item for item in items if item.key not in known}
    next_version = max([last_version, *(item.version for item in given.values())]) + 1
    count, size = len(known), sum(known.values())
    new: list[ProfileItem] = []
    for key, item in given.items():
        if count >= MAX_KEYS or size + sizes[key] > MAX_PROFILE_BYTES:
            continue
        count, size = count + 1, size + sizes[key]
        if item.version <= last_version:
            item = replace(item, version=next_version)  # noqa: PLW2901  # the same with another version
            next_version += 1
        new.append(item)
    known_count, conflicting = len(items) - len(given), len(given) - len(new)
    return new, Outcome(added=len(new), known=known_count, conflicting=conflicting)


def sort_facts(
    records: Sequence[FactRecord],
    *,
    known: Mapping[UUID, EmbeddedFact],
    changes: Iterable[FactChange],
) -> tuple[dict[UUID, FactRecord], Outcome]:
    """Tell which facts are stored, each with the lines of its history that are not there yet.

    `known` and `changes` are the owner's facts and their histories.
    """
    new: dict[UUID, FactRecord] = {}
    claimed, statements = {*claims_of(known.values())}, {*statements_in(changes)}
    known_count = 0
    for record in records:
        fact_id, claims = record.fact.fact_id, {*claims_of([EmbeddedFact(fact=record.fact)])}
        if fact_id in known:
            known_count += 1
        elif fact_id not in new and claimed.isdisjoint(claims):
            claimed |= claims
            history = tuple(_new_changes(record.history, statements))
            new[fact_id] = FactRecord(fact=record.fact, history=history)
    conflicting = len(records) - known_count - len(new)
    return new, Outcome(added=len(new), known=known_count, conflicting=conflicting)


def _new_changes(
    history: Iterable[FactChange], statements: set[tuple[UUID, str]]
) -> Iterator[FactChange]:
    """Yield the lines whose statements are not among these, and add them to these."""
    for change in history:
        stated = {*statements_in([change])}
        if statements.isdisjoint(stated):
            statements |= stated
            yield change
